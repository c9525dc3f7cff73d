// SPDX-License-Identifier: Apache-2.0 OR MIT

//go:build (arm64 || s390x) && gc && !purego

package chacha20

var emittedFunctions = []emitted{
	{"stream1", useVectors, 1, stream1, nil},
	{"stream2", useVectors, 2, stream2, nil},
	{"stream4", useVectors, 4, stream4, nil},
	{"xor4", useVectors, 4, nil, xor4},
}
