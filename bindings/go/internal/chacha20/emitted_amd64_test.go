// SPDX-License-Identifier: Apache-2.0 OR MIT

//go:build gc && !purego

package chacha20

import "testing"

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

// TestStreamInHalves is TestStream as on a CPU whose instructions of 512 bits are split into two operations of 256 bits.
func TestStreamInHalves(t *testing.T) {
	defer func(before bool) { zmmInHalves = before }(zmmInHalves)
	zmmInHalves = !zmmInHalves
	TestStream(t)
}
