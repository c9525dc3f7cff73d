// SPDX-License-Identifier: Apache-2.0 OR MIT

// Package guard allocates memory between inaccessible pages, for tests.
package guard

import (
	"os"
	"syscall"
	"testing"
)

// Bytes returns n bytes that end at the beginning of an inaccessible page, and n bytes that begin at the end of one.
func Bytes(t testing.TB, n int) (atEnd, atBeginning []byte) {
	t.Helper()
	page := os.Getpagesize()
	size := (n + page - 1) / page * page
	all, err := syscall.Mmap(-1, 0, size+2*page, syscall.PROT_NONE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := syscall.Munmap(all); err != nil {
			t.Error(err)
		}
	})
	inside := all[page : page+size : page+size]
	if size != 0 {
		if err := syscall.Mprotect(inside, syscall.PROT_READ|syscall.PROT_WRITE); err != nil {
			t.Fatal(err)
		}
	}
	return inside[size-n:], inside[:n:n]
}
