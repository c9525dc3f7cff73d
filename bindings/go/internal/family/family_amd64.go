// SPDX-License-Identifier: Apache-2.0 OR MIT

//go:build gc && !purego

// Package family tells families of x86 CPUs apart, which golang.org/x/sys/cpu does not.
package family

// ZMMInHalves reports whether this CPU is known to split instructions of 512 bits into two operations of 256 bits: Zen 4, AMD's
// family 25 (Zen 3, of the same family, has none). Unknown CPUs are taken for those that do not.
var ZMMInHalves = zmmInHalves(cpuid)

// zmmInHalves takes the CPUID instruction, which a test replaces.
func zmmInHalves(cpuid func(leaf uint32) (eax, ebx, ecx, edx uint32)) bool {
	_, ebx, ecx, edx := cpuid(0)
	isAMD := ebx == 'A'|'u'<<8|'t'<<16|'h'<<24 && edx == 'e'|'n'<<8|'t'<<16|'i'<<24 && ecx == 'c'|'A'<<8|'M'<<16|'D'<<24
	signature, _, _, _ := cpuid(1)
	family := signature >> 8 & 15
	if family == 15 {
		family += signature >> 20 & 255
	}
	return isAMD && family == 25
}

// cpuid executes the instruction with subleaf 0.
func cpuid(leaf uint32) (eax, ebx, ecx, edx uint32)
