// SPDX-License-Identifier: Apache-2.0 OR MIT

// Package chacha20 implements the stream ciphers ChaCha20 (RFC 8439, section 2.4) and XChaCha20
// (draft-irtf-cfrg-xchacha-03), and QUIC's header protection by ChaCha20 (RFC 9001, section 5.4.4). It can replace
// golang.org/x/crypto/chacha20.
//
// A stream cipher does not authenticate: who changes a bit of the ciphertext changes that bit of the plaintext. Package
// chacha20poly1305 has a cipher that notices.
//
// Use a nonce for one message only. Two messages under the same key and nonce reveal the exclusive or of both. Count nonces of
// [NonceSize] bytes; those of [NonceSizeX] bytes are long enough to be random.
//
// Time, branches and memory addresses depend on lengths, positions in the keystream, and nonces, never on keys or messages.
package chacha20

import (
	"crypto/cipher"
	"encoding/binary"
	"fmt"

	"github.com/hornet-mac/hornet/bindings/go/internal/alias"
	"github.com/hornet-mac/hornet/bindings/go/internal/chacha20"
)

const (
	// KeySize is the size, in bytes, of a key.
	KeySize = chacha20.KeySize

	// NonceSize is the size, in bytes, of a nonce of ChaCha20. It is too short for random nonces if many messages share a key.
	NonceSize = 12

	// NonceSizeX is the size, in bytes, of a nonce of XChaCha20.
	NonceSizeX = 24

	// SampleSize is the size, in bytes, of a sample of QUIC's header protection.
	SampleSize = chacha20.SampleSize

	// MaskSize is the size, in bytes, of a mask of QUIC's header protection.
	MaskSize = 5

	blockSize = chacha20.BlockSize

	// streamSize is the length of the keystream: the counter of blocks has 32 bits.
	streamSize = 1 << 32 * blockSize
)

// Cipher is ChaCha20 or XChaCha20 with a key, a nonce, and a position in the keystream. It holds the key until the garbage
// collector reuses its memory. It must not be used by several goroutines at the same time.
type Cipher struct {
	state chacha20.State // whose counter is set before each use
	at    uint64         // the position, in bytes
	block [blockSize]byte
	kept  bool // whether block is that of the position, if the position is within one
}

var _ cipher.Stream = (*Cipher)(nil)

// NewUnauthenticatedCipher returns the cipher of a key of [KeySize] bytes at the beginning of its keystream: ChaCha20 for a
// nonce of [NonceSize] bytes, XChaCha20 for one of [NonceSizeX] bytes. Other lengths are an error.
func NewUnauthenticatedCipher(key, nonce []byte) (*Cipher, error) {
	// Inlined, so that the Cipher need not be allocated if it does not escape.
	c := new(Cipher)
	if err := c.init(key, nonce); err != nil {
		return nil, err
	}
	return c, nil
}

func (c *Cipher) init(key, nonce []byte) error {
	if len(key) != KeySize {
		return fmt.Errorf("chacha20: a key of %d bytes, not %d", len(key), KeySize)
	}
	words := chacha20.LoadKey((*[KeySize]byte)(key))
	switch len(nonce) {
	case NonceSize:
		c.state.Init(&words, (*[NonceSize]byte)(nonce))
	case NonceSizeX:
		c.state.InitX(&words, (*[NonceSizeX]byte)(nonce))
	default:
		words = chacha20.Key{}
		return fmt.Errorf("chacha20: a nonce of %d bytes, not %d or %d", len(nonce), NonceSize, NonceSizeX)
	}
	words = chacha20.Key{}
	return nil
}

// Format writes the name of the type, whatever the verb, and nothing of the key.
func (c Cipher) Format(f fmt.State, _ rune) { fmt.Fprint(f, "chacha20.Cipher(..)") }

// XORKeyStream writes src xor the keystream, from the position on, to dst, and moves the position behind it. Calls one after
// another do what one call does with all of src.
//
// dst may be longer than src; the rest of it stays. XORKeyStream panics, and writes nothing, if dst is shorter than src, if
// both overlap other than in place, or if the keystream of 2^38 bytes ends before src does.
func (c *Cipher) XORKeyStream(dst, src []byte) {
	if len(src) == 0 {
		return
	}
	if len(dst) < len(src) {
		panic("chacha20: output smaller than input")
	}
	dst = dst[:len(src)]
	if alias.Inexact(dst, src) {
		panic("chacha20: invalid buffer overlap")
	}
	if uint64(len(src)) > streamSize-c.at {
		panic("chacha20: counter overflow")
	}

	if used := int(c.at % blockSize); used != 0 {
		if !c.kept {
			c.keep()
		}
		n := min(len(src), blockSize-used)
		c.xor(dst[:n], src[:n], c.block[used:])
		dst, src = dst[n:], src[n:]
	}
	switch {
	case len(src) == 0:
	case len(src) < blockSize:
		c.keep()
		c.xor(dst, src, c.block[:])
	default:
		// If the last block is not whole, it is made again when the next call continues it.
		c.kept = false
		c.state[chacha20.Counter] = uint32(c.at / blockSize)
		c.state.XOR(dst, src)
		c.at += uint64(len(src))
	}
}

// keep makes the block of the position.
func (c *Cipher) keep() {
	c.state[chacha20.Counter] = uint32(c.at / blockSize)
	c.state.XORAfterKey(nil, nil, &c.block)
	c.kept = true
}

// xor combines with a part of a block.
func (c *Cipher) xor(dst, src, stream []byte) {
	chacha20.XORBytes(dst, src, stream)
	c.at += uint64(len(src))
}

// SetCounter moves the position to the beginning of a block: to byte 64 * counter.
//
// As in golang.org/x/crypto, it panics if that is before the position, or if the last block was begun. [Cipher.SetOffset]
// also goes back.
func (c *Cipher) SetCounter(counter uint32) {
	if uint64(counter)*blockSize < c.at {
		panic("chacha20: SetCounter attempted to rollback counter")
	}
	c.SetOffset(uint64(counter) * blockSize)
}

// SetOffset moves the position to a byte of the keystream, forward or back, of at most 2^38, which is its end; it panics if
// offset is larger. Who encrypts anything else with bytes of the keystream that were used before reveals both.
func (c *Cipher) SetOffset(offset uint64) {
	if offset > streamSize {
		panic("chacha20: an offset behind the end of the keystream")
	}
	c.kept = c.kept && offset/blockSize == c.at/blockSize && c.at%blockSize != 0
	c.at = offset
}

// HChaCha20 derives a key of 32 bytes from a key of [KeySize] bytes and a nonce of 16 bytes (draft-irtf-cfrg-xchacha-03,
// section 2.2). Other lengths are an error.
func HChaCha20(key, nonce []byte) ([]byte, error) {
	// Inlined, so that the result need not be allocated if it does not escape.
	return hChaCha20(make([]byte, KeySize), key, nonce)
}

func hChaCha20(out, key, nonce []byte) ([]byte, error) {
	if len(key) != KeySize {
		return nil, fmt.Errorf("chacha20: a key of %d bytes, not %d", len(key), KeySize)
	}
	if len(nonce) != 16 {
		return nil, fmt.Errorf("chacha20: a nonce of %d bytes for HChaCha20, not 16", len(nonce))
	}
	words := chacha20.LoadKey((*[KeySize]byte)(key))
	words = chacha20.HChaCha20(&words, (*[16]byte)(nonce))
	for i, word := range words {
		binary.LittleEndian.PutUint32(out[4*i:], word)
	}
	words = chacha20.Key{}
	return out, nil
}

// HeaderMasks writes the mask of each sample: the first [MaskSize] bytes of the block of the keystream whose counter is the
// first 4 bytes of the sample, and whose nonce is the rest (RFC 9001, section 5.4.4). The key of [KeySize] bytes is that of
// header protection.
//
// Many samples in one call take less time than one after another: at most 16 share the twenty rounds. If the key has another
// size, or there are not as many masks as samples, HeaderMasks returns an error and writes nothing. masks must not overlap
// samples or the key.
func HeaderMasks(masks [][MaskSize]byte, samples [][SampleSize]byte, key []byte) error {
	if len(key) != KeySize {
		return fmt.Errorf("chacha20: a key of %d bytes, not %d", len(key), KeySize)
	}
	if len(masks) != len(samples) {
		return fmt.Errorf("chacha20: %d masks for %d samples", len(masks), len(samples))
	}
	const most = chacha20.MaxSamples
	words := chacha20.LoadKey((*[KeySize]byte)(key))
	var s chacha20.State
	var rows [most][SampleSize]byte
	s.Init(&words, &[NonceSize]byte{})
	for len(samples) >= most {
		s.FirstRows(&rows, (*[most][SampleSize]byte)(samples), most)
		for i := range masks[:most] {
			masks[i] = [MaskSize]byte(rows[i][:])
		}
		masks, samples = masks[most:], samples[most:]
	}
	if len(samples) != 0 {
		var last [most][SampleSize]byte
		copy(last[:], samples)
		s.FirstRows(&rows, &last, len(samples))
		for i := range masks {
			masks[i] = [MaskSize]byte(rows[i][:])
		}
	}
	words, s, rows = chacha20.Key{}, chacha20.State{}, [most][SampleSize]byte{}
	return nil
}
