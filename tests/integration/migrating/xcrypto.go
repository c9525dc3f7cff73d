// SPDX-License-Identifier: Apache-2.0 OR MIT

// The calls of docs/migrating.md, "golang.org/x/crypto". check.py runs this.
package main

import (
	"bytes"
	"fmt"
	"log"

	"github.com/hornet-mac/hornet/bindings/go/chacha20"
	aead "github.com/hornet-mac/hornet/bindings/go/chacha20poly1305"
	"github.com/hornet-mac/hornet/bindings/go/poly1305"
	xchacha20 "golang.org/x/crypto/chacha20"
	xaead "golang.org/x/crypto/chacha20poly1305"
	xpoly1305 "golang.org/x/crypto/poly1305"
)

// filled returns bytes that differ from each other.
func filled(n, first int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(first + 7*i)
	}
	return b
}

var (
	key, nonce, longNonce = filled(32, 1), filled(12, 50), filled(24, 60)
	data, text            = filled(13, 90), filled(100, 120)
	oneTime               = (*[32]byte)(key)
)

func same(line string, equal bool) {
	if !equal {
		log.Fatal(line, ": another result")
	}
	fmt.Println(line)
}

func check(errs ...error) {
	for _, err := range errs {
		if err != nil {
			log.Fatal(err)
		}
	}
}

func sealing() {
	theirs, err := xaead.NewX(key)
	ours, ourErr := aead.NewX(key)
	check(err, ourErr)
	same("xaead.NewX(key)", bytes.Equal(theirs.Seal(nil, longNonce, text, data), ours.Seal(nil, longNonce, text, data)))

	theirs, err = xaead.New(key)
	ours, ourErr = aead.New(key)
	check(err, ourErr)
	_, err = xaead.New(key[1:])
	_, ourErr = aead.New(key[1:])
	same("xaead.New(key)", err != nil && ourErr != nil)

	sealed := theirs.Seal(nil, nonce, text, data)
	same("theirs.Seal(nil, nonce, text, data)", bytes.Equal(sealed, ours.Seal(nil, nonce, text, data)))
	opened, err := theirs.Open(nil, nonce, sealed, data)
	ourOpened, ourErr := ours.Open(nil, nonce, sealed, data)
	check(err, ourErr)
	ok := bytes.Equal(opened, text) && bytes.Equal(ourOpened, text)
	sealed[115] ^= 1
	_, err = theirs.Open(nil, nonce, sealed, data)
	_, ourErr = ours.Open(nil, nonce, sealed, data)
	ok = ok && err != nil && ourErr != nil
	sealed[115] ^= 1
	// The output lies over the tag.
	memory := append(bytes.Clone(sealed), make([]byte, 100)...)
	ourOpened, ourErr = ours.Open(memory[100:100], nonce, memory[:116], data)
	check(ourErr)
	same("theirs.Open(nil, nonce, sealed, data)", ok && bytes.Equal(ourOpened, text))
}

func authenticating() {
	var tag [16]byte
	xpoly1305.Sum(&tag, text, oneTime)
	expected := tag
	poly1305.Sum(&tag, text, (*poly1305.OneTimeKey)(oneTime))
	same("xpoly1305.Sum(&tag, text, oneTime)", tag == expected)
	ok := xpoly1305.Verify(&tag, text, oneTime) && poly1305.Verify(&tag, text, (*poly1305.OneTimeKey)(oneTime))
	tag[15] ^= 1
	ok = ok && !xpoly1305.Verify(&tag, text, oneTime) && !poly1305.Verify(&tag, text, (*poly1305.OneTimeKey)(oneTime))
	same("xpoly1305.Verify(&tag, text, oneTime)", ok)

	theirs := xpoly1305.New(oneTime)
	ours := poly1305.New((*poly1305.OneTimeKey)(oneTime))
	_, err := theirs.Write(text)
	_, ourErr := ours.Write(text)
	check(err, ourErr)
	ok = bytes.Equal(theirs.Sum(nil), ours.Sum(nil))
	same("xpoly1305.New(oneTime)", ok && theirs.Verify(expected[:]) && ours.Verify(expected[:]))
}

func encrypting() {
	stream, err := xchacha20.NewUnauthenticatedCipher(key, nonce)
	cipher, ourErr := chacha20.NewUnauthenticatedCipher(key, nonce)
	check(err, ourErr)
	stream.SetCounter(1)
	cipher.SetCounter(1)
	original := bytes.Clone(text)
	stream.XORKeyStream(text, text)
	expected := bytes.Clone(text)
	copy(text, original)
	cipher.XORKeyStream(text, text)
	ok := bytes.Equal(text, expected)
	same("xchacha20.NewUnauthenticatedCipher(key, nonce)", ok)
	same("stream.XORKeyStream(text, text)", ok)
	cipher.SetOffset(64 + 5)
	cipher.XORKeyStream(text[5:], text[5:])
	same("stream.SetCounter(1)", bytes.Equal(text[5:], original[5:]))
	copy(text, original)

	subkey, err := xchacha20.HChaCha20(key, longNonce[:16])
	ourSubkey, ourErr := chacha20.HChaCha20(key, longNonce[:16])
	check(err, ourErr)
	same("xchacha20.HChaCha20(key, longNonce[:16])", bytes.Equal(subkey, ourSubkey))
}

func main() {
	sealing()
	authenticating()
	encrypting()
}
