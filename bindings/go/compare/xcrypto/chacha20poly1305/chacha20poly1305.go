// SPDX-License-Identifier: Apache-2.0 OR MIT

// Package chacha20poly1305 is golang.org/x/crypto/chacha20poly1305 by this module, for patch.sh.
package chacha20poly1305

import (
	"crypto/cipher"

	"github.com/hornet-mac/hornet/bindings/go/chacha20poly1305"
)

const (
	KeySize    = chacha20poly1305.KeySize
	NonceSize  = chacha20poly1305.NonceSize
	NonceSizeX = chacha20poly1305.NonceSizeX
	Overhead   = chacha20poly1305.Overhead
)

func New(key []byte) (cipher.AEAD, error) { return chacha20poly1305.New(key) }

func NewX(key []byte) (cipher.AEAD, error) { return chacha20poly1305.NewX(key) }
