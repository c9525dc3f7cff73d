// SPDX-License-Identifier: Apache-2.0 OR MIT

// Command main is built as a C library: golang.org/x/crypto/poly1305 for the bench. A call from C to Go takes some
// fifty nanoseconds, so the timed loop is written here, the same as run in ../src/call.rs.
package main

import "C"

import (
	"runtime/debug"
	"unsafe"

	"golang.org/x/crypto/poly1305"
)

// call is Call in ../src/call.rs.
type call struct {
	tag      *[16]byte
	msg      *byte
	lenBytes uintptr
	key      *[32]byte
}

//export hornet_bench_go_open
func hornet_bench_go_open() {
	debug.SetGCPercent(-1) // there is no garbage
}

//export hornet_bench_go_run
func hornet_bench_go_run(calls unsafe.Pointer, mask, iterations uintptr, chained bool) {
	all := unsafe.Slice((*call)(calls), mask+1)
	for i := uintptr(0); i < iterations; i++ {
		c := &all[i&mask]
		poly1305.Sum(c.tag, unsafe.Slice(c.msg, c.lenBytes), c.key)
		if chained {
			copy(c.key[:16], c.tag[:])
		}
	}
}

func main() {}
