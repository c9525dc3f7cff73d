// SPDX-License-Identifier: Apache-2.0 OR MIT

package main

// #include <hornet.h>
// #include <hornet_poly1305_aes.h>
import "C"

import (
	"runtime"
	"slices"
	"unsafe"
)

// A macKey is a key of Poly1305-AES as Hornet wants it: k, then r.
type macKey [32]byte

// newMACKey masks r. restic keeps r as it was drawn or derived, all 128 bits of it, and leaves it to the Poly1305 that
// it calls to ignore 22 of them. Hornet refuses such an r until those are cleared.
func newMACKey(k, r [16]byte) macKey {
	C.hornet_poly1305_clamp(octets(r[:]))
	return macKey(slices.Concat(k[:], r[:]))
}

// verify has Hornet verify one tag.
func (key *macKey) verify(s sealed) bool {
	text := s.ciphertext()
	return bool(C.hornet_poly1305_aes_verify(octets(s.tag()), unsafe.Pointer(octets(text)), C.size_t(len(text)),
		octets(s.nonce()), octets(key[:])))
}

// verifyStreamed has Hornet verify one tag of a text that arrives in pieces of 1, 2, 3 and so on bytes.
func (key *macKey) verifyStreamed(s sealed) bool {
	var state C.hornet_poly1305_state
	if !C.hornet_poly1305_aes_init(&state, octets(s.nonce()), octets(key[:])) {
		return false
	}
	text := s.ciphertext()
	for n := 1; len(text) > 0; n++ {
		piece := text[:min(n, len(text))]
		C.hornet_poly1305_update(&state, unsafe.Pointer(octets(piece)), C.size_t(len(piece)))
		text = text[len(piece):]
	}
	return bool(C.hornet_poly1305_final_verify(&state, octets(s.tag())))
}

// verifyBatch has Hornet verify all tags in one call, and says of each whether it is valid.
func (key *macKey) verifyBatch(parts []sealed) []bool {
	var (
		valid   = make([]bool, len(parts))
		tags    = make([][16]byte, len(parts))
		texts   = make([]unsafe.Pointer, len(parts))
		lengths = make([]C.size_t, len(parts))
		nonces  = make([][16]byte, len(parts))
		keys    = make([]macKey, len(parts))
	)
	var pinner runtime.Pinner // without it, C may not have an array of pointers to Go's memory
	defer pinner.Unpin()
	for i, s := range parts {
		tags[i] = [16]byte(s.tag())
		texts[i] = unsafe.Pointer(octets(s.ciphertext()))
		lengths[i] = C.size_t(len(s.ciphertext()))
		nonces[i] = [16]byte(s.nonce())
		keys[i] = *key
		pinner.Pin(texts[i])
	}
	allValid := C.hornet_poly1305_aes_verify_batch(
		(*C.bool)(unsafe.SliceData(valid)),
		(*[16]C.uint8_t)(unsafe.Pointer(unsafe.SliceData(tags))),
		unsafe.SliceData(texts),
		unsafe.SliceData(lengths),
		(*[16]C.uint8_t)(unsafe.Pointer(unsafe.SliceData(nonces))),
		(*[32]C.uint8_t)(unsafe.Pointer(unsafe.SliceData(keys))),
		C.size_t(len(parts)))
	if bool(allValid) == slices.Contains(valid, false) {
		panic("hornet_poly1305_aes_verify_batch contradicts itself")
	}
	return valid
}

// octets is what C calls a slice of bytes.
func octets(b []byte) *C.uint8_t {
	return (*C.uint8_t)(unsafe.SliceData(b))
}
