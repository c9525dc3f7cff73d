// SPDX-License-Identifier: Apache-2.0 OR MIT

package poly1305aes

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/hornet-mac/hornet/bindings/go/chacha20poly1305"
	"github.com/hornet-mac/hornet/bindings/go/internal/poly1305"
)

// ErrForgery is the error for a segment, or for sealed parts, that are not authentic.
var ErrForgery = errors.New("poly1305aes: message authentication failed")

// Parts has the values of a message's segments of equal length, of which only the last may be shorter. The bytes of the message
// are not kept. After a change of one segment, a new tag takes the time to evaluate that segment, plus at most 2 log2(n) + 1
// multiplications if n blocks follow it, and for a shorter last segment of m blocks 2 log2(m) + 1.
//
// The message of a Parts is what its segments are values of, whatever has become of their bytes. [Key.NewParts] starts one, and
// [Key.OpenParts] continues one that [Parts.Seal] has sealed.
//
// It takes 32 bytes of memory for each segment. Its methods must not be called at the same time, except those that change
// nothing: Verify, VerifySegment, Tag, Seal, Len, Segments and SegmentBytes.
type Parts struct{ content hidden[content] }

type content struct {
	key          *Key
	segmentBytes uint64
	values       []segment
	full         segment // all segments of segmentBytes bytes together
}

// NewParts returns an empty message, to which segments of segmentBytes bytes can be appended. It is an error if segmentBytes is
// 0 or not a multiple of [BlockSize].
func (k *Key) NewParts(segmentBytes uint64) (*Parts, error) {
	if err := checkSegmentBytes(segmentBytes); err != nil {
		return nil, err
	}
	return &Parts{hide(&content{key: k, segmentBytes: segmentBytes})}, nil
}

// Len returns the length of the message in bytes.
func (p *Parts) Len() uint64 {
	c := p.content()
	return c.full.length + c.short().length
}

// Segments returns the number of segments.
func (p *Parts) Segments() int { return len(p.content().values) }

// SegmentBytes returns the length in bytes of all segments except the last, which may be shorter.
func (p *Parts) SegmentBytes() uint64 { return p.content().segmentBytes }

// short returns the last segment if it is shorter than the others, or else the empty one.
func (c *content) short() segment {
	if n := len(c.values); n != 0 && c.values[n-1].length < c.segmentBytes {
		return c.values[n-1]
	}
	return segment{}
}

// Append appends segments to the message, in their order: values under the key of these Parts, which is not checked, such as
// [Key.Segments] returns. It takes one multiplication for each, and at most 2 log2(SegmentBytes) more.
//
// It is an error if a segment is empty, longer than the others, or follows one that is shorter, or if the message would have
// more than 2^64 - 1 bytes. Nothing is then changed.
func (p *Parts) Append(segments ...Partial) error {
	return p.content().append(len(segments), func(i int) segment { return segments[i].get() })
}

// append appends count segments, or nothing if it returns an error.
func (c *content) append(count int, at func(i int) segment) error {
	full := joiner{r: c.key.r(), whole: c.full}
	defer full.wipe()
	short := c.short().length
	length := c.full.length + short
	values := slices.Grow(c.values, count)
	for i := range count {
		s := at(i)
		switch {
		case s.length == 0 || s.length > c.segmentBytes:
			return fmt.Errorf("poly1305aes: segment %d to append has %d bytes, not 1 to %d", i, s.length, c.segmentBytes)
		case short != 0:
			return fmt.Errorf("poly1305aes: segment %d to append follows one of %d bytes, of %d", i, short, c.segmentBytes)
		case s.length > math.MaxUint64-length:
			return fmt.Errorf("poly1305aes: segment %d to append: %d bytes after %d are more than 2^64 - 1", i, s.length, length)
		case s.length == c.segmentBytes:
			full.append(&s)
		default:
			short = s.length
		}
		length += s.length
		values = append(values, s)
	}
	c.values, c.full = values, full.whole
	return nil
}

// AppendZeros appends n zero bytes to the message, in as many segments as it takes. It takes one multiplication for each, and at
// most 8 log2(SegmentBytes) more. The errors are those of [Parts.Append], and nothing is then changed.
func (p *Parts) AppendZeros(n uint64) error {
	c := p.content()
	count, rest := n/c.segmentBytes, n%c.segmentBytes
	if count >= math.MaxInt/64 { // more than fit into memory
		return fmt.Errorf("poly1305aes: %d zero bytes are %d segments of %d", n, count, c.segmentBytes)
	}
	full, last := c.key.Zeros(min(n, c.segmentBytes)).get(), c.key.Zeros(rest).get()
	if rest != 0 {
		count++
	}
	return c.append(int(count), func(i int) segment {
		if rest != 0 && uint64(i) == count-1 {
			return last
		}
		return full
	})
}

// Replace replaces segment i by one of the same length. The value of the old segment is the one in these Parts.
//
// The new tag is valid for all bytes of the replacement. If some of them are not new, but were read from storage that others
// write, verify the segment as it was read by [Parts.VerifySegment] before changing the others.
//
// It is an error if there is no segment i, or if the lengths differ. Nothing is then changed.
func (p *Parts) Replace(i int, replacement Partial) error {
	c, s := p.content(), replacement.get()
	if err := c.check(i, s.length); err != nil {
		return err
	}
	if s.length == c.segmentBytes {
		power := c.key.r().Power(c.full.length - c.segmentBytes*(uint64(i)+1))
		c.full.value = poly1305.Replace(c.full.value, power, c.values[i].value, s.value)
	}
	c.values[i] = s
	return nil
}

// check returns an error unless segment i exists and has the given length.
func (c *content) check(i int, length uint64) error {
	if i < 0 || i >= len(c.values) {
		return fmt.Errorf("poly1305aes: segment %d of a message of %d segments", i, len(c.values))
	}
	if length != c.values[i].length {
		return fmt.Errorf("poly1305aes: segment %d has %d bytes, not %d", i, c.values[i].length, length)
	}
	return nil
}

// Truncate shortens the message to its first n segments. To lengthen or shorten the last segment, remove it and append another.
// All remaining segments are combined again, unless only a shorter one is removed: one multiplication for each.
//
// It is an error if there are not n segments. Nothing is then changed.
func (p *Parts) Truncate(n int) error {
	c := p.content()
	if n < 0 || n > len(c.values) {
		return fmt.Errorf("poly1305aes: the first %d segments of a message of %d", n, len(c.values))
	}
	if uint64(n) < c.full.length/c.segmentBytes {
		full := joiner{r: c.key.r()}
		defer full.wipe()
		for i := range n {
			full.append(&c.values[i])
		}
		c.full = full.whole
	}
	clear(c.values[n:])
	c.values = c.values[:n]
	return nil
}

// VerifySegment returns nil only if message is segment i. It compares their values, in constant time. Other bytes of n blocks
// have the same value for at most n of the 2^106 numbers r: each try of a forger succeeds with a probability of at most
// n / 2^106.
//
// The error is [ErrForgery] if the bytes are others, and another one if there is no segment i or it has another length.
func (p *Parts) VerifySegment(i int, message []byte) error {
	c := p.content()
	if err := c.check(i, uint64(len(message))); err != nil {
		return err
	}
	value := c.key.r().Evaluate(message)
	valid := value.Equal(&c.values[i].value)
	value = poly1305.Value{}
	if !valid {
		return ErrForgery
	}
	return nil
}

// Tag writes the tag of the message. The nonce must not be used for another message, and that before a change is another one.
func (p *Parts) Tag(out *[TagSize]byte, nonce *[NonceSize]byte) {
	c := p.content()
	whole := c.whole()
	c.key.tag(out, &whole, nonce)
	whole = poly1305.Value{}
}

// Verify reports whether tag is the tag of the message. It compares in constant time.
func (p *Parts) Verify(tag *[TagSize]byte, nonce *[NonceSize]byte) bool {
	c := p.content()
	whole := c.whole()
	valid := c.key.verify(tag, &whole, nonce)
	whole = poly1305.Value{}
	return valid
}

func (c *content) whole() poly1305.Value {
	last := c.short()
	return poly1305.Combine(c.full.value, c.key.r().Power(last.length), last.value)
}

// Format writes the lengths, whatever the verb, and nothing of the values.
func (p Parts) Format(f fmt.State, _ rune) {
	if p.content == nil {
		fmt.Fprint(f, "poly1305aes.Parts(none)")
		return
	}
	fmt.Fprintf(f, "poly1305aes.Parts(%d bytes, segments of %d)", p.Len(), p.SegmentBytes())
}

// Sealed parts:
//
//	bytes
//	16    sealedMagic
//	8     length of segments, little-endian    the additional data are the magic and
//	8     length of the message, likewise      both lengths
//	24    nonce, random
//	17    for each segment, encrypted: its value modulo p, little-endian
//	16    tag of XChaCha20-Poly1305
const (
	sealedMagic     = "hornet parts 1\r\n"
	sealedHeader    = len(sealedMagic) + 8 + 8
	sealedBeginning = sealedHeader + chacha20poly1305.NonceSizeX
)

// Seal appends the sealed values to dst: encrypted and authenticated by XChaCha20-Poly1305 under sealingKey and a random nonce,
// 17 bytes for each segment and 72 more. Only [Key.OpenParts] reads them. They may be stored where others write.
//
// The sealing key has chacha20poly1305.KeySize bytes. It must be independent of the key of Poly1305-AES, and is as secret: the
// values reveal r to who knows their segments. It is an error if its length is another, and in FIPS 140-only mode.
func (p *Parts) Seal(dst, sealingKey []byte) ([]byte, error) {
	aead, err := chacha20poly1305.NewX(sealingKey)
	if err != nil {
		return nil, fmt.Errorf("poly1305aes: the sealing key: %w", err)
	}
	c := p.content()
	size := len(c.values) * poly1305.ValueSize
	dst = slices.Grow(dst, sealedBeginning+size+chacha20poly1305.Overhead)
	start := len(dst)
	dst = append(dst, sealedMagic...)
	dst = binary.LittleEndian.AppendUint64(dst, c.segmentBytes)
	dst = binary.LittleEndian.AppendUint64(dst, p.Len())
	header := dst[start:]
	nonce := dst[len(dst):][:chacha20poly1305.NonceSizeX]
	rand.Read(nonce)
	dst = append(dst, nonce...)
	plaintext := dst[len(dst):][:size] // encrypted in place, so that no copy remains
	for i := range c.values {
		c.values[i].value.Store((*[poly1305.ValueSize]byte)(plaintext[i*poly1305.ValueSize:]))
	}
	return aead.Seal(dst, nonce, plaintext, header), nil
}

// OpenParts returns the parts of the message that has the given tag and nonce under this key. Sealed parts of another message,
// also those of the same message before or after a change, are refused, so what they are used with cannot be older or newer
// than the tag.
//
// Who can put back an older tag together with its nonce and parts puts back the older message, as with any tag. Keep the latest
// tag or nonce where others do not write if that matters.
//
// The error wraps [ErrForgery] if the sealing key is another, if a byte has changed, or if the tag is another's. It is another
// error if sealed cannot be parts, if the sealing key has a wrong length, and in FIPS 140-only mode.
func (k *Key) OpenParts(sealed, sealingKey []byte, tag *[TagSize]byte, nonce *[NonceSize]byte) (*Parts, error) {
	aead, err := chacha20poly1305.NewX(sealingKey)
	if err != nil {
		return nil, fmt.Errorf("poly1305aes: the sealing key: %w", err)
	}
	if len(sealed) < sealedBeginning+chacha20poly1305.Overhead || string(sealed[:len(sealedMagic)]) != sealedMagic {
		return nil, fmt.Errorf("poly1305aes: %d bytes that are not sealed parts of version 1", len(sealed))
	}
	header, sealNonce, ciphertext := sealed[:sealedHeader], sealed[sealedHeader:sealedBeginning], sealed[sealedBeginning:]
	segmentBytes := binary.LittleEndian.Uint64(header[len(sealedMagic):])
	length := binary.LittleEndian.Uint64(header[len(sealedMagic)+8:])
	p, err := k.NewParts(segmentBytes)
	if err != nil {
		return nil, fmt.Errorf("%w, in sealed parts", err)
	}
	count := length / segmentBytes
	if length%segmentBytes != 0 {
		count++
	}
	size := len(ciphertext) - chacha20poly1305.Overhead
	if size%poly1305.ValueSize != 0 || uint64(size/poly1305.ValueSize) != count {
		return nil, fmt.Errorf("poly1305aes: sealed parts of %d bytes, which are not for %d segments", len(sealed), count)
	}

	plaintext, err := aead.Open(nil, sealNonce, ciphertext, header)
	if err != nil {
		return nil, fmt.Errorf("%w: sealed parts were changed, or sealed under another key", ErrForgery)
	}
	defer clear(plaintext)
	c, full := p.content(), joiner{r: k.r()}
	defer full.wipe()
	c.values = make([]segment, count)
	for i := range c.values {
		var below bool
		s := &c.values[i]
		if s.value, below = poly1305.LoadValue((*[poly1305.ValueSize]byte)(plaintext[i*poly1305.ValueSize:])); !below {
			return nil, fmt.Errorf("poly1305aes: segment %d of sealed parts has no value below 2^130", i)
		}
		if s.length = min(segmentBytes, length-uint64(i)*segmentBytes); s.length == segmentBytes {
			full.append(s)
		}
	}
	c.full = full.whole
	if !p.Verify(tag, nonce) {
		return nil, fmt.Errorf("%w: sealed parts and tag are not those of one message and key", ErrForgery)
	}
	return p, nil
}
