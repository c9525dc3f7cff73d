// SPDX-License-Identifier: Apache-2.0 OR MIT

//go:build !amd64 || !gc || purego

package poly1305

// Package internal documents this function.
func absorbShort(p *State, additionalData, text []byte) {
	p.AbsorbPadded(additionalData)
	p.AbsorbLast(text, uint64(len(additionalData)), uint64(len(text)))
}
