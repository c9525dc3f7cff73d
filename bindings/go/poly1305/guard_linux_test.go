// SPDX-License-Identifier: Apache-2.0 OR MIT

package poly1305_test

import (
	"testing"

	"github.com/hornet-mac/hornet/bindings/go/internal/guard"
	"github.com/hornet-mac/hornet/bindings/go/internal/reference"
	"github.com/hornet-mac/hornet/bindings/go/poly1305"
)

// TestGuardPages checks that no byte outside the message and the key is read, and none outside the tag is written.
func TestGuardPages(t *testing.T) {
	const longest = 4200
	atEnd, atBeginning := guard.Bytes(t, longest)
	keyAtEnd, keyAtBeginning := guard.Bytes(t, poly1305.KeySize)
	tagAtEnd, tagAtBeginning := guard.Bytes(t, poly1305.TagSize)
	random.Read(atEnd)
	random.Read(atBeginning)
	random.Read(keyAtEnd)
	random.Read(keyAtBeginning)
	for n := 0; n <= longest; n++ {
		if n > 700 && n%64 > 33 {
			continue
		}
		for _, c := range []struct{ m, key, out []byte }{
			{atEnd[longest-n:], keyAtEnd, tagAtEnd},
			{atBeginning[:n], keyAtBeginning, tagAtBeginning},
		} {
			key, out := (*poly1305.OneTimeKey)(c.key), (*tag)(c.out)
			want := reference.Tag(c.m, c.key)
			if poly1305.Sum(out, c.m, key); *out != want {
				t.Fatalf("%d bytes", n)
			}
			mac := poly1305.New(key)
			mac.Write(c.m)
			if !mac.Verify(c.out) || !poly1305.Verify(out, c.m, key) {
				t.Fatalf("%d bytes: refused", n)
			}
		}
	}
}
