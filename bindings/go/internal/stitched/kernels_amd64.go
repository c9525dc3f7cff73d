// SPDX-License-Identifier: Apache-2.0 OR MIT

//go:build gc && !purego

package stitched

import "golang.org/x/sys/cpu"

// Package internal documents these functions.

var useAVX2 = cpu.X86.HasAVX2 && !(cpu.X86.HasAVX512F && cpu.X86.HasAVX512VBMI)

// Pays reports whether Seal and Open are faster than one algorithm after the other, for n bytes.
func Pays(n int) bool { return useAVX2 && n > 0 }

// xorBeside is not inlined, since the goroutine can be preempted where it is called.
//
//go:noinline
func xorBeside(dst, src *byte, s *State, mac *MAC, message *byte, groups, fours uint64) {
	xor8MACAVX2(dst, src, s, mac, message, groups, fours)
}
