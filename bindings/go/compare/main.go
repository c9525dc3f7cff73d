// SPDX-License-Identifier: Apache-2.0 OR MIT

// Command compare measures the module and golang.org/x/crypto, alternating between them, and prints medians and their ratio.
//
//	go run . [-rounds N] [-sweep]
//
// With -sweep it prints the lengths from 0 to 4096 bytes with the highest ratio of the module's time to x/crypto's.
package main

import (
	"bufio"
	"cmp"
	"crypto/cipher"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/hornet-mac/hornet/bindings/go/chacha20poly1305"
	"github.com/hornet-mac/hornet/bindings/go/poly1305"
	xchacha20poly1305 "golang.org/x/crypto/chacha20poly1305"
	//lint:ignore SA1019 it is what this module is compared with
	xpoly1305 "golang.org/x/crypto/poly1305"
)

// An operation can be done on messages of any length, by the module and by x/crypto.
type operation struct {
	name string
	// of returns functions that do the operation once, on n bytes.
	of func(n int) (ours, their func())
}

var operations = []operation{
	{"Sum", func(n int) (ours, their func()) {
		m, key := randomBytes(n), [32]byte(randomBytes(32))
		oneTime := poly1305.OneTimeKey(key)
		var tag [16]byte
		return func() { poly1305.Sum(&tag, m, &oneTime) }, func() { xpoly1305.Sum(&tag, m, &key) }
	}},
	{"Seal", aead(chacha20poly1305.New, xchacha20poly1305.New, seal)},
	{"Open", aead(chacha20poly1305.New, xchacha20poly1305.New, open)},
	{"Seal, NewX", aead(chacha20poly1305.NewX, xchacha20poly1305.NewX, seal)},
}

type newAEAD = func([]byte) (cipher.AEAD, error)

func aead(newOurs, newTheirs newAEAD, of func(a cipher.AEAD, nonce, m []byte) func()) func(n int) (func(), func()) {
	return func(n int) (func(), func()) {
		key, m := randomBytes(32), randomBytes(n)
		ours, err := newOurs(key)
		must(err)
		their, err := newTheirs(key)
		must(err)
		nonce := randomBytes(ours.NonceSize())
		return of(ours, nonce, m), of(their, nonce, m)
	}
}

// additional has the length of the additional data of a TLS 1.3 record.
var additional = randomBytes(5)

func seal(a cipher.AEAD, nonce, m []byte) func() {
	out := make([]byte, 0, len(m)+a.Overhead())
	return func() { a.Seal(out, nonce, m, additional) }
}

func open(a cipher.AEAD, nonce, m []byte) func() {
	sealed, out := a.Seal(nil, nonce, m, additional), make([]byte, 0, len(m))
	return func() {
		_, err := a.Open(out, nonce, sealed, additional)
		must(err)
	}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// random has a fixed seed, so that a failure can be reproduced.
var random = rand.NewChaCha8([32]byte{5})

func randomBytes(n int) []byte {
	b := make([]byte, n)
	random.Read(b)
	return b
}

// measure returns the median time of each function, in nanoseconds per call. Rounds alternate between the functions.
func measure(ours, their func(), rounds int, duration time.Duration) (float64, float64) {
	calls := 1
	for ; time.Duration(float64(calls)*each(their, calls)) < duration; calls *= 2 {
	}
	var times [2][]float64
	for range rounds {
		times[0] = append(times[0], each(ours, calls))
		times[1] = append(times[1], each(their, calls))
	}
	return median(times[0]), median(times[1])
}

// each returns the time of a call in nanoseconds, as a mean of calls.
func each(f func(), calls int) float64 {
	start := time.Now()
	for range calls {
		f()
	}
	return float64(time.Since(start).Nanoseconds()) / float64(calls)
}

func median(times []float64) float64 {
	slices.Sort(times)
	return times[len(times)/2]
}

func main() {
	rounds := flag.Int("rounds", 41, "how many measurements of each")
	sweep := flag.Bool("sweep", false, "all lengths of 0 to 4096 bytes")
	flag.Parse()
	if *rounds < 1 || flag.NArg() != 0 {
		flag.Usage()
		os.Exit(2)
	}
	debug.SetGCPercent(-1) // the measured functions leave no garbage
	fmt.Printf("%s, %s, %s\n\n", cpuName(), runtime.GOARCH, runtime.Version())

	if *sweep {
		for _, o := range operations {
			sweepLengths(o, *rounds)
		}
		return
	}
	fmt.Println("| | bytes | hornet, ns | x/crypto, ns | of its time |")
	fmt.Println("|---|---|---|---|---|")
	for _, o := range operations {
		for _, n := range []int{16, 64, 256, 1350, 4096, 16384, 1 << 20} {
			ours, their := o.of(n)
			a, b := measure(ours, their, *rounds, 200*time.Microsecond)
			fmt.Printf("| %s | %d | %.1f | %.1f | %.2f |\n", o.name, n, a, b, a/b)
		}
	}
}

func sweepLengths(o operation, rounds int) {
	type length struct {
		n     int
		ratio float64
	}
	var all []length
	for n := range 4097 {
		ours, their := o.of(n)
		a, b := measure(ours, their, rounds, 20*time.Microsecond)
		all = append(all, length{n, a / b})
	}
	slices.SortFunc(all, func(a, b length) int { return cmp.Compare(b.ratio, a.ratio) })
	fmt.Printf("%s: ", o.name)
	for _, l := range all[:10] {
		fmt.Printf("%d bytes %.2f, ", l.n, l.ratio)
	}
	fmt.Printf("median %.2f\n", all[len(all)/2].ratio)
}

// cpuName returns the name, family and model of the CPU, as Linux reports them.
func cpuName() string {
	file, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return "unknown CPU"
	}
	defer file.Close()
	fields := map[string]string{}
	for lines := bufio.NewScanner(file); lines.Scan() && lines.Text() != ""; {
		name, value, _ := strings.Cut(lines.Text(), ":")
		fields[strings.TrimSpace(name)] = strings.TrimSpace(value)
	}
	return fmt.Sprintf("%s, family %s model %s", fields["model name"], fields["cpu family"], fields["model"])
}
