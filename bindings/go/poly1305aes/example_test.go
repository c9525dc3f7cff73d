// SPDX-License-Identifier: Apache-2.0 OR MIT

package poly1305aes_test

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"sync"

	"github.com/hornet-mac/hornet/bindings/go/chacha20poly1305"
	"github.com/hornet-mac/hornet/bindings/go/poly1305aes"
)

// exampleKey is a key of Bernstein 2005, appendix B: k, then r.
var exampleKey = []byte{
	0xec, 0x07, 0x4c, 0x83, 0x55, 0x80, 0x74, 0x17, 0x01, 0x42, 0x5b, 0x62, 0x32, 0x35, 0xad, 0xd6,
	0x85, 0x1f, 0xc4, 0x0c, 0x34, 0x67, 0xac, 0x0b, 0xe0, 0x5c, 0xc2, 0x04, 0x04, 0xf3, 0xf7, 0x00,
}

// newKey returns a new key.
func newKey() *poly1305aes.Key {
	var bytes [poly1305aes.KeySize]byte
	rand.Read(bytes[:])
	poly1305aes.Clamp(&bytes)
	key, err := poly1305aes.NewKey(bytes[:])
	if err != nil {
		panic(err)
	}
	return key
}

func ExampleKey_Sum() {
	key, err := poly1305aes.NewKey(exampleKey)
	if err != nil {
		panic(err)
	}
	nonce := [poly1305aes.NonceSize]byte{0xfb, 0x44, 0x73, 0x50, 0xc4, 0xe8, 0x68, 0xc5, 0x2a, 0xc3, 0x27, 0x5c, 0xf9, 0xd4, 0x32, 0x7e}
	var tag [poly1305aes.TagSize]byte
	key.Sum(&tag, []byte{0xf3, 0xf6}, &nonce)
	fmt.Printf("%x\n", tag)
	fmt.Println(key.Verify(&tag, []byte{0xf3, 0xf6}, &nonce))
	fmt.Println(key.Verify(&tag, []byte{0xf3, 0xf7}, &nonce))
	// Output:
	// f4c633c3044fc145f84f335cb81953de
	// true
	// false
}

// Goroutines evaluate the segments of a message.
func ExampleKey_Join() {
	key, message := newKey(), make([]byte, 1_000_000)
	rand.Read(message)

	const segmentBytes = 250_000 // a multiple of 16
	segments := make([]poly1305aes.Partial, 4)
	var group sync.WaitGroup
	for i := range segments {
		group.Go(func() { segments[i] = key.Partial(message[i*segmentBytes:][:segmentBytes]) })
	}
	group.Wait()

	var whole poly1305aes.Partial
	if err := key.Join(&whole, segments); err != nil {
		panic(err)
	}
	var tag [poly1305aes.TagSize]byte
	nonce := [poly1305aes.NonceSize]byte{1}
	key.Tag(&tag, whole, &nonce)
	fmt.Println(key.Verify(&tag, message, &nonce))
	// Output: true
}

// The tag of a disk of 1 TiB, of which all but two blocks is a hole.
func ExampleKey_Zeros() {
	key := newKey()
	superblock, last := bytes.Repeat([]byte{1}, 4096), bytes.Repeat([]byte{2}, 4096)
	disk := key.Partial(superblock)
	if err := key.Join(&disk, []poly1305aes.Partial{key.Zeros(1<<40 - 8192), key.Partial(last)}); err != nil {
		panic(err)
	}
	var tag [poly1305aes.TagSize]byte
	key.Tag(&tag, disk, &[poly1305aes.NonceSize]byte{1})
	fmt.Println(disk.Len() == 1<<40)
	// Output: true
}

// The values of a file's segments are kept sealed beside it. A segment is verified, and replaced, without reading the others.
func ExampleParts() {
	key, sealingKey := newKey(), make([]byte, chacha20poly1305.KeySize)
	rand.Read(sealingKey)
	file := make([]byte, 1_000_000)
	const segmentBytes = 4096

	// When the file is tagged for the first time, it is read.
	segments, err := key.Segments(file, segmentBytes)
	if err != nil {
		panic(err)
	}
	parts, err := key.NewParts(segmentBytes)
	if err != nil {
		panic(err)
	}
	if err := parts.Append(segments...); err != nil {
		panic(err)
	}
	var tag [poly1305aes.TagSize]byte
	nonce := [poly1305aes.NonceSize]byte{1}
	parts.Tag(&tag, &nonce)
	sealed, err := parts.Seal(nil, sealingKey)
	if err != nil {
		panic(err)
	}

	// Later, segment 7 is read and verified alone, and a change of it is tagged under a new nonce.
	parts, err = key.OpenParts(sealed, sealingKey, &tag, &nonce)
	if err != nil {
		panic(err)
	}
	segment := file[7*segmentBytes:][:segmentBytes]
	if err := parts.VerifySegment(7, segment); err != nil {
		panic(err)
	}
	copy(segment, "changed")
	if err := parts.Replace(7, key.Partial(segment)); err != nil {
		panic(err)
	}
	nonce = [poly1305aes.NonceSize]byte{2}
	parts.Tag(&tag, &nonce)
	fmt.Println(key.Verify(&tag, file, &nonce))

	file[7*segmentBytes] = 'C'
	fmt.Println(parts.VerifySegment(7, segment))
	// Output:
	// true
	// poly1305aes: message authentication failed
}
