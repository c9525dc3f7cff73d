// SPDX-License-Identifier: Apache-2.0 OR MIT

// Package chacha20 is golang.org/x/crypto/chacha20 by this module, for patch.sh.
package chacha20

import "github.com/hornet-mac/hornet/bindings/go/chacha20"

const (
	KeySize    = chacha20.KeySize
	NonceSize  = chacha20.NonceSize
	NonceSizeX = chacha20.NonceSizeX
)

type Cipher = chacha20.Cipher

func NewUnauthenticatedCipher(key, nonce []byte) (*Cipher, error) {
	return chacha20.NewUnauthenticatedCipher(key, nonce)
}

func HChaCha20(key, nonce []byte) ([]byte, error) { return chacha20.HChaCha20(key, nonce) }
