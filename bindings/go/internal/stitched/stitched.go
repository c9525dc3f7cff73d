// SPDX-License-Identifier: Apache-2.0 OR MIT

// Package stitched computes ChaCha20 in vectors and Poly1305 in general registers at the same time: each leaves free the
// execution units that the other uses.
package stitched

import (
	"github.com/hornet-mac/hornet/bindings/go/internal/asm"
	"github.com/hornet-mac/hornet/bindings/go/internal/chacha20"
	"github.com/hornet-mac/hornet/bindings/go/internal/poly1305"
)

type (
	State = chacha20.State
	MAC   = poly1305.State
)

const (
	// groupBytes is the length of the blocks that are encrypted at once.
	groupBytes = 8 * chacha20.BlockSize

	// fourBytes is the length of four blocks of Poly1305.
	fourBytes = 4 * poly1305.BlockSize

	// groupFours is the number of such fours in a group, maxFours the number for which a group has room beside it.
	groupFours = groupBytes / fourBytes
	maxFours   = 10
)

// Seal encrypts in to out from byte done on, and absorbs all of out, padded. The first done bytes, whole blocks, are encrypted
// already.
func Seal(out, in []byte, done int, s *State, mac *MAC) {
	absorbed := 0
	for len(in)-done >= groupBytes {
		fours, groups := min(maxFours, (done-absorbed)/fourBytes), 1
		if fours >= groupFours && fours < maxFours {
			fours, groups = groupFours, (len(in)-done)/groupBytes
		}
		n := groups * groupBytes
		beside(out[done:done+n], in[done:done+n], s, mac, out[absorbed:], fours)
		done, absorbed = done+n, absorbed+groups*fours*fourBytes
	}
	if done < len(in) {
		fours := min(maxFours, (done-absorbed)/fourBytes)
		var group [groupBytes]byte
		copy(group[:], in[done:])
		beside(group[:], group[:], s, mac, out[absorbed:], fours)
		copy(out[done:len(in)], group[:])
		group = [groupBytes]byte{}
		absorbed += fours * fourBytes
	}
	mac.AbsorbPadded(out[absorbed:len(in)])
}

// Open decrypts in to out from byte done on, and absorbs all of in, padded. A byte is absorbed before out may overwrite it. The
// first done bytes, whole blocks, are not decrypted.
func Open(out, in []byte, done int, s *State, mac *MAC) {
	absorbed := 0
	for len(in)-done >= groupBytes {
		groups := 1
		if absorbed == done {
			groups = (len(in) - done) / groupBytes
		}
		if before := done + groupBytes - maxFours*fourBytes; absorbed < before {
			mac.Absorb(in[absorbed:before])
			absorbed = before
		}
		n := groups * groupBytes
		fours := (done + groupBytes - absorbed) / fourBytes
		beside(out[done:done+n], in[done:done+n], s, mac, in[absorbed:], fours)
		done, absorbed = done+n, absorbed+groups*fours*fourBytes
	}
	if done < len(in) {
		var group [groupBytes]byte
		copy(group[:], in[done:])
		fours := min(maxFours, (len(in)-absorbed)/fourBytes)
		beside(group[:], group[:], s, mac, in[absorbed:], fours)
		absorbed += fours * fourBytes
		mac.AbsorbPadded(in[absorbed:])
		absorbed = len(in)
		copy(out[done:], group[:])
		group = [groupBytes]byte{}
	}
	mac.AbsorbPadded(in[absorbed:])
}

// beside encrypts whole groups, and absorbs the first fours of message for each.
func beside(dst, src []byte, s *State, mac *MAC, message []byte, fours int) {
	if fours == 0 {
		s.XOR(dst, src)
		return
	}
	for len(src) != 0 {
		n := min(len(src), asm.MaxBytes)
		groups := n / groupBytes
		xorBeside(&dst[0], &src[0], s, mac, &message[0], uint64(groups), uint64(fours))
		dst, src = dst[n:], src[n:]
		if len(src) != 0 {
			message = message[groups*fours*fourBytes:]
		}
	}
}
