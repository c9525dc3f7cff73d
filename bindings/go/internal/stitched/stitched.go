// SPDX-License-Identifier: Apache-2.0 OR MIT

// Package stitched computes ChaCha20-Poly1305 with both algorithms at the same time: ChaCha20 in vectors, and in general
// registers Poly1305, or further blocks of ChaCha20. Each leaves free the execution units that the other uses.
package stitched

import (
	"github.com/hornet-mac/hornet/bindings/go/internal/asm"
	"github.com/hornet-mac/hornet/bindings/go/internal/chacha20"
	"github.com/hornet-mac/hornet/bindings/go/internal/poly1305"
	"github.com/hornet-mac/hornet/bindings/go/internal/tuning"
)

type (
	State = chacha20.State
	MAC   = poly1305.State
)

const (
	// The lengths of the blocks that are encrypted at once.
	group     = 8 * chacha20.BlockSize
	longGroup = 2 * group

	// rowsBytes is the maximum length for which rows of blocks take less time than a group.
	rowsBytes = 6 * chacha20.BlockSize

	// A pass has as many double rounds, of which each has room for roundBytes of Poly1305 beside it. A long group has room for
	// twice that; beside rows that takes less time than afterwards if at least waitingBytes are not absorbed yet.
	rounds       = 10
	roundBytes   = 4 * poly1305.BlockSize
	waitingBytes = 1024
)

// Seal encrypts in to out and absorbs additionalData and out, both padded. s is at block 0, of which mac gets the key.
func Seal(out, in, additionalData []byte, s *State, mac *MAC) {
	done := first(out, in, s, mac)
	mac.AbsorbPadded(additionalData)
	absorbed := sealFrom(done, out[:len(in)], 0, in, s, mac)
	mac.AbsorbPadded(out[absorbed:len(in)])
}

// SealPacket encrypts message in place but for its first bytes, of which there are lead, at most 16, and absorbs it, with no
// padding. s is at block 0, of which mac gets the key.
func SealPacket(message []byte, lead int, s *State, mac *MAC) {
	text := message[lead:]
	absorbed := sealFrom(first(text, text, s, mac), message, lead, text, s, mac)
	mac.Absorb(message[absorbed:])
}

// sealFrom encrypts in, from done on, to message after its first bytes, and absorbs bytes of message. It returns how many: a
// multiple of poly1305.BlockSize.
func sealFrom(done int, message []byte, lead int, in []byte, s *State, mac *MAC) (absorbed int) {
	out := message[lead:]
	for len(in)-done >= group {
		size := group
		if len(in)-done >= longGroup {
			size = longGroup
		}
		each := size / group * roundBytes
		groups, beside := 1, min(rounds, (lead+done-absorbed)/each)
		if beside >= size/each && beside < rounds {
			groups, beside = (len(in)-done)/size, size/each
		}
		n := groups * size
		xor(out[done:done+n], in[done:done+n], s, mac, message[absorbed:], size, beside)
		done, absorbed = done+n, absorbed+groups*beside*each
	}
	if done < len(in) {
		absorbed += xorRest(out[done:], in[done:], s, mac, message[absorbed:lead+done])
	}
	return absorbed
}

// first encrypts the first blocks of in, and returns their length. It begins mac with the key, in block 0, which is made with
// them, or beside them in general registers.
func first(out, in []byte, s *State, mac *MAC) (done int) {
	if !keyBeside && len(in) < tuning.KeyBesideMinBytes {
		var room chacha20.Room1
		key := (*[chacha20.BlockSize]byte)(chacha20.Line(room.Bytes[:]))
		done = min(len(in), group-chacha20.BlockSize)
		s.XORAfterKey(out[:done], in[:done], key)
		mac.Init((*[poly1305.KeySize]byte)(key[:]))
		room = chacha20.Room1{}
		return done
	}
	var others [2 * chacha20.BlockSize]byte // block 0, and that after the group
	s[chacha20.Counter]++
	switch {
	case len(in) >= longGroup:
		done = longGroup
		xor16And2(&out[0], &in[0], s, &others[0])
	case len(in) >= group:
		done = group
		xor8And2(&out[0], &in[0], s, &others[0])
	default:
		done = len(in)
		var blocks [group]byte
		copy(blocks[:], in)
		xor8And2(&blocks[0], &blocks[0], s, &others[0])
		copy(out[:done], blocks[:])
		blocks = [group]byte{}
	}
	// The block after the group may save a pass, unless whole passes would have to be followed by another one.
	if n := min(len(in)-done, chacha20.BlockSize); chacha20.Blocks(len(in)-done)%16 != 0 {
		chacha20.XORBytes(out[done:done+n], in[done:done+n], others[chacha20.BlockSize:])
		done += n
		s[chacha20.Counter]++
	}
	mac.Init((*[poly1305.KeySize]byte)(others[:]))
	others = [2 * chacha20.BlockSize]byte{}
	return done
}

// Open decrypts in to out and absorbs additionalData and in, both padded. A byte is absorbed before out may overwrite it. s is
// at block 0, of which mac gets the key.
func Open(out, in, additionalData []byte, s *State, mac *MAC) {
	open(out, in, 0, additionalData, nil, s, mac)
}

// OpenPacket decrypts message in place but for its first bytes, of which there are lead, at most 16, and absorbs what it was,
// with no padding. s is at block 0, of which mac gets the key.
func OpenPacket(message []byte, lead int, s *State, mac *MAC) {
	var last [poly1305.BlockSize]byte
	n := copy(last[:], message[len(message)&^(poly1305.BlockSize-1):])
	open(message[lead:], message, lead, nil, last[:n:n], s, mac)
}

// open decrypts message after its first bytes to out. Its last bytes, which make no block, are padded, or are those of last if
// that is not nil.
func open(out, message []byte, lead int, additionalData, last []byte, s *State, mac *MAC) {
	in, whole := message[lead:], len(message)&^(poly1305.BlockSize-1)
	if keyBeside && len(in) <= group+chacha20.BlockSize {
		var stream [group + 2*chacha20.BlockSize]byte // the last two are blocks 0 and 9
		others := stream[group:]
		s[chacha20.Counter]++
		xor8And2(&stream[0], &stream[0], s, &others[0])
		mac.Init((*[poly1305.KeySize]byte)(others))
		copy(others, others[chacha20.BlockSize:])
		mac.AbsorbPadded(additionalData)
		absorbEnd(mac, message, 0, last)
		chacha20.XORBytes(out, in, stream[:])
		stream = [group + 2*chacha20.BlockSize]byte{}
		return
	}

	// Block 0 and the blocks that do not make a group.
	var stream [group]byte
	blocks := chacha20.Blocks(len(in))%8 + 1
	s.Stream(stream[:], blocks)
	mac.Init((*[poly1305.KeySize]byte)(stream[:]))
	mac.AbsorbPadded(additionalData)
	before := (blocks - 1) * chacha20.BlockSize

	done, absorbed := before, 0
	for len(in)-done >= group {
		size := group
		if len(in)-done >= longGroup {
			size = longGroup
		}
		each, groups := size/group*roundBytes, 1
		// What a group overwrites is absorbed to the end of its last block, unless that is not there.
		end := min(blocksOf(lead+done+size), whole)
		if absorbed == blocksOf(lead+done) {
			groups = max(1, (whole-absorbed)/size)
		}
		if least := end - rounds*each; absorbed < least {
			mac.Absorb(message[absorbed:least])
			absorbed = least
		}
		if odd := (end - absorbed) % each; odd != 0 {
			mac.Absorb(message[absorbed : absorbed+odd])
			absorbed += odd
		}
		n, beside := groups*size, (end-absorbed)/each
		xor(out[done:done+n], in[done:done+n], s, mac, message[absorbed:], size, beside)
		done, absorbed = done+n, absorbed+groups*beside*each
	}
	if done < len(in) {
		var blocks [group]byte
		copy(blocks[:], in[done:])
		beside := min(rounds, (len(message)-absorbed)/roundBytes)
		xor(blocks[:], blocks[:], s, mac, message[absorbed:], group, beside)
		absorbEnd(mac, message, absorbed+beside*roundBytes, last)
		copy(out[done:], blocks[:])
		blocks = [group]byte{}
	} else {
		absorbEnd(mac, message, absorbed, last)
	}
	chacha20.XORBytes(out[:before], in[:before], stream[chacha20.BlockSize:])
	stream = [group]byte{}
}

// blocksOf returns the number of bytes of the blocks of Poly1305 that n bytes take.
func blocksOf(n int) int { return (n + poly1305.BlockSize - 1) &^ (poly1305.BlockSize - 1) }

// absorbEnd absorbs message from absorbed on, padded, or, if last is not nil, its whole blocks and then last.
func absorbEnd(mac *MAC, message []byte, absorbed int, last []byte) {
	if last == nil {
		mac.AbsorbPadded(message[absorbed:])
		return
	}
	mac.Absorb(message[absorbed : len(message)&^(poly1305.BlockSize-1)])
	mac.Absorb(last)
}

// xor encrypts whole groups of size bytes, and absorbs a part of message for each, beside this number of double rounds, at
// least one.
func xor(dst, src []byte, s *State, mac *MAC, message []byte, size, beside int) {
	for len(src) != 0 {
		n := min(len(src), asm.MaxBytes)
		xorMAC(&dst[0], &src[0], s, mac, &message[0], n/size, size == longGroup, beside)
		dst, src = dst[n:], src[n:]
		if len(src) != 0 {
			message = message[n/group*beside*roundBytes:]
		}
	}
}

// xorRest encrypts less than a group, far below asm.MaxBytes, and absorbs the first bytes of message, of which it returns the
// number. message is at least 7 blocks long.
func xorRest(dst, src []byte, s *State, mac *MAC, message []byte) (absorbed int) {
	var blocks [group]byte
	if len(src) <= min(rowsBytes, asm.MaxBytes) {
		long, each := false, roundBytes
		if len(message) >= waitingBytes {
			long, each = true, 2*roundBytes
		}
		beside := min(rounds, len(message)/each)
		streamMAC(blocks[:], s, mac, &message[0], chacha20.Blocks(len(src)), long, beside)
		chacha20.XORBytes(dst, src, blocks[:])
		absorbed = beside * each
	} else {
		beside := min(rounds, len(message)/roundBytes)
		copy(blocks[:], src)
		xor(blocks[:], blocks[:], s, mac, message, group, beside)
		copy(dst, blocks[:])
		absorbed = beside * roundBytes
	}
	blocks = [group]byte{}
	return absorbed
}
