// SPDX-License-Identifier: Apache-2.0 OR MIT

// The tag of a message that arrives in pieces. Nothing of the message is used before the tag has been verified. If that is too
// long to wait, or the message is secret, see files.go.
package main

import (
	"bytes"
	"crypto/rand"
	"fmt"

	"github.com/hornet-mac/hornet/bindings/go/poly1305"
)

func verdict(accepted bool) string {
	if accepted {
		return "accepted"
	}
	return "refused"
}

func main() {
	var key poly1305.OneTimeKey // for this message only; real ones are derived, since the receiver needs it too
	rand.Read(key[:])           // which never fails

	message := bytes.Repeat([]byte("x"), 5000)
	sender, pieces := poly1305.New(&key), 0
	for at := 0; at < len(message); at += 1000 {
		sender.Write(message[at : at+1000]) // which never fails
		pieces++
	}
	tag := sender.Sum(nil)

	// The receiver gets it in other pieces.
	receiver := poly1305.New(&key)
	for at := 0; at < len(message); at += 500 {
		receiver.Write(message[at : at+500])
	}
	accepted := receiver.Verify(tag)

	message[4999] ^= 1 // changed in transit
	receiver = poly1305.New(&key)
	receiver.Write(message)
	changed := receiver.Verify(tag)
	fmt.Printf("%d bytes in %d pieces: %s; changed: %s\n", len(message), pieces, verdict(accepted), verdict(changed))
}
