// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Reserved nonces, and their purposes.

use hornet::aes::Nonce;
use std::iter::FusedIterator;

/// The number of counters. They have 15 bytes in a nonce.
pub(crate) const COUNTERS: u128 = 1 << 120;

/// The purpose of a nonce, and so of the tag made with it. It is the last byte of the nonce, after
/// the counter. A tag made for one purpose cannot be used for another if the receiver checks the
/// purpose of its nonce.
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
    /// For a key derived by [`KeyFile::fork`](crate::KeyFile::fork).
    pub const FORK: Self = Self(254);
    /// For the last line of a key file.
    pub const KEY_FILE: Self = Self(255);

    /// A purpose that the caller defines, 1 to 253. `None` for other numbers.
    #[must_use]
    pub const fn new(number: u8) -> Option<Self> {
        match number {
            1..=253 => Some(Self(number)),
            _ => None,
        }
    }

    /// The purpose of a nonce.
    #[must_use]
    pub const fn of(nonce: &Nonce) -> Self {
        let [.., purpose] = *nonce.as_bytes();
        Self(purpose)
    }

    /// Its number: the last byte of its nonces.
    #[must_use]
    pub const fn number(self) -> u8 {
        self.0
    }

    /// The nonce of a counter for this purpose.
    pub(crate) fn nonce(self, counter: u128) -> Nonce {
        let mut bytes = counter.to_le_bytes();
        let [.., last] = &mut bytes;
        *last = self.0;
        Nonce::new(bytes)
    }
}

/// Nonces reserved by [`KeyFile::reserve`](crate::KeyFile::reserve). Those not taken are lost,
/// which does no harm.
#[derive(Debug)]
pub struct Nonces {
    next: u128,
    left: u64,
}

impl Nonces {
    pub(crate) fn new(start: u128, count: u64) -> Self {
        Self {
            next: start,
            left: count,
        }
    }

    /// The counter of a nonce, as far as its lower 48 bits. Of two nonces of one key file, that with
    /// the larger counter was reserved later, unless the file was restored from a backup meanwhile.
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

    /// The next nonce, for that purpose. `None` if there are no more. `None` also for
    /// [`FORK`](Purpose::FORK) and [`KEY_FILE`](Purpose::KEY_FILE), which only this crate uses.
    pub fn next_for(&mut self, purpose: Purpose) -> Option<Nonce> {
        match purpose {
            Purpose::FORK | Purpose::KEY_FILE => None,
            _ => self.next_with(purpose),
        }
    }

    pub(crate) fn next_with(&mut self, purpose: Purpose) -> Option<Nonce> {
        self.left = self.left.checked_sub(1)?;
        let counter = self.next;
        self.next += 1;
        Some(purpose.nonce(counter))
    }
}

/// Nonces for [`Purpose::MESSAGE`].
impl Iterator for Nonces {
    type Item = Nonce;

    fn next(&mut self) -> Option<Nonce> {
        self.next_for(Purpose::MESSAGE)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = usize::try_from(self.left).unwrap_or(usize::MAX);
        (left, Some(left))
    }
}

/// The length is `usize::MAX` where there are more, which is possible if `usize` has 32 bits.
impl ExactSizeIterator for Nonces {}

impl FusedIterator for Nonces {}
