// SPDX-License-Identifier: Apache-2.0 OR MIT

// Command verify verifies every Poly1305-AES tag of a restic repository with Hornet, and sees that it refuses copies of
// the files with one bit flipped.
//
//	verify REPOSITORY PASSWORD...
//
// It needs the password of each key file. It also decrypts what it verifies: only then are the master key and the
// places of the blobs in a pack known, and the plaintext shows that nonce, text and tag are what restic means by them.
// It fails if a file of the repository or a byte of a pack is left over, or if there is no tag of some kind.
//
// The format is described in doc/design.rst of restic's sources, from "Repository Layout" to "Locks". Hornet does the
// tags and nothing else; AES-256-CTR, SHA-256 and scrypt are Go's.
package main

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"os"

	"golang.org/x/crypto/scrypt"
)

// fileKinds says where the files of each kind are. The keys come first: the master key is in them.
var fileKinds = []struct{ kind, pattern string }{
	{"key", "keys/*"},
	{"config", "config"},
	{"index", "index/*"},
	{"snapshot", "snapshots/*"},
	{"lock", "locks/*"},
	{"pack", "data/??/*"},
}

// tagKinds are the kinds of tags. A repository must have all of them.
var tagKinds = []string{"key", "config", "index", "snapshot", "lock", "pack blob", "pack header"}

func main() {
	log.SetFlags(0)
	if len(os.Args) < 3 {
		log.Fatal("usage: verify REPOSITORY PASSWORD...")
	}
	root := os.Args[1]
	r := &repository{passwords: os.Args[2:], derived: make(map[string]*key), tags: make(map[string]int)}
	if err := r.verify(os.DirFS(root)); err != nil {
		log.Fatalf("%s: %v", root, err)
	}
	for _, kind := range tagKinds {
		fmt.Printf("%d %s\n", r.tags[kind], kind)
		if r.tags[kind] == 0 {
			log.Fatalf("%s: no %s", root, kind)
		}
	}
	fmt.Printf("%d blobs in the largest batch\n", r.largestBatch)
	if r.largestBatch < 2 {
		log.Fatalf("%s: no pack has two blobs", root)
	}
	fmt.Printf("%d changed copies refused\n", r.refused)
}

// A repository is what is known of one so far.
type repository struct {
	passwords    []string
	derived      map[string]*key // from a password, by all that goes into it: scrypt is slow
	master       *key
	tags         map[string]int // those verified, by kind
	largestBatch int
	refused      int // copies of files
}

// verify verifies all files of a repository.
func (r *repository) verify(repo fs.FS) error {
	left := make(map[string]bool)
	err := fs.WalkDir(repo, ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			left[name] = true
		}
		return err
	})
	if err != nil {
		return err
	}
	for _, f := range fileKinds {
		names, err := fs.Glob(repo, f.pattern)
		if err != nil {
			return err
		}
		for _, name := range names {
			content, err := fs.ReadFile(repo, name)
			if err != nil {
				return err
			}
			if err := r.verifyFile(f.kind, content); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			delete(left, name)
		}
	}
	for name := range left {
		return fmt.Errorf("%s: a file of no known kind", name)
	}
	return nil
}

// verifyFile verifies one file, counts its tags, and sees that changed copies are refused.
func (r *repository) verifyFile(kind string, content []byte) error {
	parts, err := r.open(kind, content)
	if err != nil {
		return err
	}
	if kind == "pack" {
		blobs := len(parts) - 1
		r.tags["pack blob"] += blobs
		r.tags["pack header"]++
		r.largestBatch = max(r.largestBatch, blobs)
	} else {
		r.tags[kind] += len(parts)
	}

	// In the first, the middle and the last part: a bit of the nonce, of the ciphertext and of the tag.
	offset := 0
	for i, part := range parts {
		if i == 0 || i == len(parts)/2 || i == len(parts)-1 {
			for _, at := range []int{0, len(part) / 2, len(part) - 1} {
				changed, err := flip(kind, content, offset+at)
				if err != nil {
					return err
				}
				if _, err := r.open(kind, changed); !errors.Is(err, errTag) {
					return fmt.Errorf("with a bit of byte %d flipped: %v, want %v", offset+at, err, errTag)
				}
				r.refused++
			}
		}
		offset += len(part)
	}
	return nil
}

// flip returns a copy of a file with one bit flipped. The bytes of a key file are counted in its only field that has
// a tag.
func flip(kind string, content []byte, offset int) ([]byte, error) {
	if kind == "key" {
		var file keyFile
		if err := json.Unmarshal(content, &file); err != nil {
			return nil, err
		}
		file.Data[offset] ^= 1
		return json.Marshal(file)
	}
	changed := bytes.Clone(content)
	changed[offset] ^= 1
	return changed, nil
}

// open verifies and decrypts a file, and returns the parts of it that have a tag, in order.
func (r *repository) open(kind string, content []byte) ([]sealed, error) {
	switch kind {
	case "key":
		return r.openKey(content)
	case "pack":
		return r.openPack(content)
	}
	parts := []sealed{content}
	texts, err := r.master.open(parts)
	if err != nil {
		return nil, err
	}
	// Since version 2 of the format, some are a byte that is 2, and compressed JSON.
	if !json.Valid(texts[0]) && !(texts[0][0] == 2 && isZstandard(texts[0][1:])) {
		return nil, errors.New("the plaintext is no JSON")
	}
	return parts, nil
}

// A keyFile holds the master key, sealed with a key that scrypt derives from a password.
type keyFile struct {
	KDF     string
	N, R, P int
	Salt    []byte
	Data    sealed
}

// openKey opens a key file by exactly one of the passwords. All must hold the same master key.
func (r *repository) openKey(content []byte) ([]sealed, error) {
	var file keyFile
	if err := json.Unmarshal(content, &file); err != nil {
		return nil, err
	}
	parts := []sealed{file.Data}
	var text []byte
	for _, password := range r.passwords {
		user, err := r.derive(password, &file)
		if err != nil {
			return nil, err
		}
		switch texts, err := user.open(parts); {
		case err == nil && text == nil:
			text = texts[0]
		case err == nil:
			return nil, errors.New("a key for two passwords")
		case !errors.Is(err, errTag):
			return nil, err
		}
	}
	if text == nil {
		return nil, fmt.Errorf("under no password: %w", errTag)
	}

	var master struct {
		MAC     struct{ K, R []byte }
		Encrypt []byte
	}
	if err := json.Unmarshal(text, &master); err != nil {
		return nil, err
	}
	opened, err := newKey(master.Encrypt, master.MAC.K, master.MAC.R)
	if err != nil {
		return nil, err
	}
	if r.master == nil {
		r.master = opened
	}
	if *r.master != *opened {
		return nil, errors.New("another master key")
	}
	return parts, nil
}

// derive returns the key that a key file is sealed with.
func (r *repository) derive(password string, file *keyFile) (*key, error) {
	if file.KDF != "scrypt" {
		return nil, fmt.Errorf("unknown key derivation function %q", file.KDF)
	}
	name := fmt.Sprintf("%q %x %d %d %d", password, file.Salt, file.N, file.R, file.P)
	if r.derived[name] == nil {
		b, err := scrypt.Key([]byte(password), file.Salt, file.N, file.R, file.P, 64)
		if err != nil {
			return nil, err
		}
		if r.derived[name], err = newKey(b[:32], b[32:48], b[48:]); err != nil {
			return nil, err
		}
	}
	return r.derived[name], nil
}

// openPack opens a pack: blobs in a row, a header that says what they are, and the header's length.
func (r *repository) openPack(content []byte) ([]sealed, error) {
	if len(content) < 4 {
		return nil, errors.New("a pack too short for a header's length")
	}
	content, last := content[:len(content)-4], content[len(content)-4:]
	length := binary.LittleEndian.Uint32(last)
	if uint64(length) > uint64(len(content)) {
		return nil, errors.New("a header longer than its pack")
	}
	content, header := content[:len(content)-int(length)], sealed(content[len(content)-int(length):])
	headers, err := r.master.open([]sealed{header})
	if err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	entries, err := parseHeader(headers[0])
	if err != nil {
		return nil, err
	}

	var blobs []sealed
	for _, e := range entries {
		if uint64(e.length) > uint64(len(content)) {
			return nil, errors.New("a blob that reaches beyond its pack")
		}
		blobs = append(blobs, content[:e.length])
		content = content[e.length:]
	}
	if len(content) != 0 {
		return nil, fmt.Errorf("%d bytes between the last blob and the header", len(content))
	}
	texts, err := r.master.open(blobs)
	if err != nil {
		return nil, err
	}
	for i, e := range entries {
		if e.compressed && !isZstandard(texts[i]) || !e.compressed && sha256.Sum256(texts[i]) != e.hash {
			return nil, fmt.Errorf("the plaintext of blob %d is not what the header says", i)
		}
	}
	return append(blobs, header), nil
}

// An entry is what a pack's header says of a blob.
type entry struct {
	compressed bool
	length     uint32   // sealed
	hash       [32]byte // SHA-256 of the plaintext, before it was compressed
}

// parseHeader parses the header of a pack.
func parseHeader(b []byte) (entries []entry, err error) {
	for len(b) > 0 {
		kind := b[0] // data, tree, compressed data, compressed tree
		if kind > 3 {
			return nil, fmt.Errorf("unknown type of blob %d", kind)
		}
		e := entry{compressed: kind >= 2}
		size := 1 + 4 + 32
		if e.compressed {
			size += 4 // the length before it was compressed
		}
		if len(b) < size {
			return nil, errors.New("a header that ends within an entry")
		}
		e.length = binary.LittleEndian.Uint32(b[1:])
		e.hash = [32]byte(b[size-32 : size])
		entries = append(entries, e)
		b = b[size:]
	}
	return entries, nil
}

// isZstandard reports whether b begins as what Zstandard compressed does.
func isZstandard(b []byte) bool {
	return bytes.HasPrefix(b, []byte{0x28, 0xb5, 0x2f, 0xfd})
}

// A sealed is a text as restic encrypts it: the nonce, the ciphertext, and the tag of the ciphertext under the nonce.
type sealed []byte

func (s sealed) nonce() []byte      { return s[:16] }
func (s sealed) ciphertext() []byte { return s[16 : len(s)-16] }
func (s sealed) tag() []byte        { return s[len(s)-16:] }

// A key is what restic encrypts and authenticates with.
type key struct {
	encrypt [32]byte
	mac     macKey
}

// newKey makes a key of its parts.
func newKey(encrypt, k, r []byte) (*key, error) {
	if len(encrypt) != 32 || len(k) != 16 || len(r) != 16 {
		return nil, errors.New("a key of the wrong length")
	}
	return &key{[32]byte(encrypt), newMACKey([16]byte(k), [16]byte(r))}, nil
}

// errTag is that a tag is wrong, says Hornet.
var errTag = errors.New("wrong tag")

// open verifies all tags, and decrypts the texts if none is wrong. Each is verified in three ways: with all others in
// one batch, alone, and streamed.
func (k *key) open(parts []sealed) (texts [][]byte, err error) {
	for i, part := range parts {
		if len(part) < 32 {
			return nil, fmt.Errorf("part %d is too short for a nonce and a tag", i)
		}
	}
	for i, valid := range k.mac.verifyBatch(parts) {
		alone, streamed := k.mac.verify(parts[i]), k.mac.verifyStreamed(parts[i])
		if alone != valid || streamed != valid {
			return nil, fmt.Errorf("part %d is valid: %t in a batch, %t alone, %t streamed", i, valid, alone, streamed)
		}
		if !valid && err == nil {
			err = fmt.Errorf("part %d: %w", i, errTag)
		}
	}
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(k.encrypt[:])
	if err != nil {
		return nil, err
	}
	for _, part := range parts {
		text := make([]byte, len(part.ciphertext()))
		cipher.NewCTR(block, part.nonce()).XORKeyStream(text, part.ciphertext())
		texts = append(texts, text)
	}
	return texts, nil
}
