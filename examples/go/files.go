// SPDX-License-Identifier: Apache-2.0 OR MIT

// Seals a file in chunks of 64 KiB, or opens it. Sealing creates the key, which serves one text. Nothing is written that was not
// verified, and a file gets its name when it is complete.
package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"

	"github.com/hornet-mac/hornet/bindings/go/stream"
)

var incomplete string

func check(err error) {
	if err != nil {
		os.Remove(incomplete)
		log.Fatal(err)
	}
}

func main() {
	if len(os.Args) != 5 || (os.Args[1] != "seal" && os.Args[1] != "open") {
		check(errors.New("usage: files seal|open KEY FROM TO"))
	}
	from, err := os.Open(os.Args[3])
	check(err)
	to, err := os.CreateTemp(filepath.Dir(os.Args[4]), ".files-*")
	check(err)
	incomplete = to.Name()
	var n int64
	if os.Args[1] == "seal" {
		key := make([]byte, stream.KeySize)
		rand.Read(key)                                                                 // which never fails
		file, err := os.OpenFile(os.Args[2], os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) // no key is used again
		check(err)
		_, err = file.Write(key)
		check(errors.Join(err, file.Close()))
		w, err := stream.NewWriter(key, to)
		check(err)
		n, err = io.Copy(w, from)
		check(errors.Join(err, w.Close())) // without Close, the text has no end
	} else {
		key, err := os.ReadFile(os.Args[2])
		check(err)
		r, err := stream.NewReader(key, from)
		check(err)
		n, err = io.Copy(to, r)
		check(err)
	}
	check(errors.Join(to.Sync(), to.Close()))
	check(os.Rename(incomplete, os.Args[4]))
	fmt.Printf("%s: %d bytes\n", os.Args[1], n)
}
