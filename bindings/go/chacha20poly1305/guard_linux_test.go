// SPDX-License-Identifier: Apache-2.0 OR MIT

package chacha20poly1305_test

import (
	"bytes"
	"testing"

	"github.com/hornet-mac/hornet/bindings/go/internal/guard"
)

// TestGuardPages checks that no byte outside the inputs and the output is accessed.
func TestGuardPages(t *testing.T) {
	const longest = 4200
	mAtEnd, mAtBeginning := guard.Bytes(t, longest)
	outAtEnd, outAtBeginning := guard.Bytes(t, longest+overhead)
	additionalAtEnd, additionalAtBeginning := guard.Bytes(t, 100)
	random.Read(mAtEnd)
	random.Read(mAtBeginning)
	for _, nonceSize := range nonceSizes {
		nonceAtEnd, nonceAtBeginning := guard.Bytes(t, nonceSize)
		a := withNonce(t, randomBytes(32), nonceSize)
		for n := 0; n <= longest; n++ {
			if n > 700 && n%64 > 33 {
				continue
			}
			for _, c := range []struct{ m, nonce, additional, out []byte }{
				{mAtEnd[longest-n:], nonceAtEnd, additionalAtEnd[100-n%100:], outAtEnd[longest-n:]},
				{mAtBeginning[:n], nonceAtBeginning, additionalAtBeginning[:n%100], outAtBeginning[:n+overhead]},
			} {
				sealed := a.Seal(c.out[:0], c.nonce, c.m, c.additional)
				if want := a.Seal(nil, c.nonce, c.m, c.additional); &sealed[0] != &c.out[0] || !bytes.Equal(sealed, want) {
					t.Fatalf("%d bytes: Seal", n)
				}
				if got, err := a.Open(sealed[:0], c.nonce, sealed, c.additional); err != nil || !bytes.Equal(got, c.m) {
					t.Fatalf("%d bytes: Open: %v", n, err)
				}
			}
		}
	}
}
