// SPDX-License-Identifier: Apache-2.0 OR MIT

//go:build gc && !purego

package stitched

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"golang.org/x/sys/cpu"

	"github.com/hornet-mac/hornet/bindings/go/internal/chacha20"
	"github.com/hornet-mac/hornet/bindings/go/internal/poly1305"
	"github.com/hornet-mac/hornet/bindings/go/internal/reference"
)

// TestLengths compares Seal and Open with the definition, on every length for which another number of bytes or blocks may be
// treated differently, in place and in separate memory; also on CPUs whose AVX-512 is faster, and with the key made as other
// CPUs make it.
func TestLengths(t *testing.T) {
	if !cpu.X86.HasAVX2 {
		t.Skip("needs AVX2")
	}
	random := rand.NewChaCha8([32]byte{6})
	randomBytes := func(n int) []byte {
		b := make([]byte, n)
		random.Read(b)
		return b
	}
	all := randomBytes(1 << 18)
	check := func(n, nadditional int) {
		t.Helper()
		keyBytes, nonce := randomBytes(chacha20.KeySize), randomBytes(12)
		key, m, additional := chacha20.LoadKey((*[chacha20.KeySize]byte)(keyBytes)), all[77:77+n], all[:nadditional]
		sealed := reference.Seal(keyBytes, nonce, m, additional)
		run := func(what string, f func(out, in, additional []byte, s *State, mac *MAC), in, want []byte, apart bool) {
			t.Helper()
			var s State
			var mac MAC
			var tag [poly1305.TagSize]byte
			s.Init(&key, (*[12]byte)(nonce))
			out := append(bytes.Clone(in), 0x55)
			if apart {
				clear(out[:n])
			} else {
				in = out[:n]
			}
			f(out[:n], in, additional, &s, &mac)
			mac.AbsorbWords(uint64(nadditional), uint64(n))
			mac.Tag(&tag)
			if !bytes.Equal(out[:n], want) || out[n] != 0x55 || !bytes.Equal(tag[:], sealed[n:]) {
				t.Fatalf("%s, %d bytes, %d additional, apart: %t", what, n, nadditional, apart)
			}
		}
		for _, apart := range []bool{false, true} {
			run("Seal", Seal, m, sealed[:n], apart)
			run("Open", Open, sealed[:n], m, apart)
		}
	}
	defer func(before bool) { keyBeside = before }(keyBeside)
	for _, keyBeside = range []bool{false, true} {
		for n := minBytes(keyBeside); n < 4300; n++ {
			if n < 1200 || (n+2)%64 <= 4 {
				check(n, n*7%71)
			}
		}
		for _, n := range []int{1<<16 - 1, 1 << 16, 1<<16 + 1, 1<<16 + 1088, 1<<17 + 1111, 1<<17 + 1600} {
			check(n, 13)
		}
	}
}
