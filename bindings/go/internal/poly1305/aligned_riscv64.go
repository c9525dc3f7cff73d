// SPDX-License-Identifier: Apache-2.0 OR MIT

//go:build gc && !purego

package poly1305

import "github.com/hornet-mac/hornet/bindings/go/internal/alias"

// aligned reports whether m, which is not empty, is aligned to words. Unaligned loads may be emulated, which is slow.
func aligned(m []byte) bool { return alias.Aligned(m, 8) }
