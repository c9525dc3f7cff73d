// SPDX-License-Identifier: Apache-2.0 OR MIT

//go:build !amd64 || !gc || purego

package chacha20

func streamBlocks() int { return groupBlocks() }

func xorPasses(dst, src []byte, s *State, key *[BlockSize]byte) { xorStream(dst, src, s, key) }

func lineOffset(_ []byte) int { return 0 }
