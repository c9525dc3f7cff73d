// SPDX-License-Identifier: Apache-2.0 OR MIT

package poly1305aes_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hornet-mac/hornet/bindings/go/chacha20poly1305"
	"github.com/hornet-mac/hornet/bindings/go/internal/reference"
	"github.com/hornet-mac/hornet/bindings/go/poly1305aes"
)

func partsOf(t testing.TB, s secret, m []byte, segmentBytes uint64) *poly1305aes.Parts {
	t.Helper()
	parts, err := s.NewParts(segmentBytes)
	if err != nil {
		t.Fatal(err)
	}
	segments, err := s.Segments(m, segmentBytes)
	if err != nil {
		t.Fatal(err)
	}
	if err := parts.Append(segments...); err != nil {
		t.Fatal(err)
	}
	return parts
}

// checkParts compares tag, lengths and segments with those of the message.
func checkParts(t *testing.T, s secret, parts *poly1305aes.Parts, m []byte) {
	t.Helper()
	n := nonce(randomBytes(16))
	want := s.want(m, &n)
	var got tag
	if parts.Tag(&got, &n); got != want || !parts.Verify(&want, &n) || parts.Len() != uint64(len(m)) {
		t.Fatalf("%v: tag %x, not %x of %d bytes", parts, got, want, len(m))
	}
	if want[3] ^= 4; parts.Verify(&want, &n) {
		t.Fatalf("%v: a wrong tag", parts)
	}
	i := 0
	for segment := range slices.Chunk(m, int(parts.SegmentBytes())) {
		if err := parts.VerifySegment(i, segment); err != nil {
			t.Fatalf("%v: segment %d: %v", parts, i, err)
		}
		other := slices.Clone(segment)
		other[i%len(other)] ^= 1 << (i % 8)
		if err := parts.VerifySegment(i, other); !errors.Is(err, poly1305aes.ErrForgery) {
			t.Fatalf("%v: another segment %d: %v", parts, i, err)
		}
		i++
	}
	if parts.Segments() != i {
		t.Fatalf("%v: %d segments, not %d", parts, parts.Segments(), i)
	}
}

// TestParts changes a message in every way, at random, and compares it each time with the bytes.
func TestParts(t *testing.T) {
	choose := rand.New(rand.NewPCG(1, 2))
	sealingKey := randomBytes(chacha20poly1305.KeySize)
	for _, s := range secrets(t)[:2] {
		for _, segmentBytes := range []int{16, 48, 256} {
			var m []byte
			parts := partsOf(t, s, nil, uint64(segmentBytes))
			for range 1700 {
				count := parts.Segments()
				switch choose.IntN(6) {
				case 0, 1:
					added := randomBytes(choose.IntN(3 * segmentBytes))
					segments, _ := s.Segments(added, uint64(segmentBytes))
					err := parts.Append(segments...)
					if refused := len(m)%segmentBytes != 0 && len(added) != 0; refused != (err != nil) {
						t.Fatalf("%v: appended %d bytes: %v", parts, len(added), err)
					}
					if err == nil {
						m = append(m, added...)
					}
				case 2:
					n := choose.IntN(4 * segmentBytes)
					err := parts.AppendZeros(uint64(n))
					if refused := len(m)%segmentBytes != 0 && n != 0; refused != (err != nil) {
						t.Fatalf("%v: appended %d zeros: %v", parts, n, err)
					}
					if err == nil {
						m = append(m, make([]byte, n)...)
					}
				case 3:
					if count != 0 {
						i := choose.IntN(count)
						segment := m[i*segmentBytes : min(len(m), (i+1)*segmentBytes)]
						random.Read(segment)
						if err := parts.Replace(i, s.Partial(segment)); err != nil {
							t.Fatal(err)
						}
					}
				case 4:
					keep := count - choose.IntN(min(count, 3)+1)
					if err := parts.Truncate(keep); err != nil {
						t.Fatal(err)
					}
					m = m[:min(len(m), keep*segmentBytes)]
				case 5:
					var number nonce
					var current tag
					parts.Tag(&current, &number)
					sealed, err := parts.Seal([]byte("prefix"), sealingKey)
					if err != nil || len(sealed) != len("prefix")+72+17*count {
						t.Fatalf("%d bytes: %v", len(sealed), err)
					}
					if parts, err = s.OpenParts(sealed[len("prefix"):], sealingKey, &current, &number); err != nil {
						t.Fatal(err)
					}
				}
				checkParts(t, s, parts, m)
			}
		}
	}
}

// TestPartsOfZeros compares terabytes of zeros, and one segment in them that is not zero, with zeros that are appended.
func TestPartsOfZeros(t *testing.T) {
	s := randomSecret(t)
	const segmentBytes = 1 << 35
	for _, n := range []uint64{1 << 40, 1<<40 + 5, segmentBytes - 1} {
		parts := partsOf(t, s, nil, segmentBytes)
		if err := parts.AppendZeros(n); err != nil {
			t.Fatal(err)
		}
		var got, want tag
		parts.Tag(&got, new(nonce))
		if s.Tag(&want, s.Zeros(n), new(nonce)); got != want || parts.Len() != n {
			t.Fatalf("%d zeros", n)
		}
		if n < 2*segmentBytes {
			continue
		}
		block := s.Partial(randomBytes(16))
		if err := s.Append(&block, s.Zeros(segmentBytes-16)); err != nil {
			t.Fatal(err)
		}
		if err := parts.Replace(1, block); err != nil {
			t.Fatal(err)
		}
		whole := s.Zeros(segmentBytes)
		if err := s.Join(&whole, []partial{block, s.Zeros(n - 2*segmentBytes)}); err != nil {
			t.Fatal(err)
		}
		parts.Tag(&got, new(nonce))
		if s.Tag(&want, whole, new(nonce)); got != want {
			t.Fatalf("a block among %d zeros", n)
		}
	}
	parts := partsOf(t, s, nil, 16)
	if err := parts.AppendZeros(math.MaxUint64); err == nil || parts.Len() != 0 {
		t.Errorf("2^60 segments: %v", err)
	}
}

// TestRefusedParts checks that what is refused changes nothing.
func TestRefusedParts(t *testing.T) {
	s, m := randomSecret(t), randomBytes(100)
	block, short := s.Partial(randomBytes(32)), s.Partial(randomBytes(5))
	for what, c := range map[string]struct {
		n       int
		change  func(p *poly1305aes.Parts) error
		message string
	}{
		"after a short one":   {100, func(p *poly1305aes.Parts) error { return p.Append(block) }, "follows one of 4 bytes, of 32"},
		"after a short one 2": {96, func(p *poly1305aes.Parts) error { return p.Append(block, short, block) }, "segment 2 to append follows one of 5"},
		"zeros after":         {100, func(p *poly1305aes.Parts) error { return p.AppendZeros(1) }, "follows one of 4 bytes"},
		"empty":               {96, func(p *poly1305aes.Parts) error { return p.Append(block, partial{}) }, "segment 1 to append has 0 bytes, not 1 to 32"},
		"longer":              {96, func(p *poly1305aes.Parts) error { return p.Append(s.Zeros(33)) }, "has 33 bytes, not 1 to 32"},
		"replace none":        {96, func(p *poly1305aes.Parts) error { return p.Replace(3, block) }, "segment 3 of a message of 3 segments"},
		"replace before":      {96, func(p *poly1305aes.Parts) error { return p.Replace(-1, block) }, "segment -1 of a message of 3"},
		"replace by shorter":  {96, func(p *poly1305aes.Parts) error { return p.Replace(2, short) }, "segment 2 has 32 bytes, not 5"},
		"replace by longer":   {100, func(p *poly1305aes.Parts) error { return p.Replace(3, short) }, "segment 3 has 4 bytes, not 5"},
		"replace by none":     {100, func(p *poly1305aes.Parts) error { return p.Replace(3, partial{}) }, "segment 3 has 4 bytes, not 0"},
		"verify none":         {96, func(p *poly1305aes.Parts) error { return p.VerifySegment(3, m[:32]) }, "segment 3 of a message of 3"},
		"verify shorter":      {96, func(p *poly1305aes.Parts) error { return p.VerifySegment(0, m[:31]) }, "segment 0 has 32 bytes, not 31"},
		"truncate less":       {96, func(p *poly1305aes.Parts) error { return p.Truncate(-1) }, "the first -1 segments of a message of 3"},
		"truncate more":       {96, func(p *poly1305aes.Parts) error { return p.Truncate(4) }, "the first 4 segments of a message of 3"},
	} {
		parts := partsOf(t, s, m[:c.n], 32)
		if err := c.change(parts); err == nil || !strings.Contains(err.Error(), c.message) {
			t.Errorf("%s: %v", what, err)
		}
		checkParts(t, s, parts, m[:c.n])
	}

	parts := partsOf(t, s, nil, 1<<63)
	if err := parts.AppendZeros(1 << 63); err != nil {
		t.Error(err)
	}
	err := parts.Append(s.Zeros(1 << 63))
	wantError(t, err, "poly1305aes: segment 0 to append: 9223372036854775808 bytes after 9223372036854775808 are more than 2^64 - 1")
	if parts.Len() != 1<<63 || parts.Segments() != 1 {
		t.Errorf("%v after an error", parts)
	}
}

// TestRefusedSeals changes every byte, and leaves out every end; and opens with every other key, tag and nonce.
func TestRefusedSeals(t *testing.T) {
	s, sealingKey, m := randomSecret(t), randomBytes(chacha20poly1305.KeySize), randomBytes(100)
	parts := partsOf(t, s, m, 32)
	number := nonce(randomBytes(16))
	var good tag
	parts.Tag(&good, &number)
	sealed, err := parts.Seal(nil, sealingKey)
	if err != nil {
		t.Fatal(err)
	}
	open := func(s secret, sealed, sealingKey []byte, good tag, number nonce) error {
		opened, err := s.OpenParts(sealed, sealingKey, &good, &number)
		if (opened == nil) != (err != nil) {
			t.Fatal(opened, err)
		}
		return err
	}
	if err := open(s, sealed, sealingKey, good, number); err != nil {
		t.Fatal(err)
	}
	for i := range sealed {
		for bit := range 8 {
			changed := slices.Clone(sealed)
			changed[i] ^= 1 << bit
			err := open(s, changed, sealingKey, good, number)
			// A wrong magic or length is told apart if it does not fit.
			if err == nil || i >= 32 && !errors.Is(err, poly1305aes.ErrForgery) {
				t.Errorf("bit %d of byte %d: %v", bit, i, err)
			}
		}
		err := open(s, sealed[:i], sealingKey, good, number)
		if err == nil || i < 72 && err.Error() != fmt.Sprintf("poly1305aes: %d bytes that are not sealed parts of version 1", i) {
			t.Errorf("the first %d bytes: %v", i, err)
		}
	}
	other := append([]byte("hornet parts 2"), sealed[14:]...)
	wantError(t, open(s, other, sealingKey, good, number),
		fmt.Sprintf("poly1305aes: %d bytes that are not sealed parts of version 1", len(sealed)))
	again, err := parts.Seal(nil, sealingKey)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(again[:32], sealed[:32]) || bytes.Equal(again[32:56], sealed[32:56]) {
		t.Error("two seals have the same nonce")
	}
	if err := open(s, append(slices.Clone(sealed), 0), sealingKey, good, number); err == nil {
		t.Error("a byte more")
	}
	if err := open(s, append(slices.Clone(sealed), make([]byte, 17)...), sealingKey, good, number); err == nil {
		t.Error("17 bytes more")
	}

	otherTag, otherNonce := good, number
	otherTag[0] ^= 1
	otherNonce[0] ^= 1
	for what, err := range map[string]error{
		"key":         open(randomSecret(t), sealed, sealingKey, good, number),
		"sealing key": open(s, sealed, randomBytes(chacha20poly1305.KeySize), good, number),
		"tag":         open(s, sealed, sealingKey, otherTag, number),
		"nonce":       open(s, sealed, sealingKey, good, otherNonce),
	} {
		if !errors.Is(err, poly1305aes.ErrForgery) {
			t.Errorf("another %s: %v", what, err)
		}
	}
	for _, n := range []int{0, 16, 31, 33} {
		message := fmt.Sprintf("poly1305aes: the sealing key: chacha20poly1305: a key of %d bytes, not 32", n)
		wantError(t, open(s, sealed, make([]byte, n), good, number), message)
		_, err := parts.Seal(nil, make([]byte, n))
		wantError(t, err, message)
	}

	// The parts of before with the tag of after, and the reverse.
	if err := parts.Replace(1, s.Partial(randomBytes(32))); err != nil {
		t.Fatal(err)
	}
	newNonce := nonce(randomBytes(16))
	var newTag tag
	parts.Tag(&newTag, &newNonce)
	newSealed, err := parts.Seal(nil, sealingKey)
	if err != nil {
		t.Fatal(err)
	}
	if err := open(s, newSealed, sealingKey, newTag, newNonce); err != nil {
		t.Error(err)
	}
	for what, err := range map[string]error{
		"old parts": open(s, sealed, sealingKey, newTag, newNonce),
		"new parts": open(s, newSealed, sealingKey, good, number),
	} {
		if !errors.Is(err, poly1305aes.ErrForgery) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestSealsOfOthers opens what only who has the sealing key can make: headers that contradict the values, and a value that is
// not below 2^130.
func TestSealsOfOthers(t *testing.T) {
	s, sealingKey := randomSecret(t), randomBytes(chacha20poly1305.KeySize)
	aead, err := chacha20poly1305.NewX(sealingKey)
	if err != nil {
		t.Fatal(err)
	}
	seal := func(segmentBytes, length uint64, values ...byte) []byte {
		header := []byte("hornet parts 1\r\n")
		header = binary.LittleEndian.AppendUint64(header, segmentBytes)
		header = binary.LittleEndian.AppendUint64(header, length)
		n := randomBytes(chacha20poly1305.NonceSizeX)
		return aead.Seal(slices.Concat(header, n), n, values, header)
	}
	var empty tag
	s.Sum(&empty, nil, new(nonce))
	if _, err := s.OpenParts(seal(16, 0), sealingKey, &empty, new(nonce)); err != nil {
		t.Error(err)
	}
	large := make([]byte, 17)
	large[16] = 4
	for message, sealed := range map[string][]byte{
		"segments of 0 bytes, which is not a positive multiple of 16, in sealed parts": seal(0, 0),
		"segments of 24 bytes, which":                                              seal(24, 24, large...),
		"sealed parts of 72 bytes, which are not for 1 segments":                   seal(16, 16),
		"sealed parts of 89 bytes, which are not for 2 segments":                   seal(16, 17, large...),
		"sealed parts of 88 bytes, which are not for 1 segments":                   seal(16, 16, large[1:]...),
		"sealed parts of 90 bytes, which are not for 1 segments":                   seal(16, 16, append(large[:16:16], 0, 0)...),
		"sealed parts of 72 bytes, which are not for 1152921504606846976 segments": seal(16, math.MaxUint64),
		"segment 0 of sealed parts has no value below 2^130":                       seal(16, 16, large...),
		"sealed parts and tag are not those of one message and key":                seal(16, 16, append([]byte{1}, make([]byte, 16)...)...),
	} {
		if _, err := s.OpenParts(sealed, sealingKey, &empty, new(nonce)); err == nil || !strings.Contains(err.Error(), message) {
			t.Errorf("%v, not %s", err, message)
		}
	}
}

// TestSubstitution tries to have a block of an attacker's choice tagged: he changes the block that is to be replaced so that
// its value, if it were computed from what is stored, would hide his block behind the new one.
func TestSubstitution(t *testing.T) {
	s, sealingKey := randomSecret(t), randomBytes(chacha20poly1305.KeySize)
	storage := bytes.Repeat([]byte{'A'}, 1<<12)
	const at = 5 * 16
	block := storage[at : at+16]
	copy(block, "old trusted text")
	parts := partsOf(t, s, storage, 16)
	var oldTag tag
	parts.Tag(&oldTag, &nonce{1})
	sealed, err := parts.Seal(nil, sealingKey)
	if err != nil {
		t.Fatal(err)
	}

	honest, chosen := []byte("pay bob    1 EUR"), []byte("pay eve 9999 EUR")
	evil := new(big.Int).Add(reference.FromBytes(block), reference.FromBytes(honest))
	copy(block, reference.ToBytes(evil.Sub(evil, reference.FromBytes(chosen)), 16))

	// The attack would succeed with the value of what is stored: old - evil = chosen - honest.
	r := reference.Clamped(s.bytes[16:])
	value := func(m []byte) *big.Int {
		h := new(big.Int)
		reference.Absorb(h, r, m)
		return h
	}
	difference := new(big.Int).Sub(value([]byte("old trusted text")), value(block))
	difference.Sub(difference, value(chosen)).Add(difference, value(honest))
	if difference.Mod(difference, reference.P).Sign() != 0 {
		t.Fatal("this is not the attack")
	}

	if parts, err = s.OpenParts(sealed, sealingKey, &oldTag, &nonce{1}); err != nil {
		t.Fatal(err)
	}
	if err := parts.VerifySegment(at/16, block); !errors.Is(err, poly1305aes.ErrForgery) {
		t.Errorf("the changed block: %v", err)
	}
	if err := parts.Replace(at/16, s.Partial(honest)); err != nil {
		t.Fatal(err)
	}
	var newTag tag
	parts.Tag(&newTag, &nonce{2})
	copy(block, honest)
	if !s.Verify(&newTag, storage, &nonce{2}) {
		t.Error("the honest message is refused")
	}
	copy(block, chosen)
	if s.Verify(&newTag, storage, &nonce{2}) {
		t.Error("the attacker's message is accepted")
	}
}

// FuzzOpenParts opens any bytes, and any values sealed under the right key.
func FuzzOpenParts(f *testing.F) {
	s := newSecret(f, [poly1305aes.KeySize]byte{1, 16: 2})
	sealingKey := make([]byte, chacha20poly1305.KeySize)
	aead, err := chacha20poly1305.NewX(sealingKey)
	if err != nil {
		f.Fatal(err)
	}
	sealed, err := partsOf(f, s, make([]byte, 100), 48).Seal(nil, sealingKey)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(sealed)
	f.Fuzz(func(t *testing.T, sealed []byte) {
		var number nonce
		var want tag
		s.Sum(&want, nil, &number)
		check := func(sealed []byte) {
			parts, err := s.OpenParts(sealed, sealingKey, &want, &number)
			if err == nil && !parts.Verify(&want, &number) {
				t.Errorf("%v have another tag", parts)
			}
		}
		check(sealed)
		if len(sealed) >= 32+24+16 {
			check(aead.Seal(slices.Clone(sealed[:56]), sealed[32:56], sealed[56:len(sealed)-16], sealed[:32]))
		}
	})
}

// A page of 4 KiB in a message of 4 GiB is evaluated and replaced, and the message tagged.
func BenchmarkReplace(b *testing.B) {
	s, page := randomSecret(b), randomBytes(4<<10)
	parts := partsOf(b, s, nil, uint64(len(page)))
	if err := parts.AppendZeros(4 << 30); err != nil {
		b.Fatal(err)
	}
	var out tag
	var number nonce
	for i := 0; b.Loop(); i++ {
		page[0]++
		if err := parts.Replace(i*12345%parts.Segments(), s.Partial(page)); err != nil {
			b.Fatal(err)
		}
		number[0]++
		parts.Tag(&out, &number)
	}
}

func BenchmarkSegments(b *testing.B) {
	s, m := randomSecret(b), randomBytes(16<<20)
	for _, segmentBytes := range []uint64{16 << 20, 1 << 20, 64 << 10, 4 << 10} {
		b.Run(fmt.Sprint(segmentBytes), func(b *testing.B) {
			b.SetBytes(int64(len(m)))
			for b.Loop() {
				if _, err := s.Segments(m, segmentBytes); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// The parts of 1 TiB are joined, sealed and opened.
func BenchmarkParts1TiB(b *testing.B) {
	s, sealingKey := randomSecret(b), randomBytes(chacha20poly1305.KeySize)
	parts := partsOf(b, s, nil, 1<<20)
	b.Run("AppendZeros", func(b *testing.B) {
		for b.Loop() {
			parts = partsOf(b, s, nil, 1<<20)
			if err := parts.AppendZeros(1 << 40); err != nil {
				b.Fatal(err)
			}
		}
	})
	var sealed []byte
	b.Run("Seal", func(b *testing.B) {
		for b.Loop() {
			var err error
			if sealed, err = parts.Seal(sealed[:0], sealingKey); err != nil {
				b.Fatal(err)
			}
		}
	})
	var current tag
	parts.Tag(&current, new(nonce))
	b.Run("Open", func(b *testing.B) {
		for b.Loop() {
			if _, err := s.OpenParts(sealed, sealingKey, &current, new(nonce)); err != nil {
				b.Fatal(err)
			}
		}
	})
}
