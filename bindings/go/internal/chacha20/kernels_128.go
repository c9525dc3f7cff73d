// SPDX-License-Identifier: Apache-2.0 OR MIT

//go:build (arm64 || s390x) && gc && !purego

package chacha20

// Package internal documents these functions.

const vectorBlocks = 4

func groupBlocks() int {
	if useVectors {
		return vectorBlocks
	}
	return 1
}

// The goroutine can be preempted where this function begins, but hardly in the few instructions between two calls of assembly, so
// it must not become a part of its caller.
//
//go:noinline
func xorGroups(dst, src []byte, s *State) {
	if !useVectors {
		xorBlocksGo(dst, src, s)
		return
	}
	xor4(&dst[0], &src[0], s, uint64(len(src)/(vectorBlocks*BlockSize)))
}

func firstRows(rows, samples *[MaxSamples][SampleSize]byte, s *State, n int) {
	if !useVectors {
		firstRowsGo(rows, samples, s, n)
		return
	}
	for i := 0; i < n; i += vectorBlocks {
		mask4(&rows[i][0], &samples[i][0], s)
	}
}

func stream(buf []byte, n int, s *State) {
	if !useVectors {
		streamGo(buf[:n*BlockSize], s)
		return
	}
	for ; n > 0; n -= vectorBlocks {
		p := &buf[0]
		switch n {
		case 1:
			stream1(p, s)
		case 2:
			stream2(p, s)
		default:
			stream4(p, s)
		}
		s[Counter] += uint32(min(n, vectorBlocks))
		buf = buf[min(n, vectorBlocks)*BlockSize:]
	}
}
