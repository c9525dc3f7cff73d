// SPDX-License-Identifier: Apache-2.0 OR MIT

package openssh_test

import (
	"bytes"
	"testing"

	"github.com/hornet-mac/hornet/bindings/go/internal/guard"
	"github.com/hornet-mac/hornet/bindings/go/openssh"
)

// TestGuardPages checks that no byte outside the packet is accessed.
func TestGuardPages(t *testing.T) {
	const longest = 4200
	atEnd, atBeginning := guard.Bytes(t, longest+openssh.Overhead)
	c, payload := newCipher(t, randomBytes(openssh.KeySize)), randomBytes(longest)
	for n := range longest + 1 {
		if n > 700 && n%64 > 33 {
			continue
		}
		for _, packet := range [][]byte{atEnd[longest-n:], atBeginning[:n+openssh.Overhead]} {
			copy(packet[openssh.LengthSize:], payload[:n])
			c.Seal(packet, 1)
			if got, err := c.Open(packet, 1); err != nil || !bytes.Equal(got, payload[:n]) {
				t.Fatalf("%d bytes: %v", n, err)
			}
		}
	}
}
