// SPDX-License-Identifier: Apache-2.0 OR MIT

package chacha20_test

import (
	"crypto/rand"
	"fmt"

	"github.com/hornet-mac/hornet/bindings/go/chacha20"
)

// A part of a long message is decrypted without what is before it.
func ExampleCipher_SetOffset() {
	key, nonce := make([]byte, chacha20.KeySize), make([]byte, chacha20.NonceSizeX)
	rand.Read(key)
	rand.Read(nonce)
	c, err := chacha20.NewUnauthenticatedCipher(key, nonce)
	if err != nil {
		panic(err)
	}
	ciphertext := []byte("a long message, of which little is read")
	c.XORKeyStream(ciphertext, ciphertext)

	part := ciphertext[16:24]
	c.SetOffset(16)
	c.XORKeyStream(part, part)
	fmt.Printf("%s\n", part)
	// Output: of which
}

// The headers of two QUIC packets are protected. The sample of a packet is 16 bytes of its ciphertext, which begin 4 bytes
// behind the beginning of the packet number.
func ExampleHeaderMasks() {
	key := make([]byte, chacha20.KeySize) // derived from the secret of the connection
	const number = 9                      // where the packet number is, 4 bytes in these packets
	packets := [][]byte{make([]byte, 100), make([]byte, 100)}
	packets[0][0], packets[1][0] = 0x43, 0x43

	samples := make([][chacha20.SampleSize]byte, len(packets))
	masks := make([][chacha20.MaskSize]byte, len(packets))
	for i, packet := range packets {
		samples[i] = [chacha20.SampleSize]byte(packet[number+4:])
	}
	if err := chacha20.HeaderMasks(masks, samples, key); err != nil {
		panic(err)
	}
	for i, packet := range packets {
		packet[0] ^= masks[i][0] & 0x1f
		for j, b := range masks[i][1:] {
			packet[number+j] ^= b
		}
		fmt.Printf("%x %x\n", packet[0], packet[number:number+4])
	}
	// Output:
	// 55 b8e0ada0
	// 55 b8e0ada0
}
