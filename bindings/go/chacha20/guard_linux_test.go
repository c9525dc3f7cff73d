// SPDX-License-Identifier: Apache-2.0 OR MIT

package chacha20_test

import (
	"bytes"
	"testing"
	"unsafe"

	"github.com/hornet-mac/hornet/bindings/go/chacha20"
	"github.com/hornet-mac/hornet/bindings/go/internal/guard"
)

// TestGuardPages checks that no byte outside the inputs and the output is accessed.
func TestGuardPages(t *testing.T) {
	const longest = 2400
	mAtEnd, mAtBeginning := guard.Bytes(t, longest)
	outAtEnd, outAtBeginning := guard.Bytes(t, longest)
	nonceAtEnd, nonceAtBeginning := guard.Bytes(t, chacha20.NonceSizeX)
	keyAtEnd, keyAtBeginning := guard.Bytes(t, chacha20.KeySize)
	random.Read(mAtEnd)
	random.Read(mAtBeginning)
	for n := range longest + 1 {
		for _, c := range []struct{ m, key, nonce, out []byte }{
			{mAtEnd[longest-n:], keyAtEnd, nonceAtEnd, outAtEnd[longest-n:]},
			{mAtBeginning[:n], keyAtBeginning, nonceAtBeginning, outAtBeginning[:n]},
		} {
			first := n / 5
			stream := newCipher(t, c.key, c.nonce)
			stream.XORKeyStream(c.out[:first], c.m[:first])
			stream.XORKeyStream(c.out[first:], c.m[first:])
			stream.SetOffset(0)
			if stream.XORKeyStream(c.out, c.out); !bytes.Equal(c.out, c.m) {
				t.Fatalf("%d bytes", n)
			}
		}
	}

	const most = 40
	samplesAtEnd, samplesAtBeginning := guard.Bytes(t, most*chacha20.SampleSize)
	masksAtEnd, masksAtBeginning := guard.Bytes(t, most*chacha20.MaskSize)
	for n := 1; n <= most; n++ {
		samples, masks := samplesAtEnd[(most-n)*chacha20.SampleSize:], masksAtEnd[(most-n)*chacha20.MaskSize:]
		for range 2 {
			err := chacha20.HeaderMasks(
				unsafe.Slice((*[chacha20.MaskSize]byte)(masks), n), unsafe.Slice((*[chacha20.SampleSize]byte)(samples), n), keyAtEnd)
			if err != nil {
				t.Fatal(err)
			}
			samples, masks = samplesAtBeginning, masksAtBeginning
		}
	}
}
