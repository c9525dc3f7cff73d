// SPDX-License-Identifier: Apache-2.0 OR MIT

//go:build !(amd64 || riscv64) || !gc || purego

package chacha20

// xorWords is a start of XORBytes that returns the number of bytes it has done. Here, the compiler loads any 8 bytes as a word.
func xorWords(_, _, _ []byte) int { return 0 }
