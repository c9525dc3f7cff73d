// SPDX-License-Identifier: Apache-2.0 OR MIT

package chacha20

// See the comment of package internal.

func xorBlocks(dst, src []byte, s *State) { xorBlocksGo(dst, src, s) }
