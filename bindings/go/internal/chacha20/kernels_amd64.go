// SPDX-License-Identifier: Apache-2.0 OR MIT

//go:build gc && !purego

package chacha20

import (
	"unsafe"

	"golang.org/x/sys/cpu"

	"github.com/hornet-mac/hornet/bindings/go/internal/asm"
	"github.com/hornet-mac/hornet/bindings/go/internal/family"
	"github.com/hornet-mac/hornet/bindings/go/internal/tuning"
)

// AVX-512 code requires VBMI, which Skylake-X lacks: 512-bit instructions lower the clock of that CPU, for all other code too.
// Some of its passes are those of AVX2.
var (
	useAVX2   = cpu.X86.HasAVX2
	useAVX512 = useAVX2 && cpu.X86.HasAVX512F && cpu.X86.HasAVX512VL && cpu.X86.HasAVX512VBMI

	passes = passesOf(family.Core, useAVX512)
)

// passesOf returns the first pass for each number of blocks. CPUs that were not measured take Golden Cove's.
func passesOf(core family.Family, useAVX512 bool) []uint8 {
	of := [2][]uint8{tuning.GoldenCoveAVX2, tuning.GoldenCoveAVX512}
	switch core {
	case family.Zen3, family.Zen4:
		of = [2][]uint8{tuning.Zen4AVX2, tuning.Zen4AVX512}
	case family.Zen5:
		of = [2][]uint8{tuning.Zen5AVX2, tuning.Zen5AVX512}
	}
	if useAVX512 {
		return of[1]
	}
	return of[0]
}

func groupBlocks() int {
	switch {
	case useAVX512:
		return 32
	case useAVX2:
		return 8
	}
	return 1
}

func xorGroups(dst, src []byte, s *State) {
	switch {
	case useAVX512:
		xor32AVX512(&dst[0], &src[0], s, uint64(len(src)/(32*BlockSize)))
	case useAVX2:
		xor8AVX2(&dst[0], &src[0], s, uint64(len(src)/(8*BlockSize)))
	default:
		xorBlocksGo(dst, src, s)
	}
}

// lineOffset returns where the first line of the cache begins in b.
func lineOffset(b []byte) int { return int(-uintptr(unsafe.Pointer(&b[0])) & (BlockSize - 1)) }

// xorWords is a start of XORBytes that returns the number of bytes it has done: whole blocks.
func xorWords(dst, src, stream []byte) int {
	n := min(len(src), asm.MaxBytes) / BlockSize
	if n == 0 || !useAVX2 {
		return 0
	}
	combineAVX2(&dst[0], &src[0], &stream[0], uint64(n))
	return n * BlockSize
}

// streamBlocks is 16 where a set of lanes in 512 bits takes about half the time of two, so that Open needs less room.
func streamBlocks() int {
	if useAVX512 && family.Core != family.Zen5 {
		return 16
	}
	return groupBlocks()
}

func xorPasses(dst, src []byte, s *State, key *[BlockSize]byte) {
	if !useAVX2 {
		xorStream(dst, src, s, key)
		return
	}
	if useAVX512 && key == nil && len(src) == min(16*BlockSize, asm.MaxBytes) {
		xor16AVX512(&dst[0], &src[0], s, 1)
		return
	}
	var room Room1
	last := (*[BlockSize]byte)(Line(room.Bytes[:]))
	before := 0
	if key != nil {
		before = 1
	}
	for left := before + Blocks(len(src)); left > 0; {
		pass := passes[left-1]
		made := int(tuning.PassBlocks[pass])
		whole := min(len(src)/BlockSize, made-before, asm.MaxBytes/BlockSize)
		if pass == tuning.Block {
			streamBlock(dst, src, s, key, last)
		} else {
			// The block after whole ones is not there if the pass makes no more, and not needed if there are no more bytes.
			p := last
			if before+whole == made || whole*BlockSize == len(src) {
				p = nil
			}
			xorPass(pass, unsafe.SliceData(dst), unsafe.SliceData(src), s, (*byte)(unsafe.Pointer(key)), (*byte)(unsafe.Pointer(p)), uint64(whole))
		}
		done := min(made, left)
		s[Counter] += uint32(done)
		dst, src, left = dst[whole*BlockSize:], src[whole*BlockSize:], left-done
		key, before = nil, 0
	}
	if len(src) != 0 {
		XORBytes(dst, src, last[:])
		room = Room1{}
	}
}

// streamBlock makes a block without vectors: that of the key, if there is one, or one of the message, which goes to last if there is not all of it.
func streamBlock(dst, src []byte, s *State, key, last *[BlockSize]byte) {
	block := last
	if key != nil {
		block = key
	}
	streamGo(block[:], s)
	s[Counter]--
	if key == nil && len(src) >= BlockSize {
		XORBytes(dst[:BlockSize], src[:BlockSize], block[:])
		*block = [BlockSize]byte{}
	}
}

func xorPass(pass uint8, dst, src *byte, s *State, key, last *byte, blocks uint64) {
	switch pass {
	case tuning.Rows1AVX2:
		pass2AVX2(dst, src, s, key, last, blocks)
	case tuning.Rows2AVX2:
		pass4AVX2(dst, src, s, key, last, blocks)
	case tuning.Rows3AVX2:
		pass6AVX2(dst, src, s, key, last, blocks)
	case tuning.Lanes1AVX2:
		pass8AVX2(dst, src, s, key, last, blocks)
	case tuning.Lanes1AVX512VL:
		pass8AVX512VL(dst, src, s, key, last, blocks)
	case tuning.Lanes1Rows1AVX512VL:
		pass10AVX512VL(dst, src, s, key, last, blocks)
	case tuning.Lanes1Rows2AVX512VL:
		pass12AVX512VL(dst, src, s, key, last, blocks)
	case tuning.Rows1AVX512:
		pass4AVX512(dst, src, s, key, last, blocks)
	case tuning.Rows2AVX512:
		pass8AVX512(dst, src, s, key, last, blocks)
	case tuning.Rows3AVX512:
		pass12AVX512(dst, src, s, key, last, blocks)
	case tuning.Lanes1AVX512:
		pass16AVX512(dst, src, s, key, last, blocks)
	case tuning.Lanes1Rows1AVX512:
		pass20AVX512(dst, src, s, key, last, blocks)
	case tuning.Lanes1Rows2AVX512:
		pass24AVX512(dst, src, s, key, last, blocks)
	default:
		pass32AVX512(dst, src, s, key, last, blocks)
	}
}

func firstRows(rows, samples *[MaxSamples][SampleSize]byte, s *State, n int) {
	switch {
	case n == 1: // the time of one in a lane is that of all
		firstRowsGo(rows, samples, s, n)
	case useAVX512:
		mask16AVX512(&rows[0][0], &samples[0][0], s)
	case useAVX2:
		mask8AVX2(&rows[0][0], &samples[0][0], s)
		if n > 8 {
			mask8AVX2(&rows[8][0], &samples[8][0], s)
		}
	default:
		firstRowsGo(rows, samples, s, n)
	}
}

func stream(buf []byte, n int, s *State) {
	if !useAVX2 {
		streamGo(buf[:n*BlockSize], s)
		return
	}
	for n > 0 {
		pass, p := passes[n-1], &buf[0]
		done := min(n, int(tuning.PassBlocks[pass]))
		switch pass {
		case tuning.Block:
			streamGo(buf[:BlockSize], s)
			s[Counter]-- // it is advanced below
		case tuning.Rows1AVX2:
			stream2AVX2(p, s)
		case tuning.Rows2AVX2:
			stream4AVX2(p, s)
		case tuning.Rows3AVX2:
			stream6AVX2(p, s)
		case tuning.Lanes1AVX2:
			stream8AVX2(p, s)
		case tuning.Lanes1AVX512VL:
			stream8AVX512VL(p, s)
		case tuning.Lanes1Rows1AVX512VL:
			stream10AVX512VL(p, s)
		case tuning.Lanes1Rows2AVX512VL:
			stream12AVX512VL(p, s)
		case tuning.Rows1AVX512:
			stream4AVX512(p, s)
		case tuning.Rows2AVX512:
			stream8AVX512(p, s)
		case tuning.Rows3AVX512:
			stream12AVX512(p, s)
		case tuning.Lanes1AVX512:
			stream16AVX512(p, s)
		case tuning.Lanes1Rows1AVX512:
			stream20AVX512(p, s)
		case tuning.Lanes1Rows2AVX512:
			stream24AVX512(p, s)
		default:
			stream32AVX512(p, s)
		}
		s[Counter] += uint32(done)
		if n -= done; n > 0 {
			buf = buf[done*BlockSize:]
		}
	}
}
