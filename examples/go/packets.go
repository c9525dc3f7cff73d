// SPDX-License-Identifier: Apache-2.0 OR MIT

// Packets of a connection, sealed and opened in place. The nonce is the packet's number xor the connection's IV, as in TLS 1.3
// and QUIC.
package main

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"log"

	"github.com/hornet-mac/hornet/bindings/go/chacha20poly1305"
)

// nonceOf returns the nonce of a packet (RFC 8446, section 5.3). No number is used twice.
func nonceOf(number int, iv [chacha20poly1305.NonceSize]byte) []byte {
	binary.BigEndian.PutUint64(iv[4:], uint64(number)^binary.BigEndian.Uint64(iv[4:]))
	return iv[:]
}

func main() {
	// One direction of the connection has a key; the other has another.
	key := make([]byte, chacha20poly1305.KeySize)
	rand.Read(key) // which never fails
	aead, err := chacha20poly1305.New(key)
	if err != nil {
		log.Fatal(err)
	}
	var iv [chacha20poly1305.NonceSize]byte
	rand.Read(iv[:])

	header := []byte("version 1") // authenticated, not encrypted
	packets := make([][]byte, 48)
	for number := range packets {
		text := bytes.Repeat([]byte("a"), 1200)
		text = append(make([]byte, 0, len(text)+aead.Overhead()), text...) // with room for the tag
		packets[number] = aead.Seal(text[:0], nonceOf(number, iv), text, header)
	}

	packets[7][0] ^= 1 // changed in transit

	opened, seventh := 0, "opened"
	for number, packet := range packets {
		text, err := aead.Open(packet[:0], nonceOf(number, iv), packet, header)
		if err != nil && number == 7 {
			seventh = "refused"
		} else if err == nil && bytes.Count(text, []byte("a")) == 1200 {
			opened++
		}
	}
	fmt.Printf("%d packets: %d opened, packet 7 %s\n", len(packets), opened, seventh)
}
