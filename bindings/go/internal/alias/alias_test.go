// SPDX-License-Identifier: Apache-2.0 OR MIT

package alias

import "testing"

// TestAll checks every pair of slices of a short array.
func TestAll(t *testing.T) {
	var bytes [6]byte
	for i := range 7 {
		for j := i; j <= 6; j++ {
			for k := range 7 {
				for l := k; l <= 6; l++ {
					any := max(i, k) < min(j, l)
					if Any(bytes[i:j], bytes[k:l]) != any || Inexact(bytes[i:j], bytes[k:l]) != (any && i != k) {
						t.Errorf("%d:%d %d:%d", i, j, k, l)
					}
				}
			}
		}
	}
}
