// SPDX-License-Identifier: Apache-2.0 OR MIT

//go:build (amd64 || arm64 || riscv64 || s390x) && gc && !purego

package poly1305

import (
	"encoding/binary"

	"github.com/hornet-mac/hornet/bindings/go/internal/tuning"
)

// Package internal documents these functions.

const scalarBytes = tuning.ScalarMinBytes

func scalar(p *State, m []byte) {
	blocks, part := len(m)/BlockSize, m[len(m)&^(BlockSize-1):]
	switch {
	case blocks == 0 || !aligned(m):
		scalarGo(p, m)
	case len(part) == 0:
		scalarBlocks(p, &m[0], uint64(blocks), nil)
	default:
		// The first field aligns the block to words.
		var last struct {
			_     [0]uint64
			block [BlockSize]byte
		}
		lo, hi := partialBlock(part)
		binary.LittleEndian.PutUint64(last.block[:], lo)
		binary.LittleEndian.PutUint64(last.block[8:], hi)
		scalarBlocks(p, &m[0], uint64(blocks), &last.block[0])
	}
}

// scalarBlocks continues p.h over blocks blocks, at least one, and then over a padded block if last is not nil.
//
//go:noescape
func scalarBlocks(p *State, message *byte, blocks uint64, last *byte)
