// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Batches: many messages, each in its own lane of a vector kernel.

mod chunk;
mod iterator;

pub(crate) use chunk::CHUNK;
pub(crate) use iterator::{InChunks, results, tags};

use crate::key::Key;
use crate::tag::{Mismatch, Tag};
use core::iter::FusedIterator;

/// Computes the tags of many messages. Each tag is the same as from [`mac`](crate::mac), but many
/// short messages are faster. Lengths may differ arbitrarily.
///
/// Takes messages with their keys from the iterator 64 at a time, when their tags are requested.
/// Allocates nothing: the keys take a few KiB of stack, which are wiped afterwards.
///
/// ```
/// use hornet::{Key, Tag, mac_batch};
///
/// let messages = vec![
///     (Key::new(&[1; 32]), &b"a message"[..]),
///     (Key::new(&[2; 32]), &b"another, of another length"[..]),
/// ];
/// let tags: Vec<Tag> = mac_batch(messages).collect();
/// assert_eq!(tags.len(), 2);
/// ```
///
/// With keys from one iterator, messages from another, and tags written to an array:
///
/// ```
/// use hornet::{Key, mac, mac_batch};
/// use std::iter::zip;
/// # let derive_key = |number: u8| Key::new(&[number; 32]);
///
/// let keys = (0..).map(derive_key);
/// let messages = [&b"one"[..], b"two", b"three"];
/// let mut tags = [[0; 16]; 3];
///
/// for (slot, tag) in zip(&mut tags, mac_batch(zip(keys, messages))) {
///     *slot = tag.into();
/// }
/// assert_eq!(&tags[2], mac(derive_key(2), b"three").as_bytes());
/// ```
#[must_use = "nothing is computed until the tags are taken"]
pub fn mac_batch<'a>(
    messages: impl IntoIterator<Item = (Key, &'a [u8])>,
) -> impl FusedIterator<Item = Tag> {
    tags(messages, |chunk, (key, msg)| {
        chunk.push(key.as_bytes(), (), msg, Tag::ZERO);
    })
}

/// Verifies the tags of many messages. Each result is the same as from [`verify`](crate::verify),
/// but many short messages are faster. Each tag is compared in constant time.
///
/// Returns one result for each message, in order. Collected into a single `Result`, the results
/// tell whether all tags are valid, and the first invalid tag ends the work. Takes messages from
/// the iterator like [`mac_batch`].
///
/// ```
/// use hornet::{Key, Mismatch, mac, verify_batch};
/// # let key = |number: u8| Key::new(&[number; 32]);
/// # let tags = [mac(key(1), b"one"), mac(key(2), b"two"), mac(key(3), b"three")];
///
/// let received = |last| [
///     (key(1), &b"one"[..], tags[0]),
///     (key(2), &b"two"[..], tags[1]),
///     (key(3), last, tags[2]),
/// ];
///
/// let all: Result<(), Mismatch> = verify_batch(received(b"three")).collect();
/// assert!(all.is_ok());
///
/// let valid: Vec<bool> = verify_batch(received(b"forged"))
///     .map(|result| result.is_ok())
///     .collect();
/// assert_eq!(valid, [true, true, false]);
/// ```
#[must_use = "nothing is checked until the results are taken"]
pub fn verify_batch<'a>(
    messages: impl IntoIterator<Item = (Key, &'a [u8], Tag)>,
) -> impl FusedIterator<Item = Result<(), Mismatch>> {
    results(messages, |chunk, (key, msg, tag)| {
        chunk.push(key.as_bytes(), (), msg, tag);
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::chunk::CHUNK;
    use crate::poly1305::mac;
    use core::iter::{self, zip};
    use std::vec;
    use std::vec::Vec;

    fn key(index: usize) -> Key {
        let mut bytes = [7; Key::BYTES];
        for (byte, by) in zip(&mut bytes, index.to_le_bytes().into_iter().cycle()) {
            *byte ^= by;
        }
        Key::new(&bytes)
    }

    /// `count` messages, of all lengths up to 300 in mixed order, and some long ones.
    fn messages(count: usize) -> Vec<Vec<u8>> {
        let length = |index| match index % 29 {
            28 => 5_000 + index,
            _ => index * 73 % 301,
        };
        (0..count)
            .map(|index| {
                let bytes = (0..=250).cycle().skip(index % 251);
                bytes.take(length(index)).collect()
            })
            .collect()
    }

    fn with_keys(messages: &[Vec<u8>]) -> impl Iterator<Item = (Key, &[u8])> {
        zip(0.., messages).map(|(index, msg)| (key(index), &msg[..]))
    }

    fn with_tags<'a>(
        messages: &'a [Vec<u8>],
        tags: &'a [Tag],
    ) -> impl Iterator<Item = (Key, &'a [u8], Tag)> {
        zip(with_keys(messages), tags).map(|((key, msg), &tag)| (key, msg, tag))
    }

    #[test]
    fn same_as_one_by_one() {
        for count in [0, 1, 2, 7, 8, 13, 63, 64, 65, 128, 129, 1_000] {
            let messages = messages(count);
            let tags: Vec<Tag> = mac_batch(with_keys(&messages)).collect();
            assert_eq!(tags.len(), count);
            for ((key, msg), tag) in zip(with_keys(&messages), &tags) {
                let len_bytes = msg.len();
                let expected = mac(key, msg);
                assert_eq!(
                    expected.as_bytes(),
                    tag.as_bytes(),
                    "{len_bytes} of {count}"
                );
            }
            let results: Vec<_> = verify_batch(with_tags(&messages, &tags)).collect();
            assert_eq!(results, vec![Ok(()); count]);
        }
    }

    #[test]
    fn exactly_the_wrong_tag_is_a_mismatch() {
        let messages = messages(133);
        let mut tags: Vec<Tag> = mac_batch(with_keys(&messages)).collect();
        for wrong in 0..tags.len() {
            let expected = tags[wrong];
            let mut bytes = *expected.as_bytes();
            bytes[wrong % 16] ^= 1 << (wrong % 8);
            tags[wrong] = bytes.into();

            for (index, result) in verify_batch(with_tags(&messages, &tags)).enumerate() {
                assert_eq!(result.is_err(), index == wrong, "{index} {wrong}");
            }
            let all: Result<(), Mismatch> = verify_batch(with_tags(&messages, &tags)).collect();
            assert_eq!(all, Err(Mismatch));
            tags[wrong] = expected;
        }
    }

    /// The batch ends when the iterator first returns `None`, even if the iterator would continue.
    #[test]
    fn ends_at_the_first_none() {
        for count in [0, 5, CHUNK, CHUNK + 5] {
            let mut asked = 0;
            let mut tags = mac_batch(iter::from_fn(|| {
                asked += 1;
                (asked != count + 1).then(|| (key(asked), &b"a message"[..]))
            }));
            assert_eq!(tags.by_ref().take(1_000).count(), count);
            assert!(tags.next().is_none());
        }
    }

    #[test]
    fn size_hint_is_exact() {
        let messages = messages(150);
        let keys: Vec<Key> = (0..150).map(key).collect();
        let mut tags = mac_batch(zip(keys, messages.iter().map(|msg| &msg[..])));
        for left in (0..=150).rev() {
            assert_eq!(tags.size_hint(), (left, Some(left)));
            assert_eq!(tags.next().is_some(), left != 0);
        }
    }
}
