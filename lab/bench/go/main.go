// SPDX-License-Identifier: Apache-2.0 OR MIT

// Command main is built as a shared object: golang.org/x/crypto/poly1305 as a peer of the bench. A call from
// C to Go takes some fifty nanoseconds, so the timed loop is written here.
package main

import "C"

import (
	"runtime/debug"
	"unsafe"

	"golang.org/x/crypto/poly1305"
)

// message is struct message in tools/measure/peer.h.
type message struct {
	out      *byte
	in       *byte
	lenBytes uintptr
	aad      *byte
	aadBytes uintptr
	nonce    *byte
	key      *[32]byte
	tag      *[16]byte
}

func init() {
	debug.SetGCPercent(-1) // there is no garbage
}

//export peer_mac_loop
func peer_mac_loop(messages unsafe.Pointer, mask, count uintptr, chained bool) {
	all := unsafe.Slice((*message)(messages), mask+1)
	for i := uintptr(0); i < count; i++ {
		m := &all[i&mask]
		poly1305.Sum(m.tag, unsafe.Slice(m.in, m.lenBytes), m.key)
		if chained {
			copy(m.key[:16], m.tag[:])
		}
	}
}

func main() {}
