// SPDX-License-Identifier: Apache-2.0 OR MIT

//go:build gc && !purego

package chacha20

import "golang.org/x/sys/cpu"

var useVectors = cpu.S390X.HasVX
