// SPDX-License-Identifier: Apache-2.0 OR MIT

// Package asm bounds how long a function in assembly runs.
package asm

// MaxBytes is how many bytes one call of a function in assembly processes at most: a multiple of every group of blocks.
//
// The scheduler cannot preempt a goroutine in assembly, and the garbage collector waits for it whenever it stops the world.
// So a message goes to assembly in steps, with code in Go between them. Vectors take longer steps of Poly1305, which are
// over as soon: its maxLanesBytes.
const MaxBytes = 1 << 16
