// SPDX-License-Identifier: Apache-2.0 OR MIT

// Package vectors contains the test vectors of the C library, and Wycheproof's.
package vectors

import (
	"embed"
	"encoding/hex"
	"strings"
)

//go:generate go run generate.go

//go:embed *.txt
var files embed.FS

// Read returns the vectors of a file as the fields of each line. The field "-" stands for an empty one.
func Read(name string) [][]string {
	content, err := files.ReadFile(name + ".txt")
	if err != nil {
		panic(err)
	}
	var vectors [][]string
	for line := range strings.Lines(string(content)) {
		if !strings.HasPrefix(line, "#") {
			vectors = append(vectors, strings.Fields(line))
		}
	}
	return vectors
}

// Bytes decodes a field of hexadecimal digits.
func Bytes(field string) []byte {
	if field == "-" {
		return []byte{}
	}
	bytes, err := hex.DecodeString(field)
	if err != nil {
		panic(err)
	}
	return bytes
}
