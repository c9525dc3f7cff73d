// SPDX-License-Identifier: Apache-2.0 OR MIT

//go:build gc && !purego

package chacha20

import (
	"unsafe"

	"github.com/hornet-mac/hornet/bindings/go/internal/alias"
)

// xorWords is a start of XORBytes that returns the number of bytes it has done: the whole words, if all three slices, of one
// length, are aligned to these. The compiler would load 8 bytes one by one.
func xorWords(dst, src, stream []byte) int {
	n := len(src) / 8
	if n == 0 || !alias.Aligned(dst, 8) || !alias.Aligned(src, 8) || !alias.Aligned(stream, 8) {
		return 0
	}
	d, t, u := words(dst, n), words(src, n), words(stream, n)
	for i := range d {
		d[i] = t[i] ^ u[i]
	}
	return 8 * n
}

// words returns the first n words of b, which is aligned to words.
func words(b []byte, n int) []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Pointer(&b[:8*n][0])), n)
}
