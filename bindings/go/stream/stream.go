// SPDX-License-Identifier: Apache-2.0 OR MIT

// Package stream seals long texts in chunks, each of which is released only after its own tag was verified: the payload of age
// v1 files (c2sp.org/age, "Payload"), which is STREAM (Hoang, Reyhanitabar, Rogaway and Vizár 2015) with ChaCha20-Poly1305.
//
// A text is cut into chunks of [ChunkSize] bytes, of which the last may be shorter; an empty text is one chunk of 0 bytes. Each
// is followed by its tag. The nonce is the number of the chunk, from 0 on, in 11 bytes, big-endian, and a byte that is 1 for the
// last chunk, else 0. So chunks that are changed, moved, repeated or left out are not authentic, nor is a text that ends early,
// nor one that goes on: [Error] says which chunk it is, and what is wrong.
//
// [NewWriter] and [NewReader] seal and open a text from beginning to end, and [NewReaderAt] opens any part of it. The methods of
// [Cipher] seal and open chunks in any order, in any number of goroutines.
//
// One key, one text: never seal two under one key, nor a chunk of a text again after it changed. age derives the key of a file by
// HKDF-SHA-256 from a random key and a random nonce of 16 bytes.
//
// Time, branches and memory addresses depend on lengths, numbers of chunks, and which of them are authentic, never on keys, texts
// or tags.
package stream

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/hornet-mac/hornet/bindings/go/internal/aead"
	"github.com/hornet-mac/hornet/bindings/go/internal/alias"
	"github.com/hornet-mac/hornet/bindings/go/internal/asm"
)

const (
	// KeySize is the size, in bytes, of a key.
	KeySize = aead.KeySize

	// ChunkSize is the size, in bytes, of each chunk but the last, which may have fewer.
	ChunkSize = 64 << 10

	// Overhead is the size, in bytes, of the tag that follows each chunk.
	Overhead = aead.Overhead

	// SealedChunkSize is the size, in bytes, of a chunk of [ChunkSize] bytes with its tag.
	SealedChunkSize = ChunkSize + Overhead
)

var (
	// ErrChanged says that a chunk is not authentic: it was changed, or moved here, or sealed under another key.
	ErrChanged = errors.New("is not authentic")

	// ErrCutOff says that the text ends in a chunk, or before it, and was not sealed so: its end is missing. It is also an
	// [io.ErrUnexpectedEOF].
	ErrCutOff = fmt.Errorf("is cut off: %w", io.ErrUnexpectedEOF)

	// ErrGoesOn says that the text was sealed to end with a chunk, and more bytes follow.
	ErrGoesOn = errors.New("is the last one, but more bytes follow")
)

// Error says why a sealed text does not open: its error is [ErrChanged], [ErrCutOff] or [ErrGoesOn].
type Error struct {
	Chunk uint64 // its number, from 0 on
	Err   error
}

func (e *Error) Error() string { return fmt.Sprintf("stream: chunk %d %v", e.Chunk, e.Err) }

func (e *Error) Unwrap() error { return e.Err }

// SealedSize returns the size, in bytes, of a sealed text from that of the text. A negative size is an error, and so is one above
// 2^63 - 1.
func SealedSize(plaintextSize int64) (int64, error) {
	tags := Overhead * max(1, plaintextSize/ChunkSize+min(1, plaintextSize%ChunkSize))
	if plaintextSize < 0 || plaintextSize > math.MaxInt64-tags {
		return 0, fmt.Errorf("stream: a text of %d bytes cannot be sealed", plaintextSize)
	}
	return plaintextSize + tags, nil
}

// PlaintextSize returns the size, in bytes, of a text from that of the sealed text. It is an error if no sealed text has it: if
// the last chunk would have no tag, or be empty though it is not the only one.
func PlaintextSize(sealedSize int64) (int64, error) {
	whole, rest := sealedSize/SealedChunkSize, sealedSize%SealedChunkSize
	switch {
	case sealedSize == Overhead:
		return 0, nil
	case sealedSize > 0 && rest == 0:
		return whole * ChunkSize, nil
	case rest > Overhead:
		return whole*ChunkSize + rest - Overhead, nil
	}
	return 0, fmt.Errorf("stream: no text is sealed in %d bytes", sealedSize)
}

// Cipher seals and opens the chunks of one text. It holds the key until [Cipher.Wipe], or until the garbage collector reuses its
// memory. Several goroutines may use it at the same time.
type Cipher struct {
	aead aead.AEAD
}

// New returns the cipher of a key of [KeySize] bytes. Another length is an error, and so is any key in FIPS 140-only mode.
func New(key []byte) (*Cipher, error) {
	c := new(Cipher)
	if err := c.init(key); err != nil {
		return nil, err
	}
	return c, nil
}

func (c *Cipher) init(key []byte) (err error) {
	c.aead, err = aead.New("stream", key, aead.NonceSize)
	return err
}

// Wipe overwrites the key. The cipher must not be used any more.
func (c *Cipher) Wipe() { *c = Cipher{} }

// Format writes the name of the type, whatever the verb, and nothing of the key.
func (c Cipher) Format(f fmt.State, _ rune) { fmt.Fprint(f, "stream.Cipher(..)") }

// Seal seals consecutive chunks, of which the first has the number first, appends each and its tag to dst, and returns the
// extended slice. If last, the text ends with them; otherwise the length of plaintext must be a multiple of [ChunkSize].
//
// Seal panics if it is not, if there is no chunk (of 0 bytes, only the last one with the number 0 is one), or if a number would
// exceed 2^64 - 1. A single chunk is sealed in place if dst is plaintext[:0]; otherwise Seal panics if the output overlaps
// plaintext. It allocates nothing if dst has room.
func (c *Cipher) Seal(dst, plaintext []byte, first uint64, last bool) []byte {
	n := len(plaintext)
	if n == 0 && (first != 0 || !last) || n%ChunkSize != 0 && !last {
		panic("stream: bad length passed to Seal")
	}
	count := (n-1)/ChunkSize + 1 // which is 1 if n is 0
	if uint64(count-1) > math.MaxUint64-first {
		panic("stream: bad chunk number passed to Seal")
	}
	whole, out := aead.Extend(dst, n+count*Overhead)
	if count > 1 && alias.Any(out, plaintext) {
		panic("stream: invalid buffer overlap of output and input")
	}
	for i := range count {
		text := plaintext[i*ChunkSize : min(n, (i+1)*ChunkSize)]
		c.seal(out[i*SealedChunkSize:], text, first+uint64(i), last && i == count-1)
	}
	return whole
}

// Open opens consecutive chunks with their tags, of which the first has the number first, appends their text to dst, and returns
// the extended slice. If last, the last of them must be the end of the text.
//
// If a chunk is not authentic, Open returns an [*Error], which names the first such chunk, and overwrites the output with zeros;
// if no chunks have this length, it is [ErrCutOff]. In place, [ErrChanged] stands for the other two. Open panics if a number
// would exceed 2^64 - 1. A single chunk is opened in place if dst is ciphertext[:0]; otherwise Open panics if the output overlaps
// the chunks. It allocates nothing if dst has room.
func (c *Cipher) Open(dst, ciphertext []byte, first uint64, last bool) ([]byte, error) {
	n, rest := len(ciphertext), len(ciphertext)%SealedChunkSize
	count := n / SealedChunkSize
	if rest != 0 {
		count++
	}
	if uint64(max(1, count)-1) > math.MaxUint64-first {
		panic("stream: bad chunk number passed to Open")
	}
	empty := rest == Overhead && (count > 1 || first != 0)
	if n == 0 || rest != 0 && (!last || rest < Overhead || empty) {
		return nil, &Error{first + uint64(n/SealedChunkSize), ErrCutOff}
	}
	whole, out := aead.Extend(dst, n-count*Overhead)
	if count > 1 && alias.Any(out, ciphertext) {
		panic("stream: invalid buffer overlap of output and input")
	}
	for i := range count {
		chunk := ciphertext[i*SealedChunkSize : min(n, (i+1)*SealedChunkSize)]
		number, end := first+uint64(i), last && i == count-1
		text := out[i*ChunkSize : i*ChunkSize+len(chunk)-Overhead]
		if c.open(text, chunk, number, end) {
			continue
		}
		// Is it authentic with the other end? In place, there are only zeros now, so that it is not.
		failed := &Error{number, ErrChanged}
		if i == count-1 && len(text) == ChunkSize && c.open(text, chunk, number, !end) {
			failed.Err = ErrGoesOn
			if end {
				failed = &Error{max(number, number+1), ErrCutOff}
			}
		}
		asm.Clear(out)
		return nil, failed
	}
	return whole, nil
}

// seal writes a chunk and its tag to the beginning of out.
func (c *Cipher) seal(out, text []byte, number uint64, last bool) {
	nonce := nonceOf(number, last)
	c.aead.Seal(out[:0], nonce[:], text, nil)
}

// open writes the text of a chunk to out, or zeros if it is not authentic.
func (c *Cipher) open(out, chunk []byte, number uint64, last bool) bool {
	nonce := nonceOf(number, last)
	_, err := c.aead.Open(out[:0], nonce[:], chunk, nil)
	return err == nil
}

func nonceOf(number uint64, last bool) (nonce [aead.NonceSize]byte) {
	binary.BigEndian.PutUint64(nonce[3:], number)
	if last {
		nonce[11] = 1
	}
	return nonce
}

var errWiped = errors.New("stream: used after Wipe")
