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

		lead := nadditional % 17
		packet, oneTime := append(bytes.Clone(additional[:lead]), sealed[:n]...), reference.Block(keyBytes, 0, nonce)
		plain, want := append(bytes.Clone(additional[:lead]), m...), reference.Tag(packet, oneTime[:poly1305.KeySize])
		for what, c := range map[string]struct {
			f       func(message []byte, lead int, s *State, mac *MAC)
			in, out []byte
		}{"SealPacket": {SealPacket, plain, packet}, "OpenPacket": {OpenPacket, packet, plain}} {
			var s State
			var mac MAC
			var tag [poly1305.TagSize]byte
			s.Init(&key, (*[12]byte)(nonce))
			message := append(bytes.Clone(c.in), 0x55)
			c.f(message[:lead+n], lead, &s, &mac)
			mac.Tag(&tag)
			if !bytes.Equal(message[:lead+n], c.out) || message[lead+n] != 0x55 || tag != want {
				t.Fatalf("%s, %d and %d bytes", what, lead, n)
			}
		}
	}
	defer func(before bool) { keyBeside = before }(keyBeside)
	for _, keyBeside = range []bool{false, true} {
		for n := minBytes(keyBeside); n < 4300; n++ {
			if n < 1200 || (n+2)%64 <= 4 {
				check(n, n*7%71)
				check(n, 4)
			}
		}
		for _, n := range []int{1<<16 - 1, 1 << 16, 1<<16 + 1, 1<<16 + 1088, 1<<17 + 1111, 1<<17 + 1600} {
			check(n, 13)
		}
	}
}
