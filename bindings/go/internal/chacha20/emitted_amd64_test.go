// SPDX-License-Identifier: Apache-2.0 OR MIT

//go:build gc && !purego

package chacha20

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// TestEmitted checks all functions that this CPU can run, not only those it would choose, also across a wrap of the counter,
// and at every multiple of 8 bytes within a cache line.
func TestEmitted(t *testing.T) {
	for _, f := range []struct {
		name   string
		can    bool
		blocks int
		stream func(dst *byte, s *State)
		xor    func(dst, src *byte, s *State, groups uint64)
	}{
		{"stream2AVX2", useAVX2, 2, stream2AVX2, nil},
		{"stream4AVX2", useAVX2, 4, stream4AVX2, nil},
		{"stream6AVX2", useAVX2, 6, stream6AVX2, nil},
		{"stream8AVX2", useAVX2, 8, stream8AVX2, nil},
		{"xor8AVX2", useAVX2, 8, nil, xor8AVX2},
		{"stream4AVX512", useAVX512, 4, stream4AVX512, nil},
		{"stream8AVX512", useAVX512, 8, stream8AVX512, nil},
		{"stream12AVX512", useAVX512, 12, stream12AVX512, nil},
		{"stream16AVX512", useAVX512, 16, stream16AVX512, nil},
		{"stream32AVX512", useAVX512, 32, stream32AVX512, nil},
		{"xor32AVX512", useAVX512, 32, nil, xor32AVX512},
	} {
		t.Run(f.name, func(t *testing.T) {
			if !f.can {
				t.Skip("this CPU cannot run it")
			}
			random := rand.NewChaCha8([32]byte{4})
			for i := range 64 {
				at := 8 * (i % 8)
				groups := 1
				if f.xor != nil {
					groups = 1 + i%3
				}
				n := groups * f.blocks * BlockSize
				s := randomState(random, -uint32(i))
				buf, want := make([]byte, at+n+BlockSize), make([]byte, at+n+BlockSize)
				random.Read(buf)
				copy(want, buf)
				wantState := s
				if f.xor == nil {
					streamGo(want[at:at+n], &wantState)
					wantState = s // f.stream does not advance the counter
					f.stream(&buf[at], &s)
				} else {
					xorBlocksGo(want[at:at+n], buf[at:at+n], &wantState)
					f.xor(&buf[at], &buf[at], &s, uint64(groups))
				}
				if !bytes.Equal(buf, want) || s != wantState {
					t.Fatalf("state %d, %d blocks at %d", i, n/BlockSize, at)
				}
			}
		})
	}
}

// TestStreamInHalves is TestStream as on a CPU whose instructions of 512 bits take two turns.
func TestStreamInHalves(t *testing.T) {
	defer func(before bool) { zmmInHalves = before }(zmmInHalves)
	zmmInHalves = !zmmInHalves
	TestStream(t)
}
