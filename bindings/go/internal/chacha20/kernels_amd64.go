// SPDX-License-Identifier: Apache-2.0 OR MIT

//go:build gc && !purego

package chacha20

import (
	"golang.org/x/sys/cpu"

	"github.com/hornet-mac/hornet/bindings/go/internal/family"
	"github.com/hornet-mac/hornet/bindings/go/internal/tuning"
)

// AVX-512 code requires VBMI, which Skylake-X lacks: 512-bit instructions lower the clock of that CPU, for all other code too.
// Some of its passes are those of AVX2.
var (
	useAVX2   = cpu.X86.HasAVX2
	useAVX512 = useAVX2 && cpu.X86.HasAVX512F && cpu.X86.HasAVX512VBMI

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
		case tuning.Rows1AVX512:
			stream4AVX512(p, s)
		case tuning.Rows2AVX512:
			stream8AVX512(p, s)
		case tuning.Rows3AVX512:
			stream12AVX512(p, s)
		case tuning.Lanes1AVX512:
			stream16AVX512(p, s)
		default:
			stream32AVX512(p, s)
		}
		s[Counter] += uint32(done)
		if n -= done; n > 0 {
			buf = buf[done*BlockSize:]
		}
	}
}
