// SPDX-License-Identifier: Apache-2.0 OR MIT

// Package internal documents the functions that assembly replaces.
//
// A file under "gc && !purego" and its architectures calls the assembly of emitted_*.s: kernels_amd64.go of
// internal/chacha20 and internal/stitched, kernels_128.go (arm64 and s390x) and kernels_riscv64.go of internal/chacha20, and
// lanes_amd64.go, lanes_s390x.go, scalar_asm.go and end_amd64.go of internal/poly1305. Under the negation of that constraint,
// kernels_generic.go, scalar_generic.go and end_generic.go have the same functions in Go. They
// are plain functions, not variables, so that their arguments do not escape to the heap. Functions that choose by CPU
// features read variables that are set once, from golang.org/x/sys/cpu, and internal/family for what that does not tell. The
// declarations of assembly functions say //go:noescape.
//
//	poly1305:  scalar(p *State, m []byte)            continues p.h over m, of at least 1 byte, as scalarGo does; in
//	                                                 scalar_asm.go or scalar_generic.go
//	           scalarBytes                           the least length for which Sum uses Absorb, and so scalar
//	           lanesBytes(n int) int                 the number of bytes of a message of n that lanes takes: whole blocks,
//	                                                 or 0
//	           lanes(p *State, m []byte)             continues p.h over these bytes
//	           absorbShort(p, additionalData, text)  continues p.h over both, padded, and their lengths; text is at most
//	                                                 asm.MaxBytes long
//	chacha20:  groupBlocks() int                     the number of blocks in a group, a power of 2, at most MaxStreamBlocks
//	           streamBlocks() int                    as many, or fewer, where Open needs less room for these
//	           xorGroups(dst, src []byte, s *State)  is xorBlocksGo for at least one group, and whole groups only
//	           xorPasses(dst, src, s, key)           is xorStream for at most the blocks of a group, with that of key
//	           stream(buf []byte, n int, s *State)   is streamGo for at most the n blocks of a group, or 8; may overwrite
//	                                                 the rest of buf up to StreamRoom(n) blocks
//	           firstRows(rows, samples, s, n)        is firstRowsGo; may overwrite the other rows
//	           lineOffset(b []byte) int              the index from which on b, at least a block, is fastest as buf
//	                                                 (streamBlocks, xorPasses and lineOffset: in kernels_amd64.go or
//	                                                 passes_any.go)
//	           xorWords(dst, src, stream) int        a start of XORBytes, of as many bytes; in xor_*.go or kernels_amd64.go
//	stitched:  Pays(n int) bool                      whether Seal and Open are to be called for n bytes; under the negation
//	                                                 never, so that the following functions do nothing there
//	           xorMAC, streamMAC                     encrypt, and absorb a message beside that; coconut/functions.py has the
//	                                                 arguments of the assembly functions (MacBeside)
//	           xor8And2, xor16And2                   encrypt 8 or 16 blocks, and make the blocks before and after (BlocksBeside)
//
// A goroutine cannot be preempted in assembly. So an assembly function with a length parameter is called only through
// State.Absorb and State.XOR, which bound the length by asm.MaxBytes (by maxLanesBytes for lanes); the test of internal/asm
// looks for other callers.
//
// h[2] of State is at most 4 before and after each function, and words have the CPU's endianness. The tests of both packages
// compare these functions with those in Go, whose names end in Go, on the same inputs.
package internal

//go:generate sh -c "cd ../../.. && build/coconut/venv/bin/python -m coconut go"
