// SPDX-License-Identifier: Apache-2.0 OR MIT

package stream_test

import (
	"bytes"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"io"

	"github.com/hornet-mac/hornet/bindings/go/stream"
)

// A key serves one text: age derives it from that of the file and a random nonce, which stands before the sealed text.
func Example() {
	fileKey, nonce := make([]byte, 16), make([]byte, 16)
	rand.Read(fileKey)
	rand.Read(nonce)
	key, err := hkdf.Key(sha256.New, fileKey, nonce, "payload", stream.KeySize)
	if err != nil {
		panic(err)
	}

	var sealed bytes.Buffer
	w, err := stream.NewWriter(key, &sealed)
	if err != nil {
		panic(err)
	}
	fmt.Fprint(w, "a long text")
	if err := w.Close(); err != nil { // without this, the text has no end
		panic(err)
	}

	r, err := stream.NewReader(key, bytes.NewReader(sealed.Bytes()))
	if err != nil {
		panic(err)
	}
	text, err := io.ReadAll(r)
	fmt.Printf("%s, %v\n", text, err)

	r, err = stream.NewReader(key, bytes.NewReader(sealed.Bytes()[:9]))
	if err != nil {
		panic(err)
	}
	text, err = io.ReadAll(r)
	fmt.Printf("%q, %v\n", text, err)
	// Output:
	// a long text, <nil>
	// "", stream: chunk 0 is cut off: unexpected EOF
}

// Any part of a text is opened by reading its chunks alone.
func ExampleNewReaderAt() {
	key := make([]byte, stream.KeySize)
	rand.Read(key)
	c, err := stream.New(key)
	if err != nil {
		panic(err)
	}
	sealed := c.Seal(nil, bytes.Repeat([]byte("0123456789"), 100_000), 0, true)

	r, err := stream.NewReaderAt(key, bytes.NewReader(sealed), int64(len(sealed)))
	if err != nil {
		panic(err)
	}
	part := make([]byte, 10)
	_, err = r.ReadAt(part, 777_774)
	fmt.Printf("%s, %v\n", part, err)

	section := io.NewSectionReader(r, 0, r.Size()) // which reads and seeks
	section.Seek(-3, io.SeekEnd)
	rest, err := io.ReadAll(section)
	fmt.Printf("%s, %v\n", rest, err)
	// Output:
	// 4567890123, <nil>
	// 789, <nil>
}
