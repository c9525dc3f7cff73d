// SPDX-License-Identifier: Apache-2.0 OR MIT

//go:build gc && !purego

package chacha20

var emittedFunctions = []emitted{
	{"stream1", true, 1, stream1, nil},
	{"xor1", true, 1, nil, xor1},
}
