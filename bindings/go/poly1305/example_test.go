// SPDX-License-Identifier: Apache-2.0 OR MIT

package poly1305_test

import (
	"errors"
	"fmt"

	"github.com/hornet-mac/hornet/bindings/go/poly1305"
)

// rfcKey is the key of RFC 8439, section 2.5.2.
var rfcKey = poly1305.OneTimeKey{
	0x85, 0xd6, 0xbe, 0x78, 0x57, 0x55, 0x6d, 0x33, 0x7f, 0x44, 0x52, 0xfe, 0x42, 0xd5, 0x06, 0xa8,
	0x01, 0x03, 0x80, 0x8a, 0xfb, 0x0d, 0xb2, 0xfd, 0x4a, 0xbf, 0xf6, 0xaf, 0x41, 0x49, 0xf5, 0x1b,
}

func ExampleSum() {
	var tag [poly1305.TagSize]byte
	poly1305.Sum(&tag, []byte("Cryptographic Forum Research Group"), &rfcKey)
	fmt.Printf("%x\n", tag)
	// Output: a8061dc1305136c6c22b8baf0c0127a9
}

// A program written for golang.org/x/crypto/poly1305 has keys of type *[32]byte. They are converted, not copied.
func ExampleOneTimeKey() {
	key := new([32]byte)
	copy(key[:], "derived for this message alone..")

	// With golang.org/x/crypto: poly1305.Sum(&tag, []byte("a message"), key)
	var tag [poly1305.TagSize]byte
	poly1305.Sum(&tag, []byte("a message"), (*poly1305.OneTimeKey)(key))

	// With golang.org/x/crypto: poly1305.New(key)
	mac := poly1305.New((*poly1305.OneTimeKey)(key))
	mac.Write([]byte("a message"))
	fmt.Println(mac.Verify(tag[:]))
	// Output: true
}

func ExampleVerify() {
	tag := [poly1305.TagSize]byte{0xa8, 0x06, 0x1d, 0xc1, 0x30, 0x51, 0x36, 0xc6, 0xc2, 0x2b, 0x8b, 0xaf, 0x0c, 0x01, 0x27, 0xa9}
	fmt.Println(poly1305.Verify(&tag, []byte("Cryptographic Forum Research Group"), &rfcKey))
	fmt.Println(poly1305.Verify(&tag, []byte("Another message"), &rfcKey))
	// Output:
	// true
	// false
}

func ExampleNew() {
	mac := poly1305.New(&rfcKey)
	fmt.Fprintf(mac, "Cryptographic Forum ")
	fmt.Fprintf(mac, "Research Group")
	fmt.Printf("%x\n", mac.Sum(nil))
	// Output: a8061dc1305136c6c22b8baf0c0127a9
}

func ExampleVerifyBatch() {
	messages := [][]byte{[]byte("a message"), []byte("another"), []byte("a third")}
	keys := []poly1305.OneTimeKey{{1, 31: 7}, {2, 31: 8}, {3, 31: 9}} // derived, one for each message
	tags := make([][poly1305.TagSize]byte, len(messages))
	if err := poly1305.SumBatch(tags, messages, keys); err != nil {
		panic(err) // tags, messages and keys differ in number
	}

	messages[1] = []byte("a forged one")
	err := poly1305.VerifyBatch(tags, messages, keys)
	fmt.Println(err)
	if forgery, ok := errors.AsType[*poly1305.ForgeryError](err); ok {
		fmt.Println(forgery.Forged)
	}
	// Output:
	// poly1305: message authentication failed: 1 of 3 tags are wrong, the first of message 1
	// [1]
}
