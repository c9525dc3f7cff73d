// SPDX-License-Identifier: Apache-2.0 OR MIT

//go:build gc && !purego

package poly1305

import (
	"encoding/binary"

	"github.com/hornet-mac/hornet/bindings/go/internal/asm"
	"github.com/hornet-mac/hornet/bindings/go/internal/tuning"
)

// Package internal documents this function.
func absorbShort(p *State, additionalData, text []byte) {
	lengths := [2]uint64{uint64(len(additionalData)), uint64(len(text))}
	blocks, part := text[:min(len(text)&^(BlockSize-1), asm.MaxBytes)], text[len(text)&^(BlockSize-1):]
	lengthsLeft := 1 // 0 if they are added
	var lo, hi uint64
	switch {
	case len(additionalData) != 0:
		before := (len(additionalData) - 1) &^ (BlockSize - 1)
		p.Absorb(additionalData[:before])
		if len(additionalData)-before == BlockSize {
			lo, hi, _ = firstBlock(additionalData[before:])
		} else {
			lo, hi = paddedBlock(additionalData[before:])
		}
	case len(blocks) != 0:
		lo, hi, _ = firstBlock(blocks)
		blocks = blocks[BlockSize:]
	default:
		p.AbsorbPadded(part)
		p.AbsorbWords(lengths[0], lengths[1])
		return
	}
	p.h[0], p.h[1], p.h[2] = add(lo, hi, 1, p.h[0], p.h[1], p.h[2])

	if len(text) >= tuning.AEADLanesMinBytes && lanesBytes(len(blocks)) != 0 {
		// The block that is added, and those before whole groups, do not wait for the powers of r.
		n := len(blocks) % lanesGroup(len(blocks))
		scalarEnd(p, &blocks[0], uint64(n/BlockSize), &blocks[0], 0)
		lanes(p, blocks[n:])
		blocks = nil
		lo, hi = lengths[0], lengths[1]
		if len(part) != 0 {
			lo, hi = paddedBlock(part)
			part = nil
		} else {
			lengthsLeft = 0
		}
		p.h[0], p.h[1], p.h[2] = add(lo, hi, 1, p.h[0], p.h[1], p.h[2])
	}

	var last [2 * BlockSize]byte
	lasts := last[BlockSize:]
	if len(part) != 0 {
		lo, hi = paddedBlock(part)
		binary.LittleEndian.PutUint64(last[:], lo)
		binary.LittleEndian.PutUint64(last[8:], hi)
		lasts = last[:]
	}
	binary.LittleEndian.PutUint64(last[BlockSize:], lengths[0])
	binary.LittleEndian.PutUint64(last[BlockSize+8:], lengths[1])
	message := &lasts[0]
	if len(blocks) != 0 {
		message = &blocks[0]
	}
	scalarEnd(p, message, uint64(len(blocks)/BlockSize), &lasts[0], uint64(len(lasts)/BlockSize-1+lengthsLeft))
	last = [2 * BlockSize]byte{}
}

// scalarEnd multiplies p.h, and continues it over blocks blocks of message, and lasts blocks of last.
//
//go:noescape
func scalarEnd(p *State, message *byte, blocks uint64, last *byte, lasts uint64)
