// SPDX-License-Identifier: Apache-2.0 OR MIT

package poly1305

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/big"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/hornet-mac/hornet/bindings/go/internal/asm"
	"github.com/hornet-mac/hornet/bindings/go/internal/reference"
	"github.com/hornet-mac/hornet/bindings/go/internal/vectors"
)

// random has a fixed seed, so that a failure can be reproduced.
var random = rand.NewChaCha8([32]byte{1})

func randomBytes(n int) []byte {
	b := make([]byte, n)
	random.Read(b)
	return b
}

var ones = bytes.Repeat([]byte{255}, 1<<18)

// ways lists functions that continue an evaluation over m, which is not empty.
var ways = []struct {
	name   string
	absorb func(p *State, m []byte)
}{
	{"absorb", (*State).Absorb},
	{"scalar", scalar},
	{"words64", with(evaluate64)},
	{"words32", with(evaluate32)},
}

// with returns scalarGo with the given variant of evaluate.
func with(evaluate func(h0, h1, h2, r0, r1 uint64, m []byte) (uint64, uint64, uint64)) func(*State, []byte) {
	return func(p *State, m []byte) {
		h0, h1, h2 := firstBlock(m)
		h0, h1, h2 = add(h0, h1, h2, p.h[0], p.h[1], p.h[2])
		p.h[0], p.h[1], p.h[2] = evaluate(h0, h1, h2, p.r[0], p.r[1], m)
	}
}

// checkMessage compares every function of ways, and Sum, with the definition.
func checkMessage(t *testing.T, what string, m []byte, key *[KeySize]byte) {
	t.Helper()
	expected := reference.Tag(m, key[:])
	var tag [TagSize]byte
	if Sum(&tag, m, key); tag != expected {
		t.Fatalf("%s, %d bytes: one call", what, len(m))
	}
	if len(m) == 0 {
		return
	}
	// Absorb in one piece, and in two, of which the function before it in the list absorbs the first.
	split := len(m) / 2 &^ (BlockSize - 1)
	for i, way := range ways {
		var p State
		p.Init(key)
		way.absorb(&p, m)
		if p.Tag(&tag); tag != expected {
			t.Fatalf("%s, %d bytes: %s", what, len(m), way.name)
		}
		if split != 0 {
			p.Init(key)
			ways[(i+len(ways)-1)%len(ways)].absorb(&p, m[:split])
			way.absorb(&p, m[split:])
			if p.Tag(&tag); tag != expected {
				t.Fatalf("%s, %d bytes: %s, after %d bytes", what, len(m), way.name, split)
			}
		}
	}
}

var keyMax = [KeySize]byte(ones[:KeySize])

func TestLengths(t *testing.T) {
	m, key := randomBytes(40000), [KeySize]byte(randomBytes(KeySize))
	for n := 0; n <= 40000; {
		checkMessage(t, "random", m[:n], &key)
		checkMessage(t, "random, largest key", m[:n], &keyMax)
		checkMessage(t, "all ones, largest key", ones[:n], &keyMax)
		switch {
		case n < 2304:
			n++
		case n < 10000:
			n += 61
		default:
			n += 2017
		}
	}
	checkMessage(t, "all ones, largest key", ones, &keyMax)
	checkMessage(t, "all ones, largest key", ones[1:], &keyMax)
	for _, step := range []int{asm.MaxBytes, maxLanesBytes} {
		m := randomBytes(2*step + 1)
		for _, n := range []int{step - 1, step, step + 1, step + 1000, 2 * step, 2*step + 1} {
			checkMessage(t, "random, in steps", m[:n], &key)
		}
	}
}

// TestCuts cuts a message at the end of every block, with every function of ways before and after the cut.
func TestCuts(t *testing.T) {
	m := bytes.Clone(ones[:4101])
	random.Read(m[500:])
	for _, n := range []int{128, 1029, len(m)} {
		expected := reference.Tag(m[:n], keyMax[:])
		for cut := BlockSize; cut < n; cut += BlockSize {
			for _, first := range ways {
				for _, second := range ways {
					var p State
					var tag [TagSize]byte
					p.Init(&keyMax)
					first.absorb(&p, m[:cut])
					second.absorb(&p, m[cut:n])
					if p.Tag(&tag); tag != expected {
						t.Fatalf("%d bytes, cut at %d: %s, %s", n, cut, first.name, second.name)
					}
				}
			}
		}
	}
}

func TestAlignments(t *testing.T) {
	buffer, key := randomBytes(4300), [KeySize]byte(randomBytes(KeySize))
	for offset := range 65 {
		for _, n := range []int{16, 64, 100, 400, 1000, 2063, 4200} {
			checkMessage(t, fmt.Sprintf("offset %d", offset), buffer[offset:offset+n], &key)
		}
	}
}

// TestInjectedStates checks states with the largest numbers that the contract allows, and keys at the ends of their range.
func TestInjectedStates(t *testing.T) {
	const largest = 1<<64 - 1
	hs := [][3]uint64{
		{largest, largest, maxH2},
		{0, 0, maxH2},
		{largest, largest, 3},
		{largest - 4, largest, 3},
		{largest, 0, 4},
		{0, largest, 4},
		{largest, largest, 0},
		{1, 0, 0},
		{0, 0, 0},
	}
	rs := [][2]uint64{
		{0x0ffffffc0fffffff, 0x0ffffffc0ffffffc},
		{0x0ffffffc0fffffff, 0},
		{0, 0x0ffffffc0ffffffc},
		{1, 0},
		{2, 0},
		{0, 0},
		{0, 4},
	}
	const longest = 800 * BlockSize
	for fill, m := range [][]byte{ones[:longest], make([]byte, longest), randomBytes(longest)} {
		for _, h := range hs {
			for _, r := range rs {
				for n := 1; n <= longest; {
					expected := reference.FromWords(h[:]...)
					reference.Absorb(expected, reference.FromWords(r[:]...), m[:n])
					for _, way := range ways {
						p := State{r: r, h: h}
						way.absorb(&p, m[:n])
						if p.h[2] > maxH2 {
							t.Fatalf("%s: %d bytes, fill %d, r %x, h %x: leaves h[2] = %d", way.name, n, fill, r, h, p.h[2])
						}
						value := reference.FromWords(p.h[:]...)
						if value.Mod(value, reference.P).Cmp(expected) != 0 {
							t.Fatalf("%s: %d bytes, fill %d, r %x, h %x: %x", way.name, n, fill, r, h, p.h)
						}
					}
					switch {
					case n > 48*BlockSize:
						n += 1713
					case n%BlockSize == 1:
						n += 14
					default:
						n++
					}
				}
			}
		}
	}
}

// TestFinalSubtraction checks the final subtraction alone, with every edge value as h, and as h + p if the contract allows it.
func TestFinalSubtraction(t *testing.T) {
	for _, edge := range reference.EdgeValues() {
		for _, h := range []*big.Int{edge, new(big.Int).Add(edge, reference.P)} {
			var p State
			p.Init(&keyMax)
			bytes := reference.ToBytes(h, 24)
			p.h[0], p.h[1], p.h[2] = word(bytes), word(bytes[8:]), word(bytes[16:])
			if p.h[2] > maxH2 {
				continue
			}
			sum := new(big.Int).Mod(h, reference.P)
			sum.Add(sum, reference.FromBytes(keyMax[16:]))
			var tag [TagSize]byte
			if p.Tag(&tag); tag != [TagSize]byte(reference.ToBytes(sum, TagSize)) {
				t.Fatalf("h = %x", h)
			}
		}
	}
}

func word(bytes []byte) uint64 { return reference.FromBytes(bytes[:8]).Uint64() }

// TestSolvedLastBlocks solves the last block for a polynomial with an edge value. With r = 1 and r = 2 the sums reach it
// without an intermediate reduction.
func TestSolvedLastBlocks(t *testing.T) {
	solved := 0
	for _, key := range [][KeySize]byte{{1}, {2}, [KeySize]byte(append(ones[:16:16], make([]byte, 16)...)), keyMax} {
		r := reference.Clamped(key[:])
		inverse := new(big.Int).ModInverse(r, reference.P)
		for _, edge := range reference.EdgeValues() {
			for nblocks := 1; nblocks <= 34; {
				if m := solvedMessage(edge, r, inverse, nblocks); m != nil {
					checkMessage(t, fmt.Sprintf("last block solved for %x, r = %x", edge, r), m, &key)
					solved++
				}
				if nblocks++; nblocks > 18 {
					nblocks += 4
				}
			}
		}
	}
	if solved < 1000 {
		t.Fatalf("only %d solved", solved)
	}
}

// solvedMessage returns nil if no block gives the wanted value.
func solvedMessage(value, r, inverse *big.Int, nblocks int) []byte {
	n := BlockSize * (nblocks - 1)
	for attempt := range 24 {
		m := randomBytes(n)
		if attempt%3 == 0 && n != 0 {
			copy(m[BlockSize:], ones)
		}
		h := new(big.Int)
		reference.Absorb(h, r, m)
		c := new(big.Int).Mul(value, inverse)
		c.Sub(c, h)
		c.Mod(c, reference.P)
		// The padding bit of a block is bit 128, or the lowest bit of a byte.
		if top := c.BitLen() - 1; top > 0 && top%8 == 0 && top <= 128 {
			c.SetBit(c, top, 0)
			return append(m, reference.ToBytes(c, top/8)...)
		}
	}
	return nil
}

// TestPowersAtTheEdge checks keys with a power of r within a few units of 0 or p, which may exceed 2^130 when partly reduced.
func TestPowersAtTheEdge(t *testing.T) {
	for _, fields := range vectors.Read("edge_keys") {
		r, ok := new(big.Int).SetString(fields[0], 16)
		exponent, err := strconv.Atoi(fields[1])
		value, err2 := strconv.ParseInt(fields[2], 10, 64)
		if !ok || err != nil || err2 != nil {
			t.Fatal(fields)
		}
		power := new(big.Int).Exp(r, big.NewInt(int64(exponent)), reference.P)
		if power.Cmp(new(big.Int).Mod(big.NewInt(value), reference.P)) != 0 {
			t.Fatalf("%s is not what it claims", fields[0])
		}
		key := keyMax
		copy(key[:], reference.ToBytes(r, 16))
		for n := 1; n <= 1200; {
			checkMessage(t, "power of r at the edge, all ones", ones[:n], &key)
			checkMessage(t, "power of r at the edge, random", randomBytes(n), &key)
			if n%BlockSize == 0 {
				n++
			} else {
				n += 15
			}
		}
	}
}

// TestBlockOrder checks messages of different blocks, and of one nonzero block at each position among zeros, which reveal mixed
// up lanes.
func TestBlockOrder(t *testing.T) {
	key := [KeySize]byte(randomBytes(KeySize))
	for nblocks := 1; nblocks <= 80; {
		for place := range nblocks {
			m := make([]byte, BlockSize*nblocks)
			copy(m[BlockSize*place:], randomBytes(BlockSize))
			checkMessage(t, fmt.Sprintf("block %d among zeros", place), m, &key)
		}
		if nblocks++; nblocks > 40 {
			nblocks += 12
		}
	}
	m := make([]byte, 80*BlockSize)
	for i := range m {
		m[i] = byte(i / BlockSize)
	}
	for n := range m {
		checkMessage(t, "blocks numbered", m[:n], &key)
	}
}

// TestPadding checks AbsorbPadded and AbsorbWords as the AEAD uses them.
func TestPadding(t *testing.T) {
	key := [KeySize]byte(randomBytes(KeySize))
	m := randomBytes(100)
	for n := range m {
		padded := append(m[:n:n], make([]byte, (BlockSize-n%BlockSize)%BlockSize)...)
		block := randomBytes(BlockSize)
		var p State
		var tag [TagSize]byte
		p.Init(&key)
		p.AbsorbPadded(m[:n])
		p.AbsorbWords(word(block), word(block[8:]))
		if p.Tag(&tag); tag != reference.Tag(append(padded, block...), key[:]) {
			t.Fatalf("%d bytes", n)
		}
	}
}

// TestSumShort compares SumShort with the definition, for all lengths at which another block may be the first or the last.
func TestSumShort(t *testing.T) {
	all := make([]byte, 700)
	random.Read(all)
	padded := func(m []byte) []byte { return append(bytes.Clone(m), make([]byte, -len(m)&15)...) }
	for n := range 200 {
		for _, nadditional := range []int{0, 1, 5, 15, 16, 17, 31, 32, 33, 48, n} {
			var key [KeySize]byte
			random.Read(key[:])
			text, additional := all[:n], all[400:400+nadditional]
			whole := append(padded(additional), padded(text)...)
			whole = binary.LittleEndian.AppendUint64(whole, uint64(nadditional))
			whole = binary.LittleEndian.AppendUint64(whole, uint64(n))
			var got [TagSize]byte
			if SumShort(&got, additional, text, &key); got != reference.Tag(whole, key[:]) {
				t.Fatalf("%d bytes, %d additional", n, nadditional)
			}
		}
	}
}
