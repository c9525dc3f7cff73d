// SPDX-License-Identifier: Apache-2.0 OR MIT

//go:build (amd64 || s390x) && gc && !purego

package poly1305

// fromRadix44 is wide_sum_to_words of src/poly1305/field/radix44.h. It propagates the carries of the sums.
func fromRadix44(d0, d1, d2 uint64) [3]uint64 {
	const mask44, mask42 = 1<<44 - 1, 1<<42 - 1
	d1 += d0 >> 44
	d2 += d1 >> 44
	d0, d1 = d0&mask44, d1&mask44
	h0, h1, h2 := add(d0|d1<<44, d1>>20|d2<<24, d2&mask42>>40, 5*(d2>>42), 0, 0)
	return [3]uint64{h0, h1, h2}
}

// fromRadix26 is the same function of src/poly1305/field/radix26.h.
func fromRadix26(d0, d1, d2, d3, d4 uint64) [3]uint64 {
	const mask = 1<<26 - 1
	d1 += d0 >> 26
	d2 += d1 >> 26
	d3 += d2 >> 26
	d4 += d3 >> 26
	d0, d1, d2, d3 = d0&mask, d1&mask, d2&mask, d3&mask
	low := d4 & mask
	h0, h1, h2 := add(d0|d1<<26|d2<<52, d2>>12|d3<<14|low<<40, low>>24, 5*(d4>>26), 0, 0)
	return [3]uint64{h0, h1, h2}
}
