// SPDX-License-Identifier: Apache-2.0 OR MIT

// Command compare measures the module and golang.org/x/crypto, alternating between them, and prints a table of the times; and
// package stream and age.
//
//	go run . [-rounds N] [-sweep | -lengths N,...]
//	go run . -calls N -operation NAME -library hornet|x/crypto -lengths N
//
// With -sweep it measures every length from 0 to 4096 bytes, each for a short time, and prints those with the highest ratios. With -calls it only calls one function, whose
// instructions an emulator can count.
package main

import (
	"cmp"
	"crypto/cipher"
	"encoding/binary"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hornet-mac/hornet/bindings/go/chacha20"
	"github.com/hornet-mac/hornet/bindings/go/chacha20poly1305"
	"github.com/hornet-mac/hornet/bindings/go/openssh"
	"github.com/hornet-mac/hornet/bindings/go/poly1305"
	xchacha20 "golang.org/x/crypto/chacha20"
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
	{"XORKeyStream", func(n int) (ours, their func()) {
		m, key, nonce := randomBytes(n), randomBytes(32), randomBytes(12)
		return func() {
				c, err := chacha20.NewUnauthenticatedCipher(key, nonce)
				must(err)
				c.XORKeyStream(m, m)
			}, func() {
				c, err := xchacha20.NewUnauthenticatedCipher(key, nonce)
				must(err)
				c.XORKeyStream(m, m)
			}
	}},
	{"SSH, Seal", func(n int) (ours, their func()) {
		key, packet := [openssh.KeySize]byte(randomBytes(openssh.KeySize)), make([]byte, n+openssh.Overhead)
		c, err := openssh.New(key[:])
		must(err)
		return func() { c.Seal(packet, 1) }, func() { theirSeal(&key, packet, 1) }
	}},
	{"SSH, Open", func(n int) (ours, their func()) {
		key, sealed := [openssh.KeySize]byte(randomBytes(openssh.KeySize)), make([]byte, n+openssh.Overhead)
		c, err := openssh.New(key[:])
		must(err)
		c.Seal(sealed, 1)
		packet := make([]byte, len(sealed))
		return func() {
				copy(packet, sealed)
				c.Length((*[openssh.LengthSize]byte)(packet), 1)
				_, err := c.Open(packet, 1)
				must(err)
			}, func() {
				copy(packet, sealed)
				theirOpen(&key, packet, 1)
			}
	}},
}

// masks is measured for numbers of packets, not for lengths.
var masks = operation{"HeaderMasks", func(n int) (ours, their func()) {
	key, samples, out := randomBytes(32), make([][chacha20.SampleSize]byte, n), make([][chacha20.MaskSize]byte, n)
	return func() { must(chacha20.HeaderMasks(out, samples, key)) }, func() {
		for i := range samples {
			out[i] = theirMask(key, &samples[i])
		}
	}
}}

// theirMask is what quic-go does for a packet.
func theirMask(key []byte, sample *[chacha20.SampleSize]byte) (mask [chacha20.MaskSize]byte) {
	c, err := xchacha20.NewUnauthenticatedCipher(key, sample[4:])
	must(err)
	c.SetCounter(binary.LittleEndian.Uint32(sample[:]))
	c.XORKeyStream(mask[:], mask[:])
	return mask
}

// theirSeal is Seal of package openssh as golang.org/x/crypto/ssh does it. No cipher escapes, so that none is allocated.
func theirSeal(key *[openssh.KeySize]byte, packet []byte, number uint32) {
	nonce := make([]byte, 12)
	binary.BigEndian.PutUint32(nonce[8:], number)
	payload, err := xchacha20.NewUnauthenticatedCipher(key[:32], nonce)
	must(err)
	var oneTime, discarded [32]byte
	payload.XORKeyStream(oneTime[:], oneTime[:])
	payload.XORKeyStream(discarded[:], discarded[:])
	m := packet[:len(packet)-openssh.TagSize]
	binary.BigEndian.PutUint32(m, uint32(len(m)-openssh.LengthSize))
	length, err := xchacha20.NewUnauthenticatedCipher(key[32:], nonce)
	must(err)
	length.XORKeyStream(m, m[:openssh.LengthSize])
	payload.XORKeyStream(m[openssh.LengthSize:], m[openssh.LengthSize:])
	xpoly1305.Sum((*[16]byte)(packet[len(m):]), m, &oneTime)
}

// theirOpen is Length and Open.
func theirOpen(key *[openssh.KeySize]byte, packet []byte, number uint32) {
	nonce := make([]byte, 12)
	binary.BigEndian.PutUint32(nonce[8:], number)
	payload, err := xchacha20.NewUnauthenticatedCipher(key[:32], nonce)
	must(err)
	var oneTime, discarded [32]byte
	payload.XORKeyStream(oneTime[:], oneTime[:])
	payload.XORKeyStream(discarded[:], discarded[:])
	length, err := xchacha20.NewUnauthenticatedCipher(key[32:], nonce)
	must(err)
	var decrypted [openssh.LengthSize]byte
	length.XORKeyStream(decrypted[:], packet[:openssh.LengthSize])
	m := packet[:len(packet)-openssh.TagSize]
	if !xpoly1305.Verify((*[16]byte)(packet[len(m):]), m, &oneTime) {
		panic("a forgery")
	}
	payload.XORKeyStream(m[openssh.LengthSize:], m[openssh.LengthSize:])
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

// A row has the medians of the times of a call in nanoseconds, and of their ratio within a round.
type row struct {
	n                  int
	ours, their, ratio float64
}

// measure returns a row. Rounds alternate between the functions.
func measure(n int, ours, their func(), rounds int, duration time.Duration) row {
	calls := 1
	for ; time.Duration(float64(calls)*each(their, calls)) < duration; calls *= 2 {
	}
	var a, b, ratios []float64
	for i := range rounds {
		a, b = append(a, each(ours, calls)), append(b, each(their, calls))
		ratios = append(ratios, a[i]/b[i])
	}
	return row{n, median(a), median(b), median(ratios)}
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}

// worst is how many rows of many are printed.
const worst = 10

// write prints the rows of an operation; of many, those with the highest ratios, and the median of all ratios.
func write(name string, rows []row) {
	if len(rows) > 2*worst {
		var ratios []float64
		for _, r := range rows {
			ratios = append(ratios, r.ratio)
		}
		defer fmt.Printf("| %s | median of %d | | | %.2f |\n", name, len(rows), median(ratios))
		slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(b.ratio, a.ratio) })
		rows = rows[:worst]
	}
	for _, r := range rows {
		fmt.Printf("| %s | %d | %.4g | %.4g | %.2f |\n", name, r.n, r.ours, r.their, r.ratio)
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
	fmt.Printf("%s\n\n| | bytes | hornet, ns | x/crypto, ns | ratio |\n| --- | --- | --- | --- | --- |\n", runtime.Version())
	for _, o := range operations {
		var rows []row
		for _, n := range lengths {
			ours, their := o.of(n)
			rows = append(rows, measure(n, ours, their, *rounds, duration))
		}
		write(o.name, rows)
	}
	if *sweep {
		return
	}
	var rows []row
	for _, n := range []int{1, 2, 8, 16, 64} {
		ours, their := masks.of(n)
		rows = append(rows, measure(n, ours, their, *rounds, duration))
	}
	write(masks.name+" (packets)", rows)

	debug.SetGCPercent(100) // age's reader leaves much
	fmt.Print("\n| | bytes | hornet, ns | age, ns | ratio |\n| --- | --- | --- | --- | --- |\n")
	for _, o := range payloads {
		var rows []row
		for _, n := range []int{1000, 1 << 20, 16 << 20} {
			ours, their := o.of(n)
			rows = append(rows, measure(n, ours, their, *rounds, duration))
		}
		write(o.name, rows)
	}
}
