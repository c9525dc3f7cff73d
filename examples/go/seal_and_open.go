// SPDX-License-Identifier: Apache-2.0 OR MIT

// A message that is encrypted and authenticated, then opened by its receiver; and a forgery, which is refused.
package main

import (
	"crypto/rand"
	"fmt"
	"log"

	"github.com/hornet-mac/hornet/bindings/go/chacha20poly1305"
)

func main() {
	key := make([]byte, chacha20poly1305.KeySize)
	rand.Read(key) // which never fails
	aead, err := chacha20poly1305.New(key)
	if err != nil {
		log.Fatal(err)
	}

	// The number of the message. No two messages under a key have the same.
	nonce := make([]byte, aead.NonceSize())
	// Everybody can read the address, but nobody can alter it.
	address := []byte("to: the general")
	sealed := aead.Seal(nil, nonce, []byte("Attack at dawn."), address)

	// The receiver has the key. Nonce, address and the sealed message are sent.
	opened, err := aead.Open(nil, nonce, sealed, address)
	if err != nil {
		log.Fatal(err)
	}

	sealed[10] ^= 'd' ^ 'm' // without the tag, this would change the time of day
	if _, err := aead.Open(nil, nonce, sealed, address); err == nil {
		log.Fatal("a forgery was opened")
	}
	fmt.Printf("opened %q; a forgery is refused\n", opened)
}
