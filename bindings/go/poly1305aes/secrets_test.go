// SPDX-License-Identifier: Apache-2.0 OR MIT

package poly1305aes

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"log/slog"
	"reflect"
	"strings"
	"testing"
)

// TestFormat checks that nothing prints a number that is secret, whatever holds it.
func TestFormat(t *testing.T) {
	random := [KeySize]byte([]byte("a key that is random in no way.."))
	Clamp(&random)
	key, err := NewKey(random[:])
	if err != nil {
		t.Fatal(err)
	}
	p := key.Partial(make([]byte, 100))
	parts, err := key.NewParts(32)
	if err != nil {
		t.Fatal(err)
	}
	segments, err := key.Segments(bytes.Repeat([]byte{3}, 100), 32)
	if err != nil {
		t.Fatal(err)
	}
	if err := parts.Append(segments...); err != nil {
		t.Fatal(err)
	}

	// All words that these hold, in the ways in which fmt prints them.
	var secrets []string
	words := []uint64{key.r()[0], key.r()[1], uint64(binary.BigEndian.Uint32(random[:]))}
	content := parts.content()
	for _, s := range append([]segment{p.get(), content.full}, content.values...) {
		value := reflect.ValueOf(s.value)
		for i := range value.NumField() - 1 { // the highest word is a digit
			words = append(words, value.Field(i).Uint())
		}
	}
	for _, word := range words {
		if word < 1<<28 {
			t.Fatalf("the test needs large numbers, not %x", word)
		}
		secrets = append(secrets, fmt.Sprintf("%d", word), fmt.Sprintf("%x", word), fmt.Sprintf("%o", word), fmt.Sprintf("%b", word))
	}
	if len(secrets) != 4*(3+2*6) {
		t.Fatal(len(secrets))
	}

	type holder struct {
		key    *Key
		copied Key
		p      Partial
		all    []Partial
		parts  *Parts
		value  Parts
	}
	held := holder{key, *key, p, segments, parts, *parts}
	for _, v := range []any{key, *key, p, &p, segments, parts, *parts, held, &held, []any{*key, p, *parts}} {
		var printed []string
		for _, verb := range []string{"%v", "%+v", "%#v", "%d", "%x", "%X", "%o", "%b", "%s", "%q", "%#x", "% x", "%08b", "%e", "%c", "%U", "%T"} {
			printed = append(printed, fmt.Sprintf(verb, v))
		}
		var log bytes.Buffer
		slog.New(slog.NewTextHandler(&log, nil)).Info("", "", v)
		slog.New(slog.NewJSONHandler(&log, nil)).Info("", "", v)
		marshalled, err := json.Marshal(v)
		if err != nil {
			t.Error(err)
		}
		printed = append(printed, log.String(), string(marshalled))
		for _, text := range printed {
			for _, secret := range secrets {
				if strings.Contains(strings.ToLower(text), secret) {
					t.Fatalf("%T prints %s in %s", v, secret, text)
				}
			}
		}
	}
	for want, v := range map[string]any{
		"poly1305aes.Key(..)":                          key,
		"poly1305aes.Partial(100 bytes)":               p,
		"poly1305aes.Partial(0 bytes)":                 Partial{},
		"poly1305aes.Parts(100 bytes, segments of 32)": parts,
		"poly1305aes.Parts(none)":                      Parts{},
	} {
		for _, verb := range []string{"%v", "%#v", "%x", "%s"} {
			if got := fmt.Sprintf(verb, v); got != want {
				t.Errorf("%s, not %s", got, want)
			}
		}
	}
}

// TestTruncated checks that values that are removed are overwritten.
func TestTruncated(t *testing.T) {
	key, err := NewKey([]byte{KeySize - 1: 0})
	if err != nil {
		t.Fatal(err)
	}
	parts, err := key.NewParts(16)
	if err != nil {
		t.Fatal(err)
	}
	if err := parts.AppendZeros(100); err != nil {
		t.Fatal(err)
	}
	values := parts.content().values
	if err := parts.Truncate(3); err != nil {
		t.Fatal(err)
	}
	for i, s := range values {
		if overwritten := s == (segment{}); overwritten != (i >= 3) {
			t.Errorf("segment %d: %t", i, overwritten)
		}
	}
}
