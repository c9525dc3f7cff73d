// SPDX-License-Identifier: Apache-2.0 OR MIT

//go:build gc && !purego

package stitched

import (
	"golang.org/x/sys/cpu"

	"github.com/hornet-mac/hornet/bindings/go/internal/family"
	"github.com/hornet-mac/hornet/bindings/go/internal/tuning"
)

// Package internal documents these functions.

var (
	stitches = cpu.X86.HasAVX2 && !(cpu.X86.HasAVX512F && cpu.X86.HasAVX512VL && cpu.X86.HasAVX512VBMI)

	// keyBeside tells where short messages have the key made beside 8 blocks: where these take little less time than 2.
	keyBeside = family.Core == family.Zen5
)

// minBytes is the length from which Seal and Open are faster than one algorithm after the other.
func minBytes(keyBeside bool) int {
	if keyBeside {
		return tuning.StitchedZen5MinBytes
	}
	return tuning.StitchedMinBytes
}

// Pays reports whether Seal and Open are faster, for n bytes, than one algorithm after the other.
func Pays(n int) bool { return stitches && n >= minBytes(keyBeside) }

// xorMAC is not inlined, since the goroutine can be preempted where it is called.
//
//go:noinline
func xorMAC(dst, src *byte, s *State, mac *MAC, message *byte, groups int, long bool, rounds int) {
	if long {
		xor16MAC8AVX2(dst, src, s, mac, message, uint64(groups), uint64(rounds))
	} else {
		xor8MAC4AVX2(dst, src, s, mac, message, uint64(groups), uint64(rounds))
	}
}

// streamMAC writes blocks of the keystream to buf, at most 6.
func streamMAC(buf []byte, s *State, mac *MAC, message *byte, blocks int, long bool, rounds int) {
	p, n := &buf[0], uint64(rounds)
	switch {
	case blocks <= 2 && long:
		stream2MAC8AVX2(p, s, mac, message, n)
	case blocks <= 2:
		stream2MAC4AVX2(p, s, mac, message, n)
	case blocks <= 4 && long:
		stream4MAC8AVX2(p, s, mac, message, n)
	case blocks <= 4:
		stream4MAC4AVX2(p, s, mac, message, n)
	case long:
		stream6MAC8AVX2(p, s, mac, message, n)
	default:
		stream6MAC4AVX2(p, s, mac, message, n)
	}
}

func xor8And2(dst, src *byte, s *State, others *byte) { xor8And2AVX2(dst, src, s, others) }

func xor16And2(dst, src *byte, s *State, others *byte) { xor16And2AVX2(dst, src, s, others) }
