// SPDX-License-Identifier: Apache-2.0 OR MIT

// Package emitted runs the emitted loops for an iteration, and the other basic blocks, on every sample, as Go's assembler made
// them.
//
// The file is copied to the output of `coconut emit`: the package, and files with samples of the basic blocks that can be run.
// BLOCKS names one of these files, in place of the architecture's own.
package emitted

import (
	"encoding/json"
	"os"
	"runtime"
	"slices"
	"testing"
)

type sample struct {
	T, Powers, Want []uint64
	Message         []byte
}

func TestBlocks(t *testing.T) {
	file := os.Getenv("BLOCKS")
	if file == "" {
		file = "blocks_" + runtime.GOARCH + ".json"
	}
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var samples map[string][]sample
	if err := json.Unmarshal(content, &samples); err != nil {
		t.Fatal(err)
	}
	for name, all := range samples {
		t.Run(name, func(t *testing.T) {
			if len(all) == 0 {
				t.Fatal("no samples")
			}
			for i, s := range all {
				functions[name](s.T, s.Powers, &s.Message[0], 1)
				if got := s.T[:len(s.Want)]; !slices.Equal(got, s.Want) {
					t.Fatalf("sample %d: %x, not %x", i, got, s.Want)
				}
			}
		})
	}
}
