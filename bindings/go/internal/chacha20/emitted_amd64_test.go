// SPDX-License-Identifier: Apache-2.0 OR MIT

//go:build gc && !purego

package chacha20

import (
	"testing"

	"github.com/hornet-mac/hornet/bindings/go/internal/family"
)

var emittedFunctions = []emitted{
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
}

// TestStreamOfFamilies is TestStream with the passes of each family of cores, and of CPUs without AVX-512.
func TestStreamOfFamilies(t *testing.T) {
	defer func(passesBefore []uint8, before bool) { passes, useAVX512 = passesBefore, before }(passes, useAVX512)
	for _, avx512 := range []bool{false, useAVX512} {
		for _, core := range []family.Family{family.Other, family.Zen3, family.Zen4, family.Zen5, family.GoldenCove} {
			useAVX512, passes = avx512, passesOf(core, avx512)
			TestStream(t)
		}
	}
}
