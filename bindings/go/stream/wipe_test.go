// SPDX-License-Identifier: Apache-2.0 OR MIT

package stream

import (
	"bytes"
	"io"
	"testing"
)

// TestWipe looks for key and text where they were.
func TestWipe(t *testing.T) {
	key, text := bytes.Repeat([]byte{7}, KeySize), bytes.Repeat([]byte{9}, ChunkSize+100)
	c, err := New(key)
	if err != nil {
		t.Fatal(err)
	}
	sealed := c.Seal(nil, text, 0, true)
	if c.Wipe(); *c != (Cipher{}) {
		t.Error("the key is not wiped")
	}

	for name, end := range map[string]func(w *Writer){
		"Wipe": (*Writer).Wipe, "Close": func(w *Writer) { w.Close() },
	} {
		w, err := NewWriter(key, io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		w.Write(text)
		if end(w); w.cipher != (Cipher{}) || w.buffer != [SealedChunkSize]byte{} {
			t.Errorf("Writer: %s leaves something", name)
		}
		if _, err := w.Write(text); err == nil {
			t.Errorf("Writer: Write after %s", name)
		}
		if err := w.Close(); err == nil {
			t.Errorf("Writer: Close after %s", name)
		}
	}

	r, err := NewReader(key, bytes.NewReader(sealed))
	if err != nil {
		t.Fatal(err)
	}
	r.Read(make([]byte, 9))
	r.Wipe()
	if r.cipher != (Cipher{}) || r.sealed != [SealedChunkSize + 1]byte{} || *r.text != [ChunkSize]byte{} {
		t.Error("Reader: something is left")
	}
	if n, err := r.Read(make([]byte, 9)); n != 0 || err != errWiped {
		t.Errorf("Reader: %d, %v", n, err)
	}

	at, err := NewReaderAt(key, bytes.NewReader(sealed), int64(len(sealed)))
	if err != nil {
		t.Fatal(err)
	}
	first := at.cached
	at.ReadAt(make([]byte, 9), 0)
	if *first != [SealedChunkSize]byte{} {
		t.Error("ReaderAt: the chunk before is left")
	}
	if at.Wipe(); at.cipher != (Cipher{}) || *at.cached != [SealedChunkSize]byte{} {
		t.Error("ReaderAt: something is left")
	}
	if n, err := at.ReadAt(make([]byte, 9), 0); n != 0 || err != errWiped {
		t.Errorf("ReaderAt: %d, %v", n, err)
	}
}
