// SPDX-License-Identifier: Apache-2.0 OR MIT

//go:build gc && !purego

package family

import "testing"

// TestFamilies checks signatures of CPUs, as their leaf 1 has them.
func TestFamilies(t *testing.T) {
	for _, c := range []struct {
		name, vendor string
		signature    uint32
		halves       bool
	}{
		{"Zen 2", "AuthenticAMD", 0x00830f10, false},
		{"Zen 4, model 17", "AuthenticAMD", 0x00a10f11, true},
		{"Zen 4, model 97", "AuthenticAMD", 0x00a60f12, true},
		{"Zen 5, model 2", "AuthenticAMD", 0x00b00f21, false},
		{"Emerald Rapids", "GenuineIntel", 0x000c06f2, false},
		{"another vendor's family 25", "GenuineIntel", 0x00a10f11, false},
	} {
		word := func(i int) (w uint32) {
			for k := range 4 {
				w |= uint32(c.vendor[i+k]) << (8 * k)
			}
			return w
		}
		got := zmmInHalves(func(leaf uint32) (eax, ebx, ecx, edx uint32) {
			if leaf == 0 {
				return 1, word(0), word(8), word(4)
			}
			return c.signature, 0, 0, 0
		})
		if got != c.halves {
			t.Errorf("%s: %t", c.name, got)
		}
	}
}

// TestCPUID checks that the instruction returns what a vendor's name can be.
func TestCPUID(t *testing.T) {
	most, ebx, ecx, edx := cpuid(0)
	for _, word := range []uint32{ebx, ecx, edx} {
		for k := range 4 {
			if c := byte(word >> (8 * k)); c < ' ' || c > '~' {
				t.Errorf("leaf 0: %x", word)
			}
		}
	}
	if signature, _, _, _ := cpuid(1); most == 0 || signature == 0 {
		t.Errorf("%d leaves, signature %x", most, signature)
	}
}
