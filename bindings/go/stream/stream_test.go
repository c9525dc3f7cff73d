// SPDX-License-Identifier: Apache-2.0 OR MIT

package stream_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/hornet-mac/hornet/bindings/go/internal/panics"
	"github.com/hornet-mac/hornet/bindings/go/internal/reference"
	"github.com/hornet-mac/hornet/bindings/go/stream"
)

const (
	chunk  = stream.ChunkSize
	sealed = stream.SealedChunkSize
)

// random has a fixed seed, so that a failure can be reproduced.
var random = rand.NewChaCha8([32]byte{11})

func randomBytes(n int) []byte {
	b := make([]byte, n)
	random.Read(b)
	return b
}

var key = randomBytes(stream.KeySize)

// lengths are around the ends of chunks.
var lengths = []int{0, 1, 15, 16, 17, 1000, chunk - 17, chunk - 16, chunk - 1, chunk, chunk + 1, chunk + 16,
	2*chunk - 1, 2 * chunk, 2*chunk + 1, 3*chunk + 77}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func newCipher(t testing.TB, key []byte) *stream.Cipher {
	t.Helper()
	c, err := stream.New(key)
	must(t, err)
	return c
}

// defined returns a sealed text by the definition: c2sp.org/age, "Payload".
func defined(key, text []byte) (all []byte) {
	for i := uint64(0); i == 0 || len(text) != 0; i++ {
		n := min(len(text), chunk)
		nonce := append(binary.BigEndian.AppendUint64(make([]byte, 3), i), 0)
		if n == len(text) {
			nonce[11] = 1
		}
		all = append(all, reference.Seal(key, nonce, text[:n], nil)...)
		text = text[n:]
	}
	return all
}

// written returns what a Writer makes of a text that is written in pieces.
func written(t testing.TB, key, text []byte, piece int) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := stream.NewWriter(key, &out)
	must(t, err)
	for piece := range slices.Chunk(text, piece) {
		if n, err := w.Write(piece); n != len(piece) || err != nil {
			t.Fatalf("Write: %d, %v", n, err)
		}
	}
	must(t, w.Close())
	return out.Bytes()
}

// read reads a sealed text in each way, all of which must release the same, and returns that and the error.
func read(t testing.TB, key, sealedText []byte) ([]byte, error) {
	t.Helper()
	var all [][]byte
	var errs []error
	for _, how := range []func(r *stream.Reader) ([]byte, error){
		func(r *stream.Reader) ([]byte, error) { return io.ReadAll(r) },
		func(r *stream.Reader) ([]byte, error) {
			var out bytes.Buffer
			n, err := io.Copy(&out, r)
			if n != int64(out.Len()) {
				t.Fatalf("WriteTo: %d", n)
			}
			return out.Bytes(), err
		},
		func(r *stream.Reader) ([]byte, error) {
			out := make([]byte, len(sealedText)+2*chunk)
			for n := 0; ; {
				count, err := r.Read(out[n:])
				if n += count; err != nil {
					if !bytes.Equal(out[n:], make([]byte, len(out)-n)) {
						t.Fatal("Read leaves something that was not verified")
					}
					if err == io.EOF {
						err = nil
					}
					return out[:n], err
				}
			}
		},
	} {
		r, err := stream.NewReader(key, bytes.NewReader(sealedText))
		must(t, err)
		got, err := how(r)
		all, errs = append(all, got), append(errs, err)
		if _, again := r.Read(make([]byte, 9)); again != err && (err != nil || again != io.EOF) {
			t.Fatalf("%v, and then %v", err, again)
		}
	}
	for i := range all {
		if !bytes.Equal(all[i], all[0]) || fmt.Sprint(errs[i]) != fmt.Sprint(errs[0]) {
			t.Fatalf("ways differ: %d and %d bytes, %v and %v", len(all[0]), len(all[i]), errs[0], errs[i])
		}
	}
	return all[0], errs[0]
}

func wantError(t testing.TB, what string, err, want error, number int) {
	t.Helper()
	var e *stream.Error
	if !errors.As(err, &e) || e.Err != want || !errors.Is(err, want) || e.Chunk != uint64(number) {
		t.Fatalf("%s: %v; wanted: chunk %d %v", what, err, number, want)
	}
}

func TestLengths(t *testing.T) {
	for _, n := range lengths {
		text := randomBytes(n)
		want := defined(key, text)
		size, err := stream.SealedSize(int64(n))
		if err != nil || size != int64(len(want)) {
			t.Errorf("%d bytes: SealedSize %d, %v", n, size, err)
		}
		size, err = stream.PlaintextSize(int64(len(want)))
		if err != nil || size != int64(n) {
			t.Errorf("%d bytes: PlaintextSize %d, %v", n, size, err)
		}
		for _, piece := range []int{1009, chunk, chunk + 1, 1 << 20} {
			if !bytes.Equal(written(t, key, text, piece), want) {
				t.Fatalf("%d bytes in pieces of %d: Write", n, piece)
			}
		}
		if got, err := read(t, key, want); err != nil || !bytes.Equal(got, text) {
			t.Fatalf("%d bytes: Read: %v", n, err)
		}
		c := newCipher(t, key)
		if got := c.Seal([]byte("prefix"), text, 0, true); !bytes.Equal(got, append([]byte("prefix"), want...)) {
			t.Fatalf("%d bytes: Seal", n)
		}
		got, err := c.Open([]byte("prefix"), want, 0, true)
		if err != nil || !bytes.Equal(got, append([]byte("prefix"), text...)) {
			t.Fatalf("%d bytes: Open: %v", n, err)
		}
		if n > chunk {
			continue
		}
		buffer := append(bytes.Clone(text), make([]byte, stream.Overhead)...)
		inPlace := c.Seal(buffer[:0], buffer[:n], 0, true)
		if !bytes.Equal(inPlace, want) || &inPlace[0] != &buffer[0] {
			t.Fatalf("%d bytes: Seal in place", n)
		}
		if got, err := c.Open(inPlace[:0], inPlace, 0, true); err != nil || !bytes.Equal(got, text) {
			t.Fatalf("%d bytes: Open in place: %v", n, err)
		}
	}
}

// TestPieces reads from and writes to what takes and gives little at a time, and fails sometimes.
func TestPieces(t *testing.T) {
	for _, n := range []int{0, 5, chunk, chunk + 1, 2*chunk + 100} {
		text := randomBytes(n)
		want := written(t, key, text, chunk)
		for _, slow := range []func(io.Reader) io.Reader{
			iotest.HalfReader, iotest.DataErrReader, func(r io.Reader) io.Reader { return struct{ io.Reader }{r} },
		} {
			var out bytes.Buffer
			w, err := stream.NewWriter(key, &out)
			must(t, err)
			w.Write(text[:n/3])
			if count, err := io.Copy(w, slow(bytes.NewReader(text[n/3:]))); err != nil || count != int64(n-n/3) {
				t.Fatalf("%d bytes: ReadFrom: %d, %v", n, count, err)
			}
			must(t, w.Close())
			if !bytes.Equal(out.Bytes(), want) {
				t.Fatalf("%d bytes: ReadFrom", n)
			}
			r, err := stream.NewReader(key, slow(bytes.NewReader(want)))
			must(t, err)
			must(t, iotest.TestReader(r, text))
		}
		// After an error, the next call goes on.
		r, err := stream.NewReader(key, iotest.TimeoutReader(iotest.HalfReader(bytes.NewReader(want))))
		must(t, err)
		got, err := io.ReadAll(r)
		if err == iotest.ErrTimeout {
			var rest []byte
			rest, err = io.ReadAll(r)
			got = append(got, rest...)
		} else if n != 0 {
			t.Fatalf("%d bytes: no error", n)
		}
		if err != nil || !bytes.Equal(got, text) {
			t.Fatalf("%d bytes: after an error: %v", n, err)
		}
	}
}

// TestEveryByte changes and cuts sealed texts, and appends to them.
func TestEveryByte(t *testing.T) {
	for _, n := range []int{0, 1, 40, chunk, chunk + 20, 2 * chunk} {
		text := randomBytes(n)
		all := written(t, key, text, chunk)
		step := 1
		if n > 100 {
			step = 39_999
		}
		for at := 0; at < len(all); at += step {
			changed := bytes.Clone(all)
			changed[at] ^= 1 << (at % 8)
			got, err := read(t, key, changed)
			wantError(t, fmt.Sprintf("%d bytes, byte %d", n, at), err, stream.ErrChanged, at/sealed)
			if !bytes.Equal(got, text[:at/sealed*chunk]) {
				t.Fatalf("%d bytes, byte %d: %d bytes released", n, at, len(got))
			}
			got, err = newCipher(t, key).Open(make([]byte, 0, n), changed, 0, true)
			wantError(t, "Open", err, stream.ErrChanged, at/sealed)
			if got != nil {
				t.Fatal("Open returns something")
			}
			mustRefuseAt(t, text, changed, at/sealed)

			end := all[:at]
			got, err = read(t, key, end)
			want, whole := stream.ErrChanged, at/sealed*chunk
			if rest := at % sealed; rest < 16 || rest == 16 && at > 16 {
				want = stream.ErrCutOff
				if rest == 0 {
					whole = max(0, whole-chunk)
				}
			}
			wantError(t, fmt.Sprintf("%d of %d bytes", at, n), err, want, at/sealed)
			if errors.Is(err, io.ErrUnexpectedEOF) != (want == stream.ErrCutOff) || !bytes.Equal(got, text[:whole]) {
				t.Fatalf("%d of %d bytes: %d bytes released, %v", at, n, len(got), err)
			}
			_, err = stream.NewReaderAt(key, bytes.NewReader(end), int64(at))
			wantError(t, "NewReaderAt", err, want, at/sealed)
		}
		got, err := read(t, key, append(bytes.Clone(all), 0))
		want, last := stream.ErrChanged, max(0, n-1)/chunk
		if n != 0 && n%chunk == 0 {
			want = stream.ErrGoesOn
		}
		wantError(t, fmt.Sprintf("%d bytes and one more", n), err, want, last)
		if !bytes.Equal(got, text[:last*chunk]) {
			t.Fatalf("%d bytes and one more: %d bytes released", n, len(got))
		}
	}
}

// mustRefuseAt opens a text of which one chunk was changed.
func mustRefuseAt(t *testing.T, text, changed []byte, number int) {
	t.Helper()
	last := max(0, len(text)-1) / chunk
	r, err := stream.NewReaderAt(key, bytes.NewReader(changed), int64(len(changed)))
	if number == last {
		wantError(t, "NewReaderAt", err, stream.ErrChanged, number)
		return
	}
	must(t, err)
	for _, n := range []int{len(text), 100} {
		out, off := make([]byte, n), 0
		if n == 100 {
			off = number*chunk + 50
		}
		count, err := r.ReadAt(out, int64(off))
		wantError(t, "ReadAt", err, stream.ErrChanged, number)
		if count != number*chunk-min(off, number*chunk) || !bytes.Equal(out[count:], make([]byte, n-count)) {
			t.Fatalf("ReadAt releases %d bytes", count)
		}
	}
}

func TestMovedChunks(t *testing.T) {
	text := randomBytes(3*chunk + 77)
	all := written(t, key, text, chunk)
	chunks := slices.Collect(slices.Chunk(all, sealed))
	for _, c := range []struct {
		order  []int
		err    error
		number int
	}{
		{[]int{1, 0, 2, 3}, stream.ErrChanged, 0},
		{[]int{0, 0, 1, 2, 3}, stream.ErrChanged, 1},
		{[]int{0, 2, 3}, stream.ErrChanged, 1},
		{[]int{0, 2, 1, 3}, stream.ErrChanged, 1},
		{[]int{0, 1, 2}, stream.ErrCutOff, 3},
		{[]int{0, 1, 3}, stream.ErrChanged, 2},
		{[]int{0, 1, 2, 3, 3}, stream.ErrChanged, 3},
		{[]int{3}, stream.ErrChanged, 0},
		{nil, stream.ErrCutOff, 0},
	} {
		var moved []byte
		for _, i := range c.order {
			moved = append(moved, chunks[i]...)
		}
		what := fmt.Sprint(c.order)
		got, err := read(t, key, moved)
		wantError(t, what, err, c.err, c.number)
		whole := c.number
		if c.err == stream.ErrCutOff {
			whole = max(0, len(c.order)-1)
		}
		if !bytes.Equal(got, text[:whole*chunk]) {
			t.Fatalf("%s: %d bytes released", what, len(got))
		}
		out := bytes.Repeat([]byte{0x55}, len(moved))
		_, err = newCipher(t, key).Open(out[:0], moved, 0, true)
		wantError(t, what, err, c.err, c.number)
		if n := max(0, len(moved)-16*len(c.order)); c.order != nil && !bytes.Equal(out[:n], make([]byte, n)) && len(moved)%sealed > 16 {
			t.Fatalf("%s: Open leaves text", what)
		}
	}
	// A last chunk of no bytes, which is authentic.
	nonce := append(binary.BigEndian.AppendUint64(make([]byte, 3), 1), 1)
	_, err := read(t, key, append(bytes.Clone(chunks[0]), reference.Seal(key, nonce, nil, nil)...))
	wantError(t, "an empty last chunk", err, stream.ErrCutOff, 1)
	_, err = read(t, randomBytes(stream.KeySize), all)
	wantError(t, "another key", err, stream.ErrChanged, 0)
}

// TestAnyOrder seals and opens chunks alone, also with the greatest numbers.
func TestAnyOrder(t *testing.T) {
	c, text := newCipher(t, key), randomBytes(3*chunk+5)
	all := defined(key, text)
	out := make([]byte, len(all))
	c.Seal(out[2*sealed:2*sealed], text[2*chunk:], 2, true)
	c.Seal(out[:0], text[:2*chunk], 0, false)
	if !bytes.Equal(out, all) {
		t.Fatal("Seal")
	}
	got, err := c.Open(nil, all[sealed:3*sealed], 1, false)
	if err != nil || !bytes.Equal(got, text[chunk:3*chunk]) {
		t.Fatalf("Open: %v", err)
	}
	_, err = c.Open(nil, all[sealed:3*sealed], 1, true)
	wantError(t, "not the end", err, stream.ErrCutOff, 3)
	end := c.Seal(nil, text[:chunk], 9, true)
	_, err = c.Open(nil, end, 9, false)
	wantError(t, "the end", err, stream.ErrGoesOn, 9)
	_, err = c.Open(end[:0], end, 9, false)
	wantError(t, "in place", err, stream.ErrChanged, 9)
	if !bytes.Equal(end[:chunk], make([]byte, chunk)) {
		t.Fatal("text is left in place")
	}

	nonce := append(bytes.Repeat([]byte{255}, 11), 1)
	copy(nonce, make([]byte, 3))
	greatest := c.Seal(nil, text[:9], math.MaxUint64, true)
	if !bytes.Equal(greatest, reference.Seal(key, nonce, text[:9], nil)) {
		t.Fatal("the greatest number")
	}
	panics.With(t, "bad chunk number passed to Seal", func() { c.Seal(nil, text[:chunk+1], math.MaxUint64, true) })
	panics.With(t, "bad chunk number passed to Open", func() { c.Open(nil, all, math.MaxUint64-2, true) })
	panics.With(t, "bad length passed to Seal", func() { c.Seal(nil, nil, 0, false) })
	panics.With(t, "bad length passed to Seal", func() { c.Seal(nil, nil, 1, true) })
	panics.With(t, "bad length passed to Seal", func() { c.Seal(nil, text[:chunk+1], 0, false) })
	for _, n := range []int{0, 1, 15, 17, 100, sealed + 16, sealed + 17} {
		_, err := c.Open(nil, all[:n], 7, false)
		wantError(t, fmt.Sprint(n, " bytes"), err, stream.ErrCutOff, 7+n/sealed)
	}
	_, err = c.Open(nil, all[:16], 7, true)
	wantError(t, "an empty chunk", err, stream.ErrCutOff, 7)
}

func TestOverlap(t *testing.T) {
	c, buffer := newCipher(t, key), make([]byte, 5*sealed)
	for _, out := range []int{1, chunk, 2*chunk - 1} {
		panics.With(t, "invalid buffer overlap", func() { c.Seal(buffer[out:out], buffer[:2*chunk], 0, true) })
		panics.With(t, "invalid buffer overlap", func() { c.Open(buffer[out:out], buffer[:2*sealed], 0, true) })
	}
	panics.With(t, "invalid buffer overlap", func() { c.Seal(buffer[:0], buffer[:2*chunk], 0, true) })
	panics.With(t, "invalid buffer overlap", func() { c.Seal(buffer[1:1], buffer[:100], 0, true) })
	if !bytes.Equal(buffer, make([]byte, len(buffer))) {
		t.Error("something was written")
	}
}

func TestSizes(t *testing.T) {
	for _, n := range []int64{-1, math.MinInt64, math.MaxInt64, 1<<63 - 1<<50} {
		if size, err := stream.SealedSize(n); err == nil {
			t.Errorf("SealedSize(%d) = %d", n, size)
		}
	}
	longest := int64(math.MaxInt64)/sealed*chunk - 1
	if size, err := stream.SealedSize(longest); err != nil || size != math.MaxInt64/sealed*sealed-1 {
		t.Errorf("SealedSize: %d, %v", size, err)
	}
	for _, n := range []int64{math.MinInt64, -16, -1, 0, 1, 15, sealed + 1, sealed + 16, 5*sealed + 7} {
		if size, err := stream.PlaintextSize(n); err == nil {
			t.Errorf("PlaintextSize(%d) = %d", n, size)
		}
		_, err := stream.NewReaderAt(key, bytes.NewReader(nil), n)
		if err == nil {
			t.Errorf("NewReaderAt of %d bytes", n)
		}
	}
}

// counted counts the bytes that are read.
type counted struct {
	*bytes.Reader
	n int
}

func (c *counted) ReadAt(p []byte, off int64) (int, error) {
	c.n += len(p)
	return c.Reader.ReadAt(p, off)
}

func TestReadAt(t *testing.T) {
	for _, n := range lengths {
		text := randomBytes(n)
		all := written(t, key, text, chunk)
		source := &counted{Reader: bytes.NewReader(all)}
		r, err := stream.NewReaderAt(key, source, int64(len(all)))
		must(t, err)
		if r.Size() != int64(n) || source.n > sealed {
			t.Fatalf("%d bytes: size %d, %d bytes read", n, r.Size(), source.n)
		}
		check := func(off, count int) {
			t.Helper()
			want, wantErr := text[min(off, n):min(off+count, n)], error(nil)
			if len(want) < count {
				wantErr = io.EOF
			}
			out := make([]byte, count)
			got, err := r.ReadAt(out, int64(off))
			if err != wantErr || !bytes.Equal(out[:got], want) || !bytes.Equal(out[got:], make([]byte, count-got)) {
				t.Fatalf("%d bytes: %d from %d on: %d, %v", n, count, off, got, err)
			}
		}
		for _, off := range []int{0, 1, n / 2, n - 1, n, n + 1, chunk - 1, chunk, 2 * chunk} {
			for _, count := range []int{0, 1, 100, chunk - 1, chunk, chunk + 1, 2 * chunk, n, 5 * chunk} {
				check(max(0, off), count)
			}
		}
		if got, err := r.ReadAt(make([]byte, 1), -1); got != 0 || err == nil {
			t.Errorf("a negative offset: %d, %v", got, err)
		}
		must(t, iotest.TestReader(io.NewSectionReader(r, 0, r.Size()), text))
		// A range takes its chunks; what is in the one that was used last takes none.
		before := source.n
		check(0, 1)
		check(10, 10)
		if source.n-before > sealed {
			t.Errorf("%d bytes: %d bytes read", n, source.n-before)
		}
	}
}

// TestReadAtErrors reads from what is shorter than it was, or fails.
func TestReadAtErrors(t *testing.T) {
	all := written(t, key, randomBytes(2*chunk+9), chunk)
	_, err := stream.NewReaderAt(key, bytes.NewReader(all[:2*sealed+3]), int64(len(all)))
	wantError(t, "shorter than said", err, stream.ErrCutOff, 2)
	_, err = stream.NewReaderAt(key, bytes.NewReader(all), sealed)
	wantError(t, "a part", err, stream.ErrCutOff, 1)
	source := &failing{bytes.NewReader(all), nil}
	r, err := stream.NewReaderAt(key, source, int64(len(all)))
	must(t, err)
	source.err = iotest.ErrTimeout
	if n, err := r.ReadAt(make([]byte, 9), 5); n != 0 || err != iotest.ErrTimeout {
		t.Errorf("%d, %v", n, err)
	}
	source.err = nil
	if n, err := r.ReadAt(make([]byte, 9), 5); n != 9 || err != nil {
		t.Errorf("again: %d, %v", n, err)
	}
}

type failing struct {
	io.ReaderAt
	err error
}

func (f *failing) ReadAt(p []byte, off int64) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	return f.ReaderAt.ReadAt(p, off)
}

// full takes some bytes, and then fails.
type full struct{ n int }

func (f *full) Write(p []byte) (int, error) {
	n := min(len(p), f.n)
	f.n -= n
	if n < len(p) {
		return n, iotest.ErrTimeout
	}
	return n, nil
}

type short struct{}

func (short) Write(p []byte) (int, error) { return len(p) - 1, nil }

func TestWriteErrors(t *testing.T) {
	text := randomBytes(3 * chunk)
	destination := &full{sealed + 100}
	w, err := stream.NewWriter(key, destination)
	must(t, err)
	if n, err := w.Write(text); n != chunk || err != iotest.ErrTimeout {
		t.Errorf("Write: %d, %v", n, err)
	}
	destination.n = 1 << 20
	if n, err := w.Write(text); n != 0 || err != iotest.ErrTimeout {
		t.Errorf("Write again: %d, %v", n, err)
	}
	if n, err := w.ReadFrom(bytes.NewReader(text)); n != 0 || err != iotest.ErrTimeout {
		t.Errorf("ReadFrom: %d, %v", n, err)
	}
	if err := w.Close(); err != iotest.ErrTimeout || destination.n != 1<<20 {
		t.Errorf("Close: %v", err)
	}

	w, err = stream.NewWriter(key, new(full))
	must(t, err)
	if n, err := w.ReadFrom(bytes.NewReader(text)); n != chunk+1 || err != iotest.ErrTimeout {
		t.Errorf("ReadFrom: %d, %v", n, err)
	}
	w, err = stream.NewWriter(key, short{})
	must(t, err)
	if err := w.Close(); err != io.ErrShortWrite {
		t.Errorf("a short write: %v", err)
	}
	// An error of what is read is not one of the Writer.
	var out bytes.Buffer
	w, err = stream.NewWriter(key, &out)
	must(t, err)
	if n, err := w.ReadFrom(iotest.ErrReader(iotest.ErrTimeout)); n != 0 || err != iotest.ErrTimeout {
		t.Errorf("ReadFrom: %d, %v", n, err)
	}
	w.Write(text[:9])
	must(t, w.Close())
	if !bytes.Equal(out.Bytes(), defined(key, text[:9])) {
		t.Error("after an error of what is read")
	}
	if n, err := w.Write(text); n != 0 || err == nil || w.Close() == nil {
		t.Errorf("after Close: %d, %v", n, err)
	}

	// WriteTo goes on where it failed.
	r, err := stream.NewReader(key, bytes.NewReader(written(t, key, text, chunk)))
	must(t, err)
	if n, err := r.WriteTo(&full{100}); n != 100 || err != iotest.ErrTimeout {
		t.Errorf("WriteTo: %d, %v", n, err)
	}
	if n, err := r.WriteTo(short{}); n != chunk-101 || err != io.ErrShortWrite {
		t.Errorf("WriteTo: %d, %v", n, err)
	}
	if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, text[chunk-1:]) {
		t.Errorf("after WriteTo: %v", err)
	}
}

func TestKeys(t *testing.T) {
	for n := range 66 {
		k := make([]byte, n)
		_, err := stream.New(k)
		_, errWriter := stream.NewWriter(k, nil)
		_, errReader := stream.NewReader(k, nil)
		_, errReaderAt := stream.NewReaderAt(k, bytes.NewReader(defined(make([]byte, 32), nil)), 16)
		for _, err := range []error{err, errWriter, errReader, errReaderAt} {
			want := fmt.Sprintf("stream: a key of %d bytes, not 32", n)
			if n == stream.KeySize {
				want = "<nil>"
			}
			if fmt.Sprint(err) != want {
				t.Errorf("a key of %d bytes: %v", n, err)
			}
		}
	}
}

func TestFormat(t *testing.T) {
	c := newCipher(t, key)
	w, err := stream.NewWriter(key, nil)
	must(t, err)
	r, err := stream.NewReader(key, nil)
	must(t, err)
	at, err := stream.NewReaderAt(key, bytes.NewReader(defined(key, nil)), 16)
	must(t, err)
	for want, value := range map[string]any{"Cipher": c, "Writer": w, "Reader": r, "ReaderAt": at} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%x", "%d", "%s"} {
			if got := fmt.Sprintf(verb, value); got != "stream."+want+"(..)" {
				t.Errorf("%s: %s", verb, got)
			}
		}
	}
	if got := fmt.Sprint(*c); got != "stream.Cipher(..)" {
		t.Error(got)
	}
	want := "stream: chunk 3 is cut off: unexpected EOF"
	if got := (&stream.Error{Chunk: 3, Err: stream.ErrCutOff}).Error(); got != want {
		t.Error(got)
	}
	if !strings.Contains(stream.ErrChanged.Error(), "not authentic") {
		t.Error(stream.ErrChanged)
	}
}

func TestAllocations(t *testing.T) {
	c, text := newCipher(t, key), randomBytes(2*chunk+100)
	all, out := make([]byte, 0, len(text)+48), make([]byte, 0, len(text))
	w, err := stream.NewWriter(key, io.Discard)
	must(t, err)
	source := written(t, key, make([]byte, 4<<20), chunk)
	r, err := stream.NewReader(key, bytes.NewReader(source))
	must(t, err)
	if count := testing.AllocsPerRun(10, func() {
		sealed := c.Seal(all, text, 0, true)
		if _, err := c.Open(out, sealed, 0, true); err != nil {
			t.Error(err)
		}
		w.Write(text)
		r.Read(out[:cap(out)])
		r.Read(out[:1000])
	}); count != 0 {
		t.Errorf("%v allocations", count)
	}
}

// TestConcurrent lets several goroutines use the same cipher and the same ReaderAt, for the race detector.
func TestConcurrent(t *testing.T) {
	text := randomBytes(4*chunk + 99)
	want := written(t, key, text, chunk)
	c := newCipher(t, key)
	r, err := stream.NewReaderAt(key, bytes.NewReader(want), int64(len(want)))
	must(t, err)
	all := make([]byte, len(want))
	var group sync.WaitGroup
	for i := range 5 {
		group.Go(func() {
			end := min((i+1)*chunk, len(text))
			c.Seal(all[i*sealed:i*sealed], text[i*chunk:end], uint64(i), i == 4)
			got, err := c.Open(nil, all[i*sealed:min((i+1)*sealed, len(all))], uint64(i), i == 4)
			if err != nil || !bytes.Equal(got, text[i*chunk:end]) {
				t.Errorf("chunk %d: %v", i, err)
			}
			for j := range 20 {
				off := (i*50_000 + j*30_011) % len(text)
				out := make([]byte, min((j+1)*9_000, len(text)-off))
				if _, err := r.ReadAt(out, int64(off)); err != nil || !bytes.Equal(out, text[off:off+len(out)]) {
					t.Errorf("%d bytes from %d on: %v", len(out), off, err)
				}
			}
		})
	}
	group.Wait()
	if !bytes.Equal(all, want) {
		t.Error("Seal")
	}
}

func FuzzChunks(f *testing.F) {
	f.Add(randomBytes(32), randomBytes(100), uint(100), uint(7), false)
	f.Add(randomBytes(32), []byte{}, uint(0), uint(1000), true)
	f.Add(randomBytes(32), randomBytes(10), uint(2*chunk), uint(chunk), true)
	f.Add(randomBytes(32), randomBytes(99), uint(chunk+1), uint(sealed), false)
	f.Fuzz(func(t *testing.T, keyBytes, pattern []byte, n, at uint, cut bool) {
		key, text := make([]byte, 32), make([]byte, n%(3*chunk))
		copy(key, keyBytes)
		for i := 0; len(pattern) != 0 && i < len(text); i += len(pattern) {
			copy(text[i:], pattern)
		}
		all := written(t, key, text, int(at%100_000)+1)
		got, err := read(t, key, all)
		if err != nil || !bytes.Equal(got, text) {
			t.Fatalf("%d bytes: %v", len(text), err)
		}
		at %= uint(len(all))
		r, err := stream.NewReaderAt(key, bytes.NewReader(all), int64(len(all)))
		must(t, err)
		begin := min(int(at), len(text))
		part := make([]byte, len(text)-begin)
		if _, err := r.ReadAt(part, int64(begin)); err != nil || !bytes.Equal(part, text[begin:]) {
			t.Fatalf("%d bytes from %d on: %v", len(text), begin, err)
		}
		if cut {
			all = all[:at]
		} else {
			all[at] ^= 1
		}
		got, err = read(t, key, all)
		if err == nil || !bytes.Equal(got, text[:len(got)]) || len(got) > int(at)/sealed*chunk {
			t.Fatalf("%d bytes, changed at %d: %d bytes, %v", len(text), at, len(got), err)
		}
	})
}
