// SPDX-License-Identifier: Apache-2.0 OR MIT

//go:build gc && !purego

package chacha20

import "github.com/hornet-mac/hornet/bindings/go/internal/alias"

// Package internal documents these functions.

func groupBlocks() int { return 1 }

// isAligned reports whether b, which is not empty, is aligned to words. Unaligned loads and stores may be emulated, which is
// slow.
func isAligned(b []byte) bool { return alias.Aligned(b, 4) }

// It must not become a part of its caller: see kernels_128.go.
//
//go:noinline
func xorGroups(dst, src []byte, s *State) {
	if isAligned(dst) && isAligned(src) {
		xor1(&dst[0], &src[0], s, uint64(len(src)/BlockSize))
		return
	}
	var block aligned[[BlockSize]byte]
	for ; len(src) >= BlockSize; dst, src = dst[BlockSize:], src[BlockSize:] {
		stream1(&block.Bytes[0], s)
		s[Counter]++
		XORBytes(dst[:BlockSize], src[:BlockSize], block.Bytes[:])
	}
	block = aligned[[BlockSize]byte]{}
}

func firstRows(rows, samples *[MaxSamples][SampleSize]byte, s *State, n int) {
	firstRowsGo(rows, samples, s, n)
}

func stream(buf []byte, n int, s *State) {
	if !isAligned(buf) {
		streamGo(buf[:n*BlockSize], s)
		return
	}
	for ; n > 0; n-- {
		stream1(&buf[0], s)
		s[Counter]++
		buf = buf[BlockSize:]
	}
}
