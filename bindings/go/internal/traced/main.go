// SPDX-License-Identifier: Apache-2.0 OR MIT

// Command traced calls every function with secrets of one kind, for tests/integration/test_go.py.
//
//	traced zeros|ones|small|random|other [planted]
package main

import (
	"bytes"
	"io"
	"math/rand/v2"
	"os"

	"github.com/hornet-mac/hornet/bindings/go/chacha20"
	"github.com/hornet-mac/hornet/bindings/go/chacha20poly1305"
	"github.com/hornet-mac/hornet/bindings/go/openssh"
	"github.com/hornet-mac/hornet/bindings/go/poly1305"
	"github.com/hornet-mac/hornet/bindings/go/poly1305aes"
	"github.com/hornet-mac/hornet/bindings/go/stream"
)

// kinds must all allocate the same memory, because branches may depend on addresses.
var kinds = map[string]func(b []byte){
	"zeros": func(b []byte) {},
	"ones": func(b []byte) {
		for i := range b {
			b[i] = 255
		}
	},
	// With r = 1, the sum of a message of 48 bytes is between p and 2^130.
	"small": func(b []byte) {
		if len(b) == poly1305.KeySize {
			b[0] = 1
			return
		}
		for i := range min(len(b), 16) {
			b[i] = 255
		}
	},
	"random": func(b []byte) { random.Read(b) },
	"other": func(b []byte) {
		random.Read(b)
		for i := range b {
			b[i] ^= 0x5a
		}
	},
}

var random = rand.NewChaCha8([32]byte{1})

func main() {
	secret := func(n int) []byte {
		b := make([]byte, n)
		kinds[os.Args[1]](b)
		return b
	}
	// The position at which a forged tag is wrong must not show in the trace.
	at := map[string]int{"zeros": 0, "ones": 15, "small": 7, "random": 3, "other": 12}[os.Args[1]]
	for _, n := range []int{0, 1, 7, 16, 17, 48, 63, 64, 100, 200, 1000, 1350, 3300} {
		macs(secret, n, at)
		partials(secret, n, at)
		aeads(secret, n, at)
		streams(secret, n)
		packets(secret, n, at)
		chunks(secret, n, at)
	}
	if len(os.Args) > 2 {
		must(planted(secret(1)) < 2)
	}
}

func macs(secret func(int) []byte, n, at int) {
	key, m := poly1305.OneTimeKey(secret(32)), secret(n)
	tags := make([][16]byte, 1)
	poly1305.Sum(&tags[0], m, &key)
	must(poly1305.Verify(&tags[0], m, &key))
	mac := poly1305.New(&key)
	mac.Write(m[:n/3])
	mac.Write(m[n/3:])
	must(mac.Verify(tags[0][:]))
	must(poly1305.SumBatch(tags, [][]byte{m}, []poly1305.OneTimeKey{key}) == nil)
	tags[0][at] ^= 1
	must(!poly1305.Verify(&tags[0], m, &key))
}

func partials(secret func(int) []byte, n, at int) {
	// r is the first half of a one-time key, so that "small" makes it 1.
	bytes := [poly1305aes.KeySize]byte(append(secret(16), secret(32)[:16]...))
	poly1305aes.Clamp(&bytes)
	key, err := poly1305aes.NewKey(bytes[:])
	must(err == nil)
	m, sealingKey, nonce := secret(n), secret(32), new([poly1305aes.NonceSize]byte)
	var tag [poly1305aes.TagSize]byte
	key.Sum(&tag, m, nonce)
	must(key.Verify(&tag, m, nonce))
	segments, err := key.Segments(m, 48)
	must(err == nil)
	whole := key.Zeros(1<<36 + 160)
	must(key.Join(&whole, segments) == nil)
	key.Tag(&tag, whole, nonce)
	must(key.VerifyPartial(&tag, whole, nonce))

	parts, err := key.NewParts(48)
	must(err == nil)
	must(parts.AppendZeros(480) == nil)
	must(parts.Append(segments...) == nil)
	changed := secret(48)
	must(parts.Replace(3, key.Partial(changed)) == nil)
	parts.Tag(&tag, nonce)
	sealed, err := parts.Seal(nil, sealingKey)
	must(err == nil)
	parts, err = key.OpenParts(sealed, sealingKey, &tag, nonce)
	must(err == nil)
	must(parts.VerifySegment(3, changed) == nil)
	must(parts.Truncate(10) == nil)
	tag[at] ^= 1
	must(!parts.Verify(&tag, nonce) && !key.VerifyPartial(&tag, whole, nonce) && !key.Verify(&tag, m, nonce))
}

func aeads(secret func(int) []byte, n, at int) {
	key, m, additional := secret(32), secret(n), secret(13)
	for _, nonceSize := range []int{chacha20poly1305.NonceSize, chacha20poly1305.NonceSizeX} {
		a, err := chacha20poly1305.New(key)
		if nonceSize == chacha20poly1305.NonceSizeX {
			a, err = chacha20poly1305.NewX(key)
		}
		must(err == nil)
		sealed := a.Seal(nil, make([]byte, nonceSize), m, additional)
		_, err = a.Open(nil, make([]byte, nonceSize), sealed, additional)
		must(err == nil)
		sealed[n+at] ^= 1
		_, err = a.Open(nil, make([]byte, nonceSize), sealed, additional)
		must(err != nil)
	}
}

func streams(secret func(int) []byte, n int) {
	key, m := secret(32), secret(n)
	for _, nonceSize := range []int{chacha20.NonceSize, chacha20.NonceSizeX} {
		c, err := chacha20.NewUnauthenticatedCipher(key, make([]byte, nonceSize))
		must(err == nil)
		c.XORKeyStream(m[:n/3], m[:n/3])
		c.XORKeyStream(m[n/3:], m[n/3:])
		c.SetOffset(100)
		c.XORKeyStream(m, m)
	}
	_, err := chacha20.HChaCha20(key, make([]byte, 16))
	must(err == nil)
	samples := make([][chacha20.SampleSize]byte, n%40)
	must(chacha20.HeaderMasks(make([][chacha20.MaskSize]byte, len(samples)), samples, key) == nil)
}

func packets(secret func(int) []byte, n, at int) {
	c, err := openssh.New(secret(openssh.KeySize))
	must(err == nil)
	packet := append(make([]byte, openssh.LengthSize), secret(n+openssh.TagSize)...)
	c.Seal(packet, 3)
	must(c.Length((*[openssh.LengthSize]byte)(packet), 3) == uint32(n))
	_, err = c.Open(packet, 3)
	must(err == nil)
	c.Seal(packet, 3)
	packet[openssh.LengthSize+n+at] ^= 1
	_, err = c.Open(packet, 3)
	must(err != nil)
	c.Wipe()
}

func chunks(secret func(int) []byte, n, at int) {
	key, m, out := secret(stream.KeySize), secret(n), make([]byte, n+1)
	var sealed bytes.Buffer
	w, err := stream.NewWriter(key, &sealed)
	must(err == nil)
	w.Write(m[:n/3])
	w.Write(m[n/3:])
	must(w.Close() == nil)
	r, err := stream.NewReader(key, bytes.NewReader(sealed.Bytes()))
	must(err == nil)
	got, err := io.ReadFull(r, out)
	must(got == n && err != nil)
	r.Wipe()
	readerAt, err := stream.NewReaderAt(key, bytes.NewReader(sealed.Bytes()), int64(sealed.Len()))
	must(err == nil)
	got, err = readerAt.ReadAt(out, 0)
	must(got == n && err == io.EOF)
	readerAt.Wipe()
	c, err := stream.New(key)
	must(err == nil)
	sealed.Bytes()[n+at] ^= 1
	_, err = c.Open(out[:0], sealed.Bytes(), 0, true)
	must(err != nil)
	c.Wipe()
}

func must(ok bool) {
	if !ok {
		panic("a wrong verdict")
	}
}

// planted has a branch on a secret, which the traces must reveal.
//
//go:noinline
func planted(secret []byte) int {
	if secret[0] == 255 {
		return 1
	}
	return 0
}
