// SPDX-License-Identifier: Apache-2.0 OR MIT

//! When other Python threads may run meanwhile.
//!
//! Who gives up the GIL may get it back only after a switch interval, 5 ms by default, if another thread computes. So
//! only calls of some 50 µs and more do so; `bench/measure.py` measures what that costs.

use pyo3::prelude::*;

/// The least bytes of a message that is encrypted or decrypted without the GIL.
pub(crate) const AEAD_BYTES: usize = 1 << 18;
/// The same for a message that is only authenticated.
pub(crate) const MAC_BYTES: usize = 1 << 20;
/// The same for a batch, in messages.
pub(crate) const MESSAGES: usize = 4096;

/// Runs the function, without the GIL if it is `long`.
pub(crate) fn detached<T: Send>(py: Python<'_>, long: bool, run: impl FnOnce() -> T + Send) -> T {
    if long { py.detach(run) } else { run() }
}
