// SPDX-License-Identifier: Apache-2.0 OR MIT

// Package poly1305aes implements Poly1305-AES (Bernstein 2005) and partial evaluations: tags of messages of which most is not
// read.
//
// A 32-byte key serves many messages, each with its own 16-byte nonce, which need not be secret: a counter is a good choice.
//
// Use a nonce for one message only. Two messages under one key and nonce reveal enough to forge others. A message that changes
// is another message, so its new tag needs a new nonce.
//
// # Partial evaluations
//
// A [Partial] is the value of the polynomial over a segment of a message. [Key.Partial] computes it, also on several
// goroutines, [Key.Zeros] computes that of zeros without reading them, and [Key.Append] and [Key.Join] compute that of adjacent
// segments together. Only the last segment of a message may end within a block of 16 bytes.
//
// [Parts] keeps the values of all segments of a message, so that a segment can be replaced, or verified alone, without reading
// the others. The value of an old segment can only come from there: what is read again from storage that others write must
// never be subtracted. An attacker who stores the number old + new - other, modulo 2^128, in place of a block old that is read
// again, and is to become the block new, would get a valid tag for a message with the block other, of his choice. So no
// function takes the value of an old segment.
//
// # Secrets
//
// A partial evaluation is secret: together with its segment, it reveals the half r of the key, with which anyone can forge.
// Package fmt prints no number of a [Key], a [Partial] or a [Parts]. A program stores them by [Parts.Seal] only.
//
// Time, branches and memory addresses depend on lengths and verdicts, never on keys, messages, values or tags. But crypto/aes
// looks up tables at secret indices where it has no assembly, or the CPU has no instructions for AES.
//
// Go moves and copies memory, so nothing can be wiped reliably. What is computed from a key on the way is overwritten before a
// call returns, as far as Go allows; a Key, a Partial and a Parts hold their secrets until the garbage collector reuses their
// memory. Each tag allocates 16 bytes, for the pad.
package poly1305aes

import (
	"crypto/aes"
	"crypto/cipher"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/hornet-mac/hornet/bindings/go/internal/poly1305"
)

const (
	// KeySize is the size, in bytes, of a key: k, an AES-128 key of 16 bytes, and r, of 16 bytes.
	KeySize = poly1305.KeySize

	// NonceSize is the size, in bytes, of a nonce.
	NonceSize = aes.BlockSize

	// TagSize is the size, in bytes, of a tag.
	TagSize = poly1305.TagSize

	// BlockSize is the size, in bytes, of a block. Segments begin at multiples of it.
	BlockSize = poly1305.BlockSize

	rOffset = 16 // of r in a key
)

// ErrNotClamped is the error of [NewKey] for a key whose r is not clamped: bytes 3, 7, 11 and 15 of r must be below 16, and
// bytes 4, 8 and 12 multiples of 4.
var ErrNotClamped = errors.New("poly1305aes: r, the second half of the key, is not clamped")

// Key is a key for up to 2^64 messages, each with its own nonce. Goroutines can share it.
type Key struct{ secrets hidden[secrets] }

type secrets struct {
	k cipher.Block
	r poly1305.R
}

// hidden is a pointer that package fmt does not follow. In values of other types, fmt calls no method of an unexported field,
// but prints what is in it, also behind a pointer if the verb does not fit.
type hidden[T any] func() *T

func hide[T any](v *T) hidden[T] { return func() *T { return v } }

// Clamp makes 32 random bytes a key, by clearing the 22 bits of r that must be 0.
func Clamp(key *[KeySize]byte) { poly1305.Clamp((*[16]byte)(key[rOffset:])) }

// NewKey returns a key of [KeySize] bytes, k followed by r: the order of the paper, libgcrypt and Nettle. In a
// poly1305.OneTimeKey, r comes first; that a key with the wrong order is not clamped reveals most such mistakes.
//
// The error is [ErrNotClamped], or another one if the length is wrong.
func NewKey(key []byte) (*Key, error) {
	if len(key) != KeySize {
		return nil, fmt.Errorf("poly1305aes: a key of %d bytes, not %d", len(key), KeySize)
	}
	r, isClamped := poly1305.LoadR((*[16]byte)(key[rOffset:]))
	if !isClamped {
		return nil, ErrNotClamped
	}
	k, err := aes.NewCipher(key[:rOffset])
	if err != nil {
		return nil, fmt.Errorf("poly1305aes: %w", err)
	}
	return &Key{hide(&secrets{k, r})}, nil
}

// Sum writes the tag of message under the nonce, which must not be used for another message. out may overlap message.
func (k *Key) Sum(out *[TagSize]byte, message []byte, nonce *[NonceSize]byte) {
	value := k.r().Evaluate(message)
	k.tag(out, &value, nonce)
	value = poly1305.Value{}
}

// Verify reports whether tag is the tag of message under the nonce. It compares in constant time: check a received tag with
// this function, never with == or bytes.Equal.
func (k *Key) Verify(tag *[TagSize]byte, message []byte, nonce *[NonceSize]byte) bool {
	value := k.r().Evaluate(message)
	valid := k.verify(tag, &value, nonce)
	value = poly1305.Value{}
	return valid
}

func (k *Key) r() *poly1305.R { return &k.secrets().r }

func (k *Key) tag(out *[TagSize]byte, value *poly1305.Value, nonce *[NonceSize]byte) {
	// Encrypt is a method of an interface, for whose arguments Go allocates memory.
	pad := new([TagSize]byte)
	*pad = *nonce
	k.secrets().k.Encrypt(pad[:], pad[:])
	value.Tag(out, pad)
	clear(pad[:])
}

func (k *Key) verify(tag *[TagSize]byte, value *poly1305.Value, nonce *[NonceSize]byte) bool {
	var expected [TagSize]byte
	k.tag(&expected, value, nonce)
	valid := poly1305.Equal(&expected, tag)
	clear(expected[:])
	return valid
}

// Format writes the name of the type, whatever the verb, and nothing of the key.
func (k Key) Format(f fmt.State, _ rune) { fmt.Fprint(f, "poly1305aes.Key(..)") }

// Partial is a partial evaluation: the value of the polynomial over a segment of a message, under one key. It cannot be
// changed, so that copies can be used by several goroutines. Its zero value is that of the empty segment.
//
// It is secret: together with its segment, it reveals r.
type Partial struct{ segment hidden[segment] }

// segment is the value of a segment, and its length in bytes.
type segment struct {
	value  poly1305.Value
	length uint64
}

// Len returns the length of the segment in bytes.
func (p Partial) Len() uint64 { return p.get().length }

func (p Partial) get() segment {
	if p.segment == nil {
		return segment{}
	}
	return *p.segment()
}

// Format writes the length of the segment, whatever the verb, and nothing of the value.
func (p Partial) Format(f fmt.State, _ rune) {
	fmt.Fprintf(f, "poly1305aes.Partial(%d bytes)", p.Len())
}

// Partial returns the value of a segment of a message.
func (k *Key) Partial(message []byte) Partial {
	return Partial{hide(&segment{k.r().Evaluate(message), uint64(len(message))})}
}

// Zeros returns the value of n zero bytes. It takes at most 4 log2(n) multiplications.
func (k *Key) Zeros(n uint64) Partial { return Partial{hide(&segment{k.r().Zeros(n), n})} }

// Segments returns the values of all segments of segmentBytes bytes of a message, of which the last may be shorter. There are
// as many as it takes, none of an empty message.
//
// It is an error if segmentBytes is 0 or not a multiple of [BlockSize].
func (k *Key) Segments(message []byte, segmentBytes uint64) ([]Partial, error) {
	if err := checkSegmentBytes(segmentBytes); err != nil {
		return nil, err
	}
	step := int(min(segmentBytes, math.MaxInt&^(BlockSize-1))) // no slice is longer
	var segments []Partial
	for segment := range slices.Chunk(message, step) {
		segments = append(segments, k.Partial(segment))
	}
	return segments, nil
}

func checkSegmentBytes(segmentBytes uint64) error {
	if segmentBytes == 0 || segmentBytes%BlockSize != 0 {
		return fmt.Errorf("poly1305aes: segments of %d bytes, which is not a positive multiple of %d", segmentBytes, BlockSize)
	}
	return nil
}

// Append makes left the value of its segment followed by that of right. Both must be values under this key, which is not
// checked. It takes at most 2 log2(n) + 1 multiplications if right has n blocks.
//
// It is an error if left ends within a block and right is not empty, or if both together have more than 2^64 - 1 bytes. left
// is then unchanged.
func (k *Key) Append(left *Partial, right Partial) error {
	return k.Join(left, []Partial{right})
}

// Join appends segments to left, in their order, as [Key.Append] does. A segment as long as the one before it takes a single
// multiplication.
//
// It is an error if a segment follows one that ends within a block, or if all together have more than 2^64 - 1 bytes. left is
// then unchanged.
func (k *Key) Join(left *Partial, segments []Partial) error {
	j := joiner{r: k.r(), whole: left.get()}
	defer j.wipe()
	for _, s := range segments {
		right := s.get()
		switch {
		case right.length == 0:
			continue
		case j.whole.length%BlockSize != 0:
			return fmt.Errorf("poly1305aes: %d bytes cannot follow %d bytes, which end within a block of %d",
				right.length, j.whole.length, BlockSize)
		case right.length > math.MaxUint64-j.whole.length:
			return fmt.Errorf("poly1305aes: %d bytes after %d bytes are more than 2^64 - 1", right.length, j.whole.length)
		}
		j.append(&right)
	}
	whole := j.whole
	left.segment = hide(&whole)
	return nil
}

// joiner appends segments, and keeps the power of r between segments of the same length.
type joiner struct {
	r      *poly1305.R
	whole  segment
	power  poly1305.Value
	length uint64 // the length of segments that power is for, or 0
}

// append appends a segment where the lengths allow it.
func (j *joiner) append(right *segment) {
	if j.length != right.length {
		j.power, j.length = j.r.Power(right.length), right.length
	}
	j.whole.value = poly1305.Combine(j.whole.value, j.power, right.value)
	j.whole.length += right.length
}

func (j *joiner) wipe() { *j = joiner{} }

// Tag writes the tag of the message that partial is the value of, which must be one under this key. The nonce must not be used
// for another message, and that before a change is another one.
func (k *Key) Tag(out *[TagSize]byte, partial Partial, nonce *[NonceSize]byte) {
	whole := partial.get()
	k.tag(out, &whole.value, nonce)
	whole = segment{}
}

// VerifyPartial reports whether tag is the tag of the message that partial is the value of. It compares in constant time.
func (k *Key) VerifyPartial(tag *[TagSize]byte, partial Partial, nonce *[NonceSize]byte) bool {
	whole := partial.get()
	valid := k.verify(tag, &whole.value, nonce)
	whole = segment{}
	return valid
}
