// SPDX-License-Identifier: Apache-2.0 OR MIT

//go:build gc && !purego

package stitched

import (
	"math"

	"golang.org/x/sys/cpu"

	"github.com/hornet-mac/hornet/bindings/go/internal/family"
	"github.com/hornet-mac/hornet/bindings/go/internal/tuning"
)

// Package internal documents these functions.

// lengths are those from one to below another.
type lengths struct{ from, below int }

func (l lengths) have(n int) bool { return n >= l.from && n < l.below }

// sealed and opened are the lengths for which AVX-512, with one algorithm after the other, is not faster.
var sealed, opened = stitchedLengths(cpu.X86.HasAVX2, cpu.X86.HasAVX512F && cpu.X86.HasAVX512VBMI, family.Core)

func stitchedLengths(hasAVX2, hasAVX512 bool, core family.Family) (sealed, opened lengths) {
	switch {
	case !hasAVX2 || hasAVX512 && core != family.Zen4:
		return lengths{}, lengths{}
	case hasAVX512:
		return lengths{tuning.HalvesSealFromBytes, tuning.HalvesSealBelowBytes},
			lengths{tuning.HalvesOpenFromBytes, tuning.HalvesOpenBelowBytes}
	}
	all := lengths{tuning.StitchedMinBytes, math.MaxInt}
	return all, all
}

// SealPays reports whether Seal is faster, for n bytes, than one algorithm after the other.
func SealPays(n int) bool { return sealed.have(n) }

// OpenPays is SealPays for Open.
func OpenPays(n int) bool { return opened.have(n) }

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
