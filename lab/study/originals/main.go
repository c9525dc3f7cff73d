// SPDX-License-Identifier: Apache-2.0 OR MIT

// Command originals calls the Poly1305 of golang.org/x/crypto of September 2018: the z14 paper's code before its work,
// and after it on a CPU that has VMSL, for messages of more than 256 bytes.
//
//	originals < INPUTS               compares its tags with those of the inputs that measure --inputs prints
//	originals -calls N -length N     only calls it, on a message of that many bytes
package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"log"
	"os"

	"golang.org/x/crypto/poly1305"
)

// What measure --inputs prints before each message.
type header struct {
	Name   [64]byte
	Length uint64
	Key    [32]byte
	Tag    [16]byte
}

// What was found: how many inputs there are, of how many the tag is wrong, and the first of these.
type found struct {
	Inputs  int    `json:"inputs"`
	Wrong   int    `json:"wrong"`
	Example string `json:"example"`
}

func compare(inputs io.Reader) (found, error) {
	var all found
	for {
		var input header
		if err := binary.Read(inputs, binary.LittleEndian, &input); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return all, err
		}
		message := make([]byte, input.Length)
		if _, err := io.ReadFull(inputs, message); err != nil {
			return all, err
		}
		var tag [16]byte
		poly1305.Sum(&tag, message, &input.Key)
		all.Inputs++
		if tag != input.Tag {
			if all.Wrong == 0 {
				all.Example = string(bytes.TrimRight(input.Name[:], "\x00"))
			}
			all.Wrong++
		}
	}
}

func main() {
	calls, length := flag.Int("calls", 0, ""), flag.Int("length", 0, "")
	flag.Parse()
	if *calls != 0 {
		message, key := make([]byte, *length), [32]byte{1, 2, 3}
		var tag [16]byte
		for range *calls {
			poly1305.Sum(&tag, message, &key)
		}
		return
	}
	all, err := compare(bufio.NewReader(os.Stdin))
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(all)
	}
	if err != nil {
		log.Fatal(err)
	}
}
