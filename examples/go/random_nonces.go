// SPDX-License-Identifier: Apache-2.0 OR MIT

// Many messages under one key, without a counter: XChaCha20-Poly1305, whose nonces are long enough to be drawn at random.
package main

import (
	"bytes"
	"crypto/cipher"
	"crypto/rand"
	"errors"
	"fmt"
	"log"

	"github.com/hornet-mac/hornet/bindings/go/chacha20poly1305"
)

// seal returns nonce, ciphertext and tag.
func seal(aead cipher.AEAD, text []byte) []byte {
	nonce := make([]byte, aead.NonceSize(), aead.NonceSize()+len(text)+aead.Overhead())
	rand.Read(nonce) // which never fails
	return aead.Seal(nonce, nonce, text, nil)
}

func open(aead cipher.AEAD, packet []byte) ([]byte, error) {
	if len(packet) < aead.NonceSize() {
		return nil, errors.New("shorter than a nonce")
	}
	return aead.Open(nil, packet[:aead.NonceSize()], packet[aead.NonceSize():], nil)
}

func main() {
	key := make([]byte, chacha20poly1305.KeySize)
	rand.Read(key)
	aead, err := chacha20poly1305.NewX(key)
	if err != nil {
		log.Fatal(err)
	}

	packets := [][]byte{seal(aead, []byte("a message")), seal(aead, []byte("a message"))}
	for _, packet := range packets {
		text, err := open(aead, packet)
		if err != nil || string(text) != "a message" {
			log.Fatalf("opened %q, %v", text, err)
		}
	}
	differ := "differ"
	if bytes.Equal(packets[0], packets[1]) {
		differ = "are the same"
	}
	fmt.Printf("the same text twice: two packets of %d bytes, which %s\n", len(packets[0]), differ)
}
