// SPDX-License-Identifier: Apache-2.0 OR MIT

package poly1305

import (
	"math"
	"math/big"
	"testing"

	"github.com/hornet-mac/hornet/bindings/go/internal/reference"
	"github.com/hornet-mac/hornet/bindings/go/internal/vectors"
)

// edgeRs returns r = 0, 1, 2, the largest, those of which a power is at the edge, and random ones.
func edgeRs(t testing.TB) []R {
	rs := []R{{}, {1}, {2}, {0, 4}, {0x0ffffffc0fffffff, 0x0ffffffc0ffffffc}}
	for _, fields := range vectors.Read("edge_keys") {
		r, ok := new(big.Int).SetString(fields[0], 16)
		if !ok {
			t.Fatal(fields)
		}
		rs = append(rs, loaded(t, reference.ToBytes(r, 16)))
	}
	for range 3 {
		bytes := [16]byte(randomBytes(16))
		Clamp(&bytes)
		rs = append(rs, loaded(t, bytes[:]))
	}
	return rs
}

func loaded(t testing.TB, bytes []byte) R {
	r, isClamped := LoadR((*[16]byte)(bytes))
	if !isClamped {
		t.Fatalf("%x is refused", bytes)
	}
	return r
}

// edgeValues returns values that the contract allows: at the edges of every radix, of p and of 2 p, and those whose words are
// small or large, which carry into the next.
func edgeValues() (values []Value) {
	for _, edge := range reference.EdgeValues() {
		for _, number := range []*big.Int{edge, new(big.Int).Add(edge, reference.P)} {
			if v, fits := fromBig(number); fits {
				values = append(values, v)
			}
		}
	}
	return append(values, carryingValues()...)
}

func carryingValues() (values []Value) {
	words := []uint64{0, 1, 1<<32 - 1, 1 << 32, math.MaxUint64 - 5, math.MaxUint64}
	for _, low := range words {
		for _, middle := range words {
			for high := range uint64(maxH2 + 1) {
				values = append(values, Value{low, middle, high})
			}
		}
	}
	return values
}

// fromBig returns a number as a value, and whether it is allowed to be one.
func fromBig(number *big.Int) (Value, bool) {
	bytes := reference.ToBytes(number, 24)
	v := Value{word(bytes), word(bytes[8:]), word(bytes[16:])}
	return v, number.Sign() >= 0 && number.BitLen() <= 192 && v.h2 <= maxH2
}

func toBig(v Value) *big.Int { return reference.FromWords(v.h0, v.h1, v.h2) }

// check compares a value with a number modulo p, and with the bound of its highest word.
func check(t *testing.T, got Value, want *big.Int, format string, arguments ...any) {
	t.Helper()
	number := toBig(got)
	if number.Sub(number, want).Mod(number, reference.P).Sign() != 0 || got.h2 > maxH2 {
		t.Fatalf(format+": %x", append(arguments, got)...)
	}
}

func TestProducts(t *testing.T) {
	values, product := edgeValues(), new(big.Int)
	for _, a := range values {
		for _, b := range carryingValues() {
			product.Mul(toBig(a), toBig(b))
			check(t, mul(a, b), product, "%x * %x", a, b)
		}
	}
	for i := range values {
		for j := i; j < len(values); j += 17 {
			a, b := values[i], values[j]
			product.Mul(toBig(a), toBig(b))
			check(t, mul(a, b), product, "%x * %x", a, b)
			check(t, mul(b, a), product, "%x * %x", b, a)
		}
	}
}

func TestCombinationsAtTheEdge(t *testing.T) {
	values, others := edgeValues(), carryingValues()
	largest := Value{math.MaxUint64, math.MaxUint64, maxH2}
	for i, a := range values {
		for j := i % 7; j < len(others); j += 7 {
			b, c := others[j], values[(7*i+3*j)%len(values)]
			for _, x := range [][3]Value{{a, b, c}, {c, a, b}, {b, c, a}, {a, largest, b}} {
				left, power, right := x[0], x[1], x[2]
				want := new(big.Int).Mul(toBig(left), toBig(power))
				check(t, Combine(left, power, right), want.Add(want, toBig(right)), "%x * %x + %x", left, power, right)
			}
			for _, x := range [][4]Value{{a, b, c, a}, {b, a, a, c}, {a, b, largest, Value{}}, {a, b, Value{}, largest}} {
				whole, power, replaced, replacement := x[0], x[1], x[2], x[3]
				want := new(big.Int).Sub(toBig(replacement), toBig(replaced))
				want.Mul(want, toBig(power)).Add(want, toBig(whole))
				check(t, Replace(whole, power, replaced, replacement), want, "Replace(%x)", x)
			}
		}
	}
}

func TestPowers(t *testing.T) {
	for _, r := range edgeRs(t) {
		for _, n := range lengths {
			blocks := new(big.Int).SetUint64(n/16 + min(n%16, 1))
			want := new(big.Int).Exp(reference.FromWords(r[:]...), blocks, reference.P)
			check(t, r.Power(n), want, "r = %x, %d bytes", r, n)
		}
	}
}

// lengths are at multiples of 16, and at 2^20, 2^32 and 2^64.
var lengths = func() (lengths []uint64) {
	for n := range uint64(100) {
		lengths = append(lengths, n)
	}
	for _, n := range []uint64{1 << 10, 1000 << 4, 1 << 20, 1<<20 + 16, 1<<31 - 16, 1 << 32, 3 << 32, 0x123456789abcde0} {
		lengths = append(lengths, n-17, n-16, n-15, n-1, n, n+1, n+15, n+16, n+17)
	}
	return append(lengths, 1<<40, 1<<63-1, 1<<63, 1<<63+1, math.MaxUint64-16, math.MaxUint64-15, math.MaxUint64-1, math.MaxUint64)
}()

// TestZeros compares with the definition up to 1000 bytes, and from there on with the quotient (r^q - 1) / (r - 1).
func TestZeros(t *testing.T) {
	zeros := make([]byte, 1000)
	for _, r := range edgeRs(t) {
		number := reference.FromWords(r[:]...)
		for n := range uint64(len(zeros)) {
			want := new(big.Int)
			reference.Absorb(want, number, zeros[:n])
			check(t, r.Zeros(n), want, "r = %x, %d zeros", r, n)
		}
		for _, n := range lengths {
			want := quotient(number, new(big.Int).SetUint64(n/16))
			reference.Absorb(want, number, zeros[:n%16])
			check(t, r.Zeros(n), want, "r = %x, %d zeros", r, n)
		}
	}
}

// quotient returns 2^128 (r + r^2 + ... + r^q) modulo p.
func quotient(r, q *big.Int) *big.Int {
	one := big.NewInt(1)
	sum := new(big.Int).Set(q)
	if r.Cmp(one) != 0 {
		sum.Exp(r, q, reference.P).Sub(sum, one)
		sum.Mul(sum, new(big.Int).ModInverse(new(big.Int).Sub(r, one), reference.P))
	}
	sum.Mul(sum, r).Lsh(sum, 128)
	return sum.Mod(sum, reference.P)
}

// TestEvaluate compares segments, and those after them, with the definition.
func TestEvaluate(t *testing.T) {
	for _, m := range [][]byte{randomBytes(3000), ones[:3000]} {
		for _, r := range edgeRs(t) {
			number := reference.FromWords(r[:]...)
			for n := 0; n <= len(m); n += 1 + n/5 {
				want := new(big.Int)
				reference.Absorb(want, number, m[:n])
				check(t, r.Evaluate(m[:n]), want, "r = %x, %d bytes", r, n)
				cut := n / 3 &^ 15
				combined := Combine(r.Evaluate(m[:cut]), r.Power(uint64(n-cut)), r.Evaluate(m[cut:n]))
				check(t, combined, want, "r = %x, %d bytes, cut at %d", r, n, cut)
			}
		}
	}
}

// TestStoredValues checks that values are stored reduced, and are equal only if they are the same number modulo p.
func TestStoredValues(t *testing.T) {
	values := edgeValues()
	for i, v := range values {
		reduced := new(big.Int).Mod(toBig(v), reference.P)
		var stored [ValueSize]byte
		if v.Store(&stored); stored != [ValueSize]byte(reference.ToBytes(reduced, ValueSize)) {
			t.Fatalf("%x is stored as %x", v, stored)
		}
		again, below := LoadValue(&stored)
		if !below || toBig(again).Cmp(reduced) != 0 || !again.Equal(&v) || !v.Equal(&again) {
			t.Fatalf("%x is loaded as %x", v, again)
		}
		for j := i % 5; j < len(values); j += 5 {
			other := new(big.Int).Mod(toBig(values[j]), reference.P)
			if v.Equal(&values[j]) != (other.Cmp(reduced) == 0) {
				t.Fatalf("%x and %x", v, values[j])
			}
		}
		for bit := range 130 {
			flipped := new(big.Int).Set(reduced)
			other, _ := fromBig(flipped.SetBit(flipped, bit, reduced.Bit(bit)^1))
			if v.Equal(&other) {
				t.Fatalf("%x and bit %d", v, bit)
			}
		}
	}
	for high := range 256 {
		if _, below := LoadValue(&[ValueSize]byte{ValueSize - 1: byte(high)}); below != (high < 4) {
			t.Errorf("a highest byte of %d", high)
		}
	}
}

func TestValueTags(t *testing.T) {
	pad := [TagSize]byte(randomBytes(TagSize))
	for _, v := range edgeValues() {
		want := new(big.Int).Mod(toBig(v), reference.P)
		want.Add(want, reference.FromBytes(pad[:]))
		var tag [TagSize]byte
		if v.Tag(&tag, &pad); tag != [TagSize]byte(reference.ToBytes(want, TagSize)) {
			t.Fatalf("%x", v)
		}
	}
}

// TestClamping checks that Clamp clears 22 bits, and that LoadR refuses each of them.
func TestClamping(t *testing.T) {
	cleared := 0
	for bit := range 128 {
		var r [16]byte
		r[bit/8] = 1 << (bit % 8)
		unclamped := r
		_, isClamped := LoadR(&r)
		if Clamp(&r); isClamped != (r == unclamped) {
			t.Errorf("bit %d", bit)
		}
		if want := reference.ToBytes(reference.Clamped(unclamped[:]), 16); r != [16]byte(want) {
			t.Errorf("bit %d: %x", bit, r)
		}
		if !isClamped {
			cleared++
		}
	}
	if cleared != 22 {
		t.Errorf("%d bits", cleared)
	}
}

// The power, its multiplication and the difference for a segment in the middle of 1 TiB.
func BenchmarkReplaceIn1TiB(b *testing.B) {
	r := edgeRs(b)[4]
	v := r.Evaluate(ones[:4096])
	whole := v
	for b.Loop() {
		whole = Replace(whole, r.Power(1<<39+0x5555555550), v, whole)
	}
}

func BenchmarkZeros1TiB(b *testing.B) {
	r := edgeRs(b)[4]
	for b.Loop() {
		r.Zeros(1<<40 - 1)
	}
}

func BenchmarkCombine(b *testing.B) {
	r := edgeRs(b)[4]
	v, power := r.Evaluate(ones[:4096]), r.Power(4096)
	whole := v
	for b.Loop() {
		whole = Combine(whole, power, v)
	}
}
