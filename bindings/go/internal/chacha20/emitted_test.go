// SPDX-License-Identifier: Apache-2.0 OR MIT

//go:build (amd64 || arm64 || riscv64 || s390x) && gc && !purego

package chacha20

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// An emitted function in assembly writes blocks, or encrypts groups of them. can tells whether this CPU can run it.
type emitted struct {
	name   string
	can    bool
	blocks int
	stream func(dst *byte, s *State)
	xor    func(dst, src *byte, s *State, groups uint64)
}

// TestEmitted checks all functions that this CPU can run, not only those it would choose, also across a wrap of the counter,
// and at every multiple of 8 bytes within a cache line.
func TestEmitted(t *testing.T) {
	for _, f := range emittedFunctions {
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
