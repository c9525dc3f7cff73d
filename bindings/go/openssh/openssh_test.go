// SPDX-License-Identifier: Apache-2.0 OR MIT

package openssh_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/hornet-mac/hornet/bindings/go/internal/panics"
	"github.com/hornet-mac/hornet/bindings/go/internal/reference"
	"github.com/hornet-mac/hornet/bindings/go/openssh"
)

// random has a fixed seed, so that a failure can be reproduced.
var random = rand.NewChaCha8([32]byte{10})

func randomBytes(n int) []byte {
	b := make([]byte, n)
	random.Read(b)
	return b
}

func newCipher(t testing.TB, key []byte) *openssh.Cipher {
	t.Helper()
	c, err := openssh.New(key)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// sealed returns a packet by the definition: OpenSSH's PROTOCOL.chacha20poly1305.
func sealed(key []byte, number uint32, payload []byte) []byte {
	nonce := binary.BigEndian.AppendUint32(make([]byte, 8), number)
	length := binary.BigEndian.AppendUint32(nil, uint32(len(payload)))
	packet := append(reference.XOR(key[32:], 0, nonce, length), reference.XOR(key[:32], 1, nonce, payload)...)
	oneTime := reference.Block(key[:32], 0, nonce)
	tag := reference.Tag(packet, oneTime[:32])
	return append(packet, tag[:]...)
}

// check seals and opens a packet, and opens forgeries.
func check(t *testing.T, key []byte, number uint32, payload []byte, bit int) {
	t.Helper()
	c, want, n := newCipher(t, key), sealed(key, number, payload), len(payload)
	buffer := append(make([]byte, openssh.LengthSize), payload...)
	buffer = append(buffer, bytes.Repeat([]byte{0x55}, openssh.TagSize+1)...)
	packet := buffer[:n+openssh.Overhead]
	if c.Seal(packet, number); !bytes.Equal(packet, want) || buffer[len(packet)] != 0x55 {
		t.Fatalf("%d bytes: Seal", n)
	}
	length := [openssh.LengthSize]byte(packet)
	if got := c.Length(&length, number); got != uint32(n) || !bytes.Equal(length[:], want[:openssh.LengthSize]) {
		t.Fatalf("%d bytes: Length is %d", n, got)
	}
	got, err := c.Open(packet, number)
	if err != nil || !bytes.Equal(got, payload) || n != 0 && &got[0] != &packet[openssh.LengthSize] {
		t.Fatalf("%d bytes: Open: %v", n, err)
	}
	after := append(bytes.Clone(want[:openssh.LengthSize]), payload...)
	after = append(append(after, want[n+openssh.LengthSize:]...), 0x55)
	if !bytes.Equal(buffer, after) {
		t.Fatalf("%d bytes: Open writes elsewhere", n)
	}

	refused := func(what string, number uint32) {
		t.Helper()
		given := bytes.Clone(packet)
		got, err := c.Open(packet, number)
		clear(given[openssh.LengthSize : openssh.LengthSize+n])
		if err != openssh.ErrOpen || got != nil || !bytes.Equal(packet, given) {
			t.Fatalf("%d bytes, %s: %v", n, what, err)
		}
	}
	copy(packet, want)
	refused("another number", number+1)
	copy(packet, want)
	bit %= 8 * len(packet)
	packet[bit/8] ^= 1 << (bit % 8)
	refused(fmt.Sprintf("bit %d", bit), number)
}

// TestLengths checks every length up to some groups of blocks, and some around those from which on a packet is processed in
// parts.
func TestLengths(t *testing.T) {
	all := randomBytes(300000)
	chosen := rand.New(random)
	for n := range 4300 {
		if n < 1400 || n%64 < 3 || n%64 > 60 {
			check(t, randomBytes(openssh.KeySize), chosen.Uint32(), all[n:2*n], chosen.IntN(1<<20))
		}
	}
	for _, n := range []int{32 << 10, 1<<16 - 5, 1<<16 - 4, 1<<16 - 3, 1 << 16, 1<<16 + 77, 1<<17 + 1111, 256 << 10} {
		check(t, randomBytes(openssh.KeySize), 1<<32-1, all[:n], chosen.IntN(8*n))
	}
}

// TestEdges checks every bit of a packet, and lengths that a receiver must refuse.
func TestEdges(t *testing.T) {
	key, payload := randomBytes(openssh.KeySize), randomBytes(16)
	for bit := range 8 * (len(payload) + openssh.Overhead) {
		check(t, key, 7, payload, bit)
	}
	check(t, make([]byte, openssh.KeySize), 0, payload, 0)
	check(t, bytes.Repeat([]byte{255}, openssh.KeySize), 1<<32-1, payload, 0)
	c := newCipher(t, key)
	for n := range openssh.Overhead {
		if got, err := c.Open(make([]byte, n), 0); err != openssh.ErrOpen || got != nil {
			t.Errorf("%d bytes: %v", n, err)
		}
		panics.With(t, "bad packet length", func() { c.Seal(make([]byte, n), 0) })
	}
	var length [openssh.LengthSize]byte
	nonce := binary.BigEndian.AppendUint32(make([]byte, 8), 9)
	copy(length[:], reference.XOR(key[32:], 0, nonce, []byte{255, 255, 255, 254}))
	if got := c.Length(&length, 9); got != 1<<32-2 {
		t.Errorf("a length of %d", got)
	}
}

func TestKeys(t *testing.T) {
	for n := range 130 {
		if _, err := openssh.New(make([]byte, n)); (err == nil) != (n == openssh.KeySize) {
			t.Errorf("a key of %d bytes: %v", n, err)
		}
	}
	c := newCipher(t, randomBytes(openssh.KeySize))
	if c.Wipe(); *c != *newCipher(t, make([]byte, openssh.KeySize)) {
		t.Error("the key is not wiped")
	}
}

func TestFormat(t *testing.T) {
	c := newCipher(t, randomBytes(openssh.KeySize))
	for _, verb := range []string{"%v", "%+v", "%#v", "%x", "%d", "%s"} {
		if got := fmt.Sprintf(verb+verb, c, *c); got != strings.Repeat("openssh.Cipher(..)", 2) {
			t.Errorf("%s: %s", verb, got)
		}
	}
}

func TestAllocations(t *testing.T) {
	c := newCipher(t, randomBytes(openssh.KeySize))
	for _, n := range []int{0, 48, 700, 1400, 32768} {
		packet := make([]byte, n+openssh.Overhead)
		if count := testing.AllocsPerRun(10, func() {
			c.Seal(packet, 1)
			c.Length((*[openssh.LengthSize]byte)(packet), 1)
			if _, err := c.Open(packet, 1); err != nil {
				t.Error(err)
			}
			c.Open(packet, 2)
		}); count != 0 {
			t.Errorf("%d bytes: %v allocations", n, count)
		}
	}
}

// TestConcurrent lets several goroutines use the same cipher, for the race detector.
func TestConcurrent(t *testing.T) {
	key, payload := randomBytes(openssh.KeySize), randomBytes(3000)
	c, want := newCipher(t, key), sealed(key, 5, payload)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			packet := bytes.Clone(want)
			for range 10 {
				if got, err := c.Open(packet, 5); err != nil || !bytes.Equal(got, payload) {
					t.Error("Open: ", err)
				}
				if c.Seal(packet, 5); !bytes.Equal(packet, want) {
					t.Error("Seal")
				}
			}
		})
	}
	group.Wait()
}

func FuzzPackets(f *testing.F) {
	f.Add(randomBytes(openssh.KeySize), uint32(3), randomBytes(100), 40)
	f.Add(randomBytes(openssh.KeySize), uint32(1<<32-1), randomBytes(2000), 9000)
	f.Fuzz(func(t *testing.T, keyBytes []byte, number uint32, payload []byte, bit int) {
		key := make([]byte, openssh.KeySize)
		copy(key, keyBytes)
		check(t, key, number, payload, bit&(1<<30-1))
	})
}
