// SPDX-License-Identifier: Apache-2.0 OR MIT

//go:build !(amd64 || arm64 || riscv64 || s390x) || !gc || purego

package chacha20

// Package internal documents these functions.

func groupBlocks() int { return 1 }

func xorGroups(dst, src []byte, s *State) { xorBlocksGo(dst, src, s) }

func firstRows(rows, samples *[MaxSamples][SampleSize]byte, s *State, n int) {
	firstRowsGo(rows, samples, s, n)
}

func stream(buf []byte, n int, s *State) { streamGo(buf[:n*BlockSize], s) }
