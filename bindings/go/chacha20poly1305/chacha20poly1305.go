// SPDX-License-Identifier: Apache-2.0 OR MIT

// Package chacha20poly1305 implements the AEAD ChaCha20-Poly1305 (RFC 8439) and its variant with longer nonces,
// XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha-03), as a [cipher.AEAD]. It can replace
// golang.org/x/crypto/chacha20poly1305.
//
// Use a nonce for one message only. Two messages under the same key and nonce reveal both, and let anyone forge messages.
// Count the nonces of [New]; those of [NewX] are long enough to be random.
//
// Seal and Open follow [cipher.AEAD]: they append to dst, allocate nothing if dst has room, and work in place if dst is
// plaintext[:0] or ciphertext[:0]. They panic in the same cases as the ciphers of the standard library: if the nonce has the
// wrong length, if the output overlaps the input other than in place or overlaps the additional data at all, or if the
// message is too long. If a message is not authentic, Open returns an error and overwrites the output with zeros.
//
// In addition, the output of Open may overlap the tag if it does not overlap the rest of the ciphertext, because Open reads
// the tag before it writes. In that case the amd64 assembly of golang.org/x/crypto rejects authentic messages.
//
// The goroutine can be preempted while it processes a message, however long the message is.
//
// Time, branches and memory addresses depend on lengths, nonces and the verdict of Open, never on keys, messages or tags.
package chacha20poly1305

import (
	"crypto/cipher"
	"crypto/fips140"
	"errors"
	"fmt"
	"slices"

	"github.com/hornet-mac/hornet/bindings/go/internal/alias"
	"github.com/hornet-mac/hornet/bindings/go/internal/asm"
	"github.com/hornet-mac/hornet/bindings/go/internal/chacha20"
	"github.com/hornet-mac/hornet/bindings/go/internal/poly1305"
	"github.com/hornet-mac/hornet/bindings/go/internal/stitched"
)

const (
	// KeySize is the size, in bytes, of a key.
	KeySize = chacha20.KeySize

	// NonceSize is the size, in bytes, of a nonce of [New]. It is too short for random nonces if many messages share a key.
	NonceSize = 12

	// NonceSizeX is the size, in bytes, of a nonce of [NewX].
	NonceSizeX = 24

	// Overhead is the size, in bytes, of the tag, by which a ciphertext is longer than its plaintext.
	Overhead = poly1305.TagSize

	// The counter has 32 bits, and block 0 of the keystream is the Poly1305 key.
	maxPlaintext = (1<<32 - 1) * chacha20.BlockSize
)

var errOpen = errors.New("chacha20poly1305: message authentication failed")

type aead struct {
	key       chacha20.Key
	nonceSize int
}

// New returns ChaCha20-Poly1305 with a key of [KeySize] bytes and nonces of [NonceSize] bytes.
func New(key []byte) (cipher.AEAD, error) { return newAEAD(key, NonceSize) }

// NewX returns XChaCha20-Poly1305 with a key of [KeySize] bytes and nonces of [NonceSizeX] bytes.
func NewX(key []byte) (cipher.AEAD, error) { return newAEAD(key, NonceSizeX) }

func newAEAD(key []byte, nonceSize int) (cipher.AEAD, error) {
	if fips140.Enforced() {
		return nil, errors.New("chacha20poly1305: use of ChaCha20-Poly1305 is not allowed in FIPS 140-only mode")
	}
	if len(key) != KeySize {
		return nil, fmt.Errorf("chacha20poly1305: a key of %d bytes, not %d", len(key), KeySize)
	}
	return &aead{key: chacha20.LoadKey((*[KeySize]byte)(key)), nonceSize: nonceSize}, nil
}

func (a *aead) NonceSize() int { return a.nonceSize }

func (a *aead) Overhead() int { return Overhead }

func (a *aead) Seal(dst, nonce, plaintext, additionalData []byte) []byte {
	if len(nonce) != a.nonceSize {
		panic("chacha20poly1305: bad nonce length passed to Seal")
	}
	if uint64(len(plaintext)) > maxPlaintext {
		panic("chacha20poly1305: plaintext too large")
	}
	whole, out := extend(dst, len(plaintext)+Overhead)
	checkOverlap(out, plaintext, additionalData)

	if stitched.Pays(len(plaintext)) {
		a.sealStitched(out, nonce, plaintext, additionalData)
	} else {
		a.seal(out, nonce, plaintext, additionalData)
	}
	return whole
}

func (a *aead) Open(dst, nonce, ciphertext, additionalData []byte) ([]byte, error) {
	if len(nonce) != a.nonceSize {
		panic("chacha20poly1305: bad nonce length passed to Open")
	}
	if len(ciphertext) < Overhead {
		return nil, errOpen
	}
	n := len(ciphertext) - Overhead
	if uint64(n) > maxPlaintext {
		panic("chacha20poly1305: ciphertext too large")
	}
	ciphertext, tag := ciphertext[:n], (*[Overhead]byte)(ciphertext[n:])
	whole, out := extend(dst, n)
	checkOverlap(out, ciphertext, additionalData)

	var valid bool
	// The buffer comes in several sizes because it is cleared before and after use.
	switch {
	case n <= 3*chacha20.BlockSize:
		var stream chacha20.Room4
		valid = a.openShort(out, nonce, ciphertext, additionalData, tag, chacha20.Line(stream.Bytes[:]))
		stream = chacha20.Room4{}
	case stitched.Pays(n):
		valid = a.openStitched(out, nonce, ciphertext, additionalData, tag)
	case n <= 7*chacha20.BlockSize:
		var stream chacha20.Room8
		valid = a.openShort(out, nonce, ciphertext, additionalData, tag, chacha20.Line(stream.Bytes[:]))
		stream = chacha20.Room8{}
	default:
		valid = a.openLong(out, nonce, ciphertext, additionalData, tag)
	}
	if !valid {
		for step := range slices.Chunk(out, asm.MaxBytes) {
			clear(step)
		}
		return nil, errOpen
	}
	return whole, nil
}

// chunkSize is the number of bytes that are encrypted before they are authenticated. A chunk fits in L2.
const chunkSize = 1 << 16

// seal writes ciphertext and tag to out.
func (a *aead) seal(out, nonce, plaintext, additionalData []byte) {
	var s chacha20.State
	var p poly1305.State
	var room chacha20.Room1
	key := (*[chacha20.BlockSize]byte)(chacha20.Line(room.Bytes[:]))
	a.init(&s, nonce)

	done := min(len(plaintext), chunkSize)
	s.XORAfterKey(out[:done], plaintext[:done], key)
	if done == len(plaintext) {
		poly1305.SumShort((*[Overhead]byte)(out[done:]), additionalData, out[:done], (*[poly1305.KeySize]byte)(key[:]))
		s, room = chacha20.State{}, chacha20.Room1{}
		return
	}
	p.Init((*[poly1305.KeySize]byte)(key[:]))
	p.AbsorbPadded(additionalData)
	absorbed := 0
	for done < len(plaintext) {
		p.Absorb(out[absorbed:done])
		absorbed = done
		n := min(len(plaintext)-done, chunkSize)
		s.XOR(out[done:done+n], plaintext[done:done+n])
		done += n
	}

	p.AbsorbLast(out[absorbed:done], uint64(len(additionalData)), uint64(len(plaintext)))
	p.Tag((*[Overhead]byte)(out[done:]))
	s, p, room = chacha20.State{}, poly1305.State{}, chacha20.Room1{}
}

// open writes the plaintext to out if the tag is right. stream has room for the first blocks of the keystream.
func (a *aead) open(out, nonce, ciphertext, additionalData []byte, tag *[Overhead]byte, stream []byte, blocks int) bool {
	var s chacha20.State
	var p poly1305.State
	var expected [Overhead]byte
	a.init(&s, nonce)
	s.Stream(stream, blocks)
	if key := (*[poly1305.KeySize]byte)(stream); len(ciphertext) <= chunkSize {
		poly1305.SumShort(&expected, additionalData, ciphertext, key)
	} else {
		p.Init(key)
		p.AbsorbPadded(additionalData)
		p.AbsorbLast(ciphertext, uint64(len(additionalData)), uint64(len(ciphertext)))
		p.Tag(&expected)
	}
	valid := poly1305.Equal(&expected, tag)
	if valid {
		done := min(len(ciphertext), (blocks-1)*chacha20.BlockSize)
		chacha20.XORBytes(out, ciphertext[:done], stream[chacha20.BlockSize:])
		s.XOR(out[done:], ciphertext[done:])
	}

	s, p, expected = chacha20.State{}, poly1305.State{}, [Overhead]byte{}
	return valid
}

// openLong calls open with a buffer of the size that the message takes.
func (a *aead) openLong(out, nonce, ciphertext, additionalData []byte, tag *[Overhead]byte) (valid bool) {
	switch first := firstBlocks(len(ciphertext)); chacha20.StreamRoom(first) {
	case 4:
		var stream chacha20.Room4
		valid = a.open(out, nonce, ciphertext, additionalData, tag, chacha20.Line(stream.Bytes[:]), first)
		stream = chacha20.Room4{}
	case 8:
		var stream chacha20.Room8
		valid = a.open(out, nonce, ciphertext, additionalData, tag, chacha20.Line(stream.Bytes[:]), first)
		stream = chacha20.Room8{}
	case 12:
		var stream chacha20.Room12
		valid = a.open(out, nonce, ciphertext, additionalData, tag, chacha20.Line(stream.Bytes[:]), first)
		stream = chacha20.Room12{}
	case 16:
		var stream chacha20.Room16
		valid = a.open(out, nonce, ciphertext, additionalData, tag, chacha20.Line(stream.Bytes[:]), first)
		stream = chacha20.Room16{}
	default:
		var stream chacha20.Room32
		valid = a.open(out, nonce, ciphertext, additionalData, tag, chacha20.Line(stream.Bytes[:]), first)
		stream = chacha20.Room32{}
	}
	return valid
}

// firstBlocks returns the number of keystream blocks, including block 0, that begin makes at once for a message of n bytes.
func firstBlocks(n int) int {
	return chacha20.StreamBlocks(1 + chacha20.Blocks(n))
}

// openShort is open for a message whose whole keystream fits into stream.
func (a *aead) openShort(out, nonce, ciphertext, additionalData []byte, tag *[Overhead]byte, stream []byte) bool {
	var s chacha20.State
	var expected [Overhead]byte
	a.init(&s, nonce)
	s.Stream(stream, 1+chacha20.Blocks(len(ciphertext)))
	poly1305.SumShort(&expected, additionalData, ciphertext, (*[poly1305.KeySize]byte)(stream))
	valid := poly1305.Equal(&expected, tag)
	if valid {
		chacha20.XORBytes(out, ciphertext, stream[chacha20.BlockSize:])
	}
	s, expected = chacha20.State{}, [Overhead]byte{}
	return valid
}

// sealStitched is seal with both algorithms at the same time.
func (a *aead) sealStitched(out, nonce, plaintext, additionalData []byte) {
	var s chacha20.State
	var p poly1305.State
	a.init(&s, nonce)
	n := len(plaintext)
	stitched.Seal(out[:n], plaintext, additionalData, &s, &p)
	p.AbsorbWords(uint64(len(additionalData)), uint64(n))
	p.Tag((*[Overhead]byte)(out[n:]))
	s, p = chacha20.State{}, poly1305.State{}
}

// openStitched is open with both algorithms at the same time, so that it writes the plaintext even if the tag is wrong.
func (a *aead) openStitched(out, nonce, ciphertext, additionalData []byte, tag *[Overhead]byte) bool {
	var s chacha20.State
	var p poly1305.State
	var expected [Overhead]byte
	received := *tag // the output may overlap the tag
	a.init(&s, nonce)
	stitched.Open(out, ciphertext, additionalData, &s, &p)
	p.AbsorbWords(uint64(len(additionalData)), uint64(len(ciphertext)))
	p.Tag(&expected)
	valid := poly1305.Equal(&expected, &received)
	s, p, expected = chacha20.State{}, poly1305.State{}, [Overhead]byte{}
	return valid
}

func (a *aead) init(s *chacha20.State, nonce []byte) {
	if a.nonceSize == NonceSizeX {
		s.InitX(&a.key, (*[NonceSizeX]byte)(nonce))
	} else {
		s.Init(&a.key, (*[NonceSize]byte)(nonce))
	}
}

// extend returns dst with n bytes appended, and a slice of only these n bytes.
func extend(dst []byte, n int) (whole, out []byte) {
	whole = slices.Grow(dst, n)[:len(dst)+n]
	return whole, whole[len(dst):]
}

func checkOverlap(out, in, additionalData []byte) {
	if alias.Inexact(out, in) {
		panic("chacha20poly1305: invalid buffer overlap of output and input")
	}
	if alias.Any(out, additionalData) {
		panic("chacha20poly1305: invalid buffer overlap of output and additional data")
	}
}
