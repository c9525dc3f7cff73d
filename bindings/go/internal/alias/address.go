// SPDX-License-Identifier: Apache-2.0 OR MIT

//go:build !purego

package alias

import "unsafe"

func address(b *byte) uintptr { return uintptr(unsafe.Pointer(b)) }
