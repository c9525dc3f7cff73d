// SPDX-License-Identifier: Apache-2.0 OR MIT

// Package aead is the AEAD of packages chacha20poly1305 and stream: ChaCha20-Poly1305 and XChaCha20-Poly1305.
package aead

import (
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

// Sizes in bytes: those of package chacha20poly1305.
const (
	KeySize    = chacha20.KeySize
	NonceSize  = 12
	NonceSizeX = 24
	Overhead   = poly1305.TagSize
)

// The counter has 32 bits, and block 0 of the keystream is the Poly1305 key.
const maxPlaintext = (1<<32 - 1) * chacha20.BlockSize

var errOpen = errors.New("chacha20poly1305: message authentication failed")

// AEAD is a cipher.AEAD. Its methods do not let their arguments escape, so that who calls them directly allocates nothing.
type AEAD struct {
	key       chacha20.Key
	nonceSize int
}

// New returns the AEAD with nonces of nonceSize bytes: [NonceSize] or [NonceSizeX]. Errors begin with the name of the package
// that is called.
func New(name string, key []byte, nonceSize int) (AEAD, error) {
	if fips140.Enforced() {
		return AEAD{}, errors.New(name + ": use of ChaCha20-Poly1305 is not allowed in FIPS 140-only mode")
	}
	if len(key) != KeySize {
		return AEAD{}, fmt.Errorf("%s: a key of %d bytes, not %d", name, len(key), KeySize)
	}
	return AEAD{chacha20.LoadKey((*[KeySize]byte)(key)), nonceSize}, nil
}

// NonceSize is that of cipher.AEAD, and so are the next methods.
func (a *AEAD) NonceSize() int { return a.nonceSize }

func (a *AEAD) Overhead() int { return Overhead }

func (a *AEAD) Seal(dst, nonce, plaintext, additionalData []byte) []byte {
	if len(nonce) != a.nonceSize {
		panic("chacha20poly1305: bad nonce length passed to Seal")
	}
	if uint64(len(plaintext)) > maxPlaintext {
		panic("chacha20poly1305: plaintext too large")
	}
	whole, out := Extend(dst, len(plaintext)+Overhead)
	checkOverlap(out, plaintext, additionalData)

	if stitched.Pays(len(plaintext)) {
		a.sealStitched(out, nonce, plaintext, additionalData)
	} else {
		a.seal(out, nonce, plaintext, additionalData)
	}
	return whole
}

func (a *AEAD) Open(dst, nonce, ciphertext, additionalData []byte) ([]byte, error) {
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
	whole, out := Extend(dst, n)
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
		asm.Clear(out)
		return nil, errOpen
	}
	return whole, nil
}

// chunkSize is the number of bytes that are encrypted before they are authenticated. A chunk fits in L2.
const chunkSize = 1 << 16

// seal writes ciphertext and tag to out.
func (a *AEAD) seal(out, nonce, plaintext, additionalData []byte) {
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
func (a *AEAD) open(out, nonce, ciphertext, additionalData []byte, tag *[Overhead]byte, stream []byte, blocks int) bool {
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
func (a *AEAD) openLong(out, nonce, ciphertext, additionalData []byte, tag *[Overhead]byte) (valid bool) {
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
func (a *AEAD) openShort(out, nonce, ciphertext, additionalData []byte, tag *[Overhead]byte, stream []byte) bool {
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
func (a *AEAD) sealStitched(out, nonce, plaintext, additionalData []byte) {
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
func (a *AEAD) openStitched(out, nonce, ciphertext, additionalData []byte, tag *[Overhead]byte) bool {
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

func (a *AEAD) init(s *chacha20.State, nonce []byte) {
	if a.nonceSize == NonceSizeX {
		s.InitX(&a.key, (*[NonceSizeX]byte)(nonce))
	} else {
		s.Init(&a.key, (*[NonceSize]byte)(nonce))
	}
}

// Extend returns dst with n bytes appended, and a slice of only these n bytes.
func Extend(dst []byte, n int) (whole, out []byte) {
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
