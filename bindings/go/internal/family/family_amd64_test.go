// SPDX-License-Identifier: Apache-2.0 OR MIT

//go:build gc && !purego

package family

import "testing"

// TestFamilies checks CPUs by what leaves 1 and 7 report of them.
func TestFamilies(t *testing.T) {
	const avx512 = ebxAvx2 | ebxAvx512f | ebxAvx512bw | ebxAvx512vl
	const ifma, sunny = avx512 | ebxAvx512Ifma, ecxAvx512Vbmi2 | ecxGfni
	for _, c := range []struct {
		name, vendor             string
		signature                uint32
		leaf7EBX, ECX, EDX, EAX1 uint32
		want                     Family
	}{
		{"Zen 2", "Auth", 0x00830f10, ebxAvx2, 0, 0, 0, Zen3},
		{"Zen 4, model 17", "Auth", 0x00a10f11, ifma, sunny, 0, 0, Zen4},
		{"Zen 4 without numbers", "Auth", 0, ifma, sunny, 0, 0, Zen4},
		{"Zen 5", "Auth", 0x00b00f21, ifma, sunny, edxVp2intersect, eaxAvxVnni, Zen5},
		{"Zen 5 without numbers", "Auth", 0, ifma, sunny, 0, eaxAvxVnni, Zen5},
		{"Zen 5 by its number", "Auth", 0x00b00f21, ifma, sunny, 0, 0, Zen5},
		{"Skylake-X", "Genu", 0x00050654, avx512, 0, 0, 0, SkylakeX},
		{"Ice Lake", "Genu", 0x000606a6, ifma, sunny, 0, 0, IceLake},
		{"Emerald Rapids", "Genu", 0x000c06f2, ifma, sunny, edxAvx512Fp16, eaxAvxVnni, GoldenCove},
		{"Alder Lake", "Genu", 0x00090672, ebxAvx2, ecxGfni, edxHybrid, 0, GoldenCove},
		{"Skylake", "Genu", 0x000506e3, ebxAvx2, 0, 0, 0, Other},
		{"another vendor's", "Cent", 0x00a10f11, ifma, sunny, 0, 0, Other},
	} {
		var vendor uint32
		for k := range 4 {
			vendor |= uint32(c.vendor[k]) << (8 * k)
		}
		got := coreOf(func(leaf, subleaf uint32) (eax, ebx, ecx, edx uint32) {
			switch {
			case leaf == 0:
				return 7, vendor, 0, 0
			case leaf == 1:
				return c.signature, 0, 0, 0
			case subleaf == 0:
				return 1, c.leaf7EBX, c.ECX, c.EDX
			}
			return c.EAX1, 0, 0, 0
		})
		if got != c.want {
			t.Errorf("%s: %d", c.name, got)
		}
	}
}

// TestCPUID checks that the instruction returns what a vendor's name can be, and takes a subleaf.
func TestCPUID(t *testing.T) {
	most, ebx, ecx, edx := cpuid(0, 0)
	for _, word := range []uint32{ebx, ecx, edx} {
		for k := range 4 {
			if c := byte(word >> (8 * k)); c < ' ' || c > '~' {
				t.Errorf("leaf 0: %x", word)
			}
		}
	}
	if signature, _, _, _ := cpuid(1, 0); most == 0 || signature == 0 {
		t.Errorf("%d leaves, signature %x", most, signature)
	}
	if most >= 4 {
		first, _, _, _ := cpuid(4, 0)
		second, _, _, _ := cpuid(4, 1)
		if first != 0 && first == second {
			t.Errorf("leaf 4 has two caches %x", first)
		}
	}
}
