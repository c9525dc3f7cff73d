// SPDX-License-Identifier: Apache-2.0 OR MIT

//go:build gc && !purego

// Package family tells families of x86 CPUs apart, which golang.org/x/sys/cpu does not, by the table of the C library.
package family

//go:generate go run generate.go

// Core is the family of this CPU's cores.
var Core = coreOf(cpuid)

// coreOf takes the CPUID instruction, which a test replaces.
func coreOf(cpuid func(leaf, subleaf uint32) (eax, ebx, ecx, edx uint32)) Family {
	leaves, vendor, _, _ := cpuid(0, 0)
	if leaves < 7 {
		return Other
	}
	signature, _, _, _ := cpuid(1, 0)
	number := signature >> 8 & 15
	if number == 15 {
		number += signature >> 20 & 255
	}
	subleaves, ebx, ecx, edx := cpuid(7, 0)
	var eax uint32
	if subleaves >= 1 {
		eax, _, _, _ = cpuid(7, 1)
	}
	for _, c := range cores {
		if vendor == c.vendor && number >= c.firstNumber && (ebx&c.ebx|ecx&c.ecx|edx&c.edx|eax&c.eax) != 0 {
			return c.family
		}
	}
	return Other
}

// cpuid executes the instruction.
func cpuid(leaf, subleaf uint32) (eax, ebx, ecx, edx uint32)
