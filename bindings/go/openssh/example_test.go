// SPDX-License-Identifier: Apache-2.0 OR MIT

package openssh_test

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"io"

	"github.com/hornet-mac/hornet/bindings/go/openssh"
)

// A packet is sealed where it is, and received in two steps: its length, and then the rest.
func Example() {
	key := make([]byte, openssh.KeySize) // which SSH derives
	rand.Read(key)
	c, err := openssh.New(key)
	if err != nil {
		panic(err)
	}
	const limit = 256 << 10
	number := uint32(3) // how many packets were sent in this direction

	payload := []byte("\x04 a payload in SSH's form \x00\x00\x00\x00")
	packet := make([]byte, len(payload)+openssh.Overhead)
	copy(packet[openssh.LengthSize:], payload)
	c.Seal(packet, number)

	connection := bytes.NewReader(packet)
	received := make([]byte, openssh.LengthSize, openssh.Overhead+limit)
	if _, err := io.ReadFull(connection, received); err != nil {
		panic(err)
	}
	length := c.Length((*[openssh.LengthSize]byte)(received), number)
	if length > limit {
		panic("the packet is too long")
	}
	received = received[:length+openssh.Overhead]
	if _, err := io.ReadFull(connection, received[openssh.LengthSize:]); err != nil {
		panic(err)
	}
	opened, err := c.Open(received, number)
	fmt.Println(bytes.Equal(opened, payload), err)
	// Output: true <nil>
}
