// SPDX-License-Identifier: Apache-2.0 OR MIT

package chacha20_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hornet-mac/hornet/bindings/go/chacha20"
	"github.com/hornet-mac/hornet/bindings/go/internal/panics"
	"github.com/hornet-mac/hornet/bindings/go/internal/reference"
	"github.com/hornet-mac/hornet/bindings/go/internal/vectors"
)

const (
	blockSize  = 64
	streamSize = 1 << 38
)

// random has a fixed seed, so that a failure can be reproduced.
var random = rand.NewChaCha8([32]byte{9})

func randomBytes(n int) []byte {
	b := make([]byte, n)
	random.Read(b)
	return b
}

func newCipher(t testing.TB, key, nonce []byte) *chacha20.Cipher {
	t.Helper()
	c, err := chacha20.NewUnauthenticatedCipher(key, nonce)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// xor returns m xor the keystream from a byte on, by the definition.
func xor(key, nonce []byte, offset uint64, m []byte) []byte {
	if len(nonce) == chacha20.NonceSizeX {
		key, nonce = reference.HChaCha20(key, nonce[:16]), append(make([]byte, 4), nonce[16:]...)
	}
	before := int(offset % blockSize)
	return reference.XOR(key, uint32(offset/blockSize), nonce, append(make([]byte, before), m...))[before:]
}

// TestVectors checks those of RFC 8439, as messages and, where there is a block, as masks; and that of RFC 9001.
func TestVectors(t *testing.T) {
	for i, v := range vectors.Read("chacha20") {
		counter, err := strconv.ParseUint(v[1], 10, 32)
		if err != nil {
			t.Fatal(err)
		}
		key, nonce, m, want := vectors.Bytes(v[0]), vectors.Bytes(v[2]), vectors.Bytes(v[3]), vectors.Bytes(v[4])
		c := newCipher(t, key, nonce)
		c.SetCounter(uint32(counter))
		out := make([]byte, len(m)+1)
		if c.XORKeyStream(out, m); !bytes.Equal(out[:len(m)], want) || out[len(m)] != 0 {
			t.Errorf("vector %d", i)
		}
		sample := [chacha20.SampleSize]byte(append(binary.LittleEndian.AppendUint32(nil, uint32(counter)), nonce...))
		masks := make([][chacha20.MaskSize]byte, 1)
		if err := chacha20.HeaderMasks(masks, [][chacha20.SampleSize]byte{sample}, key); err != nil {
			t.Fatal(err)
		}
		for j, b := range masks[0] {
			if b != m[j]^want[j] {
				t.Errorf("vector %d: byte %d of the mask", i, j)
			}
		}
	}
}

// TestHChaCha20 checks the vector of draft-irtf-cfrg-xchacha-03, section 2.2.1, and random ones.
func TestHChaCha20(t *testing.T) {
	key := make([]byte, chacha20.KeySize)
	for i := range key {
		key[i] = byte(i)
	}
	nonce := []byte{0, 0, 0, 0x09, 0, 0, 0, 0x4a, 0, 0, 0, 0, 0x31, 0x41, 0x59, 0x27}
	want := vectors.Bytes("82413b4227b27bfed30e42508a877d73a0f9e4d58a74a853c12ec41326d3ecdc")
	for range 10 {
		if got, err := chacha20.HChaCha20(key, nonce); err != nil || !bytes.Equal(got, want) {
			t.Fatalf("%x, %v, not %x", got, err, want)
		}
		random.Read(key)
		random.Read(nonce)
		want = reference.HChaCha20(key, nonce)
	}
}

// TestPieces encrypts pieces one after another and at chosen positions, in place and in separate memory: short ones, as parts
// of a block, and up to several groups of blocks.
func TestPieces(t *testing.T) {
	chosen := rand.New(random)
	for _, nonceSize := range []int{chacha20.NonceSize, chacha20.NonceSizeX} {
		key, nonce, m := randomBytes(chacha20.KeySize), randomBytes(nonceSize), randomBytes(20000)
		want := xor(key, nonce, 0, m)
		for _, most := range []int{3, 70, 200, 5000} {
			c := newCipher(t, key, nonce)
			// Not at once where a piece may be short: that would take long.
			for at, pieces := 0, 0; at < len(m) && pieces < 1000; pieces++ {
				if chosen.IntN(10) == 0 {
					at = chosen.IntN(len(m))
					c.SetOffset(uint64(at))
				}
				n := min(chosen.IntN(most+1), len(m)-at)
				dst := make([]byte, n+1)
				src := m[at : at+n]
				if chosen.IntN(2) == 0 {
					copy(dst, src)
					src = dst[:n]
				}
				if c.XORKeyStream(dst, src); !bytes.Equal(dst[:n], want[at:at+n]) || dst[n] != 0 {
					t.Fatalf("%d bytes at %d", n, at)
				}
				at += n
			}
		}
	}
}

// TestEveryLength checks each length up to some groups of blocks, from each place within a block.
func TestEveryLength(t *testing.T) {
	key, nonce, m := randomBytes(chacha20.KeySize), randomBytes(chacha20.NonceSize), make([]byte, 2400)
	stream := xor(key, nonce, 0, m)
	for n := range 2300 {
		c, offset := newCipher(t, key, nonce), n*7%66
		c.SetOffset(uint64(offset))
		got := make([]byte, n+2)
		c.XORKeyStream(got, m[:n])
		c.XORKeyStream(got[n:], m[:2]) // in the block where the message ended
		if !bytes.Equal(got, stream[offset:offset+n+2]) {
			t.Fatalf("%d bytes at %d", n, offset)
		}
	}
}

// TestEnd checks what is left of the keystream at every distance from its end, and that nothing is written behind that.
func TestEnd(t *testing.T) {
	key, nonce := randomBytes(chacha20.KeySize), randomBytes(chacha20.NonceSize)
	for left := range 40 * blockSize {
		if left > 3*blockSize && left%blockSize > 1 {
			continue
		}
		m := randomBytes(left + 1)
		c := newCipher(t, key, nonce)
		c.SetOffset(streamSize - uint64(left))
		got := make([]byte, left+1)
		panics.With(t, "counter overflow", func() { c.XORKeyStream(got, m) })
		if !bytes.Equal(got, make([]byte, left+1)) {
			t.Fatalf("%d bytes left: written", left)
		}
		first := left / 3
		c.XORKeyStream(got, m[:first])
		c.XORKeyStream(got[first:], m[first:left])
		if want := xor(key, nonce, streamSize-uint64(left), m[:left]); !bytes.Equal(got[:left], want) {
			t.Fatalf("%d bytes left", left)
		}
		c.XORKeyStream(nil, nil)
		panics.With(t, "counter overflow", func() { c.XORKeyStream(got, m[:1]) })
		panics.With(t, "rollback", func() { c.SetCounter(1<<32 - 1) })
	}
	c := newCipher(t, key, nonce)
	c.SetOffset(streamSize)
	panics.With(t, "behind the end", func() { c.SetOffset(streamSize + 1) })
}

// TestSetCounter checks to which blocks the position can be moved.
func TestSetCounter(t *testing.T) {
	key, nonce := randomBytes(chacha20.KeySize), randomBytes(chacha20.NonceSize)
	for _, at := range []uint64{0, 1, 63, 64, 65, 128, 6400, 6401, streamSize - 65, streamSize - 64} {
		least := (at + blockSize - 1) / blockSize
		for counter := max(least, 2) - 2; counter < min(least+3, 1<<32); counter++ {
			c := newCipher(t, key, nonce)
			c.SetOffset(at)
			if counter < least {
				panics.With(t, "rollback", func() { c.SetCounter(uint32(counter)) })
				continue
			}
			c.SetCounter(uint32(counter))
			got := make([]byte, 5)
			c.XORKeyStream(got, got)
			if !bytes.Equal(got, xor(key, nonce, counter*blockSize, make([]byte, 5))) {
				t.Errorf("from %d to block %d", at, counter)
			}
		}
	}
}

// TestSetOffset goes from each byte of some blocks to each other one, with and without a block that was kept.
func TestSetOffset(t *testing.T) {
	key, nonce := randomBytes(chacha20.KeySize), randomBytes(chacha20.NonceSize)
	stream := xor(key, nonce, 0, make([]byte, 210))
	for from := range 140 {
		for to := range 200 {
			c, got := newCipher(t, key, nonce), make([]byte, 210)
			first := from * 5 / 7 // within the block that the next call ends or leaves
			c.XORKeyStream(got, got[:first])
			c.XORKeyStream(got, got[first:from])
			c.SetOffset(uint64(to))
			clear(got)
			c.XORKeyStream(got, got[:3])
			if !bytes.Equal(got[:3], stream[to:to+3]) {
				t.Fatalf("from %d to %d", from, to)
			}
		}
	}
}

func TestRefused(t *testing.T) {
	for n := range 70 {
		_, keyErr := chacha20.NewUnauthenticatedCipher(make([]byte, n), make([]byte, chacha20.NonceSize))
		_, nonceErr := chacha20.NewUnauthenticatedCipher(make([]byte, chacha20.KeySize), make([]byte, n))
		_, hKeyErr := chacha20.HChaCha20(make([]byte, n), make([]byte, 16))
		_, hNonceErr := chacha20.HChaCha20(make([]byte, chacha20.KeySize), make([]byte, n))
		masks := slices.Repeat([][chacha20.MaskSize]byte{{1}}, 3)
		masksErr := chacha20.HeaderMasks(masks, make([][chacha20.SampleSize]byte, n), make([]byte, chacha20.KeySize))
		masksKeyErr := chacha20.HeaderMasks(masks, make([][chacha20.SampleSize]byte, 3), make([]byte, n))
		for what, refused := range map[string]struct {
			err   error
			valid bool
		}{
			"key": {keyErr, n == chacha20.KeySize}, "nonce": {nonceErr, n == chacha20.NonceSize || n == chacha20.NonceSizeX},
			"key of HChaCha20": {hKeyErr, n == chacha20.KeySize}, "nonce of HChaCha20": {hNonceErr, n == 16},
			"masks": {masksErr, n == 3}, "key of masks": {masksKeyErr, n == chacha20.KeySize},
		} {
			if (refused.err == nil) != refused.valid || refused.err != nil && !strings.Contains(refused.err.Error(), strconv.Itoa(n)) {
				t.Errorf("%s, %d: %v", what, n, refused.err)
			}
		}
		if n != 3 && n != chacha20.KeySize && masks[0] != [chacha20.MaskSize]byte{1} {
			t.Errorf("%d: masks are written", n)
		}
	}
}

func TestOverlap(t *testing.T) {
	c := newCipher(t, randomBytes(chacha20.KeySize), randomBytes(chacha20.NonceSize))
	panics.With(t, "output smaller than input", func() { c.XORKeyStream(make([]byte, 9), make([]byte, 10)) })
	b := make([]byte, 300)
	for i := -3; i <= 3; i++ {
		dst, src := b[100+i:200+i], b[100:200]
		if i == 0 {
			c.XORKeyStream(dst, src)
		} else {
			panics.With(t, "invalid buffer overlap", func() { c.XORKeyStream(dst, src) })
		}
	}
	c.XORKeyStream(b[:200], b[100:200]) // only what is written counts
	c.XORKeyStream(b[200:], b[100:200])
}

// TestHeaderMasks checks every number of samples that may be treated differently.
func TestHeaderMasks(t *testing.T) {
	for n := range 70 {
		key, samples := randomBytes(chacha20.KeySize), make([][chacha20.SampleSize]byte, n)
		for i := range samples {
			random.Read(samples[i][:])
		}
		given, masks := slices.Clone(samples), make([][chacha20.MaskSize]byte, n)
		if err := chacha20.HeaderMasks(masks, samples, key); err != nil {
			t.Fatal(err)
		}
		for i, sample := range given {
			block := reference.Block(key, binary.LittleEndian.Uint32(sample[:]), sample[4:])
			if !bytes.Equal(masks[i][:], block[:chacha20.MaskSize]) || samples[i] != sample {
				t.Fatalf("%d of %d", i, n)
			}
		}
	}
}

func TestFormat(t *testing.T) {
	c := newCipher(t, randomBytes(chacha20.KeySize), randomBytes(chacha20.NonceSize))
	for _, verb := range []string{"%v", "%+v", "%#v", "%x", "%d", "%s"} {
		if got := fmt.Sprintf(verb+verb, c, *c); got != strings.Repeat("chacha20.Cipher(..)", 2) {
			t.Errorf("%s: %s", verb, got)
		}
	}
}

func TestAllocations(t *testing.T) {
	key, nonce, out := randomBytes(chacha20.KeySize), randomBytes(chacha20.NonceSizeX), make([]byte, 3000)
	samples, masks := make([][chacha20.SampleSize]byte, 20), make([][chacha20.MaskSize]byte, 20)
	for what, f := range map[string]func(){
		"XORKeyStream": func() {
			for _, n := range []int{chacha20.NonceSize, chacha20.NonceSizeX} {
				c, _ := chacha20.NewUnauthenticatedCipher(key, nonce[:n])
				c.SetCounter(1)
				c.XORKeyStream(out[:5], out[:5])
				c.XORKeyStream(out, out)
			}
		},
		"HChaCha20": func() {
			derived, _ := chacha20.HChaCha20(key, nonce[:16])
			out[0] ^= derived[0]
		},
		"HeaderMasks": func() { chacha20.HeaderMasks(masks, samples, key) },
	} {
		if n := testing.AllocsPerRun(20, f); n != 0 {
			t.Errorf("%s: %v allocations", what, n)
		}
	}
}

func FuzzPieces(f *testing.F) {
	f.Add(randomBytes(32), randomBytes(24), uint64(70), randomBytes(1000), uint(100))
	f.Add(randomBytes(32), randomBytes(12), uint64(streamSize-200), randomBytes(200), uint(3))
	f.Fuzz(func(t *testing.T, keyBytes, nonceBytes []byte, offset uint64, m []byte, first uint) {
		key, longNonce := make([]byte, chacha20.KeySize), make([]byte, chacha20.NonceSizeX)
		copy(key, keyBytes)
		copy(longNonce, nonceBytes)
		offset %= streamSize + 1 - uint64(len(m))
		n := int(first % uint(len(m)+1))
		for _, nonce := range [][]byte{longNonce[:chacha20.NonceSize], longNonce} {
			c, got := newCipher(t, key, nonce), bytes.Clone(m)
			c.SetOffset(offset)
			c.XORKeyStream(got[:n], got[:n])
			c.XORKeyStream(got[n:], got[n:])
			if !bytes.Equal(got, xor(key, nonce, offset, m)) {
				t.Fatalf("%d and %d bytes at %d", n, len(m)-n, offset)
			}
		}
	})
}
