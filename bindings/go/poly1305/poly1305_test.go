// SPDX-License-Identifier: Apache-2.0 OR MIT

package poly1305_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hornet-mac/hornet/bindings/go/internal/panics"
	"github.com/hornet-mac/hornet/bindings/go/internal/reference"
	"github.com/hornet-mac/hornet/bindings/go/internal/vectors"
	"github.com/hornet-mac/hornet/bindings/go/poly1305"
)

var _ io.Writer = (*poly1305.MAC)(nil)

type tag = [poly1305.TagSize]byte

// random has a fixed seed, so that a failure can be reproduced.
var random = rand.NewChaCha8([32]byte{3})

func randomBytes(n int) []byte {
	b := make([]byte, n)
	random.Read(b)
	return b
}

func randomKey() *poly1305.OneTimeKey {
	return (*poly1305.OneTimeKey)(randomBytes(poly1305.KeySize))
}

func TestVectors(t *testing.T) {
	for i, v := range vectors.Read("rfc8439") {
		key, m, want := (*poly1305.OneTimeKey)(vectors.Bytes(v[0])), vectors.Bytes(v[1]), tag(vectors.Bytes(v[2]))
		var got tag
		if poly1305.Sum(&got, m, key); got != want {
			t.Errorf("vector %d: %x", i, got)
		}
		if !poly1305.Verify(&want, m, key) {
			t.Errorf("vector %d: Verify", i)
		}
		mac := poly1305.New(key)
		mac.Write(m)
		if !mac.Verify(want[:]) {
			t.Errorf("vector %d: MAC", i)
		}
	}
}

// TestPieces checks all cuts into two pieces, some into three, and writing byte by byte.
func TestPieces(t *testing.T) {
	key, m := randomKey(), randomBytes(400)
	for n := range m {
		var want tag
		poly1305.Sum(&want, m[:n], key)
		check := func(cuts ...int) {
			mac, from := poly1305.New(key), 0
			for _, to := range append(cuts, n) {
				if written, err := mac.Write(m[from:to]); written != to-from || err != nil {
					t.Fatal(written, err)
				}
				from = to
			}
			if got := mac.Sum([]byte("prefix")); string(got) != "prefix"+string(want[:]) {
				t.Fatalf("%d bytes, cuts %v", n, cuts)
			}
		}
		for cut := range n + 1 {
			check(cut)
			check(cut/3, cut)
		}
		each := make([]int, n)
		for i := range each {
			each[i] = i
		}
		check(each...)
	}
}

func TestEndedMAC(t *testing.T) {
	key, m := randomKey(), randomBytes(50)
	var want tag
	poly1305.Sum(&want, m, key)

	mac := poly1305.New(key)
	mac.Write(m[:20])
	other := *mac
	mac.Write(m[20:])
	if mac.Size() != poly1305.TagSize || !mac.Verify(want[:]) || !mac.Verify(want[:]) || !bytes.Equal(mac.Sum(nil), want[:]) {
		t.Error("an ended MAC has another tag")
	}
	panics.With(t, "write to MAC after Sum or Verify", func() { mac.Write(nil) })

	poly1305.Sum(&want, m[:20], key)
	if !bytes.Equal(other.Sum(nil), want[:]) {
		t.Error("a copy does not go on by itself")
	}
	panics.With(t, "after Sum or Verify", func() { other.Write(m) })
	panics.With(t, "without New", func() { new(poly1305.MAC).Write(m) })
	panics.With(t, "without New", func() { new(poly1305.MAC).Sum(nil) })
	panics.With(t, "without New", func() { new(poly1305.MAC).Verify(want[:]) })
}

func TestWrongTags(t *testing.T) {
	for _, n := range []int{0, 1, 100, 5000} {
		key, m := randomKey(), randomBytes(n)
		var good tag
		poly1305.Sum(&good, m, key)
		for bit := range 8 * len(good) {
			bad := good
			bad[bit/8] ^= 1 << (bit % 8)
			mac := poly1305.New(key)
			mac.Write(m)
			if poly1305.Verify(&bad, m, key) || mac.Verify(bad[:]) {
				t.Errorf("%d bytes, bit %d", n, bit)
			}
		}
		for _, length := range []int{0, 15, 17} {
			mac := poly1305.New(key)
			mac.Write(m)
			if mac.Verify(append(good[:], 0)[:length]) {
				t.Errorf("%d bytes of a tag", length)
			}
		}
	}
}

// TestOverlap checks that the tag may overwrite the message or the key.
func TestOverlap(t *testing.T) {
	for _, n := range []int{16, 100, 5000} {
		key, m := randomKey(), randomBytes(n)
		want := reference.Tag(m, key[:])
		out := (*tag)(m[n-16:])
		if poly1305.Sum(out, m, key); *out != want {
			t.Errorf("over the end of %d bytes", n)
		}
		want = reference.Tag(m, key[:])
		out = (*tag)(key[8:])
		if poly1305.Sum(out, m, key); *out != want {
			t.Errorf("over the key of %d bytes", n)
		}
	}
}

// batch returns count messages, of all lengths up to 300 and some long ones.
func batch(count int) (tags []tag, messages [][]byte, keys []poly1305.OneTimeKey) {
	for i := range count {
		n := i * 73 % 301
		if i%29 == 28 {
			n += 3000
		}
		m, key := randomBytes(n), randomKey()
		tags, messages, keys = append(tags, reference.Tag(m, key[:])), append(messages, m), append(keys, *key)
	}
	return tags, messages, keys
}

func TestBatches(t *testing.T) {
	for _, count := range []int{0, 1, 2, 7, 8, 9, 33, 150} {
		want, messages, keys := batch(count)
		tags := make([]tag, count)
		if err := poly1305.SumBatch(tags, messages, keys); err != nil || !slices.Equal(tags, want) {
			t.Fatalf("%d messages: %v", count, err)
		}
		if err := poly1305.VerifyBatch(tags, messages, keys); err != nil {
			t.Fatalf("%d messages: %v", count, err)
		}
		for wrong := range count {
			tags[wrong][wrong%16] ^= 1 << (wrong % 8)
			err := poly1305.VerifyBatch(tags, messages, keys)
			var forgery *poly1305.ForgeryError
			if !errors.As(err, &forgery) || !errors.Is(err, poly1305.ErrForgery) || !slices.Equal(forgery.Forged, []int{wrong}) {
				t.Fatalf("%d messages, forged %d: %v", count, wrong, err)
			}
			tags[wrong] = want[wrong]
		}
	}
	tags, messages, keys := batch(10)
	tags[3], tags[7] = tags[7], tags[3]
	err := poly1305.VerifyBatch(tags, messages, keys)
	if err == nil || err.Error() != "poly1305: message authentication failed: 2 of 10 tags are wrong, the first of message 3" {
		t.Error(err)
	}
	if message := new(poly1305.ForgeryError).Error(); message != poly1305.ErrForgery.Error() {
		t.Error(message)
	}
}

func TestBatchesOfOtherLengths(t *testing.T) {
	_, messages, keys := batch(5)
	for _, lengths := range [][3]int{{4, 5, 5}, {5, 4, 5}, {5, 5, 4}, {0, 5, 5}, {5, 0, 0}} {
		tags := make([]tag, lengths[0])
		messages, keys := messages[:lengths[1]], keys[:lengths[2]]
		for _, err := range []error{poly1305.SumBatch(tags, messages, keys), poly1305.VerifyBatch(tags, messages, keys)} {
			if err == nil || errors.Is(err, poly1305.ErrForgery) || !strings.Contains(err.Error(), "keys and") {
				t.Errorf("%v: %v", lengths, err)
			}
		}
		if slices.ContainsFunc(tags, func(written tag) bool { return written != tag{} }) {
			t.Errorf("%v: written", lengths)
		}
	}
}

func TestAllocations(t *testing.T) {
	tags, messages, keys := batch(40)
	out := make([]byte, 0, poly1305.TagSize)
	for what, f := range map[string]func(){
		"Sum":         func() { poly1305.Sum(&tags[0], messages[28], &keys[0]) },
		"Verify":      func() { poly1305.Verify(&tags[0], messages[28], &keys[0]) },
		"SumBatch":    func() { poly1305.SumBatch(tags, messages, keys) },
		"VerifyBatch": func() { poly1305.VerifyBatch(tags, messages, keys) },
		"MAC": func() {
			mac := poly1305.New(&keys[0]) // on the stack, because it does not escape
			mac.Write(messages[28])
			out = mac.Sum(out[:0])
		},
	} {
		poly1305.SumBatch(tags, messages, keys)
		if n := testing.AllocsPerRun(100, f); n != 0 {
			t.Errorf("%s: %v allocations", what, n)
		}
	}
}

// TestConcurrent lets several goroutines read the same inputs, for the race detector.
func TestConcurrent(t *testing.T) {
	tags, messages, keys := batch(30)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for i := range messages {
				mac := poly1305.New(&keys[i])
				mac.Write(messages[i])
				if !mac.Verify(tags[i][:]) || !poly1305.Verify(&tags[i], messages[i], &keys[i]) {
					t.Errorf("message %d", i)
				}
			}
			if err := poly1305.VerifyBatch(tags, messages, keys); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
}

// FuzzSum compares every function with the definition.
func FuzzSum(f *testing.F) {
	f.Add(randomBytes(32), randomBytes(100), uint(33))
	f.Add(bytes.Repeat([]byte{255}, 32), bytes.Repeat([]byte{255}, 1600), uint(800))
	f.Fuzz(func(t *testing.T, keyBytes, m []byte, cut uint) {
		var key poly1305.OneTimeKey
		copy(key[:], keyBytes)
		want := reference.Tag(m, key[:])
		var got tag
		if poly1305.Sum(&got, m, &key); got != want {
			t.Errorf("Sum: %x, not %x", got, want)
		}
		cut %= uint(len(m)) + 1
		mac := poly1305.New(&key)
		mac.Write(m[:cut])
		mac.Write(m[cut:])
		if !mac.Verify(want[:]) {
			t.Errorf("cut at %d", cut)
		}
		tags := make([]tag, 2)
		keys := []poly1305.OneTimeKey{key, key}
		if err := poly1305.SumBatch(tags, [][]byte{m, m[:cut]}, keys); err != nil || tags[0] != want {
			t.Errorf("batch: %x, %v", tags[0], err)
		}
		if tags[1] != reference.Tag(m[:cut], key[:]) {
			t.Errorf("batch: the first %d bytes", cut)
		}
	})
}
