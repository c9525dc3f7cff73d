// SPDX-License-Identifier: Apache-2.0 OR MIT

// Writes a Markdown page for each public package of a Go module, from what `go doc` reads:
//
//	go run tools/site/go_reference.go MODULE FOLDER
package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/build"
	"go/doc"
	"go/doc/comment"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

const module = "github.com/hornet-mac/hornet/bindings/go"

func main() {
	if len(os.Args) != 3 {
		fail(fmt.Errorf("usage: go_reference.go MODULE FOLDER"))
	}
	root, out := os.Args[1], os.Args[2]
	fail(os.MkdirAll(out, 0o755))
	fail(filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return err
		}
		name, _ := filepath.Rel(root, path)
		// The comparison with other libraries is a module of its own.
		if entry.Name() == "internal" || name == "compare" {
			return filepath.SkipDir
		}
		found, err := build.ImportDir(path, 0)
		if err != nil {
			return nil // no package
		}
		text, err := page(found, module+"/"+filepath.ToSlash(name))
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(out, strings.ReplaceAll(name, string(filepath.Separator), "_")+".md"), text, 0o644)
	}))
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// linker leads to the page of another package, or to the heading below which a page describes a name.
func linker(documented *doc.Package) func(*comment.DocLink) string {
	anchors := map[string]string{"": ""}
	for _, declared := range documented.Types {
		anchors[declared.Name] = "type-" + strings.ToLower(declared.Name)
	}
	for _, value := range append(append([]*doc.Value{}, documented.Consts...), documented.Vars...) {
		for _, name := range value.Names {
			anchors[name] = "constants-and-variables"
		}
	}
	return func(link *comment.DocLink) string {
		anchor, known := anchors[link.Name]
		switch {
		case strings.HasPrefix(link.ImportPath, module+"/"):
			return strings.ReplaceAll(strings.TrimPrefix(link.ImportPath, module+"/"), "/", "_") + ".md"
		case link.ImportPath != "":
			return "https://pkg.go.dev/" + link.ImportPath
		case !known || link.Recv != "":
			anchor = strings.ToLower(link.Recv + link.Name)
		}
		return "#" + anchor
	}
}

func page(found *build.Package, path string) ([]byte, error) {
	files := token.NewFileSet()
	var parsed []*ast.File
	for _, name := range append(append(append([]string{}, found.GoFiles...), found.TestGoFiles...), found.XTestGoFiles...) {
		file, err := parser.ParseFile(files, filepath.Join(found.Dir, name), nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		parsed = append(parsed, file)
	}
	documented, err := doc.NewFromFiles(files, parsed, path)
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	printer := documented.Printer()
	printer.HeadingLevel = 3
	printer.HeadingID = func(*comment.Heading) string { return "" }
	printer.DocLinkURL = linker(documented)

	prose := func(about string) {
		text.Write(printer.Markdown(documented.Parser().Parse(about)))
		text.WriteString("\n")
	}
	code := func(node any) {
		text.WriteString("```go\n")
		fail(format.Node(&text, files, node))
		text.WriteString("\n```\n\n")
	}
	examples := func(all []*doc.Example) {
		for _, example := range all {
			fmt.Fprintf(&text, "**Example%s**\n\n", strings.TrimRight(" "+strings.ReplaceAll(example.Suffix, "_", " "), " "))
			prose(example.Doc)
			if example.Play != nil {
				code(example.Play)
			} else {
				code(example.Code)
			}
		}
	}
	values := func(all []*doc.Value) {
		for _, value := range all {
			code(value.Decl)
			prose(value.Doc)
		}
	}
	funcs := func(all []*doc.Func, receiver string) {
		for _, function := range all {
			fmt.Fprintf(&text, "### %s%s\n\n", receiver, function.Name)
			function.Decl.Body = nil
			code(function.Decl)
			prose(function.Doc)
			examples(function.Examples)
		}
	}

	fmt.Fprintf(&text, "# Go: %s\n\n```go\nimport \"%s\"\n```\n\n", found.Name, path)
	prose(documented.Doc)
	examples(documented.Examples)
	if len(documented.Consts)+len(documented.Vars) > 0 {
		text.WriteString("## Constants and variables\n\n")
		values(documented.Consts)
		values(documented.Vars)
	}
	if len(documented.Funcs) > 0 {
		text.WriteString("## Functions\n\n")
		funcs(documented.Funcs, "")
	}
	for _, declared := range documented.Types {
		fmt.Fprintf(&text, "## type %s\n\n", declared.Name)
		code(declared.Decl)
		prose(declared.Doc)
		examples(declared.Examples)
		values(declared.Consts)
		values(declared.Vars)
		funcs(declared.Funcs, "")
		funcs(declared.Methods, declared.Name+".")
	}
	return text.Bytes(), nil
}
