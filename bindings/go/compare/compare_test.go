// SPDX-License-Identifier: Apache-2.0 OR MIT

package main

import (
	"bytes"
	"crypto/cipher"
	"testing"

	"github.com/hornet-mac/hornet/bindings/go/chacha20poly1305"
	"github.com/hornet-mac/hornet/bindings/go/poly1305"
	xchacha20poly1305 "golang.org/x/crypto/chacha20poly1305"
	//lint:ignore SA1019 it is what this module is compared with
	xpoly1305 "golang.org/x/crypto/poly1305"
)

func checkSum(t *testing.T, key *[32]byte, m []byte) {
	t.Helper()
	oneTime := (*poly1305.OneTimeKey)(key)
	var got, want [16]byte
	xpoly1305.Sum(&want, m, key)
	if poly1305.Sum(&got, m, oneTime); got != want {
		t.Fatalf("%d bytes: %x, not %x", len(m), got, want)
	}
	mac := poly1305.New(oneTime)
	mac.Write(m)
	if !mac.Verify(want[:]) || !poly1305.Verify(&want, m, oneTime) {
		t.Fatalf("%d bytes: refused", len(m))
	}
}

// checkAEAD compares Seal with that of x/crypto, opens the result, and opens a forgery; in place and in separate memory.
func checkAEAD(t *testing.T, key, nonce, m, additional []byte) {
	t.Helper()
	ours, their := both(t, key, len(nonce))
	want := their.Seal(nil, nonce, m, additional)
	if got := ours.Seal(nil, nonce, m, additional); !bytes.Equal(got, want) {
		t.Fatalf("%d bytes, nonce of %d: Seal", len(m), len(nonce))
	}
	buffer := append(bytes.Clone(m), make([]byte, ours.Overhead())...)
	if got := ours.Seal(buffer[:0], nonce, buffer[:len(m)], additional); !bytes.Equal(got, want) {
		t.Fatalf("%d bytes, nonce of %d: Seal in place", len(m), len(nonce))
	}
	for _, dst := range [][]byte{nil, buffer[:0]} {
		if got, err := ours.Open(dst, nonce, buffer, additional); err != nil || !bytes.Equal(got, m) {
			t.Fatalf("%d bytes, nonce of %d: Open: %v", len(m), len(nonce), err)
		}
	}
	want[len(m)] ^= 0x80
	if got, err := ours.Open(nil, nonce, want, additional); err == nil || got != nil {
		t.Fatalf("%d bytes, nonce of %d: a forgery is opened", len(m), len(nonce))
	}
}

func both(t testing.TB, key []byte, nonceSize int) (ours, their cipher.AEAD) {
	t.Helper()
	newOurs, newTheirs := chacha20poly1305.New, xchacha20poly1305.New
	if nonceSize == chacha20poly1305.NonceSizeX {
		newOurs, newTheirs = chacha20poly1305.NewX, xchacha20poly1305.NewX
	}
	ours, err := newOurs(key)
	if err != nil {
		t.Fatal(err)
	}
	if their, err = newTheirs(key); err != nil {
		t.Fatal(err)
	}
	return ours, their
}

func TestSum(t *testing.T) {
	all := randomBytes(4200)
	for n := range len(all) + 1 {
		checkSum(t, (*[32]byte)(randomBytes(32)), all[:n])
		checkSum(t, (*[32]byte)(bytes.Repeat([]byte{255}, 32)), all[:n])
	}
	checkSum(t, (*[32]byte)(randomBytes(32)), randomBytes(1<<20+7))
}

func TestAEAD(t *testing.T) {
	all := randomBytes(4300)
	for n := range 4201 {
		for _, nonceSize := range []int{chacha20poly1305.NonceSize, chacha20poly1305.NonceSizeX} {
			checkAEAD(t, randomBytes(32), randomBytes(nonceSize), all[:n], all[:n*7%71])
		}
	}
	for _, n := range []int{1<<16 + 77, 1<<18 + 1, 1<<20 + 7} {
		checkAEAD(t, randomBytes(32), randomBytes(12), randomBytes(n), all)
	}
}

func TestConstants(t *testing.T) {
	if chacha20poly1305.KeySize != xchacha20poly1305.KeySize || chacha20poly1305.NonceSize != xchacha20poly1305.NonceSize ||
		chacha20poly1305.NonceSizeX != xchacha20poly1305.NonceSizeX || chacha20poly1305.Overhead != xchacha20poly1305.Overhead ||
		poly1305.TagSize != xpoly1305.TagSize {
		t.Error("a constant differs")
	}
}

func FuzzSum(f *testing.F) {
	f.Add(randomBytes(32), randomBytes(1000))
	f.Fuzz(func(t *testing.T, keyBytes, m []byte) {
		var key [32]byte
		copy(key[:], keyBytes)
		checkSum(t, &key, m)
	})
}

func FuzzAEAD(f *testing.F) {
	f.Add(randomBytes(32), randomBytes(24), randomBytes(1000), randomBytes(20))
	f.Fuzz(func(t *testing.T, keyBytes, nonceBytes, m, additional []byte) {
		key, nonce := make([]byte, 32), make([]byte, 24)
		copy(key, keyBytes)
		copy(nonce, nonceBytes)
		checkAEAD(t, key, nonce[:12], m, additional)
		checkAEAD(t, key, nonce, m, additional)
	})
}
