package main

import (
	"fmt"
	"sort"
	"testing"
	"time"

	xp "golang.org/x/crypto/poly1305"
	"hornet/poly1305"
)

func TestTimes(t *testing.T) {
	var k [32]byte
	k[0], k[20] = 9, 5
	var o [16]byte
	for _, n := range []int{1, 16, 17, 32, 48, 63, 64, 80, 96, 127, 128, 160, 192, 255, 256} {
		m := make([]byte, n)
		var a, b []float64
		const rep = 2000
		for r := 0; r < 400; r++ {
			s := time.Now()
			for i := 0; i < rep; i++ {
				xp.Sum(&o, m, &k)
			}
			a = append(a, float64(time.Since(s))/rep)
			s = time.Now()
			for i := 0; i < rep; i++ {
				poly1305.Sum(&o, m, (*poly1305.OneTimeKey)(&k))
			}
			b = append(b, float64(time.Since(s))/rep)
		}
		sort.Float64s(a)
		sort.Float64s(b)
		fmt.Printf("%4d  x %6.2f %6.2f  h %6.2f %6.2f  ratio min %.3f med %.3f\n", n, a[0], a[200], b[0], b[200], b[0]/a[0], b[200]/a[200])
	}
}
