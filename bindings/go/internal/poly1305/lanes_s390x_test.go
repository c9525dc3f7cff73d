// SPDX-License-Identifier: Apache-2.0 OR MIT

//go:build gc && !purego

package poly1305

// init adds the kernels that this CPU can run to ways, VMSL with several groups to a reduction and with one, whatever the length.
func init() {
	kernels := []struct {
		name string
		has  bool
		// step is the length of which the rest of a message, after first bytes, is a multiple.
		first, step int
		lanes       func(p *State, first, m []byte)
	}{
		{"VMSL", useVMSL, 0, vectorsGroup, func(p *State, _, m []byte) { vmsl(p, m, false) }},
		{"VMSL, long", useVMSL, 0, vectorsGroup, func(p *State, _, m []byte) { vmsl(p, m, true) }},
		{"VX", useVX, BlockSize, vxSteps * vectorsGroup, vx},
		{"VX, three blocks first", useVX, 3 * BlockSize, vxSteps * vectorsGroup, vx},
	}
	for _, kernel := range kernels {
		if !kernel.has {
			continue
		}
		ways = append(ways, struct {
			name   string
			absorb func(p *State, m []byte)
		}{kernel.name, func(p *State, m []byte) {
			if n := (len(m) - kernel.first) / kernel.step * kernel.step; n > 0 || len(m) >= kernel.first && kernel.first != 0 {
				kernel.lanes(p, m[:kernel.first], m[kernel.first:kernel.first+n])
				m = m[kernel.first+n:]
			}
			if len(m) != 0 {
				scalar(p, m)
			}
		}})
	}
}
