// SPDX-License-Identifier: Apache-2.0 OR MIT

// Package chacha20poly1305 implements the AEAD ChaCha20-Poly1305 (RFC 8439) and its variant with longer nonces,
// XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha-03), as a [cipher.AEAD]. It can replace
// golang.org/x/crypto/chacha20poly1305.
//
// Use a nonce for one message only. Two messages under the same key and nonce reveal both, and let anyone forge messages.
// Count the nonces of [New]; those of [NewX] are long enough to be random.
//
// Seal and Open follow [cipher.AEAD]: they append to dst, allocate nothing if dst has room, and work in place if dst is
// plaintext[:0] or ciphertext[:0]. They panic in the same cases as the ciphers of the standard library: if the nonce has the
// wrong length, if the output overlaps the input other than in place or overlaps the additional data at all, or if the
// message is too long. If a message is not authentic, Open returns an error and overwrites the output with zeros.
//
// In addition, the output of Open may overlap the tag if it does not overlap the rest of the ciphertext, because Open reads
// the tag before it writes. In that case the amd64 assembly of golang.org/x/crypto rejects authentic messages.
//
// The goroutine can be preempted while it processes a message, however long the message is.
//
// Time, branches and memory addresses depend on lengths, nonces and the verdict of Open, never on keys, messages or tags.
package chacha20poly1305

import (
	"crypto/cipher"

	"github.com/hornet-mac/hornet/bindings/go/internal/aead"
)

const (
	// KeySize is the size, in bytes, of a key.
	KeySize = aead.KeySize

	// NonceSize is the size, in bytes, of a nonce of [New]. It is too short for random nonces if many messages share a key.
	NonceSize = aead.NonceSize

	// NonceSizeX is the size, in bytes, of a nonce of [NewX].
	NonceSizeX = aead.NonceSizeX

	// Overhead is the size, in bytes, of the tag, by which a ciphertext is longer than its plaintext.
	Overhead = aead.Overhead
)

// New returns ChaCha20-Poly1305 with a key of [KeySize] bytes and nonces of [NonceSize] bytes.
func New(key []byte) (cipher.AEAD, error) { return newAEAD(key, NonceSize) }

// NewX returns XChaCha20-Poly1305 with a key of [KeySize] bytes and nonces of [NonceSizeX] bytes.
func NewX(key []byte) (cipher.AEAD, error) { return newAEAD(key, NonceSizeX) }

func newAEAD(key []byte, nonceSize int) (cipher.AEAD, error) {
	a, err := aead.New("chacha20poly1305", key, nonceSize)
	if err != nil {
		return nil, err
	}
	return &a, nil
}
