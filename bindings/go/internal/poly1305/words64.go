// SPDX-License-Identifier: Apache-2.0 OR MIT

package poly1305

import (
	"encoding/binary"
	"math/bits"
)

// evaluate64 is evaluate in radix 2^64, for CPUs with a multiplication of 64 x 64 -> 128 bits.
//
// It follows Polyakov, "Poly1305 revised", but without his reduction after every block. With r clamped, r1 is a multiple of
// 4, so that 2^128 r1 = 2^130 r1/4 is congruent to s1 = 5/4 r1. Limb 2 stays large, a whole word, and is reduced when it is
// multiplied: for the part above 2^130, h2 div 4, the factor r0 becomes u0 = 5 r0.
//
//	           d0    d1    d2
//	h0         r0    r1
//	h1         s1    r0
//	h2               s1             (2^192 r1 = 2^64 s1)
//	h2 div 4   u0                   (2^130 r0 = 5 r0)
//	h2 mod 4               r0
func evaluate64(h0, h1, h2, r0, r1 uint64, m []byte) (uint64, uint64, uint64) {
	s1, u0 := r1+r1>>2, 5*r0 // < 1.25 * 2^60, < 5 * 2^60
	for {
		// Load the block after the one in h. It is added to the product, because it is ready before the limbs are.
		var lo, hi, top uint64
		if len(m) >= 2*BlockSize {
			lo, hi, top = binary.LittleEndian.Uint64(m[BlockSize:]), binary.LittleEndian.Uint64(m[BlockSize+8:]), 1
		} else if len(m) > BlockSize {
			lo, hi = partialBlock(m[BlockSize:])
		}

		// carry is what d0 carries into d1. Limb 2 is multiplied last, because it is ready last.
		carry, d0 := bits.Mul64(h0, r0)
		d2, d1 := bits.Mul64(h0, r1)
		d0, d1, d2 = add(d0, d1, d2, lo, hi, top)
		d0, carry = addProduct(d0, carry, h1, s1)
		d1, d2 = addProduct(d1, d2, h1, r0)          // d2 < 2 * 2^60 + 2
		d0, carry = addProduct(d0, carry, h2>>2, u0) // < 2.25 * 2^60 + 1.25 * 2^60
		d1, d2 = addProduct(d1, d2, h2, s1)          // d2 < 3.25 * 2^60 + 2
		var c uint64
		d1, c = bits.Add64(d1, carry, 0)
		d2, _ = bits.Add64(d2, h2&3*r0, c) // < 6.26 * 2^60
		h0, h1, h2 = d0, d1, d2

		if len(m) <= BlockSize {
			break
		}
		m = m[BlockSize:]
	}

	// The last reduction: 5 (h2 div 4) < 7.83 * 2^60.
	var c uint64
	h0, c = bits.Add64(h0, 5*(h2>>2), 0)
	h1, c = bits.Add64(h1, 0, c)
	return h0, h1, h2&3 + c
}

// addProduct returns a0 + a1 2^64 + b c, modulo 2^128.
func addProduct(a0, a1, b, c uint64) (uint64, uint64) {
	high, low := bits.Mul64(b, c)
	a0, carry := bits.Add64(a0, low, 0)
	a1, _ = bits.Add64(a1, high, carry)
	return a0, a1
}
