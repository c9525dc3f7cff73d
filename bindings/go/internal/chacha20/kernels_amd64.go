// SPDX-License-Identifier: Apache-2.0 OR MIT

//go:build gc && !purego

package chacha20

import (
	"golang.org/x/sys/cpu"

	"github.com/hornet-mac/hornet/bindings/go/internal/family"
)

// AVX-512 code requires VBMI, which Skylake-X lacks: 512-bit instructions lower the clock of that CPU, for all other code too.
var (
	useAVX2   = cpu.X86.HasAVX2
	useAVX512 = cpu.X86.HasAVX512F && cpu.X86.HasAVX512VBMI

	// Where instructions of 512 bits are split into two operations of 256 bits, as many blocks as AVX2 has lanes take no less
	// time in wider vectors.
	zmmInHalves = family.ZMMInHalves
)

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
	p := &buf[0]
	switch {
	case n == 1: // no slower than vectors, and faster from Zen 5 on
		streamGo(buf[:BlockSize], s)
		return
	case useAVX512 && !(zmmInHalves && useAVX2 && n <= 8):
		switch {
		case n <= 4:
			stream4AVX512(p, s)
		case n <= 8:
			stream8AVX512(p, s)
		case n <= 12:
			stream12AVX512(p, s)
		case n <= 16:
			stream16AVX512(p, s)
		default:
			stream32AVX512(p, s)
		}
	case useAVX2:
		switch {
		case n <= 2:
			stream2AVX2(p, s)
		case n <= 4:
			stream4AVX2(p, s)
		case n <= 6:
			stream6AVX2(p, s)
		default:
			stream8AVX2(p, s)
		}
	default:
		streamGo(buf[:n*BlockSize], s)
		return
	}
	s[Counter] += uint32(n)
}
