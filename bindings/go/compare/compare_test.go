// SPDX-License-Identifier: Apache-2.0 OR MIT

package main

import (
	"bytes"
	"crypto/cipher"
	"errors"
	"io"
	"testing"

	"filippo.io/age"
	"github.com/hornet-mac/hornet/bindings/go/chacha20"
	"github.com/hornet-mac/hornet/bindings/go/chacha20poly1305"
	"github.com/hornet-mac/hornet/bindings/go/openssh"
	"github.com/hornet-mac/hornet/bindings/go/poly1305"
	"github.com/hornet-mac/hornet/bindings/go/stream"
	xchacha20 "golang.org/x/crypto/chacha20"
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

// checkStream lets both ciphers encrypt pieces from a block on; they panic alike where the counter ends.
func checkStream(t *testing.T, key, nonce, m []byte, counter uint32, first int) {
	t.Helper()
	ours, err := chacha20.NewUnauthenticatedCipher(key, nonce)
	if err != nil {
		t.Fatal(err)
	}
	their, err := xchacha20.NewUnauthenticatedCipher(key, nonce)
	if err != nil {
		t.Fatal(err)
	}
	run := func(c interface {
		cipher.Stream
		SetCounter(uint32)
	}) (out []byte, panicked any) {
		defer func() { panicked = recover() }()
		out = make([]byte, len(m)+70)
		c.SetCounter(counter)
		c.XORKeyStream(out, m[:first])
		c.XORKeyStream(out[first:], m[first:])
		c.SetCounter(counter + uint32(len(m)+63)/64)
		c.XORKeyStream(out[len(m):], out[len(m):])
		return out, nil
	}
	got, panicked := run(ours)
	want, theyPanicked := run(their)
	if !bytes.Equal(got, want) || panicked != theyPanicked {
		t.Fatalf("%d bytes from block %d on: %v and %v", len(m), counter, panicked, theyPanicked)
	}
}

// checkMasks compares the masks of samples with the beginnings of x/crypto's keystreams.
func checkMasks(t *testing.T, key []byte, samples [][chacha20.SampleSize]byte) {
	t.Helper()
	masks := make([][chacha20.MaskSize]byte, len(samples))
	if err := chacha20.HeaderMasks(masks, samples, key); err != nil {
		t.Fatal(err)
	}
	for i, sample := range samples {
		if want := theirMask(key, &sample); masks[i] != want {
			t.Fatalf("sample %d of %d", i, len(samples))
		}
	}
}

func checkPacket(t *testing.T, key *[openssh.KeySize]byte, payload []byte, number uint32) {
	t.Helper()
	c, err := openssh.New(key[:])
	if err != nil {
		t.Fatal(err)
	}
	packet := append(append(make([]byte, openssh.LengthSize), payload...), make([]byte, openssh.TagSize)...)
	want := bytes.Clone(packet)
	theirSeal(key, want, number)
	if c.Seal(packet, number); !bytes.Equal(packet, want) {
		t.Fatalf("%d bytes: Seal", len(payload))
	}
	n := c.Length((*[openssh.LengthSize]byte)(packet), number)
	if got, err := c.Open(packet, number); err != nil || int(n) != len(payload) || !bytes.Equal(got, payload) {
		t.Fatalf("%d bytes: Open: %v", len(payload), err)
	}
}

func TestStream(t *testing.T) {
	all := randomBytes(3000)
	for n := range len(all) {
		counter := uint32(n)
		if n%2 == 0 {
			counter = -uint32(n / 128)
		}
		checkStream(t, randomBytes(32), randomBytes(12+n%3/2*12), all[:n], counter, n*7%(n+1))
	}
}

func TestMasks(t *testing.T) {
	for n := range 70 {
		samples := make([][chacha20.SampleSize]byte, n)
		for i := range samples {
			samples[i] = [chacha20.SampleSize]byte(randomBytes(chacha20.SampleSize))
		}
		checkMasks(t, randomBytes(32), samples)
	}
}

func TestPackets(t *testing.T) {
	all := randomBytes(1 << 18)
	for n := range 3000 {
		checkPacket(t, (*[openssh.KeySize]byte)(randomBytes(openssh.KeySize)), all[n:2*n], uint32(n)<<20)
	}
	checkPacket(t, (*[openssh.KeySize]byte)(randomBytes(openssh.KeySize)), all, 1)
}

// TestPayload opens files of age, and lets age open ours, of lengths around the ends of chunks.
func TestPayload(t *testing.T) {
	const chunk = stream.ChunkSize
	for _, n := range []int{0, 1, 1000, chunk - 16, chunk - 1, chunk, chunk + 1, 2 * chunk, 2*chunk + 1, 300_001} {
		text := randomBytes(n)
		file, before, key, k := agePayload(text)
		r, err := stream.NewReader(key, bytes.NewReader(file[len(before):]))
		must(err)
		if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, text) {
			t.Errorf("%d bytes: stream: %v", n, err)
		}
		sealed := bytes.NewBuffer(bytes.Clone(before))
		w, err := stream.NewWriter(key, sealed)
		must(err)
		w.Write(text)
		must(w.Close())
		if !bytes.Equal(sealed.Bytes(), file) {
			t.Errorf("%d bytes: another file", n)
		}
		theirs, err := age.Decrypt(sealed, k)
		must(err)
		if got, err := io.ReadAll(theirs); err != nil || !bytes.Equal(got, text) {
			t.Errorf("%d bytes: age: %v", n, err)
		}
	}
}

// checkRefused compares what both release of a sealed text that may have been changed, and whether they refuse it. age releases
// also the chunk that should have been the last, or should not.
func checkRefused(t *testing.T, k *keeper, before, key, sealed []byte) {
	t.Helper()
	r, err := stream.NewReader(key, bytes.NewReader(sealed))
	must(err)
	ours, err := io.ReadAll(r)
	theirReader, theirErr := age.Decrypt(bytes.NewReader(append(bytes.Clone(before), sealed...)), k)
	must(theirErr)
	their, theirErr := io.ReadAll(theirReader)
	if (err == nil) != (theirErr == nil) {
		t.Fatalf("stream: %v; age: %v", err, theirErr)
	}
	wrongEnd := errors.Is(err, stream.ErrGoesOn) || errors.Is(err, stream.ErrCutOff)
	if !bytes.Equal(ours, their) && !(wrongEnd && bytes.HasPrefix(their, ours)) {
		t.Fatalf("%d and %d bytes: stream: %v; age: %v", len(ours), len(their), err, theirErr)
	}
}

func FuzzPayload(f *testing.F) {
	f.Add(uint(0), uint(3), uint(16), uint(0))
	f.Add(uint(stream.ChunkSize), uint(1<<30), uint(stream.SealedChunkSize), uint(1))
	f.Add(uint(2*stream.ChunkSize+5), uint(stream.SealedChunkSize+5), uint(1<<30), uint(7))
	f.Add(uint(2*stream.ChunkSize), uint(1<<30), uint(stream.SealedChunkSize), uint(0))
	f.Fuzz(func(t *testing.T, n, changed, end, more uint) {
		file, before, key, k := agePayload(randomBytes(int(n % (3 * stream.ChunkSize))))
		sealed := file[len(before):]
		if changed < uint(len(sealed)) {
			sealed[changed] ^= 1
		}
		sealed = append(sealed[:min(end, uint(len(sealed)))], make([]byte, more%40)...)
		checkRefused(t, k, before, key, sealed)
	})
}

func FuzzStream(f *testing.F) {
	f.Add(randomBytes(32), randomBytes(24), randomBytes(1000), uint32(1<<32-16), uint(70))
	f.Fuzz(func(t *testing.T, keyBytes, nonceBytes, m []byte, counter uint32, first uint) {
		key, nonce := make([]byte, 32), make([]byte, 24)
		copy(key, keyBytes)
		copy(nonce, nonceBytes)
		at := int(first % uint(len(m)+1))
		checkStream(t, key, nonce[:12], m, counter, at)
		checkStream(t, key, nonce, m, counter, at)
	})
}

func FuzzMasks(f *testing.F) {
	f.Add(randomBytes(32), randomBytes(20*chacha20.SampleSize))
	f.Fuzz(func(t *testing.T, keyBytes, all []byte) {
		key := make([]byte, 32)
		copy(key, keyBytes)
		var samples [][chacha20.SampleSize]byte
		for ; len(all) >= chacha20.SampleSize; all = all[chacha20.SampleSize:] {
			samples = append(samples, [chacha20.SampleSize]byte(all))
		}
		checkMasks(t, key, samples)
	})
}

func FuzzPackets(f *testing.F) {
	f.Add(randomBytes(64), randomBytes(1000), uint32(5))
	f.Fuzz(func(t *testing.T, keyBytes, payload []byte, number uint32) {
		var key [openssh.KeySize]byte
		copy(key[:], keyBytes)
		checkPacket(t, &key, payload, number)
	})
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
