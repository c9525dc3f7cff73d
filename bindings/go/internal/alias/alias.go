// SPDX-License-Identifier: Apache-2.0 OR MIT

// Package alias reports whether slices overlap.
package alias

// Any reports whether a and b share a byte.
func Any(a, b []byte) bool {
	if len(a) == 0 || len(b) == 0 {
		return false
	}
	startA, startB := address(&a[0]), address(&b[0])
	// A difference wraps around, and is large, if the slice that is subtracted begins later.
	return startB-startA < uintptr(len(a)) || startA-startB < uintptr(len(b))
}

// Inexact reports whether a and b share a byte but begin at different ones.
func Inexact(a, b []byte) bool {
	return Any(a, b) && &a[0] != &b[0]
}

// Aligned reports whether b, which must not be empty, begins at a multiple of n.
func Aligned(b []byte, n uintptr) bool { return address(&b[0])%n == 0 }
