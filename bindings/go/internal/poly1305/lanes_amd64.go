// SPDX-License-Identifier: Apache-2.0 OR MIT

//go:build gc && !purego

package poly1305

import "golang.org/x/sys/cpu"

// See the comment of package internal. The functions in assembly are the evaluation of the C library
// (src/poly1305/horner/decimated.h), written by Coconut (docs/coconut.md): they keep powers of r in a frame of their own,
// and clear it and their registers.

var (
	useAVX2 = cpu.X86.HasAVX2
	useIFMA = cpu.X86.HasAVX512F && cpu.X86.HasAVX512IFMA
)

// From how many bytes on lanes are faster than scalar, and from how many on long sums are faster than short ones.
// Measured on Zen 5.
const (
	avx2Min  = 1024
	avx2Long = 2560
	ifmaMin  = 640
	ifmaLong = 5120
)

const (
	avx2Group = 4 * BlockSize
	ifmaGroup = 8 * BlockSize
)

func lanesBytes(n int) int {
	if useIFMA && n >= ifmaMin || useAVX2 && n >= avx2Min {
		return n &^ (BlockSize - 1)
	}
	return 0
}

// lanes begins with the blocks that fill no group: they do not wait for the powers, and the powers do not wait for them.
func lanes(p *State, m []byte) {
	group := avx2Group
	if useIFMA {
		group = ifmaGroup
	}
	if n := len(m) % group; n != 0 {
		scalar(p, m[:n])
		m = m[n:]
	}
	if useIFMA {
		ifma(p, m, len(m) >= ifmaLong)
	} else {
		avx2(p, m, len(m) >= avx2Long)
	}
}

// ifma absorbs groups of 8 blocks, at least two: the first, the last, and those in the middle several to a reduction; by long
// sums or not.
func ifma(p *State, m []byte, long bool) {
	var d [3]uint64 // secret
	middle := uint64(len(m)/ifmaGroup - 2)
	if long {
		ifmaBy16(&d, p, &m[0], middle/16, middle%16/2, middle%2)
	} else {
		ifmaBy4(&d, p, &m[0], middle/4, middle%4/2, middle%2)
	}
	p.h = fromRadix44(d[0], d[1], d[2])
	clear(d[:])
}

// avx2 is ifma for groups of 4 blocks.
func avx2(p *State, m []byte, long bool) {
	var d [17]uint64 // secret
	middle := uint64(len(m)/avx2Group - 2)
	if long {
		avx2By8(&d, p, &m[0], middle/8, middle%8/2, middle%2)
	} else {
		avx2By2(&d, p, &m[0], middle/2, middle%2)
	}
	p.h = fromRadix26(d[0], d[1], d[2], d[3], d[4])
	clear(d[:])
}

// fromRadix44 is wide_sum_to_words of src/poly1305/field/radix44.h: sums whose carries it takes.
func fromRadix44(d0, d1, d2 uint64) [3]uint64 {
	const mask44, mask42 = 1<<44 - 1, 1<<42 - 1
	d1 += d0 >> 44
	d2 += d1 >> 44
	d0, d1 = d0&mask44, d1&mask44
	h0, h1, h2 := add(d0|d1<<44, d1>>20|d2<<24, d2&mask42>>40, 5*(d2>>42), 0, 0)
	return [3]uint64{h0, h1, h2}
}

// fromRadix26 is the same of src/poly1305/field/radix26.h.
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
