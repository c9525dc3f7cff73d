// SPDX-License-Identifier: Apache-2.0 OR MIT

package poly1305

import (
	"encoding/binary"
	"math/bits"
)

// R is the number at which the polynomial is evaluated. It is clamped: both words < 2^60.
type R [2]uint64

// Value is the value of the polynomial over a segment of a message, or a power of r: a number modulo p in three words, partly
// reduced as State.h is. It is not an array, which Go would pass in memory.
type Value struct{ h0, h1, h2 uint64 }

// Clamp clears the 22 bits of r that clamping clears (Bernstein 2005, section 2).
func Clamp(r *[16]byte) {
	words := clamped(r)
	binary.LittleEndian.PutUint64(r[:], words[0])
	binary.LittleEndian.PutUint64(r[8:], words[1])
}

// LoadR returns r, and whether it is clamped. If it is not, the number returned is of no use.
func LoadR(r *[16]byte) (R, bool) {
	words := clamped(r)
	return words, binary.LittleEndian.Uint64(r[:]) == words[0] && binary.LittleEndian.Uint64(r[8:]) == words[1]
}

func clamped(r *[16]byte) R {
	var key [KeySize]byte
	copy(key[:], r[:])
	r0, r1 := loadR(&key)
	key = [KeySize]byte{}
	return R{r0, r1}
}

// Evaluate returns the value over m.
func (r *R) Evaluate(m []byte) Value { return r.evaluateAfter(Value{}, m) }

// evaluateAfter returns the value over m after whole blocks with the value v.
func (r *R) evaluateAfter(v Value, m []byte) Value {
	p := State{r: *r, h: [3]uint64{v.h0, v.h1, v.h2}}
	p.Absorb(m)
	v = Value{p.h[0], p.h[1], p.h[2]}
	p = State{}
	return v
}

// Zeros returns the value over n zero bytes. It takes at most 4 log2(n) multiplications.
//
// A block of zeros is the number 2^128, so that q of them have the value 2^128 g(q) with g(q) = r + r^2 + ... + r^q. From the
// highest bit of q on, g(2 m) = g(m) r^m + g(m) and g(m + 1) = g(m) r + r. That holds for r = 1 too.
func (r *R) Zeros(n uint64) Value {
	var sum Value // g of the highest bits of q, and below, power is r to their number
	if q := n / BlockSize; q != 0 {
		one := Value{r[0], r[1], 0}
		power := one
		sum = one
		for i := bits.Len64(q) - 2; i >= 0; i-- {
			sum, power = Combine(sum, power, sum), mul(power, power)
			if q>>i&1 == 1 {
				sum, power = Combine(sum, one, one), mul(power, one)
			}
		}
	}
	var last [BlockSize]byte
	return r.evaluateAfter(mul(sum, Value{0, 0, 1}), last[:n%BlockSize])
}

// Power returns the power of r by which the value of what precedes n bytes is multiplied: r^ceil(n / 16). It takes at most
// 2 log2(n / 16) multiplications. They and those of Zeros depend on n alone.
func (r *R) Power(n uint64) Value {
	q := n / BlockSize
	if n%BlockSize != 0 {
		q++
	}
	if q == 0 {
		return Value{1, 0, 0}
	}
	one := Value{r[0], r[1], 0}
	power := one
	for i := bits.Len64(q) - 2; i >= 0; i-- {
		power = mul(power, power)
		if q>>i&1 == 1 {
			power = mul(power, one)
		}
	}
	return power
}

// Combine returns the value over both of two adjacent segments, left power + right, where power is Power of the length of the
// right one.
func Combine(left, power, right Value) Value {
	left = mul(left, power)
	return reduced(add(left.h0, left.h1, left.h2, right.h0, right.h1, right.h2)) // the highest word <= 9
}

// Replace returns whole + (replacement - replaced) power, where power is Power of the number of bytes after the segment.
func Replace(whole, power, replaced, replacement Value) Value {
	// 2 p - replaced > 0, because replaced < 5 * 2^128 and 2 p = 8 * 2^128 - 10.
	d0, borrow := bits.Sub64(1<<64-10, replaced.h0, 0)
	d1, borrow := bits.Sub64(1<<64-1, replaced.h1, borrow)
	d2, _ := bits.Sub64(7, replaced.h2, borrow)
	difference := reduced(add(d0, d1, d2, replacement.h0, replacement.h1, replacement.h2)) // the highest word <= 12
	return Combine(difference, power, whole)
}

// Tag writes the tag of the message with the value v.
func (v *Value) Tag(tag, pad *[TagSize]byte) {
	storeTag(tag, v.h0, v.h1, v.h2, binary.LittleEndian.Uint64(pad[:]), binary.LittleEndian.Uint64(pad[8:]))
}

// Equal reports in constant time whether both are the same number modulo p.
func (v *Value) Equal(other *Value) bool {
	a, b := canonical(*v), canonical(*other)
	return (a.h0^b.h0)|(a.h1^b.h1)|(a.h2^b.h2) == 0
}

// ValueSize is the size, in bytes, of a value that Store has written.
const ValueSize = 17

// Store writes the number, reduced modulo p, in little-endian order.
func (v *Value) Store(to *[ValueSize]byte) {
	w := canonical(*v)
	binary.LittleEndian.PutUint64(to[:], w.h0)
	binary.LittleEndian.PutUint64(to[8:], w.h1)
	to[16] = byte(w.h2)
}

// LoadValue returns the number that Store has written, and whether it is below 2^130. If it is not, the number returned is of
// no use.
func LoadValue(from *[ValueSize]byte) (Value, bool) {
	return Value{binary.LittleEndian.Uint64(from[:]), binary.LittleEndian.Uint64(from[8:]), uint64(from[16] & 3)}, from[16] <= 3
}

// canonical returns v modulo p, below p.
func canonical(v Value) Value {
	// v < 2 p. As in storeTag: v mod p is v + 5 - 2^130 if that is not negative.
	h0, h1, h2 := add(v.h0, v.h1, v.h2, 5, 0, 0)
	under := h2>>2 - 1 // all ones if v < p, 0 otherwise; h2 >> 2 is 0 or 1
	d0, borrow := bits.Sub64(h0, 5&under, 0)
	d1, borrow := bits.Sub64(h1, 0, borrow)
	d2, _ := bits.Sub64(h2, 0, borrow)
	return Value{d0, d1, d2 & 3}
}

// mul returns the product of any two values, of which neither need be clamped.
func mul(a, b Value) Value {
	// The product in words of 64 bits. Both factors are below 5 * 2^128, so that it is below 25 * 2^256 and d4 <= 24.
	carry, d0 := bits.Mul64(a.h0, b.h0)
	carry, d1 := mulAdd(a.h0, b.h1, carry, 0)
	d3, d2 := mulAdd(a.h0, b.h2, carry, 0)
	carry, d1 = mulAdd(a.h1, b.h0, d1, 0)
	carry, d2 = mulAdd(a.h1, b.h1, d2, carry)
	d4, d3 := mulAdd(a.h1, b.h2, d3, carry)
	carry, d2 = mulAdd(a.h2, b.h0, d2, 0)
	carry, d3 = mulAdd(a.h2, b.h1, d3, carry)
	d4 += a.h2*b.h2 + carry

	// The part above 2^130, times 5: once, and 4 times, for which it is in place if the two bits below it are cleared. The
	// highest word is at most 3 + 6 + 1 and then at most 10 + 24 + 1.
	h0, h1, h2 := add(d0, d1, d2&3, d2>>2|d3<<62, d3>>2|d4<<62, d4>>2)
	return reduced(add(h0, h1, h2, d2&^3, d3, d4))
}

// mulAdd returns a b + c + d, which is at most 2^128 - 1.
func mulAdd(a, b, c, d uint64) (high, low uint64) {
	high, low = bits.Mul64(a, b)
	low, carry := bits.Add64(low, c, 0)
	high += carry
	low, carry = bits.Add64(low, d, 0)
	return high + carry, low
}

// reduced adds the part above 2^130 times 5. For h2 below 2^32, the result is below 2^130 + 5 * 2^30, so that its highest word
// is at most maxH2.
func reduced(h0, h1, h2 uint64) Value {
	h0, h1, h2 = add(h0, h1, h2&3, 5*(h2>>2), 0, 0)
	return Value{h0, h1, h2}
}
