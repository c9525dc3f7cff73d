// SPDX-License-Identifier: Apache-2.0 OR MIT

package chacha20

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/hornet-mac/hornet/bindings/go/internal/reference"
	"github.com/hornet-mac/hornet/bindings/go/internal/vectors"
)

func TestVectors(t *testing.T) {
	for i, v := range vectors.Read("chacha20") {
		counted, err := strconv.ParseUint(v[1], 10, 32)
		if err != nil {
			t.Fatal(err)
		}
		key := LoadKey((*[KeySize]byte)(vectors.Bytes(v[0])))
		var s State
		s.Init(&key, (*[12]byte)(vectors.Bytes(v[2])))
		s[Counter] = uint32(counted)
		out := vectors.Bytes(v[3])
		s.XOR(out, out)
		if hex.EncodeToString(out) != v[4] {
			t.Errorf("vector %d", i)
		}
	}
}

// TestHChaCha20 checks the vector of draft-irtf-cfrg-xchacha-03, section 2.2.1.
func TestHChaCha20(t *testing.T) {
	var bytes [KeySize]byte
	for i := range bytes {
		bytes[i] = byte(i)
	}
	key := LoadKey(&bytes)
	nonce := [16]byte{0, 0, 0, 0x09, 0, 0, 0, 0x4a, 0, 0, 0, 0, 0x31, 0x41, 0x59, 0x27}
	want := LoadKey((*[KeySize]byte)(vectors.Bytes("82413b4227b27bfed30e42508a877d73a0f9e4d58a74a853c12ec41326d3ecdc")))
	if HChaCha20(&key, &nonce) != want {
		t.Error("not the draft's")
	}
}

// TestLengths checks every number of blocks that groups may treat differently, and of bytes, in place and in separate memory.
// Nothing outside the output may be written.
func TestLengths(t *testing.T) {
	random := rand.NewChaCha8([32]byte{2})
	in := make([]byte, 5000)
	random.Read(in)
	var keyBytes [KeySize]byte
	var nonce [12]byte
	random.Read(keyBytes[:])
	random.Read(nonce[:])
	key := LoadKey(&keyBytes)
	stream := reference.XOR(keyBytes[:], 7, nonce[:], make([]byte, len(in)))

	for n := range len(in) + 1 {
		want := make([]byte, n+1)
		for i := range n {
			want[i] = in[i] ^ stream[i]
		}
		want[n] = 0x55
		blocks := uint32((n + BlockSize - 1) / BlockSize)

		check := func(what string, xor func(s *State, dst, src []byte), apart bool) {
			var s State
			s.Init(&key, &nonce)
			s[Counter] = 7
			out := append(bytes.Clone(in[:n]), 0x55)
			src := out[:n]
			if apart {
				src = in[:n]
				clear(out[:n])
			}
			xor(&s, out[:n], src)
			if !bytes.Equal(out, want) || s[Counter] != 7+blocks {
				t.Fatalf("%d bytes, %s, apart: %t", n, what, apart)
			}
		}
		for _, apart := range []bool{false, true} {
			check("XOR", (*State).XOR, apart)
			check("XORAfterKey", func(s *State, dst, src []byte) {
				s[Counter]--
				var room Room1
				key, want := (*[BlockSize]byte)(Line(room.Bytes[:])), make([]byte, BlockSize)
				first := *s
				streamGo(want, &first)
				if s.XORAfterKey(dst, src, key); !bytes.Equal(key[:], want) {
					t.Fatalf("%d bytes: another key", n)
				}
			}, apart)
			if n%BlockSize == 0 {
				check("in Go", func(s *State, dst, src []byte) { xorBlocksGo(dst, src, s) }, apart)
			}
		}
	}
}

// TestAlignments checks that any address will do: some CPUs load and store whole words only at multiples of their size.
func TestAlignments(t *testing.T) {
	random := rand.NewChaCha8([32]byte{5})
	stream := make([]byte, 200)
	in, want := make([]byte, len(stream)), make([]byte, len(stream))
	first := randomState(random, 0)
	s := first
	streamGo(stream[:192], &s)
	random.Read(in)
	var buf, src, key [8 + 200 + 8]byte
	for i := range 8 * 8 * 8 {
		a, b, c := i%8, i/8%8, i/64
		n := 180 + i%9
		for k := range want {
			want[k] = in[k] ^ stream[k]
		}
		copy(src[b:], in[:n])
		copy(key[c:], stream[:n])
		clear(buf[:])
		XORBytes(buf[a:a+n], src[b:b+n], key[c:c+n])
		if !bytes.Equal(buf[a:a+n], want[:n]) || !bytes.Equal(buf[a+n:a+n+8], make([]byte, 8)) {
			t.Fatalf("XORBytes of %d bytes at %d, %d and %d", n, a, b, c)
		}
		clear(buf[:])
		s = first
		s.XOR(buf[a:a+n], src[b:b+n])
		if !bytes.Equal(buf[a:a+n], want[:n]) || !bytes.Equal(buf[a+n:a+n+8], make([]byte, 8)) {
			t.Fatalf("XOR of %d bytes at %d and %d", n, a, b)
		}
	}
	for a := range 8 {
		var room [8 + 4*BlockSize]byte
		s = first
		if s.Stream(room[a:], 2); !bytes.Equal(room[a:a+2*BlockSize], stream[:2*BlockSize]) {
			t.Fatalf("Stream at %d", a)
		}
	}
}

// TestStream checks every number of blocks, also across a wrap of the counter. Nothing beyond StreamRoom may be written.
func TestStream(t *testing.T) {
	random := rand.NewChaCha8([32]byte{3})
	for n := 1; n <= max(8, groupBlocks()); n++ {
		for _, first := range []uint32{0, 1 << 31, -uint32(n) / 2, 1<<32 - 1} {
			s := randomState(random, first)
			want := make([]byte, n*BlockSize)
			wantState := s
			streamGo(want, &wantState)
			room := StreamRoom(n) * BlockSize
			got := bytes.Repeat([]byte{0x55}, room+BlockSize)
			s.Stream(got, n)
			if !bytes.Equal(got[:len(want)], want) || s != wantState {
				t.Fatalf("%d blocks from %d on", n, first)
			}
			if !bytes.Equal(got[room:], bytes.Repeat([]byte{0x55}, BlockSize)) {
				t.Fatalf("%d blocks: more than %d bytes", n, room)
			}
		}
	}
}

// TestFirstRows checks every number of samples; the state's own counter and nonce do not matter.
func TestFirstRows(t *testing.T) {
	random := rand.NewChaCha8([32]byte{8})
	for n := 1; n <= MaxSamples; n++ {
		var keyBytes [KeySize]byte
		random.Read(keyBytes[:])
		key, nonce := LoadKey(&keyBytes), [12]byte{byte(n)}
		var s State
		s.Init(&key, &nonce)
		before := s
		var samples, rows [MaxSamples][SampleSize]byte
		for i := range samples {
			random.Read(samples[i][:])
		}
		copy(samples[n/2][:], "\xff\xff\xff\xff")
		given := samples
		s.FirstRows(&rows, &samples, n)
		for i, sample := range samples[:n] {
			block := reference.Block(keyBytes[:], binary.LittleEndian.Uint32(sample[:]), sample[4:])
			if !bytes.Equal(rows[i][:], block[:SampleSize]) {
				t.Fatalf("sample %d of %d", i, n)
			}
		}
		if s != before || samples != given {
			t.Fatalf("%d samples: an input is overwritten", n)
		}
	}
}

// TestFirstBlocks checks that the blocks after the first ones form whole groups, and that StreamRoom is sufficient.
func TestFirstBlocks(t *testing.T) {
	for n := 1; n <= 200; n++ {
		for first, whole := range map[int]int{FirstBlocks(n): groupBlocks(), StreamBlocks(n): streamBlocks()} {
			if first < 1 || first > min(n, whole) || (n-first)%whole != 0 || StreamRoom(first) < first {
				t.Errorf("%d of %d blocks", first, n)
			}
		}
	}
}

func randomState(random *rand.ChaCha8, first uint32) (s State) {
	for i := range s {
		s[i] = uint32(random.Uint64())
	}
	s[Counter] = first
	return s
}
