// SPDX-License-Identifier: Apache-2.0 OR MIT

package poly1305

import (
	"encoding/binary"
	"math/bits"
)

// evaluate64 is evaluate in radix 2^64, for CPUs that multiply 64 x 64 -> 128 bits.
//
// After Polyakov, "Poly1305 revised", but without his fold after every block. With r clamped, r1 is a multiple of 4, so
// that 2^128 r1 = 2^130 r1/4 comes back as s1 = 5/4 r1. Limb 2 stays large, a whole word, and is folded where it is
// multiplied: the part above 2^130, h2 div 4, comes back as u0 = 5 r0.
//
//	           d0    d1    d2
//	h0         r0    r1
//	h1         s1    r0
//	h2               s1             (2^192 r1 = 2^64 s1)
//	h2 div 4   u0                   (2^130 r0 = 5 r0)
//	h2 mod 4               r0
func evaluate64(h0, h1, h2, r0, r1 uint64, m []byte) (uint64, uint64, uint64) {
	s1, u0 := r1+r1>>2, 5*r0 // < 1.25 * 2^60, < 5 * 2^60
	for more := true; more; {
		// The next block, which is added to the product: it is ready before the limbs are.
		var lo, hi, top uint64
		if len(m) >= 2*BlockSize {
			m = m[BlockSize:]
			lo, hi, top = binary.LittleEndian.Uint64(m), binary.LittleEndian.Uint64(m[8:]), 1
		} else if len(m) > BlockSize {
			m = m[BlockSize:]
			lo, hi = partialBlock(m)
		} else {
			more = false
		}

		// d1 + d2 2^64 < 2 * 2^124 + 2^65. What d0 carries into d1 is kept in carry, < 3.5 * 2^60: limb 2 is multiplied last,
		// because it is ready last.
		var high, low, c uint64
		carry, d0 := bits.Mul64(h0, r0)
		d2, d1 := bits.Mul64(h0, r1)
		d0, c = bits.Add64(d0, lo, 0)
		d1, c = bits.Add64(d1, hi, c)
		d2 += top + c
		high, low = bits.Mul64(h1, s1)
		d0, c = bits.Add64(d0, low, 0)
		carry += high + c
		high, low = bits.Mul64(h2>>2, u0)
		d0, c = bits.Add64(d0, low, 0)
		carry += high + c
		high, low = bits.Mul64(h1, r0)
		d1, c = bits.Add64(d1, low, 0)
		d2 += high + c
		high, low = bits.Mul64(h2, s1)
		d1, c = bits.Add64(d1, low, 0)
		d2 += high + c // < 2 * 2^60 + 1.25 * 2^60 + 2
		d1, c = bits.Add64(d1, carry, 0)
		h0, h1, h2 = d0, d1, (h2&3)*r0+d2+c // h2 < 6.26 * 2^60
	}

	// The last fold: 5 (h2 div 4) < 7.83 * 2^60.
	var c uint64
	h0, c = bits.Add64(h0, 5*(h2>>2), 0)
	h1, c = bits.Add64(h1, 0, c)
	return h0, h1, h2&3 + c
}
