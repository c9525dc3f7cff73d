// SPDX-License-Identifier: Apache-2.0 OR MIT

package asm_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"math/bits"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hornet-mac/hornet/bindings/go/chacha20poly1305"
	"github.com/hornet-mac/hornet/bindings/go/internal/chacha20"
	"github.com/hornet-mac/hornet/bindings/go/poly1305"
)

// TestOneWayToAssembly checks that, on all architectures, every assembly function with a length parameter is called only
// through a function that reads MaxBytes.
func TestOneWayToAssembly(t *testing.T) {
	var files []string
	for _, pattern := range []string{"../../*/*.go", "../*/*.go"} {
		matches, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, matches...)
	}
	packages := map[string][]*ast.FuncDecl{}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, declaration := range file.Decls {
			if f, ok := declaration.(*ast.FuncDecl); ok {
				packages[filepath.Dir(name)] = append(packages[filepath.Dir(name)], f)
			}
		}
	}

	found := 0
	for folder, functions := range packages {
		// The key is the name of a function from which assembly is reached, the value the names of the functions on the path.
		reaches := map[string]string{}
		for _, f := range functions {
			if f.Body == nil && takesLength(f) {
				reaches[f.Name.Name] = f.Name.Name
				found++
			}
		}
		for grown := true; grown; {
			grown = false
			for _, f := range functions {
				if f.Body == nil || reaches[f.Name.Name] != "" {
					continue
				}
				names := mentioned(f.Body)
				if slices.Contains(names, "MaxBytes") {
					continue
				}
				for _, name := range names {
					if reaches[name] != "" {
						reaches[f.Name.Name] = f.Name.Name + ", " + reaches[name]
						grown = true
						break
					}
				}
			}
		}
		for _, f := range functions {
			if f.Name.IsExported() && reaches[f.Name.Name] != "" {
				t.Errorf("%s: a call of assembly of any length: %s", folder, reaches[f.Name.Name])
			}
		}
	}
	if found < 7 {
		t.Errorf("only %d functions in assembly are found", found)
	}
}

// takesLength reports whether f has a parameter that is not a pointer.
func takesLength(f *ast.FuncDecl) bool {
	return slices.ContainsFunc(f.Type.Params.List, func(parameter *ast.Field) bool {
		_, isPointer := parameter.Type.(*ast.StarExpr)
		return !isPointer
	})
}

func mentioned(body *ast.BlockStmt) (names []string) {
	ast.Inspect(body, func(node ast.Node) bool {
		if identifier, ok := node.(*ast.Ident); ok {
			names = append(names, identifier.Name)
		}
		return true
	})
	return names
}

// TestPreemption checks that the world can be stopped several times while a long message is processed. If one call of
// assembly processed all of it, the world would stop once, and wait for the end.
func TestPreemption(t *testing.T) {
	const overhead = chacha20poly1305.Overhead
	a, err := chacha20poly1305.New(make([]byte, chacha20poly1305.KeySize))
	if err != nil {
		t.Fatal(err)
	}
	nonce, otherNonce := make([]byte, chacha20poly1305.NonceSize), []byte("other number")
	// Memory that is only read takes no space: the operating system maps the same page of zeros everywhere.
	const longestWritten, longestRead = 1 << 28, 1 << (28 + bits.UintSize/64*2)
	buffer := make([]byte, longestRead+overhead)
	key, tag := new(poly1305.OneTimeKey), new([poly1305.TagSize]byte)

	// One processor runs the goroutine, the other stops it.
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	seal := func(m []byte) { a.Seal(m[:0], nonce, m, nil) }
	open := func(m []byte) {
		if _, err := a.Open(m[:0], nonce, m[:len(m)+overhead], nil); err != nil {
			t.Error(err)
		}
	}
	for _, c := range []struct {
		what       string
		longest    int
		prepare, f func(m []byte) // the array of m has room for a tag after it
	}{
		{"Sum", longestRead, nil, func(m []byte) { poly1305.Sum(tag, m, key) }},
		{"MAC.Write", longestRead, nil, func(m []byte) { poly1305.New(key).Write(m) }},
		{"XOR", longestWritten, nil, func(m []byte) { new(chacha20.State).XOR(m, m) }},
		{"Seal", longestWritten, nil, seal},
		{"Seal with much additional data", longestRead, nil, func(m []byte) { a.Seal(nil, nonce, nil, m) }},
		{"Open", longestWritten, seal, open},
		{"Open of a forgery", longestWritten, nil, func(m []byte) { a.Open(m[:0], otherNonce, m[:len(m)+overhead], nil) }},
	} {
		// Some tries fail because of other load on the machine; fewer do if each takes longer.
		n := 1 << 24
		preempted := false
		for try := 0; try < 50 && !preempted; try++ {
			m := buffer[:n]
			if c.prepare != nil {
				c.prepare(m)
			}
			const enough = 32 * time.Millisecond
			stops, stopped, whole := stopTheWorld(func() { c.f(m) }, enough/64)
			if whole < enough && n < c.longest {
				n *= 2
				continue
			}
			preempted = stops >= 8 && stopped < whole/2
		}
		if !preempted {
			t.Errorf("%s: %d MiB are not preempted", c.what, n>>20)
		}
	}
}

// stopTheWorld calls f, and stops the world repeatedly while f runs. It returns the number of stops, the longest stop, and
// the time of f.
func stopTheWorld(f func(), between time.Duration) (stops int, longest, whole time.Duration) {
	begun := make(chan struct{})
	var ended atomic.Bool
	go func() {
		close(begun)
		f()
		ended.Store(true)
	}()
	<-begun
	begin := time.Now()
	var unused runtime.MemStats
	for !ended.Load() {
		start := time.Now()
		runtime.ReadMemStats(&unused) // stops the world
		stops, longest = stops+1, max(longest, time.Since(start))
		for start = time.Now(); !ended.Load() && time.Since(start) < between; {
		}
	}
	return stops, longest, time.Since(begin)
}
