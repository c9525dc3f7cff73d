// SPDX-License-Identifier: Apache-2.0 OR MIT

//go:build gc && !purego

package poly1305

func scalar(p *State, m []byte) {
	if blocks := len(m) / BlockSize; blocks != 0 {
		scalarBlocks(p, &m[0], uint64(blocks))
		m = m[blocks*BlockSize:]
	}
	if len(m) != 0 {
		scalarGo(p, m)
	}
}

//go:noescape
func scalarBlocks(p *State, message *byte, blocks uint64)

func lanesBytes(int) int { return 0 }

func lanes(*State, []byte) {}
