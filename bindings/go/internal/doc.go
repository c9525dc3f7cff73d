// SPDX-License-Identifier: Apache-2.0 OR MIT

// Package internal describes where assembly takes the place of Go.
//
// Each of internal/poly1305 and internal/chacha20 has one file kernels_generic.go, in Go. An architecture with assembly has
// kernels_GOARCH.go and kernels_GOARCH.s in its place, both under "gc && !purego"; kernels_generic.go then takes the
// negation for that GOARCH. They are plain functions, not variables, so that arguments do not escape to the heap; where a
// function chooses by CPU features, it reads variables that were set once, from golang.org/x/sys/cpu. The declarations of
// assembly say //go:noescape.
//
//	poly1305:  scalar(p *State, m []byte)            continues p.h over m, any length from 1 on; as scalarGo; of itself in
//	                                                 scalar_asm.go for the architectures that have it, or scalar_generic.go
//	           scalarBytes                           from so many bytes on, Sum calls it
//	           lanesBytes(n int) int                 how many bytes of a message of n go to lanes: whole blocks, or 0
//	           lanes(p *State, m []byte)             continues p.h over those bytes
//	chacha20:  groupBlocks() int                     how many blocks a group has, at most MaxStreamBlocks
//	           xorGroups(dst, src []byte, s *State)  as xorBlocksGo: whole groups, one at least
//	           stream(buf []byte, n int, s *State)   as streamGo, n blocks up to those of a group; may write others up
//	                                                 to StreamRoom(n)
//
// A goroutine cannot be preempted in assembly. So a function in assembly that is told a length is called only by way of
// State.Absorb and State.XOR, which bound it by asm.MaxBytes; the test of internal/asm looks for others.
//
// What they read and leave: h[2] of State is at most 4, words are in the CPU's order. Tests of both packages run what is
// chosen here beside the functions in Go, whose names end in Go, on the same inputs.
package internal

//go:generate sh -c "cd ../../.. && build/coconut/venv/bin/python -m coconut go"
