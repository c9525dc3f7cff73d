// SPDX-License-Identifier: Apache-2.0 OR MIT

//go:build gc && !purego

package chacha20

// Go's own code requires these vectors.
const useVectors = true
