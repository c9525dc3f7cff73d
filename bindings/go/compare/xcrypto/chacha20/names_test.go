// SPDX-License-Identifier: Apache-2.0 OR MIT

package chacha20

// What x/crypto's tests name of its package.
const (
	blockSize = 64
	bufSize   = blockSize
)

var _ [bufSize]byte
