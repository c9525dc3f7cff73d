// SPDX-License-Identifier: Apache-2.0 OR MIT

// Package panics tests that functions panic.
package panics

import (
	"strings"
	"testing"
)

// With checks that f panics with a string that contains message.
func With(t *testing.T, message string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if got, _ := recover().(string); !strings.Contains(got, message) {
			t.Errorf("panic %q, not %q", got, message)
		}
	}()
	f()
}
