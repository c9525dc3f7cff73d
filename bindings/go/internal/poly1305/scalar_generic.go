// SPDX-License-Identifier: Apache-2.0 OR MIT

//go:build !(amd64 || arm64 || riscv64 || s390x) || !gc || purego

package poly1305

import "math"

// Package internal documents these functions.

const scalarBytes = math.MaxInt

func scalar(p *State, m []byte) { scalarGo(p, m) }
