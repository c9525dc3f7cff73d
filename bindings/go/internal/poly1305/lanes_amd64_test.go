// SPDX-License-Identifier: Apache-2.0 OR MIT

//go:build gc && !purego

package poly1305

import "golang.org/x/sys/cpu"

// init adds the kernels that this CPU can run to ways, each with long sums and with short ones, whatever the length.
func init() {
	kernels := []struct {
		name  string
		has   bool
		group int
		lanes func(p *State, m []byte, long bool)
	}{
		{"AVX2", useAVX2, avx2Group, avx2},
		{"IFMA256", useIFMA && cpu.X86.HasAVX512VL, ifma256Group, func(p *State, m []byte, _ bool) { ifma256(p, m) }},
		{"IFMA", useIFMA, ifmaGroup, ifma},
	}
	for _, kernel := range kernels {
		for name, long := range map[string]bool{kernel.name: false, kernel.name + ", long sums": true} {
			if !kernel.has {
				continue
			}
			ways = append(ways, struct {
				name   string
				absorb func(p *State, m []byte)
			}{name, func(p *State, m []byte) {
				if n := len(m) / kernel.group; n >= 2 {
					kernel.lanes(p, m[:n*kernel.group], long)
					m = m[n*kernel.group:]
				}
				if len(m) != 0 {
					scalar(p, m)
				}
			}})
		}
	}
}
