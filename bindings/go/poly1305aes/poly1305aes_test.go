// SPDX-License-Identifier: Apache-2.0 OR MIT

package poly1305aes_test

import (
	"bytes"
	"crypto/aes"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hornet-mac/hornet/bindings/go/internal/reference"
	"github.com/hornet-mac/hornet/bindings/go/internal/vectors"
	"github.com/hornet-mac/hornet/bindings/go/poly1305aes"
)

type (
	tag     = [poly1305aes.TagSize]byte
	nonce   = [poly1305aes.NonceSize]byte
	partial = poly1305aes.Partial
)

// random has a fixed seed, so that a failure can be reproduced.
var random = rand.NewChaCha8([32]byte{5})

func randomBytes(n int) []byte {
	b := make([]byte, n)
	random.Read(b)
	return b
}

// secret is a key, and its bytes, for the definition.
type secret struct {
	*poly1305aes.Key
	bytes [poly1305aes.KeySize]byte
}

func newSecret(t testing.TB, bytes [poly1305aes.KeySize]byte) secret {
	t.Helper()
	poly1305aes.Clamp(&bytes)
	key, err := poly1305aes.NewKey(bytes[:])
	if err != nil {
		t.Fatal(err)
	}
	return secret{key, bytes}
}

func randomSecret(t testing.TB) secret {
	return newSecret(t, [poly1305aes.KeySize]byte(randomBytes(poly1305aes.KeySize)))
}

// secrets returns keys with the largest r, with r = 0, 1 and 2, and with a random one.
func secrets(t testing.TB) []secret {
	all := []secret{randomSecret(t), newSecret(t, [32]byte(bytes.Repeat([]byte{255}, 32)))}
	for _, r := range []byte{0, 1, 2} {
		key := [poly1305aes.KeySize]byte(append(randomBytes(16), make([]byte, 16)...))
		key[16] = r
		all = append(all, newSecret(t, key))
	}
	return all
}

// want returns the tag by the definition.
func (s secret) want(m []byte, n *nonce) tag {
	k, err := aes.NewCipher(s.bytes[:16])
	if err != nil {
		panic(err)
	}
	var pad tag
	k.Encrypt(pad[:], n[:])
	return reference.Tag(m, slices.Concat(s.bytes[16:], pad[:]))
}

// checkPartial compares the tag of a partial evaluation with that of the message.
func checkPartial(t *testing.T, s secret, p partial, m []byte, format string, arguments ...any) {
	t.Helper()
	n := nonce(randomBytes(16))
	want := s.want(m, &n)
	var got tag
	s.Tag(&got, p, &n)
	if got != want || p.Len() != uint64(len(m)) || !s.VerifyPartial(&want, p, &n) {
		t.Fatalf(format+": tag %x of %d bytes, not %x of %d", append(arguments, got, p.Len(), want, len(m))...)
	}
	if want[len(m)%16] ^= 1 << (len(m) % 8); s.VerifyPartial(&want, p, &n) {
		t.Fatalf(format+": a wrong tag", arguments...)
	}
}

// same reports whether two partial evaluations have the same tag and length.
func same(s secret, a, b partial) bool {
	var tagOfA, tagOfB tag
	s.Tag(&tagOfA, a, new(nonce))
	s.Tag(&tagOfB, b, new(nonce))
	return tagOfA == tagOfB && a.Len() == b.Len()
}

func wantError(t *testing.T, err error, message string) {
	t.Helper()
	if err == nil || err.Error() != message {
		t.Errorf("%v, not %s", err, message)
	}
}

func TestVectors(t *testing.T) {
	read := vectors.Read("poly1305_aes")
	for i, v := range read {
		key, err := poly1305aes.NewKey(slices.Concat(vectors.Bytes(v[0]), vectors.Bytes(v[1])))
		if err != nil {
			t.Fatal(err)
		}
		n, pad := nonce(vectors.Bytes(v[2])), tag(vectors.Bytes(v[3]))
		m, want := vectors.Bytes(v[4]), tag(vectors.Bytes(v[5]))
		var got tag
		if key.Sum(&got, nil, &n); got != pad {
			t.Errorf("vector %d: pad %x", i, got)
		}
		if key.Sum(&got, m, &n); got != want {
			t.Errorf("vector %d: %x", i, got)
		}
		got = tag{}
		if key.Tag(&got, key.Partial(m), &n); got != want {
			t.Errorf("vector %d: %x of the partial evaluation", i, got)
		}
		if !key.Verify(&want, m, &n) || !key.VerifyPartial(&want, key.Partial(m), &n) {
			t.Errorf("vector %d is refused", i)
		}
	}
	if len(read) != 4 {
		t.Errorf("%d vectors, not those of appendix B", len(read))
	}
}

func TestSum(t *testing.T) {
	for i, s := range secrets(t) {
		for _, m := range [][]byte{randomBytes(5000), bytes.Repeat([]byte{255}, 5000)} {
			for n := 0; n <= len(m); n += 1 + n/9 {
				number := nonce(randomBytes(16))
				want := s.want(m[:n], &number)
				var got tag
				if s.Sum(&got, m[:n], &number); got != want || !s.Verify(&want, m[:n], &number) {
					t.Fatalf("key %d, %d bytes: %x, not %x", i, n, got, want)
				}
				checkPartial(t, s, s.Partial(m[:n]), m[:n], "key %d, %d bytes", i, n)
			}
		}
	}
}

func TestWrongTagsAndNonces(t *testing.T) {
	s, m, n := randomSecret(t), randomBytes(100), nonce(randomBytes(16))
	good := s.want(m, &n)
	p := s.Partial(m)
	for bit := range 128 {
		bad, other := good, n
		bad[bit/8] ^= 1 << (bit % 8)
		other[bit/8] ^= 1 << (bit % 8)
		if s.Verify(&bad, m, &n) || s.VerifyPartial(&bad, p, &n) || s.Verify(&good, m, &other) || s.VerifyPartial(&good, p, &other) {
			t.Errorf("bit %d", bit)
		}
	}
}

// TestOverlap checks that the tag may overwrite the message or the nonce.
func TestOverlap(t *testing.T) {
	s := randomSecret(t)
	for _, n := range []int{16, 100, 5000} {
		m, number := randomBytes(n), nonce(randomBytes(16))
		want := s.want(m, &number)
		out := (*tag)(m[n-16:])
		if s.Sum(out, m, &number); *out != want {
			t.Errorf("over the end of %d bytes", n)
		}
		want = s.want(m, &number)
		if s.Sum(&number, m, &number); number != want {
			t.Errorf("over the nonce of %d bytes", n)
		}
	}
}

// TestRefusedKeys checks other lengths, and each bit that clamping clears.
func TestRefusedKeys(t *testing.T) {
	for _, n := range []int{0, 16, 31, 33, 64} {
		_, err := poly1305aes.NewKey(make([]byte, n))
		if err == nil || !strings.Contains(err.Error(), "not 32") {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
	refused := 0
	for bit := range 256 {
		var key, clamped [poly1305aes.KeySize]byte
		key[bit/8] = 1 << (bit % 8)
		clamped = key
		poly1305aes.Clamp(&clamped)
		_, err := poly1305aes.NewKey(key[:])
		if (err == nil) != (key == clamped) || err != nil && !errors.Is(err, poly1305aes.ErrNotClamped) {
			t.Errorf("bit %d: %v", bit, err)
		}
		if err != nil {
			refused++
		}
	}
	if refused != 22 {
		t.Errorf("%d bits are refused, not 22", refused)
	}
}

// TestCuts checks all cuts into two segments and some into three, and that nothing follows a segment that ends within a block.
func TestCuts(t *testing.T) {
	for i, s := range secrets(t) {
		m := randomBytes(200)
		for n := range m {
			for cut := 0; cut <= n; cut++ {
				left, right := s.Partial(m[:cut]), s.Partial(m[cut:n])
				err := s.Append(&left, right)
				if cut%16 != 0 && cut != n {
					if err == nil || !same(s, left, s.Partial(m[:cut])) {
						t.Fatalf("key %d: %d bytes after %d: %v", i, n-cut, cut, err)
					}
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				checkPartial(t, s, left, m[:n], "key %d, cut at %d", i, cut)
				if cut%16 == 0 {
					first := cut / 3 &^ 15
					joined := s.Partial(nil)
					all := []partial{s.Partial(m[:first]), {}, s.Partial(m[first:cut]), right}
					if err := s.Join(&joined, all); err != nil {
						t.Fatal(err)
					}
					checkPartial(t, s, joined, m[:n], "key %d, cut at %d and %d", i, first, cut)
				}
			}
		}
	}
	s := randomSecret(t)
	left := s.Partial(make([]byte, 17))
	wantError(t, s.Append(&left, s.Partial(make([]byte, 3))),
		"poly1305aes: 3 bytes cannot follow 17 bytes, which end within a block of 16")
}

func TestSegments(t *testing.T) {
	s := randomSecret(t)
	m := randomBytes(4 << 10)
	for _, segmentBytes := range []uint64{16, 32, 48, 1 << 10, 4 << 10, 1 << 20, math.MaxUint64 &^ 15} {
		for _, n := range []int{0, 1, 15, 16, 17, 31, 32, 33, 47, 48, 49, 1023, 1024, 1025, 4095, 4096} {
			segments, err := s.Segments(m[:n], segmentBytes)
			if err != nil {
				t.Fatal(err)
			}
			var whole partial
			for i, p := range segments {
				from := uint64(i) * segmentBytes
				bytes := m[from:min(uint64(n), from+segmentBytes)]
				checkPartial(t, s, p, bytes, "segment %d of %d bytes by %d", i, n, segmentBytes)
			}
			if err := s.Join(&whole, segments); err != nil {
				t.Fatal(err)
			}
			checkPartial(t, s, whole, m[:n], "%d bytes by %d", n, segmentBytes)
		}
	}
	for _, segmentBytes := range []uint64{0, 1, 8, 15, 17, 4095, math.MaxUint64} {
		if segments, err := s.Segments(m, segmentBytes); err == nil || segments != nil {
			t.Errorf("segments of %d bytes", segmentBytes)
		}
		if _, err := s.NewParts(segmentBytes); err == nil {
			t.Errorf("parts of %d bytes", segmentBytes)
		}
	}
	_, err := s.Segments(m, 24)
	wantError(t, err, "poly1305aes: segments of 24 bytes, which is not a positive multiple of 16")
}

// TestRefusedJoins checks that a join that is refused in the middle changes nothing.
func TestRefusedJoins(t *testing.T) {
	s := randomSecret(t)
	block, short := s.Partial(make([]byte, 16)), s.Partial(make([]byte, 5))
	for _, segments := range [][]partial{
		{block, short, block},
		{short, short},
		{block, s.Zeros(math.MaxUint64 &^ 15)},
		{block, s.Zeros(1 << 63), s.Zeros(1 << 63)},
	} {
		left := s.Partial(make([]byte, 32))
		before := left
		if err := s.Join(&left, segments); err == nil || !same(s, left, before) {
			t.Errorf("%v: %v", segments, err)
		}
	}
	most := s.Zeros(math.MaxUint64 &^ 15)
	if err := s.Append(&most, s.Zeros(15)); err != nil || most.Len() != math.MaxUint64 {
		t.Errorf("%d bytes: %v", most.Len(), err)
	}
	wantError(t, s.Append(&block, s.Zeros(math.MaxUint64-15)),
		"poly1305aes: 18446744073709551600 bytes after 16 bytes are more than 2^64 - 1")
}

// TestZeros compares zeros with those that are read, and those of any length with others that are appended.
func TestZeros(t *testing.T) {
	for i, s := range secrets(t) {
		zeros := make([]byte, 1<<20+20)
		for _, n := range []int{0, 1, 15, 16, 17, 255, 256, 1 << 20, 1<<20 + 1, 1<<20 + 16, 1<<20 + 17} {
			if p := s.Zeros(uint64(n)); !same(s, p, s.Partial(zeros[:n])) {
				t.Errorf("key %d, %d zeros", i, n)
			}
		}
		for _, n := range []uint64{1 << 32, 1<<32 + 1, 1<<32 + 15, 1<<32 + 16, 1<<32 + 17, 1 << 60, math.MaxUint64} {
			for _, left := range []uint64{16, 1 << 20, 1<<32 - 16, n / 2 &^ 15, n &^ 15} {
				p := s.Zeros(left)
				if err := s.Append(&p, s.Zeros(n-left)); err != nil || !same(s, p, s.Zeros(n)) {
					t.Errorf("key %d, %d zeros after %d: %v", i, n-left, left, err)
				}
			}
		}
	}
}

// TestOldValues checks that no exported function takes the value of an old segment beside that of the whole and of the new
// one: only Append and Join take several values, of which they subtract none. And none returns one that Parts keep.
func TestOldValues(t *testing.T) {
	taken := map[string]int{}
	for _, name := range []string{"poly1305aes.go", "parts.go"} {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, declaration := range file.Decls {
			f, ok := declaration.(*ast.FuncDecl)
			if !ok || !f.Name.IsExported() {
				continue
			}
			receiver := ""
			if f.Recv != nil {
				receiver = types.ExprString(f.Recv.List[0].Type)
			}
			for _, parameter := range f.Type.Params.List {
				if strings.Contains(types.ExprString(parameter.Type), "Partial") {
					taken[receiver+"."+f.Name.Name] += max(len(parameter.Names), 1)
				}
			}
			if f.Type.Results != nil && receiver != "*Key" {
				for _, result := range f.Type.Results.List {
					if strings.Contains(types.ExprString(result.Type), "Partial") {
						t.Errorf("%s.%s returns a value", receiver, f.Name.Name)
					}
				}
			}
		}
	}
	want := map[string]int{
		"*Key.Append": 2, "*Key.Join": 2, "*Key.Tag": 1, "*Key.VerifyPartial": 1, "*Parts.Append": 1, "*Parts.Replace": 1,
	}
	if !maps.Equal(taken, want) {
		t.Errorf("the number of values that functions take: %v", taken)
	}
}

// TestAllocations checks that a tag takes memory for a pad, and a partial evaluation for its value and the function that hides it.
func TestAllocations(t *testing.T) {
	s, m, p := randomSecret(t), randomBytes(1000), randomSecret(t).Partial(nil)
	out, number := new(tag), new(nonce)
	for what, f := range map[string]func(){
		"Sum":           func() { s.Sum(out, m, number) },
		"Verify":        func() { s.Verify(out, m, number) },
		"Tag":           func() { s.Tag(out, p, number) },
		"VerifyPartial": func() { s.VerifyPartial(out, p, number) },
		"Partial":       func() { p = s.Partial(m) },
		"Append":        func() { s.Append(&p, p) },
	} {
		p = s.Partial(m[:16])
		most := 1.0
		if what == "Partial" || what == "Append" {
			most = 2
		}
		if n := testing.AllocsPerRun(20, f); n > most {
			t.Errorf("%s: %v allocations", what, n)
		}
	}
}

// TestConcurrent lets several goroutines use the same key, values and parts, for the race detector.
func TestConcurrent(t *testing.T) {
	s, m, number := randomSecret(t), randomBytes(10000), nonce{1}
	want := s.want(m, &number)
	parts := partsOf(t, s, m, 1024)
	segments, err := s.Segments(m, 1024)
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			var whole partial
			if err := s.Join(&whole, segments); err != nil || !s.VerifyPartial(&want, whole, &number) {
				t.Errorf("joined: %v", err)
			}
			if err := parts.VerifySegment(3, m[3072:4096]); err != nil || !parts.Verify(&want, &number) {
				t.Errorf("parts: %v", err)
			}
			if !s.Verify(&want, m, &number) {
				t.Error("refused")
			}
		})
	}
	group.Wait()
}

// FuzzSegments compares every cut into segments with the definition.
func FuzzSegments(f *testing.F) {
	f.Add(randomBytes(32), randomBytes(100), uint16(2), uint16(3))
	f.Add(bytes.Repeat([]byte{255}, 32), bytes.Repeat([]byte{255}, 1600), uint16(1), uint16(50))
	f.Fuzz(func(t *testing.T, keyBytes, m []byte, segmentBlocks, cutBlocks uint16) {
		var key [poly1305aes.KeySize]byte
		copy(key[:], keyBytes)
		s := newSecret(t, key)
		segmentBytes := 16 * (uint64(segmentBlocks) + 1)
		cut := min(16*int(cutBlocks), len(m)&^15)
		whole := s.Partial(m[:cut])
		segments, err := s.Segments(m[cut:], segmentBytes)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Join(&whole, segments); err != nil {
			t.Fatal(err)
		}
		checkPartial(t, s, whole, m, "%d bytes, by %d after %d", len(m), segmentBytes, cut)
		checkPartial(t, s, s.Zeros(uint64(len(m))), make([]byte, len(m)), "%d zeros", len(m))
	})
}
