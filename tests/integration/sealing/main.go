// SPDX-License-Identifier: Apache-2.0 OR MIT

// Command vectors writes the test vectors of the age project into a folder, one a file.
package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	agetest "c2sp.org/CCTV/age"
	_ "filippo.io/age/agessh" // what the command age needs
)

func main() {
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(folder string) error {
	return fs.WalkDir(agetest.Vectors, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(agetest.Vectors, path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(folder, path), content, 0o600)
	})
}
