// SPDX-License-Identifier: Apache-2.0 OR MIT

//go:build gc && !purego

package poly1305

// init adds the kernels that this CPU can run to ways, VMSL with several groups to a reduction and with one, whatever the length.
func init() {
	kernels := []struct {
		name string
		has  bool
		// step is the length of which a message is a multiple, and least what it has in addition.
		step, least int
		lanes       func(p *State, m []byte)
	}{
		{"VMSL", useVMSL, vectorsGroup, 0, func(p *State, m []byte) { vmsl(p, m, false) }},
		{"VMSL, long", useVMSL, vectorsGroup, 0, func(p *State, m []byte) { vmsl(p, m, true) }},
		{"VX", useVX, vxSteps * vectorsGroup, vectorsGroup, vx},
	}
	for _, kernel := range kernels {
		if !kernel.has {
			continue
		}
		ways = append(ways, struct {
			name   string
			absorb func(p *State, m []byte)
		}{kernel.name, func(p *State, m []byte) {
			if n := (len(m) - kernel.least) / kernel.step * kernel.step; len(m) >= kernel.least && n+kernel.least != 0 {
				kernel.lanes(p, m[:n+kernel.least])
				m = m[n+kernel.least:]
			}
			if len(m) != 0 {
				scalar(p, m)
			}
		}})
	}
}
