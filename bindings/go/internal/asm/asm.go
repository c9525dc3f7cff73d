// SPDX-License-Identifier: Apache-2.0 OR MIT

// Package asm bounds the time of one call of an assembly function.
package asm

import (
	"slices"

	"github.com/hornet-mac/hornet/bindings/go/internal/tuning"
)

// MaxBytes is the maximum number of bytes that one call of an assembly function processes. It is a multiple of every group
// of blocks.
//
// The scheduler cannot preempt a goroutine in assembly, and the garbage collector waits for it whenever it stops the world.
// So assembly processes a message in steps, with Go code between them. Poly1305 with vectors takes longer steps, which need
// no more time: see its maxLanesBytes.
const MaxBytes = tuning.StepBytes

// Clear overwrites b with zeros in such steps: clear is assembly, too.
func Clear(b []byte) {
	for step := range slices.Chunk(b, MaxBytes) {
		clear(step)
	}
}
