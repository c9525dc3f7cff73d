// SPDX-License-Identifier: Apache-2.0 OR MIT

package chacha20poly1305_test

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"

	"github.com/hornet-mac/hornet/bindings/go/chacha20poly1305"
)

// A nonce of 24 bytes may be random. It is sent in front of the ciphertext.
func ExampleNewX() {
	key := make([]byte, chacha20poly1305.KeySize)
	rand.Read(key)
	aead, err := chacha20poly1305.NewX(key)
	if err != nil {
		panic(err)
	}

	message := []byte("a message")
	nonce := make([]byte, aead.NonceSize(), aead.NonceSize()+len(message)+aead.Overhead())
	rand.Read(nonce)
	sealed := aead.Seal(nonce, nonce, message, []byte("additional data"))

	nonce, ciphertext := sealed[:aead.NonceSize()], sealed[aead.NonceSize():]
	opened, err := aead.Open(nil, nonce, ciphertext, []byte("additional data"))
	fmt.Printf("%s, %v\n", opened, err)
	_, err = aead.Open(nil, nonce, ciphertext, []byte("other data"))
	fmt.Println(err)
	// Output:
	// a message, <nil>
	// chacha20poly1305: message authentication failed
}

// Nonces of 12 bytes are counted, so that none is used twice under the key. This example seals and opens messages in place.
func ExampleNew() {
	key := make([]byte, chacha20poly1305.KeySize)
	rand.Read(key)
	aead, err := chacha20poly1305.New(key)
	if err != nil {
		panic(err)
	}

	buffer := make([]byte, 0, 100)
	for number := range uint64(2) {
		nonce := make([]byte, chacha20poly1305.NonceSize)
		binary.BigEndian.PutUint64(nonce[4:], number)

		message := fmt.Appendf(buffer, "message %d", number)
		sealed := aead.Seal(message[:0], nonce, message, nil)
		opened, err := aead.Open(sealed[:0], nonce, sealed, nil)
		fmt.Printf("%d bytes: %s, %v\n", len(sealed), opened, err)
	}
	// Output:
	// 25 bytes: message 0, <nil>
	// 25 bytes: message 1, <nil>
}
