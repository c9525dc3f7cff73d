// SPDX-License-Identifier: Apache-2.0 OR MIT

package main

import (
	"bytes"
	"crypto/hkdf"
	"crypto/sha256"
	"io"

	"filippo.io/age"
	"github.com/hornet-mac/hornet/bindings/go/stream"
)

// keeper is a recipient that notes the key of a file, and the identity that has it. It protects nothing.
type keeper struct{ fileKey []byte }

func (k *keeper) Wrap(fileKey []byte) ([]*age.Stanza, error) {
	k.fileKey = bytes.Clone(fileKey)
	return []*age.Stanza{{Type: "kept", Body: []byte("nothing")}}, nil
}

func (k *keeper) Unwrap([]*age.Stanza) ([]byte, error) { return bytes.Clone(k.fileKey), nil }

// ageFile writes text to out as a file of age.
func ageFile(k *keeper, out io.Writer, text []byte) {
	w, err := age.Encrypt(out, k)
	must(err)
	_, err = w.Write(text)
	must(err)
	must(w.Close())
}

// parts returns what precedes the sealed text in a file of age, and the text's key.
func parts(k *keeper, file []byte) (before, key []byte) {
	_, mac, _ := bytes.Cut(file, []byte("\n--- "))
	_, payload, _ := bytes.Cut(mac, []byte("\n"))
	before = file[:len(file)-len(payload)+16]
	key, err := hkdf.Key(sha256.New, k.fileKey, before[len(before)-16:], "payload", stream.KeySize)
	must(err)
	return before, key
}

// payloads are measured beside the files of age, whose headers are short: from memory, and to what keeps nothing.
var payloads = []operation{
	{"Stream, Write", func(n int) (ours, their func()) {
		k, key, text := new(keeper), randomBytes(stream.KeySize), randomBytes(n)
		return func() {
				w, err := stream.NewWriter(key, io.Discard)
				must(err)
				_, err = w.Write(text)
				must(err)
				must(w.Close())
			}, func() {
				ageFile(k, io.Discard, text)
			}
	}},
	{"Stream, Read", reader(func(r io.Reader) {
		for {
			if _, err := r.Read(buffer); err == io.EOF {
				return
			} else {
				must(err)
			}
		}
	})},
	{"Stream, Copy", reader(func(r io.Reader) {
		_, err := io.Copy(struct{ io.Writer }{io.Discard}, r)
		must(err)
	})},
}

var buffer = make([]byte, stream.ChunkSize)

func reader(readAll func(io.Reader)) func(n int) (ours, their func()) {
	return func(n int) (ours, their func()) {
		file, before, key, k := agePayload(randomBytes(n))
		return func() {
				r, err := stream.NewReader(key, bytes.NewReader(file[len(before):]))
				must(err)
				readAll(r)
			}, func() {
				r, err := age.Decrypt(bytes.NewReader(file), k)
				must(err)
				readAll(r)
			}
	}
}

// agePayload returns a file of age, what precedes its sealed text, and its keys.
func agePayload(text []byte) (file, before, key []byte, k *keeper) {
	k = new(keeper)
	var out bytes.Buffer
	ageFile(k, &out, text)
	before, key = parts(k, out.Bytes())
	return out.Bytes(), before, key, k
}
