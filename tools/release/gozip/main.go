// SPDX-License-Identifier: Apache-2.0 OR MIT

// Gozip writes the zip file of a Go module, as a module proxy would make it: gozip FOLDER VERSION FILE.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: gozip FOLDER VERSION FILE")
		os.Exit(2)
	}
	if err := write(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, "gozip:", err)
		os.Exit(1)
	}
}

// write writes the file; if that fails, there is none.
func write(folder, version, file string) error {
	content, err := os.ReadFile(filepath.Join(folder, "go.mod"))
	if err != nil {
		return err
	}
	path := modfile.ModulePath(content)
	if err := module.Check(path, version); err != nil {
		return err
	}
	to, err := os.Create(file)
	if err != nil {
		return err
	}
	err = zip.CreateFromDir(to, module.Version{Path: path, Version: version}, folder)
	if closed := to.Close(); err == nil {
		err = closed
	}
	if err != nil {
		os.Remove(file)
	}
	return err
}
