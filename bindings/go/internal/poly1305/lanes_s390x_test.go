// SPDX-License-Identifier: Apache-2.0 OR MIT

//go:build gc && !purego

package poly1305

// init adds VMSL to ways if this CPU has it, with several groups to a reduction and with one, whatever the length.
func init() {
	if !useVMSL {
		return
	}
	for name, long := range map[string]bool{"VMSL": false, "VMSL, long": true} {
		ways = append(ways, struct {
			name   string
			absorb func(p *State, m []byte)
		}{name, func(p *State, m []byte) {
			if n := len(m) / vmslGroup * vmslGroup; n != 0 {
				vmsl(p, m[:n], long)
				m = m[n:]
			}
			if len(m) != 0 {
				scalar(p, m)
			}
		}})
	}
}
