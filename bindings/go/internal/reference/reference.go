// SPDX-License-Identifier: Apache-2.0 OR MIT

// Package reference implements Poly1305 by its definition (Bernstein 2005, section 2) in integers of any size, and ChaCha20
// by the text of RFC 8439, for tests to compare with. It shares no code with the module.
package reference

import (
	"encoding/binary"
	"math/big"
	"slices"
)

// P is 2^130 - 5.
var P = new(big.Int).Sub(power(130), big.NewInt(5))

func power(n uint) *big.Int { return new(big.Int).Lsh(big.NewInt(1), n) }

// FromBytes returns the number that bytes represent, in little-endian order.
func FromBytes(bytes []byte) *big.Int {
	bytes = slices.Clone(bytes)
	slices.Reverse(bytes)
	return new(big.Int).SetBytes(bytes)
}

// ToBytes returns the lowest n bytes of a number, in little-endian order.
func ToBytes(number *big.Int, n int) []byte {
	low := new(big.Int).Mod(number, power(uint(8*n)))
	bytes := low.FillBytes(make([]byte, n))
	slices.Reverse(bytes)
	return bytes
}

// FromWords returns the number that the 64-bit words represent, the lowest word first.
func FromWords(words ...uint64) *big.Int {
	var bytes []byte
	for _, word := range words {
		bytes = binary.LittleEndian.AppendUint64(bytes, word)
	}
	return FromBytes(bytes)
}

// Clamped returns r of a key, with the top four bits of bytes 3, 7, 11 and 15 and the low two bits of bytes 4, 8 and 12
// cleared.
func Clamped(key []byte) *big.Int {
	r := slices.Clone(key[:16])
	for i := 3; i < 16; i += 4 {
		r[i] &= 15
	}
	for i := 4; i < 16; i += 4 {
		r[i] &= 252
	}
	return FromBytes(r)
}

// Absorb continues the evaluation h at r over m. The result is in 0 .. p - 1.
func Absorb(h, r *big.Int, m []byte) {
	for block := range slices.Chunk(m, 16) {
		c := FromBytes(block)
		c.SetBit(c, 8*len(block), 1)
		h.Add(h, c)
		h.Mul(h, r)
		h.Mod(h, P)
	}
}

// Tag returns the tag of m under key.
func Tag(m, key []byte) [16]byte {
	h := new(big.Int)
	Absorb(h, Clamped(key), m)
	return [16]byte(ToBytes(h.Add(h, FromBytes(key[16:32])), 16))
}

// EdgeValues returns numbers at which carries and the final subtraction change: the limb boundaries of every radix, p and
// 2^130, each with offsets from -8 to 8.
func EdgeValues() []*big.Int {
	var values []*big.Int
	for _, n := range []uint{26, 32, 44, 52, 64, 78, 88, 96, 104, 128, 129, 130} {
		values = append(values, power(n))
	}
	values = append(values, P)
	var edges []*big.Int
	for _, value := range values {
		for offset := int64(-8); offset <= 8; offset++ {
			edges = append(edges, new(big.Int).Add(value, big.NewInt(offset)))
		}
	}
	return edges
}

// Block returns a block of ChaCha20 (RFC 8439, section 2.3).
func Block(key []byte, counter uint32, nonce []byte) [64]byte {
	state := initial(key, binary.LittleEndian.AppendUint32(nil, counter), nonce)
	mixed := rounds(state)
	var block [64]byte
	for i := range state {
		binary.LittleEndian.PutUint32(block[4*i:], state[i]+mixed[i])
	}
	return block
}

// HChaCha20 returns a derived key (draft-irtf-cfrg-xchacha-03, section 2.2).
func HChaCha20(key, nonce []byte) []byte {
	mixed := rounds(initial(key, nonce))
	var out []byte
	for _, i := range []int{0, 1, 2, 3, 12, 13, 14, 15} {
		out = binary.LittleEndian.AppendUint32(out, mixed[i])
	}
	return out
}

func initial(key []byte, rest ...[]byte) (state [16]uint32) {
	bytes := append([]byte("expand 32-byte k"), key...)
	bytes = append(bytes, slices.Concat(rest...)...)
	for i := range state {
		state[i] = binary.LittleEndian.Uint32(bytes[4*i:])
	}
	return state
}

func rounds(x [16]uint32) [16]uint32 {
	quarter := func(a, b, c, d int) {
		mix := func(sum, addend, xored int, n uint) {
			x[sum] += x[addend]
			x[xored] ^= x[sum]
			x[xored] = x[xored]<<n | x[xored]>>(32-n)
		}
		mix(a, b, d, 16)
		mix(c, d, b, 12)
		mix(a, b, d, 8)
		mix(c, d, b, 7)
	}
	for range 10 {
		quarter(0, 4, 8, 12)
		quarter(1, 5, 9, 13)
		quarter(2, 6, 10, 14)
		quarter(3, 7, 11, 15)
		quarter(0, 5, 10, 15)
		quarter(1, 6, 11, 12)
		quarter(2, 7, 8, 13)
		quarter(3, 4, 9, 14)
	}
	return x
}

// XOR returns m xor the keystream from block counter on (RFC 8439, section 2.4).
func XOR(key []byte, counter uint32, nonce, m []byte) []byte {
	out := slices.Clone(m)
	for i := range out {
		if i%64 == 0 {
			block := Block(key, counter+uint32(i/64), nonce)
			for j := i; j < min(i+64, len(out)); j++ {
				out[j] ^= block[j-i]
			}
		}
	}
	return out
}

// Seal returns ciphertext and tag as in RFC 8439, section 2.8, or, for a nonce of 24 bytes, as in draft-irtf-cfrg-xchacha-03,
// section 2.3.
func Seal(key, nonce, m, additionalData []byte) []byte {
	if len(nonce) == 24 {
		key, nonce = HChaCha20(key, nonce[:16]), append(make([]byte, 4), nonce[16:]...)
	}
	oneTime := Block(key, 0, nonce)
	out := XOR(key, 1, nonce, m)
	padded := func(bytes []byte) []byte { return append(slices.Clone(bytes), make([]byte, (16-len(bytes)%16)%16)...) }
	input := slices.Concat(padded(additionalData), padded(out))
	input = binary.LittleEndian.AppendUint64(input, uint64(len(additionalData)))
	input = binary.LittleEndian.AppendUint64(input, uint64(len(m)))
	tag := Tag(input, oneTime[:32])
	return append(out, tag[:]...)
}
