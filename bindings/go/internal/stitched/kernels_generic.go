// SPDX-License-Identifier: Apache-2.0 OR MIT

//go:build !amd64 || !gc || purego

package stitched

// Package internal documents these functions.

const keyBeside = false

func Pays(int) bool { return false }

func xorMAC(_, _ *byte, _ *State, _ *MAC, _ *byte, _ int, _ bool, _ int) {}

func streamMAC(_ []byte, _ *State, _ *MAC, _ *byte, _ int, _ bool, _ int) {}

func xor8And2(_, _ *byte, _ *State, _ *byte) {}

func xor16And2(_, _ *byte, _ *State, _ *byte) {}
