//! Nonces that are set aside, and what a nonce is for.

use crate::aes::Nonce;
use std::iter::FusedIterator;

/// How many counters there are: 2^120, for the 15 bytes that they have in a nonce.
pub(super) const COUNTERS: u128 = 1 << 120;

/// What a nonce, and so the tag made with it, is for. It is the last byte of the nonce, behind the
/// counter: a tag made for one purpose is worth nothing for another, if whoever checks tags looks at
/// the purpose of their nonces.
///
/// ```
/// use hornet::key_file::Purpose;
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
    /// A message.
    pub const MESSAGE: Self = Self(0);
    /// A key derived by [`KeyFile::fork`](super::KeyFile::fork).
    pub const FORK: Self = Self(254);
    /// The last line of a key file.
    pub const KEY_FILE: Self = Self(255);

    /// A purpose of the caller's own: 1 to 253.
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

    /// The nonce of a counter.
    pub(super) fn nonce(self, counter: u128) -> Nonce {
        let mut bytes = counter.to_le_bytes();
        let [.., last] = &mut bytes;
        *last = self.0;
        Nonce::new(bytes)
    }
}

/// Nonces set aside by [`KeyFile::reserve`](super::KeyFile::reserve). Those not taken are lost, which
/// does no harm.
#[derive(Debug)]
pub struct Nonces {
    next: u128,
    left: u64,
}

impl Nonces {
    pub(super) fn new(start: u128, count: u64) -> Self {
        Self {
            next: start,
            left: count,
        }
    }

    /// The next one, for that purpose. `None` if there are no more, and for
    /// [`FORK`](Purpose::FORK) and [`KEY_FILE`](Purpose::KEY_FILE), which are not for messages.
    pub fn next_for(&mut self, purpose: Purpose) -> Option<Nonce> {
        match purpose {
            Purpose::FORK | Purpose::KEY_FILE => None,
            _ => self.next_with(purpose),
        }
    }

    pub(super) fn next_with(&mut self, purpose: Purpose) -> Option<Nonce> {
        self.left = self.left.checked_sub(1)?;
        let counter = self.next;
        self.next += 1;
        Some(purpose.nonce(counter))
    }
}

/// For messages.
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

/// Where `usize` has 32 bits, more than it can count are counted as its largest.
impl ExactSizeIterator for Nonces {}

impl FusedIterator for Nonces {}
