// SPDX-License-Identifier: Apache-2.0 OR MIT

// Package poly1305 implements the arithmetic of Poly1305: the polynomial, its state, and the tag.
package poly1305

import (
	"encoding/binary"
	"math/bits"

	"github.com/hornet-mac/hornet/bindings/go/internal/asm"
	"github.com/hornet-mac/hornet/bindings/go/internal/tuning"
)

const (
	KeySize   = 32
	TagSize   = 16
	BlockSize = 16
)

// State is a partial evaluation. After each function, any other can continue it.
type State struct {
	r [2]uint64 // clamped: both < 2^60
	s [2]uint64 // added to the result at the end
	h [3]uint64 // the value, partly reduced: h[2] <= maxH2
}

const maxH2 = 4

// maxLanesBytes replaces asm.MaxBytes for lanes, which computes powers of r in every call. On Zen 5 with IFMA, the powers take
// as long as 6 KiB of message, so that steps of 64 KiB would cost 10 %. There, a step of maxLanesBytes takes 15 us, as long as
// 64 KiB with scalar.
const maxLanesBytes = tuning.LanesStepBytes

// Init starts a message with the given key.
func (p *State) Init(key *[KeySize]byte) {
	p.r[0], p.r[1] = loadR(key)
	p.s[0], p.s[1] = loadS(key)
	p.h = [3]uint64{}
}

// Absorb continues the evaluation over m. If len(m) is not a multiple of BlockSize, the message ends with m.
func (p *State) Absorb(m []byte) {
	for lanesBytes(len(m)) != 0 {
		n := lanesBytes(min(len(m), maxLanesBytes))
		lanes(p, m[:n])
		m = m[n:]
	}
	for len(m) > asm.MaxBytes {
		scalar(p, m[:asm.MaxBytes])
		m = m[asm.MaxBytes:]
	}
	if len(m) != 0 {
		scalar(p, m)
	}
}

// AbsorbPadded absorbs m, followed by zeros that fill its last block.
func (p *State) AbsorbPadded(m []byte) {
	n := len(m) &^ (BlockSize - 1)
	p.Absorb(m[:n])
	if n != len(m) {
		p.AbsorbWords(paddedBlock(m[n:]))
	}
}

// AbsorbWords absorbs the block lo + 2^64 hi. It takes words in registers, since loads of a block just stored would have to
// wait for the stores.
func (p *State) AbsorbWords(lo, hi uint64) {
	h0, h1, h2 := add(lo, hi, 1, p.h[0], p.h[1], p.h[2])
	p.h[0], p.h[1], p.h[2] = evaluate(h0, h1, h2, p.r[0], p.r[1], nil)
}

// AbsorbLast is AbsorbPadded followed by AbsorbWords.
func (p *State) AbsorbLast(m []byte, lo, hi uint64) {
	p.AbsorbPadded(m)
	p.AbsorbWords(lo, hi)
}

// SumShort writes the tag of additionalData and text, both padded, and their lengths: that of the AEAD. text is at most
// asm.MaxBytes long.
func SumShort(tag *[TagSize]byte, additionalData, text []byte, key *[KeySize]byte) {
	var p State
	p.Init(key)
	absorbShort(&p, additionalData, text)
	p.Tag(tag)
	p = State{}
}

// Tag writes the tag of the absorbed message.
func (p *State) Tag(tag *[TagSize]byte) {
	storeTag(tag, p.h[0], p.h[1], p.h[2], p.s[0], p.s[1])
}

// Sum writes the tag of m under key. It writes only after it has read both.
func Sum(tag *[TagSize]byte, m []byte, key *[KeySize]byte) {
	if len(m) >= scalarBytes || lanesBytes(len(m)) != 0 {
		var p State
		p.Init(key)
		p.Absorb(m)
		p.Tag(tag)
		p = State{}
		return
	}
	var h0, h1, h2 uint64
	if len(m) != 0 {
		r0, r1 := loadR(key)
		h0, h1, h2 = firstBlock(m)
		h0, h1, h2 = evaluate(h0, h1, h2, r0, r1, m)
	}
	s0, s1 := loadS(key)
	storeTag(tag, h0, h1, h2, s0, s1)
}

// Equal compares tags in constant time: it combines all differences before anything depends on one.
func Equal(a, b *[TagSize]byte) bool {
	lo := binary.LittleEndian.Uint64(a[:]) ^ binary.LittleEndian.Uint64(b[:])
	hi := binary.LittleEndian.Uint64(a[8:]) ^ binary.LittleEndian.Uint64(b[8:])
	return lo|hi == 0
}

// loadR returns the clamped r (RFC 8439, section 2.5.1).
func loadR(key *[KeySize]byte) (r0, r1 uint64) {
	return binary.LittleEndian.Uint64(key[:]) & 0x0ffffffc0fffffff, binary.LittleEndian.Uint64(key[8:]) & 0x0ffffffc0ffffffc
}

func loadS(key *[KeySize]byte) (s0, s1 uint64) {
	return binary.LittleEndian.Uint64(key[16:]), binary.LittleEndian.Uint64(key[24:])
}

// scalarGo is scalar in Go. m is not empty.
func scalarGo(p *State, m []byte) {
	h0, h1, h2 := firstBlock(m)
	h0, h1, h2 = add(h0, h1, h2, p.h[0], p.h[1], p.h[2])
	p.h[0], p.h[1], p.h[2] = evaluate(h0, h1, h2, p.r[0], p.r[1], m)
}

// evaluate multiplies h by r, adds the second block of m, and so on to the end of m. The first block has been added to h
// already, so that only its length matters, which may be 0. h2 is at most 6 at the start, and at most maxH2 in the result.
func evaluate(h0, h1, h2, r0, r1 uint64, m []byte) (uint64, uint64, uint64) {
	if bits.UintSize == 64 {
		return evaluate64(h0, h1, h2, r0, r1, m)
	}
	return evaluate32(h0, h1, h2, r0, r1, m)
}

// firstBlock returns the first block of m, which is not empty, with its padding bit.
func firstBlock(m []byte) (lo, hi, top uint64) {
	if len(m) >= BlockSize {
		return binary.LittleEndian.Uint64(m), binary.LittleEndian.Uint64(m[8:]), 1
	}
	lo, hi = partialBlock(m)
	return lo, hi, 0
}

// partialBlock returns the 1 to 15 bytes of m and their padding bit, which replaces the bit 2^128 of a whole block.
func partialBlock(m []byte) (lo, hi uint64) {
	lo, hi = paddedBlock(m)
	n := uint(len(m))
	if n >= 8 {
		return lo, hi | 1<<((n-8)*8&63)
	}
	return lo | 1<<(n*8&63), 0
}

// paddedBlock returns the 1 to 15 bytes of m, followed by zeros. It loads them from m itself: loads from a copy would have to
// wait for the stores.
func paddedBlock(m []byte) (lo, hi uint64) {
	n := uint(len(m))
	if n >= 8 {
		last := binary.LittleEndian.Uint64(m[n-8:]) >> 8
		return binary.LittleEndian.Uint64(m), last >> ((15 - n) * 8 & 63)
	}
	if n >= 4 {
		return uint64(binary.LittleEndian.Uint32(m)) | uint64(binary.LittleEndian.Uint32(m[n-4:]))<<((n-4)*8&63), 0
	}
	return uint64(m[0]) | uint64(m[n/2])<<(n/2*8&63) | uint64(m[n-1])<<((n-1)*8&63), 0
}

// add returns a + b, where a and b have three words each.
func add(a0, a1, a2, b0, b1, b2 uint64) (uint64, uint64, uint64) {
	var c uint64
	a0, c = bits.Add64(a0, b0, 0)
	a1, c = bits.Add64(a1, b1, c)
	a2, _ = bits.Add64(a2, b2, c)
	return a0, a1, a2
}

// storeTag writes (h mod p + s) mod 2^128, for h2 <= maxH2.
func storeTag(tag *[TagSize]byte, h0, h1, h2, s0, s1 uint64) {
	// h < 2 p, so h mod p is h - p = h + 5 - 2^130 if that is not negative, and h otherwise. Add 5, and subtract it again if
	// the sum is below 2^130.
	h0, h1, h2 = add(h0, h1, h2, 5, 0, 0)
	over := h2 >> 2 // 1 or 0
	h0, h1, _ = add(h0, h1, 0, s0, s1, 0)
	h0, h1, _ = add(h0, h1, 0, 5*over-5, over-1, 0)
	binary.LittleEndian.PutUint64(tag[:], h0)
	binary.LittleEndian.PutUint64(tag[8:], h1)
}
