// SPDX-License-Identifier: Apache-2.0 OR MIT

//go:build purego

package alias

import "reflect"

func address(b *byte) uintptr { return reflect.ValueOf(b).Pointer() }
