// SPDX-License-Identifier: Apache-2.0 OR MIT

// Package chacha20 is the stream cipher of RFC 8439, section 2.4, in whole blocks, and HChaCha20.
package chacha20

import (
	"encoding/binary"
	"math/bits"
)

const (
	KeySize   = 32
	BlockSize = 64

	counter = 12 // the word that counts blocks
)

// Key is a key as eight words.
type Key [8]uint32

// State is constants, key, counter and nonce: RFC 8439, section 2.3.
type State [16]uint32

// LoadKey returns the words of a key.
func LoadKey(key *[KeySize]byte) (k Key) {
	for i := range k {
		k[i] = binary.LittleEndian.Uint32(key[4*i:])
	}
	return k
}

// Init starts the stream of a key and a nonce at block 0.
func (s *State) Init(key *Key, nonce *[12]byte) {
	s.set(key, 0, binary.LittleEndian.Uint32(nonce[:]), binary.LittleEndian.Uint32(nonce[4:]),
		binary.LittleEndian.Uint32(nonce[8:]))
}

func (s *State) set(key *Key, a, b, c, d uint32) {
	*s = State{0x61707865, 0x3320646e, 0x79622d32, 0x6b206574,
		key[0], key[1], key[2], key[3], key[4], key[5], key[6], key[7], a, b, c, d}
}

// InitX starts the stream of a nonce of 24 bytes: draft-irtf-cfrg-xchacha-03, section 2.3.
func (s *State) InitX(key *Key, nonce *[24]byte) {
	subkey := HChaCha20(key, (*[16]byte)(nonce[:]))
	s.set(&subkey, 0, 0, binary.LittleEndian.Uint32(nonce[16:]), binary.LittleEndian.Uint32(nonce[20:]))
	subkey = Key{}
}

// HChaCha20 derives a key: draft-irtf-cfrg-xchacha-03, section 2.2.
func HChaCha20(key *Key, nonce *[16]byte) Key {
	var s State
	s.set(key, binary.LittleEndian.Uint32(nonce[:]), binary.LittleEndian.Uint32(nonce[4:]),
		binary.LittleEndian.Uint32(nonce[8:]), binary.LittleEndian.Uint32(nonce[12:]))
	s.rounds(&s)
	return Key{s[0], s[1], s[2], s[3], s[12], s[13], s[14], s[15]}
}

// XORBlocks xors the next len(src) / BlockSize blocks of the stream into dst and counts them. dst has the length of src, a
// multiple of BlockSize, and is src or does not overlap it. The caller sees to it that the counter does not wrap.
func (s *State) XORBlocks(dst, src []byte) {
	if len(src) != 0 {
		xorBlocks(dst, src, s)
	}
}

// XOR is XORBlocks for any number of bytes, after which the stream ends if they are no multiple of BlockSize.
func (s *State) XOR(dst, src []byte) {
	n := len(src) &^ (BlockSize - 1)
	s.XORBlocks(dst[:n], src[:n])
	if n != len(src) {
		var last [BlockSize]byte
		copy(last[:], src[n:])
		s.XORBlocks(last[:], last[:])
		copy(dst[n:], last[:])
		last = [BlockSize]byte{}
	}
}

// xorBlocksGo is xorBlocks in Go.
func xorBlocksGo(dst, src []byte, s *State) {
	var block State
	for len(src) >= BlockSize && len(dst) >= BlockSize {
		s.rounds(&block)
		for i := 0; i < len(block); i += 2 {
			word := uint64(block[i]+s[i]) | uint64(block[i+1]+s[i+1])<<32
			binary.LittleEndian.PutUint64(dst[4*i:], binary.LittleEndian.Uint64(src[4*i:])^word)
		}
		dst, src = dst[BlockSize:], src[BlockSize:]
		s[counter]++
	}
}

// rounds writes the twenty rounds of s, without the sum at their end.
func (s *State) rounds(out *State) {
	a0, a1, a2, a3 := s[0], s[1], s[2], s[3]
	b0, b1, b2, b3 := s[4], s[5], s[6], s[7]
	c0, c1, c2, c3 := s[8], s[9], s[10], s[11]
	d0, d1, d2, d3 := s[12], s[13], s[14], s[15]
	for range 10 {
		a0, b0, c0, d0 = quarterRound(a0, b0, c0, d0)
		a1, b1, c1, d1 = quarterRound(a1, b1, c1, d1)
		a2, b2, c2, d2 = quarterRound(a2, b2, c2, d2)
		a3, b3, c3, d3 = quarterRound(a3, b3, c3, d3)

		a0, b1, c2, d3 = quarterRound(a0, b1, c2, d3)
		a1, b2, c3, d0 = quarterRound(a1, b2, c3, d0)
		a2, b3, c0, d1 = quarterRound(a2, b3, c0, d1)
		a3, b0, c1, d2 = quarterRound(a3, b0, c1, d2)
	}
	*out = State{a0, a1, a2, a3, b0, b1, b2, b3, c0, c1, c2, c3, d0, d1, d2, d3}
}

func quarterRound(a, b, c, d uint32) (uint32, uint32, uint32, uint32) {
	a += b
	d = bits.RotateLeft32(d^a, 16)
	c += d
	b = bits.RotateLeft32(b^c, 12)
	a += b
	d = bits.RotateLeft32(d^a, 8)
	c += d
	b = bits.RotateLeft32(b^c, 7)
	return a, b, c, d
}
