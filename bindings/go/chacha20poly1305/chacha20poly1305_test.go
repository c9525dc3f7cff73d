// SPDX-License-Identifier: Apache-2.0 OR MIT

package chacha20poly1305_test

import (
	"bytes"
	"crypto/cipher"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"sync"
	"testing"
	"unsafe"

	"github.com/hornet-mac/hornet/bindings/go/chacha20poly1305"
	"github.com/hornet-mac/hornet/bindings/go/internal/panics"
	"github.com/hornet-mac/hornet/bindings/go/internal/reference"
	"github.com/hornet-mac/hornet/bindings/go/internal/vectors"
)

const overhead = chacha20poly1305.Overhead

// random has a fixed seed, so that a failure can be reproduced.
var random = rand.NewChaCha8([32]byte{4})

func randomBytes(n int) []byte {
	b := make([]byte, n)
	random.Read(b)
	return b
}

// withNonce returns the AEAD with nonces of nonceSize bytes.
func withNonce(t testing.TB, key []byte, nonceSize int) cipher.AEAD {
	t.Helper()
	make := chacha20poly1305.New
	if nonceSize == chacha20poly1305.NonceSizeX {
		make = chacha20poly1305.NewX
	}
	a, err := make(key)
	if err != nil {
		t.Fatal(err)
	}
	if a.NonceSize() != nonceSize || a.Overhead() != overhead {
		t.Fatalf("nonces of %d bytes, overhead of %d", a.NonceSize(), a.Overhead())
	}
	return a
}

var nonceSizes = []int{chacha20poly1305.NonceSize, chacha20poly1305.NonceSizeX}

func TestVectors(t *testing.T) {
	for i, v := range vectors.Read("chacha20_poly1305") {
		key, nonce, additional, m := vectors.Bytes(v[0]), vectors.Bytes(v[1]), vectors.Bytes(v[2]), vectors.Bytes(v[3])
		checkMessage(t, fmt.Sprint("vector ", i), key, nonce, m, additional, vectors.Bytes(v[4]+v[5]))
	}
}

func TestWycheproof(t *testing.T) {
	for _, set := range []struct {
		name             string
		nonceSize, count int
	}{
		{"wycheproof_chacha20_poly1305", chacha20poly1305.NonceSize, 325},
		{"wycheproof_xchacha20_poly1305", chacha20poly1305.NonceSizeX, 315},
	} {
		cases := vectors.Read(set.name)
		if len(cases) != set.count {
			t.Errorf("%s: %d cases", set.name, len(cases))
		}
		for _, c := range cases {
			key, nonce, additional, m := vectors.Bytes(c[1]), vectors.Bytes(c[2]), vectors.Bytes(c[3]), vectors.Bytes(c[4])
			sealed := append(vectors.Bytes(c[5]), vectors.Bytes(c[6])...)
			what := fmt.Sprintf("%s, case %s", set.name, c[0])
			a := withNonce(t, key, set.nonceSize)
			switch {
			case len(nonce) != set.nonceSize:
				if c[7] != "invalid" {
					t.Errorf("%s: a nonce of %d bytes", what, len(nonce))
				}
				panics.With(t, "bad nonce length passed to Open", func() { a.Open(nil, nonce, sealed, additional) })
			case c[7] == "valid":
				checkMessage(t, what, key, nonce, m, additional, sealed)
			case c[7] == "invalid":
				mustRefuse(t, what, a, nonce, sealed, additional)
			default:
				t.Errorf("%s: result %s", what, c[7])
			}
		}
	}
}

// checkMessage seals and opens a message into new memory, in place, and appended to a prefix. No input may change.
func checkMessage(t *testing.T, what string, key, nonce, m, additional, sealed []byte) {
	t.Helper()
	a := withNonce(t, key, len(nonce))
	inputs := bytes.Join([][]byte{key, nonce, m, additional, sealed}, nil)
	check := func(how string, got, want []byte, err error) {
		t.Helper()
		if err != nil || !bytes.Equal(got, want) {
			t.Fatalf("%s, %d bytes, %d additional: %s: %v", what, len(m), len(additional), how, err)
		}
	}

	check("Seal", a.Seal(nil, nonce, m, additional), sealed, nil)
	prefixed := append([]byte("prefix"), sealed...)
	check("Seal after a prefix", a.Seal([]byte("prefix"), nonce, m, additional), prefixed, nil)
	buffer := append(bytes.Clone(m), make([]byte, overhead+1)...)
	buffer[len(sealed)] = 0x55
	inPlace := a.Seal(buffer[:0], nonce, buffer[:len(m)], additional)
	check("Seal in place", inPlace, sealed, nil)
	if &inPlace[0] != &buffer[0] || buffer[len(sealed)] != 0x55 {
		t.Fatalf("%s, %d bytes: Seal writes elsewhere", what, len(m))
	}

	got, err := a.Open(nil, nonce, sealed, additional)
	check("Open", got, m, err)
	got, err = a.Open([]byte("prefix"), nonce, sealed, additional)
	check("Open after a prefix", got, append([]byte("prefix"), m...), err)
	got, err = a.Open(inPlace[:0], nonce, inPlace, additional)
	check("Open in place", got, m, err)
	if !bytes.Equal(buffer[len(m):], append(sealed[len(m):len(sealed):len(sealed)], 0x55)) {
		t.Fatalf("%s, %d bytes: Open writes beyond the plaintext", what, len(m))
	}
	if !bytes.Equal(inputs, bytes.Join([][]byte{key, nonce, m, additional, sealed}, nil)) {
		t.Fatalf("%s, %d bytes: an input has changed", what, len(m))
	}
}

// mustRefuse opens a forgery into new memory, in place, and after a prefix. No plaintext may remain in the output.
func mustRefuse(t *testing.T, what string, a cipher.AEAD, nonce, sealed, additional []byte) {
	t.Helper()
	n := len(sealed) - overhead
	if got, err := a.Open(nil, nonce, sealed, additional); err == nil || got != nil {
		t.Fatalf("%s: opened", what)
	}
	inPlace := bytes.Clone(sealed)
	if got, err := a.Open(inPlace[:0], nonce, inPlace, additional); err == nil || got != nil {
		t.Fatalf("%s: opened in place", what)
	}
	if n >= 0 && !bytes.Equal(inPlace, append(make([]byte, n), sealed[n:]...)) {
		t.Fatalf("%s: no zeros in place of the plaintext", what)
	}
	buffer := append([]byte("prefix"), bytes.Repeat([]byte{0x55}, len(sealed))...)
	if got, err := a.Open(buffer[:6], nonce, sealed, additional); err == nil || got != nil {
		t.Fatalf("%s: opened after a prefix", what)
	}
	if n >= 0 && !bytes.Equal(buffer, append(append([]byte("prefix"), make([]byte, n)...), buffer[6+n:]...)) {
		t.Fatalf("%s: no zeros after the prefix", what)
	}
}

// TestLengths compares all lengths up to 700, and those around each group of blocks, with the definition.
func TestLengths(t *testing.T) {
	all := randomBytes(200_000)
	check := func(n, nadditional, nonceSize int) {
		key, nonce := randomBytes(chacha20poly1305.KeySize), randomBytes(nonceSize)
		m, additional := all[1000:1000+n], all[:nadditional]
		checkMessage(t, "random", key, nonce, m, additional, reference.Seal(key, nonce, m, additional))
	}
	for _, nonceSize := range nonceSizes {
		for n := range 4200 {
			if n <= 700 || (n+2)%64 <= 4 {
				check(n, n*7%71, nonceSize)
			}
		}
		for _, n := range []int{1<<16 - 1, 1 << 16, 1<<16 + 959, 1<<16 + 960, 1<<16 + 961, 1<<17 + 1000} {
			check(n, 13, nonceSize)
		}
		for n := range 300 {
			check(20, n, nonceSize)
		}
		check(0, 70_000, nonceSize)
	}
}

func TestEveryBit(t *testing.T) {
	for _, nonceSize := range nonceSizes {
		for _, n := range []int{0, 1, 100, 193, 1100} {
			key, nonce, additional := randomBytes(32), randomBytes(nonceSize), randomBytes(13)
			sealed := withNonce(t, key, nonceSize).Seal(nil, nonce, randomBytes(n), additional)
			for _, input := range [][]byte{key, nonce, additional, sealed} {
				for bit := range 8 * len(input) {
					input[bit/8] ^= 1 << (bit % 8)
					mustRefuse(t, fmt.Sprintf("%d bytes, a flipped bit", n), withNonce(t, key, nonceSize), nonce, sealed, additional)
					input[bit/8] ^= 1 << (bit % 8)
				}
			}
			a := withNonce(t, key, nonceSize)
			mustRefuse(t, "a byte less", a, nonce, sealed[:len(sealed)-1], additional)
			mustRefuse(t, "a byte less", a, nonce, sealed, additional[1:])
			for short := range overhead {
				mustRefuse(t, "less than a tag", a, nonce, sealed[:short], additional)
			}
		}
	}
}

func TestKeys(t *testing.T) {
	for _, n := range []int{0, 16, 31, 33, 64} {
		for _, make := range []func([]byte) (cipher.AEAD, error){chacha20poly1305.New, chacha20poly1305.NewX} {
			a, err := make(randomBytes(n))
			want := fmt.Sprintf("chacha20poly1305: a key of %d bytes, not 32", n)
			if a != nil || err == nil || err.Error() != want {
				t.Errorf("%d bytes: %v", n, err)
			}
		}
	}
	// New must copy the key.
	key, nonce := randomBytes(32), randomBytes(12)
	a := withNonce(t, key, 12)
	sealed := a.Seal(nil, nonce, nil, nil)
	clear(key)
	if !bytes.Equal(a.Seal(nil, nonce, nil, nil), sealed) {
		t.Error("the key is the caller's slice")
	}
}

func TestNonceLengths(t *testing.T) {
	for _, nonceSize := range nonceSizes {
		a := withNonce(t, randomBytes(32), nonceSize)
		for n := range 40 {
			if n != nonceSize {
				panics.With(t, "bad nonce length passed to Seal", func() { a.Seal(nil, randomBytes(n), nil, nil) })
				panics.With(t, "bad nonce length passed to Open", func() { a.Open(nil, randomBytes(n), randomBytes(5), nil) })
			}
		}
	}
}

// TestTooLong checks that no byte of a message longer than 2^38 - 64 bytes, the maximum, is read.
//
//go:nocheckptr
func TestTooLong(t *testing.T) {
	if bits.UintSize == 32 {
		t.Skip("no message is too long")
	}
	longest := uint64(1<<38 - 64)
	var only [1]byte
	more := unsafe.Slice(&only[0], longest+overhead+1)
	a, nonce := withNonce(t, randomBytes(32), 12), randomBytes(12)
	panics.With(t, "plaintext too large", func() { a.Seal(nil, nonce, more[:longest+1], nil) })
	panics.With(t, "ciphertext too large", func() { a.Open(nil, nonce, more, nil) })
}

// TestOverlap checks the rules of crypto/cipher at every offset around a short message: the output may overlap the input only
// in place, and must not overlap the additional data. The output of Open may also overlap the tag.
func TestOverlap(t *testing.T) {
	const n, in, size = 70, 100, 300
	a, nonce := withNonce(t, randomBytes(32), 12), randomBytes(12)
	m := randomBytes(n)
	sealed, sealedZeros := a.Seal(nil, nonce, m, nil), a.Seal(nil, nonce, make([]byte, n), nil)
	withAdditional := a.Seal(nil, nonce, nil, make([]byte, n))
	for out := range size - n - overhead {
		buffer := make([]byte, size)
		seal := func() { a.Seal(buffer[:out], nonce, buffer[in:in+n], nil) }
		if out != in && out < in+n && in < out+n+overhead {
			panics.With(t, "invalid buffer overlap of output and input", seal)
		} else if seal(); !bytes.Equal(buffer[out:out+n+overhead], sealedZeros) {
			t.Errorf("Seal from %d to %d", in, out)
		}

		buffer = make([]byte, size)
		copy(buffer[in:], sealed)
		var err error
		open := func() { _, err = a.Open(buffer[:out], nonce, buffer[in:in+n+overhead], nil) }
		if out != in && out < in+n && in < out+n {
			panics.With(t, "invalid buffer overlap of output and input", open)
		} else if open(); err != nil || !bytes.Equal(buffer[out:out+n], m) {
			t.Errorf("Open from %d to %d: %v", in, out, err)
		}

		buffer = make([]byte, size)
		seal = func() { a.Seal(buffer[:out], nonce, nil, buffer[in:in+n]) }
		if out < in+n && in < out+overhead {
			panics.With(t, "invalid buffer overlap of output and additional data", seal)
		} else if seal(); !bytes.Equal(buffer[out:out+overhead], withAdditional) {
			t.Errorf("Seal of additional data at %d to %d", in, out)
		}
	}
}

func TestAllocations(t *testing.T) {
	for _, nonceSize := range nonceSizes {
		for _, n := range []int{0, 64, 1350, 100_000} {
			a, nonce, m, additional := withNonce(t, randomBytes(32), nonceSize), randomBytes(nonceSize), randomBytes(n), randomBytes(13)
			sealed := a.Seal(nil, nonce, m, additional)
			out := make([]byte, 0, len(sealed))
			for what, f := range map[string]func(){
				"Seal": func() { a.Seal(out, nonce, m, additional) },
				"Open": func() { a.Open(out, nonce, sealed, additional) },
				"a forgery": func() {
					if _, err := a.Open(out, nonce, sealed, m); err == nil {
						t.Error("opened")
					}
				},
			} {
				if count := testing.AllocsPerRun(10, f); count != 0 {
					t.Errorf("%s, %d bytes: %v allocations", what, n, count)
				}
			}
		}
	}
}

// TestConcurrent lets several goroutines use the same AEAD and inputs, for the race detector.
func TestConcurrent(t *testing.T) {
	for _, nonceSize := range nonceSizes {
		a, m, additional := withNonce(t, randomBytes(32), nonceSize), randomBytes(3000), randomBytes(20)
		var group sync.WaitGroup
		for i := range 4 {
			group.Go(func() {
				nonce := bytes.Repeat([]byte{byte(i)}, nonceSize)
				for n := 0; n < len(m); n += 97 {
					sealed := a.Seal(nil, nonce, m[:n], additional)
					if got, err := a.Open(sealed[:0], nonce, sealed, additional); err != nil || !bytes.Equal(got, m[:n]) {
						t.Errorf("%d bytes: %v", n, err)
					}
				}
			})
		}
		group.Wait()
	}
}

func FuzzSeal(f *testing.F) {
	f.Add(randomBytes(32), randomBytes(24), randomBytes(100), randomBytes(20), uint(3))
	f.Add(randomBytes(32), randomBytes(24), randomBytes(2000), []byte{}, uint(9000))
	f.Fuzz(func(t *testing.T, keyBytes, nonceBytes, m, additional []byte, bit uint) {
		key, longNonce := make([]byte, 32), make([]byte, 24)
		copy(key, keyBytes)
		copy(longNonce, nonceBytes)
		for _, nonceSize := range nonceSizes {
			nonce := longNonce[:nonceSize]
			sealed := reference.Seal(key, nonce, m, additional)
			checkMessage(t, "fuzz", key, nonce, m, additional, sealed)
			bit %= 8 * uint(len(sealed))
			sealed[bit/8] ^= 1 << (bit % 8)
			mustRefuse(t, "fuzz", withNonce(t, key, nonceSize), nonce, sealed, additional)
		}
	})
}
