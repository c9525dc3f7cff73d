// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Reserved nonces, and their purposes.

use crate::error::{Error, Problem};
use crate::process::Process;
use hornet::aes::{Nonce, UnusedNonce};
use std::io;
use std::iter::FusedIterator;
use std::path::{Path, PathBuf};

/// Length of a counter in a nonce, in bytes.
const COUNTER_BYTES: usize = 6;

/// The number of counters.
pub(crate) const COUNTERS: u64 = 1 << (8 * COUNTER_BYTES);

/// Length of the random bits of a reservation, in bytes.
const RANDOM_BYTES: usize = Nonces::RANDOM_BITS as usize / 8;

// Counter, random bits, purpose.
const _: () = assert!(COUNTER_BYTES + RANDOM_BYTES + 1 == Nonce::BYTES);

/// The bytes of a nonce between its counter and its purpose.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Random([u8; RANDOM_BYTES]);

impl Random {
    /// The value in nonces with the purposes `KEY_FILE` and `DERIVED`, which have no random bits,
    /// because such a nonce has only one message, or none.
    pub(crate) const KEY_FILE: Self = Self([0xff; RANDOM_BYTES]);

    /// Draws new random bits from the operating system.
    pub(crate) fn draw() -> Result<Self, Problem> {
        Self::draw_from(|bytes| Ok(getrandom::fill(bytes)?))
    }

    /// Refuses zero: a working source returns it once in 2^72 draws, so a source that returns it is
    /// broken.
    fn draw_from(fill: impl FnOnce(&mut [u8]) -> io::Result<()>) -> Result<Self, Problem> {
        let problem = |error| Problem::Io("no random bytes for nonces", error);
        let mut bytes = [0; RANDOM_BYTES];
        fill(&mut bytes).map_err(problem)?;
        if bytes == [0; RANDOM_BYTES] {
            return Err(problem(io::Error::other(
                "the random source gave only zeros",
            )));
        }
        Ok(Self(bytes))
    }
}

/// The purpose of a nonce, and therefore of the tag made with it: the last byte of the nonce. A tag
/// made for one purpose cannot be used for another if the receiver checks the purpose of its nonce.
///
/// ```
/// use hornet_key_file::Purpose;
/// # use hornet::aes::Nonce;
///
/// const LOG: Purpose = Purpose::new(1).unwrap();
/// # let nonce = Nonce::new([1; 16]);
/// if Purpose::of(&nonce) != LOG {
///     // reject
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Purpose(u8);

impl Purpose {
    /// For a message.
    pub const MESSAGE: Self = Self(0);
    /// For a key derived by [`KeyFile::derive`](crate::KeyFile::derive) or
    /// [`parts_keys`](crate::parts_keys).
    pub const DERIVED: Self = Self(253);
    /// For a key derived by [`KeyFile::fork`](crate::KeyFile::fork).
    pub const FORK: Self = Self(254);
    /// For the last line of a key file.
    pub const KEY_FILE: Self = Self(255);

    /// Defines a purpose of the caller's own, 1 to 252. `None` for other numbers. In Hornet's crates, 1
    /// is for manifests and 2 for the parts files beside them.
    #[must_use]
    pub const fn new(number: u8) -> Option<Self> {
        match number {
            1..=252 => Some(Self(number)),
            _ => None,
        }
    }

    /// Returns the purpose of a nonce.
    #[must_use]
    pub const fn of(nonce: &Nonce) -> Self {
        let [.., purpose] = *nonce.as_bytes();
        Self(purpose)
    }

    /// Returns its number, which is the last byte of its nonces.
    #[must_use]
    pub const fn number(self) -> u8 {
        self.0
    }

    /// Returns the bytes of a nonce for this purpose. The counter must be below `COUNTERS`.
    pub(crate) fn nonce(self, counter: u64, random: Random) -> [u8; Nonce::BYTES] {
        let mut bytes = [self.0; Nonce::BYTES];
        bytes[..COUNTER_BYTES].copy_from_slice(&counter.to_le_bytes()[..COUNTER_BYTES]);
        bytes[COUNTER_BYTES..][..RANDOM_BYTES].copy_from_slice(&random.0);
        bytes
    }
}

/// Nonces reserved by [`KeyFile::reserve`](crate::KeyFile::reserve): consecutive counters with the
/// same random bits. Nonces that are not taken are lost, which is harmless.
///
/// Only the process that reserved them can take them. In one that `fork` has made since, each is an
/// error, [`Problem::OtherProcess`].
#[derive(Debug)]
pub struct Nonces {
    /// The path of the key file, for errors.
    path: PathBuf,
    process: Process,
    next: u64,
    left: u64,
    random: Random,
}

impl Nonces {
    /// The number of random bits that the nonces of a reservation share: 72. Two reservations in
    /// two copies of a key file draw the same bits with a probability of at most 1/(2^72 - 1).
    pub const RANDOM_BITS: u32 = 72;

    /// Creates the iterator. The counters from `start` must be below `COUNTERS`.
    pub(crate) fn new(
        path: &Path,
        process: Process,
        start: u64,
        count: u64,
        random: Random,
    ) -> Self {
        Self {
            path: path.into(),
            process,
            next: start,
            left: count,
            random,
        }
    }

    /// Returns the counter of a nonce, or its lower 48 bits. Of two nonces of one key file, the one
    /// with the larger counter was reserved later, unless the file was restored from a backup in
    /// between.
    #[must_use]
    pub const fn counter_of(nonce: &Nonce) -> u64 {
        let mut counter = 0;
        let mut at = 6;
        while at > 0 {
            at -= 1;
            counter = counter << 8 | nonce.as_bytes()[at] as u64;
        }
        counter
    }

    /// Returns the next nonce, for the given purpose. Returns `None` if there are no more, and for
    /// [`DERIVED`](Purpose::DERIVED), [`FORK`](Purpose::FORK) and [`KEY_FILE`](Purpose::KEY_FILE),
    /// which only this crate uses.
    ///
    /// # Errors
    ///
    /// [`Error`] in another process than the one that reserved the nonces.
    pub fn next_for(&mut self, purpose: Purpose) -> Option<Result<UnusedNonce, Error>> {
        match purpose {
            Purpose::DERIVED | Purpose::FORK | Purpose::KEY_FILE => None,
            _ => self.next_with(purpose),
        }
    }

    pub(crate) fn next_with(&mut self, purpose: Purpose) -> Option<Result<UnusedNonce, Error>> {
        self.left = self.left.checked_sub(1)?;
        let counter = self.next;
        self.next += 1;
        if !self.process.is_current() {
            return Some(Err(self.refused()));
        }
        // The file gives out this counter once, the random bits belong to this reservation, and
        // this process made it.
        Some(Ok(UnusedNonce::assume_unused(
            purpose.nonce(counter, self.random),
        )))
    }

    #[cold]
    fn refused(&self) -> Error {
        Error::new(&self.path, Problem::OtherProcess)
    }
}

/// Nonces for [`Purpose::MESSAGE`].
impl Iterator for Nonces {
    type Item = Result<UnusedNonce, Error>;

    fn next(&mut self) -> Option<Result<UnusedNonce, Error>> {
        self.next_for(Purpose::MESSAGE)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = usize::try_from(self.left).unwrap_or(usize::MAX);
        (left, Some(left))
    }
}

/// The length is `usize::MAX` if there are more, which is possible with a 32-bit `usize`.
impl ExactSizeIterator for Nonces {}

impl FusedIterator for Nonces {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_random_source_that_fails() {
        let failing = Random::draw_from(|bytes| {
            // Bytes written before the error are not used.
            bytes.fill(7);
            Err(io::Error::other("broken"))
        });
        let zeros = Random::draw_from(|_| Ok(()));
        for (result, why) in [
            (failing, "broken"),
            (zeros, "the random source gave only zeros"),
        ] {
            let problem = result.unwrap_err().to_string();
            assert_eq!(problem, format!("no random bytes for nonces: {why}"));
        }
    }

    #[test]
    fn every_random_byte_is_in_the_nonce() {
        for index in 0..RANDOM_BYTES {
            let random = Random::draw_from(|bytes| {
                bytes[index] = 0xa5;
                Ok(())
            });
            let nonce = Purpose::MESSAGE.nonce(COUNTERS - 1, random.unwrap());
            let mut expected = [0; Nonce::BYTES];
            expected[..COUNTER_BYTES].fill(0xff);
            expected[COUNTER_BYTES + index] = 0xa5;
            assert_eq!(nonce, expected);
        }
    }
}
