// SPDX-License-Identifier: Apache-2.0 OR MIT

// Package openssh implements the cipher of SSH packets that is called chacha20-poly1305@openssh.com (OpenSSH's
// PROTOCOL.chacha20poly1305).
//
// A packet is the length of its payload, the payload, and a tag. Length and payload are encrypted under two keys, so that who
// receives a packet can tell its length before it is there. The tag is that of both. The nonce is the number of the packet in
// its direction; SSH derives new keys before the number of 32 bits comes again.
//
// The cipher knows nothing of what SSH has in the payload: the length of the padding, a message, and the padding.
//
// Time, branches and memory addresses depend on lengths, numbers of packets and the verdict of Open, never on keys, payloads or
// tags.
package openssh

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/hornet-mac/hornet/bindings/go/internal/asm"
	"github.com/hornet-mac/hornet/bindings/go/internal/chacha20"
	"github.com/hornet-mac/hornet/bindings/go/internal/poly1305"
	"github.com/hornet-mac/hornet/bindings/go/internal/stitched"
)

const (
	// KeySize is the size, in bytes, of a key: that of payloads, and then that of lengths.
	KeySize = 2 * chacha20.KeySize

	// LengthSize is the size, in bytes, of the length in front of a payload. Its most significant byte is the first.
	LengthSize = 4

	// TagSize is the size, in bytes, of the tag behind a payload.
	TagSize = poly1305.TagSize

	// Overhead is the number of bytes by which a packet is longer than its payload.
	Overhead = LengthSize + TagSize
)

// ErrOpen is the error of a packet that is not authentic. SSH ends the connection.
var ErrOpen = errors.New("openssh: message authentication failed")

// Cipher encrypts the packets of one direction of a connection, or decrypts them. It holds the key until [Cipher.Wipe], or until
// the garbage collector reuses its memory. Several goroutines may use it at the same time.
type Cipher struct {
	payload, length chacha20.Key
}

// New returns the cipher of a key of [KeySize] bytes, as SSH derives it. Another length is an error.
func New(key []byte) (*Cipher, error) {
	if len(key) != KeySize {
		return nil, fmt.Errorf("openssh: a key of %d bytes, not %d", len(key), KeySize)
	}
	return &Cipher{
		chacha20.LoadKey((*[chacha20.KeySize]byte)(key)),
		chacha20.LoadKey((*[chacha20.KeySize]byte)(key[chacha20.KeySize:])),
	}, nil
}

// Wipe overwrites the key. The cipher must not be used any more.
func (c *Cipher) Wipe() { *c = Cipher{} }

// Format writes the name of the type, whatever the verb, and nothing of the key.
func (c Cipher) Format(f fmt.State, _ rune) { fmt.Fprint(f, "openssh.Cipher(..)") }

// Seal encrypts a packet in place: [LengthSize] bytes, where it writes the length, the payload, and [TagSize] bytes, where it
// writes the tag. No other packet under the key may have the number. Seal panics if the packet is shorter than [Overhead] or if
// its length has more than 32 bits.
func (c *Cipher) Seal(packet []byte, number uint32) {
	n := len(packet) - Overhead
	if uint64(n) > 1<<32-1 { // or negative
		panic("openssh: bad packet length passed to Seal")
	}
	binary.BigEndian.PutUint32(packet, uint32(n))
	c.xorLength((*[LengthSize]byte)(packet), number)
	m, tag := packet[:LengthSize+n], (*[TagSize]byte)(packet[LengthSize+n:])
	if stitched.Pays(n) {
		c.sealStitched(m, tag, number)
	} else {
		c.seal(m, tag, number)
	}
}

// Length returns the length of the payload of a packet, which begins with these [LengthSize] bytes; they stay encrypted. It is
// not authentic before [Cipher.Open] has seen the packet, so that a limit must be checked first.
func (c *Cipher) Length(encrypted *[LengthSize]byte, number uint32) uint32 {
	length := *encrypted
	c.xorLength(&length, number)
	return binary.BigEndian.Uint32(length[:])
}

// Open decrypts the payload of a packet in place, and returns it; the length in front of it stays encrypted. If the packet is
// not authentic, or shorter than [Overhead], Open returns [ErrOpen] and overwrites the payload with zeros.
func (c *Cipher) Open(packet []byte, number uint32) ([]byte, error) {
	n := len(packet) - Overhead
	if n < 0 {
		return nil, ErrOpen
	}
	payload, m, tag := packet[LengthSize:LengthSize+n], packet[:LengthSize+n], (*[TagSize]byte)(packet[LengthSize+n:])
	var valid bool
	if stitched.Pays(n) {
		valid = c.openStitched(m, tag, number)
	} else {
		valid = c.open(m, tag, number)
	}
	if !valid {
		asm.Clear(payload)
		return nil, ErrOpen
	}
	return payload, nil
}

// start starts the keystream of a packet. In front of the number, OpenSSH's nonce has four zeros, and the counter four more.
func start(s *chacha20.State, key *chacha20.Key, number uint32) {
	var nonce [12]byte
	binary.BigEndian.PutUint32(nonce[8:], number)
	s.Init(key, &nonce)
}

func (c *Cipher) xorLength(length *[LengthSize]byte, number uint32) {
	var s chacha20.State
	start(&s, &c.length, number)
	s.XOR(length[:], length[:])
	s = chacha20.State{}
}

// seal encrypts what follows the length, and writes the tag of both.
func (c *Cipher) seal(m []byte, tag *[TagSize]byte, number uint32) {
	var s chacha20.State
	var room chacha20.Room1
	key := (*[chacha20.BlockSize]byte)(chacha20.Line(room.Bytes[:]))
	start(&s, &c.payload, number)
	s.XORAfterKey(m[LengthSize:], m[LengthSize:], key)
	poly1305.Sum(tag, m, (*[poly1305.KeySize]byte)(key[:]))
	s, room = chacha20.State{}, chacha20.Room1{}
}

// open decrypts what follows the length, if the tag of both is right. The buffer comes in several sizes because it is cleared
// before and after use.
func (c *Cipher) open(m []byte, tag *[TagSize]byte, number uint32) (valid bool) {
	blocks := chacha20.StreamBlocks(1 + chacha20.Blocks(len(m)-LengthSize))
	switch room := chacha20.StreamRoom(blocks); {
	case room <= 4:
		var stream chacha20.Room4
		valid = c.openWith(m, tag, number, chacha20.Line(stream.Bytes[:]), blocks)
		stream = chacha20.Room4{}
	case room <= 8:
		var stream chacha20.Room8
		valid = c.openWith(m, tag, number, chacha20.Line(stream.Bytes[:]), blocks)
		stream = chacha20.Room8{}
	case room <= 16:
		var stream chacha20.Room16
		valid = c.openWith(m, tag, number, chacha20.Line(stream.Bytes[:]), blocks)
		stream = chacha20.Room16{}
	default:
		var stream chacha20.Room32
		valid = c.openWith(m, tag, number, chacha20.Line(stream.Bytes[:]), blocks)
		stream = chacha20.Room32{}
	}
	return valid
}

// openWith is open with a buffer for the first blocks of the keystream.
func (c *Cipher) openWith(m []byte, tag *[TagSize]byte, number uint32, stream []byte, blocks int) bool {
	var s chacha20.State
	var expected [TagSize]byte
	start(&s, &c.payload, number)
	s.Stream(stream, blocks)
	poly1305.Sum(&expected, m, (*[poly1305.KeySize]byte)(stream))
	valid := poly1305.Equal(&expected, tag)
	if valid {
		payload := m[LengthSize:]
		done := min(len(payload), (blocks-1)*chacha20.BlockSize)
		chacha20.XORBytes(payload[:done], payload[:done], stream[chacha20.BlockSize:])
		s.XOR(payload[done:], payload[done:])
	}
	s, expected = chacha20.State{}, [TagSize]byte{}
	return valid
}

// sealStitched is seal with both algorithms at the same time.
func (c *Cipher) sealStitched(m []byte, tag *[TagSize]byte, number uint32) {
	var s chacha20.State
	var p poly1305.State
	start(&s, &c.payload, number)
	stitched.SealPacket(m, LengthSize, &s, &p)
	p.Tag(tag)
	s, p = chacha20.State{}, poly1305.State{}
}

// openStitched is open with both algorithms at the same time, so that it decrypts even if the tag is wrong.
func (c *Cipher) openStitched(m []byte, tag *[TagSize]byte, number uint32) bool {
	var s chacha20.State
	var p poly1305.State
	var expected [TagSize]byte
	start(&s, &c.payload, number)
	stitched.OpenPacket(m, LengthSize, &s, &p)
	p.Tag(&expected)
	valid := poly1305.Equal(&expected, tag)
	s, p, expected = chacha20.State{}, poly1305.State{}, [TagSize]byte{}
	return valid
}
