// SPDX-License-Identifier: Apache-2.0 OR MIT

//go:build gc && !purego

package poly1305

import "golang.org/x/sys/cpu"

// See the comment of package internal. The functions that are called here are the library's own evaluation
// (src/poly1305/horner/decimated.h), as Coconut writes it: docs/coconut.md.

var (
	useAVX2 = cpu.X86.HasAVX2
	useIFMA = cpu.X86.HasAVX512F && cpu.X86.HasAVX512IFMA
)

// From how many bytes on lanes are faster than scalar, and from how many on long sums are faster than short ones.
// Measured on Zen 5.
const (
	avx2Min  = 512
	avx2Long = 2048
	ifmaMin  = 384
	ifmaLong = 4096
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
	switch {
	case useIFMA && len(m) >= ifmaLong:
		ifma16(p, m)
	case useIFMA:
		ifma4(p, m)
	case len(m) >= avx2Long:
		avx2By8(p, m)
	default:
		avx2By2(p, m)
	}
}

// What a message keeps lies in one array, in the order of the outputs of the function that begins it:
//
//	t       the accumulator, by lanes
//	last    the powers of r that its last group is multiplied by, of r to r^L
//	others  and those that the accumulator is, which has one group more to come: r^(L + 1) to r^(2 L)
//	R^1...  R = r^L and its powers, as multipliers: all of a step's groups
//	table   powers of R for a long step, and tops, what the blocks' 2^128 come to there
//
// It is wiped.

// ifma4 absorbs groups of 8 blocks, 4 to a reduction. There are at least two.
func ifma4(p *State, m []byte) {
	var a [232]uint64
	ifmaBegin4(&a, p, &m[0])
	m = m[ifmaGroup:]
	if turns := (len(m) - ifmaGroup) / (4 * ifmaGroup); turns != 0 {
		ifmaStep4((*[24]uint64)(a[0:]), (*[160]uint64)(a[72:]), &m[0], uint64(turns))
		m = m[turns*4*ifmaGroup:]
	}
	ifmaRest(p, (*[152]uint64)(a[:]), m)
	clear(a[:])
}

// ifma16 is ifma4 for long messages, with 16 groups to a reduction.
func ifma16(p *State, m []byte) {
	var a [272]uint64
	ifmaBegin16(&a, p, &m[0])
	m = m[ifmaGroup:]
	if turns := (len(m) - ifmaGroup) / (16 * ifmaGroup); turns != 0 {
		ifmaLongStep16((*[24]uint64)(a[0:]), (*[120]uint64)(a[152:]), &m[0], uint64(turns))
		m = m[turns*16*ifmaGroup:]
	}
	ifmaRest(p, (*[152]uint64)(a[:]), m)
	clear(a[:])
}

// ifmaRest absorbs what is left, with two groups to a reduction, and ends.
func ifmaRest(p *State, a *[152]uint64, m []byte) {
	if turns := (len(m) - ifmaGroup) / (2 * ifmaGroup); turns != 0 {
		ifmaStep2((*[24]uint64)(a[0:]), (*[80]uint64)(a[72:]), &m[0], uint64(turns))
		m = m[turns*2*ifmaGroup:]
	}
	if len(m) != ifmaGroup {
		ifmaStep1((*[24]uint64)(a[0:]), (*[40]uint64)(a[72:]), &m[0], 1)
		m = m[ifmaGroup:]
	}
	var d [3]uint64
	ifmaEnd(&d, (*[72]uint64)(a[0:]), &m[0])
	p.h = fromRadix44(d[0], d[1], d[2])
	d = [3]uint64{}
}

// avx2By2 absorbs groups of 4 blocks, 2 to a reduction. There are at least two.
func avx2By2(p *State, m []byte) {
	var a [148]uint64
	avx2Begin2(&a, p, &m[0])
	avx2Rest(p, (*[132]uint64)(a[:]), m[avx2Group:])
	clear(a[:])
}

// avx2By8 is avx2By2 for long messages, with 8 groups to a reduction.
func avx2By8(p *State, m []byte) {
	var a [372]uint64
	avx2Begin8(&a, p, &m[0])
	m = m[avx2Group:]
	if turns := (len(m) - avx2Group) / (8 * avx2Group); turns != 0 {
		avx2LongStep8((*[20]uint64)(a[0:]), (*[212]uint64)(a[132:]), &m[0], uint64(turns))
		m = m[turns*8*avx2Group:]
	}
	avx2Rest(p, (*[132]uint64)(a[:]), m)
	clear(a[:])
}

// avx2Rest is ifmaRest.
func avx2Rest(p *State, a *[132]uint64, m []byte) {
	if turns := (len(m) - avx2Group) / (2 * avx2Group); turns != 0 {
		avx2Step2((*[20]uint64)(a[0:]), (*[72]uint64)(a[60:]), &m[0], uint64(turns))
		m = m[turns*2*avx2Group:]
	}
	if len(m) != avx2Group {
		avx2Step1((*[20]uint64)(a[0:]), (*[36]uint64)(a[60:]), &m[0], 1)
		m = m[avx2Group:]
	}
	var d [17]uint64
	avx2End(&d, (*[60]uint64)(a[0:]), &m[0])
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
