// SPDX-License-Identifier: Apache-2.0 OR MIT

//go:build gc && !purego

package poly1305

func scalar(p *State, m []byte) { scalarGo(p, m) }
