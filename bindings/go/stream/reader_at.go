// SPDX-License-Identifier: Apache-2.0 OR MIT

package stream

import (
	"errors"
	"fmt"
	"io"
	"sync"
)

// ReaderAt opens any part of a sealed text. Several goroutines may use it at the same time. For an [io.ReadSeeker], call
// io.NewSectionReader(r, 0, r.Size()).
type ReaderAt struct {
	cipher Cipher
	src    io.ReaderAt
	size   int64
	free   sync.Pool // of *[SealedChunkSize]byte, which hold no text

	lock   sync.Mutex
	number int64 // of the chunk in cached
	cached *[SealedChunkSize]byte
	wiped  bool
}

// NewReaderAt returns a [ReaderAt] of a text that is sealed in the first size bytes of src, all that there are, under a key of
// [KeySize] bytes. Another length is an error. It reads and verifies the last chunk, which shows how long the text is; if that
// does not open, the error is an [*Error].
func NewReaderAt(key []byte, src io.ReaderAt, size int64) (*ReaderAt, error) {
	r := &ReaderAt{src: src, cached: new([SealedChunkSize]byte)}
	r.free.New = func() any { return new([SealedChunkSize]byte) }
	if err := r.cipher.init(key); err != nil {
		return nil, err
	}
	if size < 0 {
		return nil, fmt.Errorf("stream: a sealed text of %d bytes", size)
	}
	var err error
	if r.size, err = PlaintextSize(size); err != nil {
		return nil, &Error{uint64(size / SealedChunkSize), ErrCutOff}
	}
	r.number = r.last()
	sealed := r.free.Get().(*[SealedChunkSize]byte)
	chunk, err := r.read(sealed, r.number)
	if err != nil {
		return nil, err
	}
	if _, err := r.cipher.Open(r.cached[:0], chunk, uint64(r.number), true); err != nil {
		return nil, err
	}
	r.free.Put(sealed)
	return r, nil
}

// Size returns the size, in bytes, of the text. It is authentic.
func (r *ReaderAt) Size() int64 { return r.size }

// ReadAt reads the text from byte off on. It reads the chunks that it needs, but for the one that it used last, and verifies all
// of each before it returns bytes of it. If a chunk does not open, the error is an [*Error], and n counts the bytes before it. At
// the end of the text the error is [io.EOF]. Whole chunks are opened in p, without a copy, and overwritten with zeros if they are
// not authentic.
func (r *ReaderAt) ReadAt(p []byte, off int64) (n int, err error) {
	if off < 0 {
		return 0, fmt.Errorf("stream: a negative offset, %d", off)
	}
	for n < len(p) && off < r.size {
		count, err := r.readChunk(p[n:], off/ChunkSize, int(off%ChunkSize))
		if err != nil {
			return n, err
		}
		n += count
		off += int64(count)
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// Wipe overwrites the key and the text of the chunk that was used last. No other call may run. Later calls return an error.
func (r *ReaderAt) Wipe() {
	r.lock.Lock()
	defer r.lock.Unlock()
	r.cipher.Wipe()
	clear(r.cached[:])
	r.wiped = true
}

// Format writes the name of the type, whatever the verb, and nothing of key and text.
func (r *ReaderAt) Format(f fmt.State, _ rune) { fmt.Fprint(f, "stream.ReaderAt(..)") }

// last returns the number of the last chunk.
func (r *ReaderAt) last() int64 { return max(0, r.size-1) / ChunkSize }

// textSize returns the size of the text of a chunk.
func (r *ReaderAt) textSize(number int64) int { return int(min(ChunkSize, r.size-number*ChunkSize)) }

// readChunk reads text of a chunk, from a byte of it on.
func (r *ReaderAt) readChunk(p []byte, number int64, begin int) (int, error) {
	size := r.textSize(number)
	p = p[:min(len(p), size-begin)]
	r.lock.Lock()
	wiped, found := r.wiped, number == r.number
	if found && !wiped {
		copy(p, r.cached[begin:])
	}
	r.lock.Unlock()
	switch {
	case wiped:
		return 0, errWiped
	case found:
		return len(p), nil
	}

	buffer := r.free.Get().(*[SealedChunkSize]byte)
	chunk, err := r.read(buffer, number)
	if err != nil {
		r.free.Put(buffer)
		return 0, err
	}
	whole, out := len(p) == size, buffer[:0]
	if whole {
		out = p[:0]
	}
	if _, err := r.cipher.Open(out, chunk, uint64(number), number == r.last()); err != nil {
		r.free.Put(buffer)
		return 0, err
	}
	if !whole {
		copy(p, buffer[begin:size])
		r.lock.Lock()
		r.cached, buffer, r.number = buffer, r.cached, number
		r.lock.Unlock()
		clear(buffer[:ChunkSize])
	}
	r.free.Put(buffer)
	return len(p), nil
}

// read reads a sealed chunk into buffer.
func (r *ReaderAt) read(buffer *[SealedChunkSize]byte, number int64) ([]byte, error) {
	chunk := buffer[:r.textSize(number)+Overhead]
	n, err := r.src.ReadAt(chunk, number*SealedChunkSize)
	switch {
	case n == len(chunk):
		return chunk, nil
	case err == nil || errors.Is(err, io.EOF):
		return nil, &Error{uint64(number), ErrCutOff}
	}
	return nil, err
}
