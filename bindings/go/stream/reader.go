// SPDX-License-Identifier: Apache-2.0 OR MIT

package stream

import (
	"fmt"
	"io"
)

// Reader opens a sealed text that it reads, and gives out the bytes of a chunk only after all of it was verified. The end of the
// text is authentic too: the error is [io.EOF] only there.
type Reader struct {
	cipher Cipher
	src    io.Reader
	number uint64 // of the next chunk
	unread []byte // of text
	filled int    // how many bytes of sealed were read
	ended  bool   // src has ended
	sealed [SealedChunkSize + 1]byte
	text   *[ChunkSize]byte // nil until it is needed
	err    error
}

// NewReader returns a [Reader] of a sealed text under a key of [KeySize] bytes. Another length is an error. The text must end
// where src ends. It has a buffer of [SealedChunkSize] bytes, and, unless
// each Read has room for a chunk, one of [ChunkSize].
func NewReader(key []byte, src io.Reader) (*Reader, error) {
	r := &Reader{src: src}
	if err := r.cipher.init(key); err != nil {
		return nil, err
	}
	return r, nil
}

// Read reads up to a chunk. If the next one does not open, the error is an [*Error], again at each later call. Errors of the
// underlying reader are returned as they are; the next call goes on where it failed. If p has room for a chunk, it is opened
// there, without a copy, and overwritten with zeros if it is not authentic.
func (r *Reader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if len(r.unread) == 0 {
		text, err := r.next(p)
		if err != nil {
			return 0, err
		}
		if len(p) >= ChunkSize {
			return len(text), nil
		}
		r.unread = text
	}
	n := copy(p, r.unread)
	r.unread = r.unread[n:]
	return n, nil
}

// WriteTo writes the rest of the text to dst, each chunk after it was verified. [io.Copy] calls it.
func (r *Reader) WriteTo(dst io.Writer) (n int64, err error) {
	for {
		if len(r.unread) == 0 {
			if r.unread, err = r.next(nil); err == io.EOF {
				return n, nil
			} else if err != nil {
				return n, err
			}
		}
		count, err := dst.Write(r.unread)
		n += int64(count)
		short := count < len(r.unread)
		r.unread = r.unread[count:]
		if err != nil {
			return n, err
		}
		if short {
			return n, io.ErrShortWrite
		}
	}
}

// Wipe overwrites the key and what was read. Later calls return an error.
func (r *Reader) Wipe() {
	r.cipher.Wipe()
	clear(r.sealed[:])
	if r.text != nil {
		clear(r.text[:])
	}
	r.unread, r.err = nil, errWiped
}

// Format writes the name of the type, whatever the verb, and nothing of key and text.
func (r *Reader) Format(f fmt.State, _ rune) { fmt.Fprint(f, "stream.Reader(..)") }

// next opens the next chunk, of at least a byte, to p if that has room for one, and otherwise to r.text.
func (r *Reader) next(p []byte) ([]byte, error) {
	if r.err != nil {
		return nil, r.err
	}
	// One byte more shows whether this chunk is the last.
	for r.filled < len(r.sealed) && !r.ended {
		n, err := r.src.Read(r.sealed[r.filled:])
		r.filled += n
		if err == io.EOF {
			r.ended = true
		} else if err != nil && r.filled < len(r.sealed) {
			return nil, err
		}
	}
	last := r.filled <= SealedChunkSize
	if len(p) < ChunkSize {
		if r.text == nil {
			r.text = new([ChunkSize]byte)
		}
		p = r.text[:]
	}
	text, err := r.cipher.Open(p[:0], r.sealed[:min(r.filled, SealedChunkSize)], r.number, last)
	if err != nil {
		r.err = err
		return nil, err
	}
	if last {
		r.err = io.EOF
	} else {
		r.number++
		r.sealed[0], r.filled = r.sealed[SealedChunkSize], 1
	}
	if len(text) == 0 {
		return nil, r.err
	}
	return text, nil
}
