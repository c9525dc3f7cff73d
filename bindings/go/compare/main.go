// SPDX-License-Identifier: Apache-2.0 OR MIT

// Command compare measures the module and golang.org/x/crypto, alternating between them, and prints the times as JSON.
//
//	go run . [-rounds N] [-sweep | -lengths N,...]
//	go run . -calls N -operation NAME -library hornet|x/crypto -lengths N
//
// With -sweep it measures every length from 0 to 4096 bytes, each for a short time. With -calls it only calls one function, whose
// instructions an emulator can count.
package main

import (
	"crypto/cipher"
	"encoding/json"
	"flag"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
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

const hornet, xcrypto = "hornet", "x/crypto"

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

// A series is a table of times with a row for each length.
type series struct {
	Section string   `json:"section"`
	Group   string   `json:"group"`
	Variant string   `json:"variant"`
	Axis    string   `json:"axis"`
	Xs      []int    `json:"xs"`
	Columns []column `json:"columns"`
}

// A column has the samples of each length: nanoseconds per call, and ratios to the first column in the same round.
type column struct {
	Name  string   `json:"name"`
	Ns    quantity `json:"ns"`
	Ratio quantity `json:"ratio"`
}

type quantity struct {
	Samples [][]float64 `json:"samples"`
}

func (q *quantity) add(samples []float64) { q.Samples = append(q.Samples, samples) }

// measure appends a sample of each round to both columns. Rounds alternate between the functions.
func measure(columns []column, ours, their func(), rounds int, duration time.Duration) {
	calls := 1
	for ; time.Duration(float64(calls)*each(their, calls)) < duration; calls *= 2 {
	}
	var times, ratios [2][]float64
	for range rounds {
		a, b := each(ours, calls), each(their, calls)
		for i, t := range []float64{a, b} {
			times[i] = append(times[i], math.Round(t*100)/100)
			ratios[i] = append(ratios[i], math.Round(t/a*10000)/10000)
		}
	}
	for i := range columns {
		columns[i].Ns.add(times[i])
		columns[i].Ratio.add(ratios[i])
	}
}

// each returns the time of a call in nanoseconds, as a mean of calls.
func each(f func(), calls int) float64 {
	start := time.Now()
	for range calls {
		f()
	}
	return float64(time.Since(start).Nanoseconds()) / float64(calls)
}

// call calls an operation of a library.
func call(name, library string, n, calls int) {
	for _, o := range operations {
		if o.name != name {
			continue
		}
		ours, their := o.of(n)
		f := map[string]func(){hornet: ours, xcrypto: their}[library]
		for range calls {
			f()
		}
	}
}

func main() {
	rounds := flag.Int("rounds", 41, "how many measurements of each")
	sweep := flag.Bool("sweep", false, "all lengths of 0 to 4096 bytes")
	chosen := flag.String("lengths", "16,64,256,1350,4096,16384,1048576", "lengths, separated by commas")
	calls := flag.Int("calls", 0, "how many calls, without measuring")
	name := flag.String("operation", "Seal", "the operation that is called")
	library := flag.String("library", hornet, "the library that is called")
	flag.Parse()
	if *rounds < 1 || flag.NArg() != 0 {
		flag.Usage()
		os.Exit(2)
	}
	debug.SetGCPercent(-1) // the measured functions leave no garbage

	lengths, duration := []int{}, 200*time.Microsecond
	for length := range strings.SplitSeq(*chosen, ",") {
		n, err := strconv.Atoi(length)
		must(err)
		lengths = append(lengths, n)
	}
	if *calls != 0 {
		call(*name, *library, lengths[0], *calls)
		return
	}
	if *sweep {
		lengths, duration = lengths[:0], 20*time.Microsecond
		for n := range 4097 {
			lengths = append(lengths, n)
		}
	}
	all := []series{}
	for _, o := range operations {
		columns := []column{{Name: hornet}, {Name: xcrypto}}
		for _, n := range lengths {
			ours, their := o.of(n)
			measure(columns, ours, their, *rounds, duration)
		}
		all = append(all, series{"best", "go", o.name, "bytes", lengths, columns})
	}
	must(json.NewEncoder(os.Stdout).Encode(map[string]any{"go": runtime.Version(), "series": all}))
}
