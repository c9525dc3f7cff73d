// SPDX-License-Identifier: Apache-2.0 OR MIT

package stream

import (
	"errors"
	"fmt"
	"io"
)

var errClosed = errors.New("stream: the Writer is closed")

// Writer seals a text that is written to it. A text has its end only after [Writer.Close]: without it, a reader refuses the text
// as cut off.
type Writer struct {
	cipher Cipher
	dst    io.Writer
	number uint64 // of the next chunk
	waits  int    // how many bytes of buffer are text that is not sealed yet, at most ChunkSize
	buffer [SealedChunkSize]byte
	err    error
}

// NewWriter returns a [Writer] that writes a sealed text to dst, the only one under this key of [KeySize] bytes. Another length
// is an error. It has a buffer of [SealedChunkSize] bytes.
func NewWriter(key []byte, dst io.Writer) (*Writer, error) {
	w := &Writer{dst: dst}
	if err := w.cipher.init(key); err != nil {
		return nil, err
	}
	return w, nil
}

// Write seals p. It writes a chunk when the first byte after it arrives, since it may be the last. After an error of the
// underlying writer, each call returns it: a chunk may have been written in part, so that nothing can follow it.
func (w *Writer) Write(p []byte) (n int, err error) {
	for n < len(p) && w.err == nil {
		text := p[n:]
		switch {
		case w.waits == ChunkSize:
			w.flush(w.buffer[:ChunkSize], false)
		case w.waits == 0 && len(text) > ChunkSize:
			if w.flush(text[:ChunkSize], false); w.err == nil {
				n += ChunkSize
			}
		default:
			count := copy(w.buffer[w.waits:ChunkSize], text)
			w.waits += count
			n += count
		}
	}
	return n, w.err
}

// ReadFrom seals what it reads from src until [io.EOF]. [io.Copy] calls it.
func (w *Writer) ReadFrom(src io.Reader) (n int64, err error) {
	for w.err == nil {
		// One byte more shows that the chunk is not the last. Until then it is where the tag will be.
		count, err := src.Read(w.buffer[w.waits : ChunkSize+1])
		n += int64(count)
		if w.waits += count; w.waits > ChunkSize {
			next := w.buffer[ChunkSize]
			w.flush(w.buffer[:ChunkSize], false)
			w.buffer[0], w.waits = next, 1
		}
		if err == io.EOF {
			break
		}
		if err != nil && w.err == nil {
			return n, err
		}
	}
	return n, w.err
}

// Close seals and writes the last chunk, and wipes key and buffer. It does not close the underlying writer. If a chunk could not
// be written, it returns that error; if the Writer is closed already, another one.
func (w *Writer) Close() error {
	if w.err == nil {
		w.flush(w.buffer[:w.waits], true)
	}
	err := w.err
	w.wipe(errClosed)
	return err
}

// Wipe overwrites key and buffer. Without [Writer.Close] before, the sealed text stays without its end.
func (w *Writer) Wipe() { w.wipe(errWiped) }

func (w *Writer) wipe(err error) {
	w.cipher.Wipe()
	clear(w.buffer[:])
	if w.err == nil {
		w.err = err
	}
}

// Format writes the name of the type, whatever the verb, and nothing of key and text.
func (w *Writer) Format(f fmt.State, _ rune) { fmt.Fprint(f, "stream.Writer(..)") }

// flush seals and writes a chunk, and sets w.err. Text may be in the buffer.
func (w *Writer) flush(text []byte, last bool) {
	w.cipher.seal(w.buffer[:], text, w.number, last)
	sealed := w.buffer[:len(text)+Overhead]
	w.waits = 0
	n, err := w.dst.Write(sealed)
	switch {
	case err != nil:
		w.err = err
	case n != len(sealed):
		w.err = io.ErrShortWrite
	}
	w.number++ // no text has 2^80 bytes
}
