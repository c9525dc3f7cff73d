// SPDX-License-Identifier: Apache-2.0 OR MIT

// Package poly1305 implements the one-time message authenticator Poly1305 (RFC 8439, section 2.5).
//
// A 32-byte key and a message of any length give a 16-byte tag. Who knows the key can verify the tag; who does not know it
// cannot make a tag for another message.
//
// Use a key for one message only. Two tags under one key reveal enough to forge others. So a key has its own type,
// [OneTimeKey], which requires an explicit conversion from bytes. Derive a fresh key for every message, as
// github.com/hornet-mac/hornet/bindings/go/chacha20poly1305 does, which is the package to use for most purposes.
//
// [Sum], [Verify], [New] and [MAC] are those of golang.org/x/crypto/poly1305 except for the type of the key. Convert a
// *[32]byte as in the example of [OneTimeKey].
//
// Time, branches and memory addresses depend on lengths, never on keys, messages or tags. Memory is allocated only by
// [New], by [MAC.Sum] if its argument has no room, and for errors.
package poly1305

import (
	"errors"
	"fmt"

	"github.com/hornet-mac/hornet/bindings/go/internal/poly1305"
)

const (
	// KeySize is the size, in bytes, of a key.
	KeySize = poly1305.KeySize

	// TagSize is the size, in bytes, of a tag.
	TagSize = poly1305.TagSize
)

// OneTimeKey is a key for one message: r, which this package clamps, and s. If a second message is authenticated under the
// same key, anyone who sees both tags can forge others.
//
// To wipe it, call clear(key[:]).
type OneTimeKey [KeySize]byte

// Sum writes the tag of message under key to out. The key must not be used for another message.
func Sum(out *[TagSize]byte, message []byte, key *OneTimeKey) {
	poly1305.Sum(out, message, (*[KeySize]byte)(key))
}

// Verify reports whether tag is the tag of message under key. It compares in constant time: check a received tag with this
// function, never with == or bytes.Equal.
func Verify(tag *[TagSize]byte, message []byte, key *OneTimeKey) bool {
	var expected [TagSize]byte
	Sum(&expected, message, key)
	valid := poly1305.Equal(&expected, tag)
	expected = [TagSize]byte{}
	return valid
}

// SumBatch writes each message's tag under the key with the same index. No key may be used for another message, in
// this batch or elsewhere.
//
// tags must not overlap messages or keys. If the three differ in length, SumBatch returns an error and writes nothing.
func SumBatch(tags [][TagSize]byte, messages [][]byte, keys []OneTimeKey) error {
	if err := sameLength(tags, messages, keys); err != nil {
		return err
	}
	for i := range messages {
		Sum(&tags[i], messages[i], &keys[i])
	}
	return nil
}

// VerifyBatch returns nil only if every tag is that of the message under the key with the same index.
//
// If tags are wrong, the error is a [*ForgeryError], which tells which ones and wraps [ErrForgery]. If the three slices
// differ in length, it is another error.
func VerifyBatch(tags [][TagSize]byte, messages [][]byte, keys []OneTimeKey) error {
	if err := sameLength(tags, messages, keys); err != nil {
		return err
	}
	var forged []int
	for i := range messages {
		if !Verify(&tags[i], messages[i], &keys[i]) {
			forged = append(forged, i)
		}
	}
	if forged != nil {
		return &ForgeryError{Forged: forged, count: len(messages)}
	}
	return nil
}

func sameLength(tags [][TagSize]byte, messages [][]byte, keys []OneTimeKey) error {
	if len(tags) != len(messages) || len(keys) != len(messages) {
		return fmt.Errorf("poly1305: a batch of %d messages with %d keys and %d tags", len(messages), len(keys), len(tags))
	}
	return nil
}

// ErrForgery is the error that a [*ForgeryError] wraps.
var ErrForgery = errors.New("poly1305: message authentication failed")

// ForgeryError tells which messages of a batch are not authentic.
type ForgeryError struct {
	Forged []int // indexes into the batch, in ascending order
	count  int
}

func (e *ForgeryError) Error() string {
	if len(e.Forged) == 0 {
		return ErrForgery.Error()
	}
	return fmt.Sprintf("%v: %d of %d tags are wrong, the first of message %d", ErrForgery, len(e.Forged), e.count, e.Forged[0])
}

func (e *ForgeryError) Unwrap() error { return ErrForgery }

// MAC is an io.Writer that authenticates a message in pieces. It is not a hash.Hash: after [MAC.Sum] or [MAC.Verify] its key
// is used up, and Write panics.
//
// A copy is independent of the original, and holds the key too.
type MAC struct {
	state    poly1305.State
	buffer   [poly1305.BlockSize]byte
	buffered int // number of bytes in buffer, less than a block
	tag      [TagSize]byte
	live     bool // true from New until the first Sum or Verify
	ended    bool // true after the first Sum or Verify
}

// New starts a message under key, which must not be used for another one. It copies the key, and the copy is wiped when the
// message ends.
func New(key *OneTimeKey) *MAC {
	m := &MAC{live: true}
	m.state.Init((*[KeySize]byte)(key))
	return m
}

// Size returns TagSize.
func (m *MAC) Size() int { return TagSize }

// Write appends p to the message. It returns len(p) and no error. It panics after Sum or Verify.
func (m *MAC) Write(p []byte) (n int, err error) {
	if !m.live {
		panic("poly1305: write to MAC after Sum or Verify, or without New")
	}
	n = len(p)
	if m.buffered != 0 {
		taken := copy(m.buffer[m.buffered:], p)
		m.buffered += taken
		if m.buffered < len(m.buffer) {
			return n, nil
		}
		p = p[taken:]
		m.state.Absorb(m.buffer[:])
	}
	blocks := len(p) &^ (len(m.buffer) - 1)
	m.state.Absorb(p[:blocks])
	m.buffered = copy(m.buffer[:], p[blocks:])
	return n, nil
}

// Sum ends the message and appends the tag to b. Further calls append the same tag.
func (m *MAC) Sum(b []byte) []byte {
	m.end()
	return append(b, m.tag[:]...)
}

// Verify ends the message and reports whether expected is the tag. It compares in constant time.
func (m *MAC) Verify(expected []byte) bool {
	m.end()
	return len(expected) == TagSize && poly1305.Equal(&m.tag, (*[TagSize]byte)(expected))
}

func (m *MAC) end() {
	if m.ended {
		return
	}
	if !m.live {
		panic("poly1305: MAC without New")
	}
	m.state.Absorb(m.buffer[:m.buffered])
	m.state.Tag(&m.tag)
	m.state, m.buffer, m.live, m.ended = poly1305.State{}, [poly1305.BlockSize]byte{}, false, true
}
