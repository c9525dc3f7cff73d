// SPDX-License-Identifier: Apache-2.0 OR MIT

//go:build (amd64 || arm64 || s390x) && gc && !purego

package poly1305

// aligned reports whether m, which is not empty, begins where words can be loaded: anywhere.
func aligned([]byte) bool { return true }
