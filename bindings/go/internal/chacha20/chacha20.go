// SPDX-License-Identifier: Apache-2.0 OR MIT

// Package chacha20 implements the stream cipher of RFC 8439, section 2.4, by whole blocks, and HChaCha20.
package chacha20

import (
	"encoding/binary"
	"math/bits"

	"github.com/hornet-mac/hornet/bindings/go/internal/asm"
)

const (
	KeySize   = 32
	BlockSize = 64

	// MaxStreamBlocks is the maximum number of blocks in a group.
	MaxStreamBlocks = 32

	// SampleSize is the number of bytes of a counter and a nonce, and of a row.
	SampleSize = 16

	// MaxSamples is the maximum number of samples that FirstRows takes at once.
	MaxSamples = 16

	Counter = 12 // the word of State that counts blocks
)

// Key is a key as eight words.
type Key [8]uint32

// State holds the constants, key, counter and nonce (RFC 8439, section 2.3).
type State [16]uint32

// LoadKey returns the words of a key.
func LoadKey(key *[KeySize]byte) (k Key) {
	for i := range k {
		k[i] = binary.LittleEndian.Uint32(key[4*i:])
	}
	return k
}

// Init starts the keystream of a key and a nonce at block 0.
func (s *State) Init(key *Key, nonce *[12]byte) {
	s.set(key, uint64(binary.LittleEndian.Uint32(nonce[:]))<<32, binary.LittleEndian.Uint64(nonce[4:]))
}

var sigma = [4]uint32{0x61707865, 0x3320646e, 0x79622d32, 0x6b206574} // "expand 32-byte k"

// set writes each row in one store, and the last in two: a load soon after several smaller stores would have to wait for them.
func (s *State) set(key *Key, lo, hi uint64) {
	*(*[4]uint32)(s[:]) = sigma
	*(*[4]uint32)(s[4:]) = *(*[4]uint32)(key[:])
	*(*[4]uint32)(s[8:]) = *(*[4]uint32)(key[4:])
	s[12], s[13] = uint32(lo), uint32(lo>>32)
	s[14], s[15] = uint32(hi), uint32(hi>>32)
}

// InitX starts the keystream of a key and a nonce of 24 bytes (draft-irtf-cfrg-xchacha-03, section 2.3).
func (s *State) InitX(key *Key, nonce *[24]byte) {
	subkey := HChaCha20(key, (*[16]byte)(nonce[:]))
	s.set(&subkey, 0, binary.LittleEndian.Uint64(nonce[16:]))
	subkey = Key{}
}

// HChaCha20 derives a key (draft-irtf-cfrg-xchacha-03, section 2.2).
func HChaCha20(key *Key, nonce *[16]byte) Key {
	var s State
	s.set(key, binary.LittleEndian.Uint64(nonce[:]), binary.LittleEndian.Uint64(nonce[8:]))
	s.rounds(&s)
	return Key{s[0], s[1], s[2], s[3], s[12], s[13], s[14], s[15]}
}

// Blocks returns the number of blocks that n bytes take.
func Blocks(n int) int { return (n + BlockSize - 1) / BlockSize }

// FirstBlocks returns the number of blocks, of a keystream of n, to make before whole groups. It is at least 1 and at most the
// blocks of a group, which is a power of 2.
func FirstBlocks(n int) int { return (n-1)&(groupBlocks()-1) + 1 }

// StreamBlocks returns the number of blocks, of a keystream of n, to make with Stream before XOR makes the others. It is at
// least 1 and at most the blocks of a group.
func StreamBlocks(n int) int { return (n-1)&(streamBlocks()-1) + 1 }

type (
	// Room1 has room for a block from the beginning of a cache line on, Room4 for 4, and so on. Unlike an array of bytes alone,
	// they are aligned to words.
	Room1  = aligned[[(1 + 1) * BlockSize]byte]
	Room4  = aligned[[(4 + 1) * BlockSize]byte]
	Room8  = aligned[[(8 + 1) * BlockSize]byte]
	Room12 = aligned[[(12 + 1) * BlockSize]byte]
	Room16 = aligned[[(16 + 1) * BlockSize]byte]
	Room32 = aligned[[(MaxStreamBlocks + 1) * BlockSize]byte]
)

type aligned[Bytes any] struct {
	_     [0]uint64
	Bytes Bytes
}

// Line returns the blocks of a room for the keystream: half of all vectors of others would be in two lines of the cache.
func Line(room []byte) []byte {
	at := lineOffset(room)
	return room[at : at+len(room)-BlockSize]
}

// StreamRoom returns the number of blocks that the buffer of Stream must have room for when Stream makes n blocks.
func StreamRoom(n int) int {
	switch {
	case n <= 4:
		return 4
	case n <= 8:
		return 8
	case n <= 12:
		return 12
	case n <= 16:
		return 16
	}
	return MaxStreamBlocks
}

// Stream writes the next n blocks of the keystream to buf and advances the counter by n; n is at least 1 and at most 8, or the
// blocks of a group. Stream may overwrite the rest of buf up to StreamRoom(n) blocks.
func (s *State) Stream(buf []byte, n int) {
	stream(buf[:StreamRoom(n)*BlockSize], n, s)
}

// XOR writes src xor the keystream, from the next block on, to dst. dst has the length of src, and is src or does not overlap
// it. If the length is not a multiple of BlockSize, no further call may follow. The caller ensures that the counter does not
// wrap around.
func (s *State) XOR(dst, src []byte) {
	for group := groupBlocks() * BlockSize; len(src) >= group; {
		n := min(len(src)&-group, asm.MaxBytes)
		xorGroups(dst[:n], src[:n], s)
		dst, src = dst[n:], src[n:]
	}
	if len(src) != 0 {
		xorPasses(dst, src, s, nil)
	}
}

// XORAfterKey is XOR after the next block of the keystream, which it writes to key.
func (s *State) XORAfterKey(dst, src []byte, key *[BlockSize]byte) {
	first := min((FirstBlocks(1+Blocks(len(src)))-1)*BlockSize, len(src))
	xorPasses(dst[:first], src[:first], s, key)
	if first != len(src) {
		s.XOR(dst[first:], src[first:])
	}
}

// xorStream is xorPasses by stream.
func xorStream(dst, src []byte, s *State, key *[BlockSize]byte) {
	n := Blocks(len(src))
	if key != nil {
		n++
	}
	switch StreamRoom(n) {
	case 4:
		var buf Room4
		s.xorRoom(dst, src, Line(buf.Bytes[:]), n, key)
		buf = Room4{}
	case 8:
		var buf Room8
		s.xorRoom(dst, src, Line(buf.Bytes[:]), n, key)
		buf = Room8{}
	case 12:
		var buf Room12
		s.xorRoom(dst, src, Line(buf.Bytes[:]), n, key)
		buf = Room12{}
	case 16:
		var buf Room16
		s.xorRoom(dst, src, Line(buf.Bytes[:]), n, key)
		buf = Room16{}
	default:
		var buf Room32
		s.xorRoom(dst, src, Line(buf.Bytes[:]), n, key)
		buf = Room32{}
	}
}

// xorRoom is xorStream with a buffer for the keystream.
func (s *State) xorRoom(dst, src, buf []byte, n int, key *[BlockSize]byte) {
	s.Stream(buf, n)
	if key != nil {
		copy(key[:], buf)
		buf = buf[BlockSize:]
	}
	XORBytes(dst, src, buf)
}

// XORBytes writes src xor stream, len(src) bytes, to dst. dst is src or does not overlap it. Unlike XORBytes of crypto/subtle,
// it compares no addresses, which differ from run to run.
func XORBytes(dst, src, stream []byte) {
	n := len(src)
	dst, stream = dst[:n], stream[:n]
	at := xorWords(dst, src, stream)
	if n-at < 8 {
		for ; at < n; at++ {
			dst[at] = src[at] ^ stream[at]
		}
		return
	}
	// The last word overlaps the one before it.
	last := binary.LittleEndian.Uint64(src[n-8:]) ^ binary.LittleEndian.Uint64(stream[n-8:])
	for ; n-at >= 32; at += 32 {
		d, t, u := (*[32]byte)(dst[at:]), (*[32]byte)(src[at:]), (*[32]byte)(stream[at:])
		xorWord(d[0:8], t[0:8], u[0:8])
		xorWord(d[8:16], t[8:16], u[8:16])
		xorWord(d[16:24], t[16:24], u[16:24])
		xorWord(d[24:32], t[24:32], u[24:32])
	}
	if n-at >= 16 {
		d, t, u := (*[16]byte)(dst[at:]), (*[16]byte)(src[at:]), (*[16]byte)(stream[at:])
		xorWord(d[0:8], t[0:8], u[0:8])
		xorWord(d[8:16], t[8:16], u[8:16])
		at += 16
	}
	if n-at >= 8 {
		xorWord(dst[at:], src[at:], stream[at:])
	}
	binary.LittleEndian.PutUint64(dst[n-8:], last)
}

func xorWord(dst, src, stream []byte) {
	binary.LittleEndian.PutUint64(dst, binary.LittleEndian.Uint64(src)^binary.LittleEndian.Uint64(stream))
}

// FirstRows writes the first row of a block for each of the first n samples, which are counter and nonce in place of those of s;
// n is at least 1. It may overwrite the other rows.
func (s *State) FirstRows(rows, samples *[MaxSamples][SampleSize]byte, n int) {
	firstRows(rows, samples, s, n)
}

// firstRowsGo is firstRows in Go.
func firstRowsGo(rows, samples *[MaxSamples][SampleSize]byte, s *State, n int) {
	of, block := *s, State{}
	for i := range n {
		for word := range 4 {
			of[Counter+word] = binary.LittleEndian.Uint32(samples[i][4*word:])
		}
		of.rounds(&block)
		for word := range 4 {
			binary.LittleEndian.PutUint32(rows[i][4*word:], block[word]+of[word])
		}
	}
	of, block = State{}, State{}
}

// streamGo is stream in Go. buf consists of whole blocks.
func streamGo(buf []byte, s *State) {
	clear(buf)
	xorBlocksGo(buf, buf, s)
}

// xorBlocksGo is xorGroups in Go.
func xorBlocksGo(dst, src []byte, s *State) {
	var block State
	for len(src) >= BlockSize && len(dst) >= BlockSize {
		s.rounds(&block)
		for i := 0; i < len(block); i += 2 {
			word := uint64(block[i]+s[i]) | uint64(block[i+1]+s[i+1])<<32
			binary.LittleEndian.PutUint64(dst[4*i:], binary.LittleEndian.Uint64(src[4*i:])^word)
		}
		dst, src = dst[BlockSize:], src[BlockSize:]
		s[Counter]++
	}
}

// rounds writes the result of the twenty rounds on s to out, without the final addition of s.
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
