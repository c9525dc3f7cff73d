// SPDX-License-Identifier: Apache-2.0 OR MIT

package poly1305

import "encoding/binary"

// evaluate32 is evaluate in radix 2^32, for CPUs with a multiplication of 32 x 32 -> 64 bits.
//
// It follows Polyakov, "Poly1305 revised". As in evaluate64: with r clamped, r1, r2 and r3 are multiples of 4, so that
// 2^128 ri is congruent to si = 5/4 ri.
//
//	     h0    h1    h2    h3    h4
//	d0   r0    s3    s2    s1
//	d1   r1    r0    s3    s2    s1
//	d2   r2    r1    r0    s3    s2
//	d3   r3    r2    r1    r0    s3
//	d4                           r0    (h4 is at most 6, so that its products fit in 32 bits)
func evaluate32(h0, h1, h2, r0, r1 uint64, m []byte) (uint64, uint64, uint64) {
	a0, a1, a2, a3, a4 := uint32(h0), uint32(h0>>32), uint32(h1), uint32(h1>>32), uint32(h2)
	k0, k1, k2, k3 := uint32(r0), uint32(r0>>32), uint32(r1), uint32(r1>>32) // < 2^28
	s1, s2, s3 := k1+k1>>2, k2+k2>>2, k3+k3>>2                               // < 1.25 * 2^28
	for {
		// Each sum < 4 * 2^32 * 1.25 * 2^28 + 6 * 1.25 * 2^28 + 2^32 < 2^63.
		d0 := product(a0, k0) + product(a1, s3) + product(a2, s2) + product(a3, s1)
		d1 := product(a0, k1) + product(a1, k0) + product(a2, s3) + product(a3, s2) + uint64(a4*s1) + d0>>32
		d2 := product(a0, k2) + product(a1, k1) + product(a2, k0) + product(a3, s3) + uint64(a4*s2) + d1>>32
		d3 := product(a0, k3) + product(a1, k2) + product(a2, k1) + product(a3, k0) + uint64(a4*s3) + d2>>32
		d4 := a4*k0 + uint32(d3>>32) // < 6 * 2^28 + 4 * 2^28 + 2

		// Add the part above 2^130 times 5: d4 / 4 * 5 < 12.5 * 2^28 + 3.
		u0 := uint64(uint32(d0)) + uint64(d4>>2+d4&^3)
		u1 := u0>>32 + uint64(uint32(d1))
		u2 := u1>>32 + uint64(uint32(d2))
		u3 := u2>>32 + uint64(uint32(d3))
		a0, a1, a2, a3, a4 = uint32(u0), uint32(u1), uint32(u2), uint32(u3), d4&3+uint32(u3>>32) // a4 <= 4

		if len(m) <= BlockSize {
			return uint64(a0) | uint64(a1)<<32, uint64(a2) | uint64(a3)<<32, uint64(a4)
		}
		m = m[BlockSize:]
		var lo, hi uint64
		var top uint32
		if len(m) >= BlockSize {
			lo, hi, top = binary.LittleEndian.Uint64(m), binary.LittleEndian.Uint64(m[8:]), 1
		} else {
			lo, hi = partialBlock(m)
		}
		t0 := uint64(a0) + uint64(uint32(lo))
		t1 := t0>>32 + uint64(a1) + lo>>32
		t2 := t1>>32 + uint64(a2) + uint64(uint32(hi))
		t3 := t2>>32 + uint64(a3) + hi>>32
		a0, a1, a2, a3, a4 = uint32(t0), uint32(t1), uint32(t2), uint32(t3), a4+uint32(t3>>32)+top
	}
}

func product(a, b uint32) uint64 { return uint64(a) * uint64(b) }
