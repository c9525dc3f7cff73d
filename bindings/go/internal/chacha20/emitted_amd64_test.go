// SPDX-License-Identifier: Apache-2.0 OR MIT

//go:build gc && !purego

package chacha20

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/hornet-mac/hornet/bindings/go/internal/family"
	"github.com/hornet-mac/hornet/bindings/go/internal/tuning"
)

var emittedFunctions = []emitted{
	{"stream2AVX2", useAVX2, 2, stream2AVX2, nil},
	{"stream4AVX2", useAVX2, 4, stream4AVX2, nil},
	{"stream6AVX2", useAVX2, 6, stream6AVX2, nil},
	{"stream8AVX2", useAVX2, 8, stream8AVX2, nil},
	{"xor8AVX2", useAVX2, 8, nil, xor8AVX2},
	{"stream8AVX512VL", useAVX512, 8, stream8AVX512VL, nil},
	{"stream10AVX512VL", useAVX512, 10, stream10AVX512VL, nil},
	{"stream12AVX512VL", useAVX512, 12, stream12AVX512VL, nil},
	{"stream4AVX512", useAVX512, 4, stream4AVX512, nil},
	{"stream8AVX512", useAVX512, 8, stream8AVX512, nil},
	{"stream12AVX512", useAVX512, 12, stream12AVX512, nil},
	{"stream16AVX512", useAVX512, 16, stream16AVX512, nil},
	{"stream20AVX512", useAVX512, 20, stream20AVX512, nil},
	{"stream24AVX512", useAVX512, 24, stream24AVX512, nil},
	{"stream32AVX512", useAVX512, 32, stream32AVX512, nil},
	{"xor16AVX512", useAVX512, 16, nil, xor16AVX512},
	{"xor32AVX512", useAVX512, 32, nil, xor32AVX512},
}

// TestPasses checks what each pass that this CPU can run writes: every number of blocks, with and without those before and after
// them, in place.
func TestPasses(t *testing.T) {
	random := rand.NewChaCha8([32]byte{7})
	for pass, made := range tuning.PassBlocks {
		if pass == tuning.Block || !useAVX2 || pass >= tuning.Lanes1AVX512VL && !useAVX512 {
			continue
		}
		blocks := int(made)
		for i := range 4 * (blocks + 1) {
			ends, n := i%4, i/4
			if n+ends%2+ends/2 > blocks {
				continue
			}
			s := randomState(random, -uint32(i))
			before, want, unwritten := s, make([]byte, (blocks+2)*BlockSize), bytes.Repeat([]byte{0x55}, BlockSize)
			streamGo(want[:blocks*BlockSize], &before)
			before = s
			key, last := [BlockSize]byte(unwritten), [BlockSize]byte(unwritten)
			var k, l *byte
			if ends%2 != 0 {
				k, want = &key[0], want[BlockSize:]
			}
			if ends/2 != 0 {
				l = &last[0]
			}
			at := i % 64
			buf := bytes.Repeat([]byte{0x55}, at+(n+1)*BlockSize)
			xorPass(uint8(pass), &buf[at], &buf[at], &s, k, l, uint64(n))
			for i := range n * BlockSize {
				if buf[at+i] != 0x55^want[i] {
					t.Fatalf("pass %d, %d blocks: byte %d", pass, n, i)
				}
			}
			block := BlockSize * n
			if s != before || !bytes.Equal(buf[at+block:], unwritten) || l != nil && !bytes.Equal(last[:], want[block:block+BlockSize]) {
				t.Fatalf("pass %d, %d blocks: after them", pass, n)
			}
			first := make([]byte, BlockSize)
			streamGo(first, &before)
			if k != nil && !bytes.Equal(key[:], first) || l == nil && last[0] != 0x55 {
				t.Fatalf("pass %d, %d blocks: before them", pass, n)
			}
		}
	}
}

// TestOfFamilies is TestLengths, TestStream and TestFirstRows with the passes of each family of cores, and of CPUs without AVX-512.
func TestOfFamilies(t *testing.T) {
	defer func(passesBefore []uint8, before bool) { passes, useAVX512 = passesBefore, before }(passes, useAVX512)
	for _, avx512 := range []bool{false, useAVX512} {
		for _, core := range []family.Family{family.Other, family.Zen3, family.Zen4, family.Zen5, family.GoldenCove} {
			useAVX512, passes = avx512, passesOf(core, avx512)
			TestStream(t)
			TestLengths(t)
			TestFirstRows(t)
		}
	}
}
