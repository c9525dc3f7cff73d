// SPDX-License-Identifier: Apache-2.0 OR MIT

// Calls p224Mul, of Go's crypto/internal/fips140/nistec/fiat, for compare.py, which compiles this with that
// file: CALLS times x = x y, of the numbers that calls.c has, in radix 2^64.
package main

import (
	"fmt"
	"os"
	"strconv"
)

//go:noinline
func marker() {}

func main() {
	calls, _ := strconv.Atoi(os.Args[1])
	x := p224MontgomeryDomainFieldElement{0x0123456789abcdef, 0x1032547698badcfe, 0x2143658709badcfe, 0x76543210}
	y := p224MontgomeryDomainFieldElement{0xfedcba9876543210, 0xefcdab8967452301, 0xfedcba9078563412, 0x89abcdef}
	for range calls {
		p224Mul(&x, &x, &y)
		marker()
	}
	fmt.Printf("%x %x %x %x\n", x[3], x[2], x[1], x[0])
}
