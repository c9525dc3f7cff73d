// SPDX-License-Identifier: Apache-2.0 OR MIT

//go:build (amd64 || arm64 || s390x) && gc && !purego

package poly1305

// aligned reports whether words can be loaded at the address of m, which is not empty. Here, any address will do.
func aligned([]byte) bool { return true }
