//! Many messages at once.

use crate::{Key, Mismatch, Tag, ffi};
use core::ffi::c_void;
use core::iter::{Fuse, FusedIterator};
use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::ops::Range;
use zeroize::optimization_barrier;

/// Messages that C gets at once. It looks for neighbours in length among a few dozen, so that more
/// would gain nothing.
const CHUNK: usize = 64;

/// The tags of many messages, as [`mac`](crate::mac) would give them one by one, and faster for
/// many short ones. Lengths may differ in any way.
///
/// The messages are taken from the iterator, and their keys with them, 64 at a time and only when
/// their tags are asked for. Nothing is allocated; a few KiB of stack hold the keys meanwhile, and
/// are overwritten.
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
/// Keys that lie elsewhere than messages, and a place for the tags:
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
/// for (place, tag) in zip(&mut tags, mac_batch(zip(keys, messages))) {
///     *place = tag.into();
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

/// Checks the tags of many messages, as [`verify`](crate::verify) would one by one, and faster for
/// many short ones. The time does not depend on the tags.
///
/// There is one result for each message, in their order; a wrong tag spoils no other. Collected
/// into one, they tell whether all are good, and the first wrong tag ends the work. Messages are
/// taken from the iterator as [`mac_batch`] takes them.
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
/// let good: Vec<bool> = verify_batch(received(b"forged"))
///     .map(|result| result.is_ok())
///     .collect();
/// assert_eq!(good, [true, true, false]);
/// ```
#[must_use = "nothing is checked until the results are taken"]
pub fn verify_batch<'a>(
    messages: impl IntoIterator<Item = (Key, &'a [u8], Tag)>,
) -> impl FusedIterator<Item = Result<(), Mismatch>> {
    results(messages, |chunk, (key, msg, tag)| {
        chunk.push(key.as_bytes(), (), msg, tag);
    })
}

/// The tags of messages, each of which `push` puts into the chunk.
pub(crate) fn tags<'a, T, N>(
    messages: impl IntoIterator<Item = T>,
    push: impl Fn(&mut Chunk<'a, N>, T),
) -> impl FusedIterator<Item = Tag>
where
    Chunk<'a, N>: Batch,
{
    InChunks::new(messages, Tag::ZERO, move |messages, tags| {
        let chunk = Chunk::of(messages, &push);
        chunk.mac(tags);
        chunk.count
    })
}

/// Whether the tags of messages are right, each of which `push` puts into the chunk.
pub(crate) fn results<'a, T, N>(
    messages: impl IntoIterator<Item = T>,
    push: impl Fn(&mut Chunk<'a, N>, T),
) -> impl FusedIterator<Item = Result<(), Mismatch>>
where
    Chunk<'a, N>: Batch,
{
    let results = InChunks::new(messages, false, move |messages, good| {
        let chunk = Chunk::of(messages, &push);
        chunk.verify(good);
        chunk.count
    });
    results.map(|good| if good { Ok(()) } else { Err(Mismatch) })
}

/// Results that are worked out in chunks and given out one by one.
struct InChunks<I, R, F> {
    messages: Fuse<I>,
    /// Takes up to `CHUNK` messages, writes as many results and says how many.
    work: F,
    results: [R; CHUNK],
    /// Those not yet given out.
    left: Range<usize>,
}

impl<I, R, F> InChunks<I, R, F>
where
    I: Iterator,
    R: Copy,
    F: FnMut(&mut Fuse<I>, &mut [R; CHUNK]) -> usize,
{
    fn new(messages: impl IntoIterator<IntoIter = I>, none: R, work: F) -> Self {
        Self {
            messages: messages.into_iter().fuse(),
            work,
            results: [none; CHUNK],
            left: 0..0,
        }
    }
}

impl<I, R, F> Iterator for InChunks<I, R, F>
where
    I: Iterator,
    R: Copy,
    F: FnMut(&mut Fuse<I>, &mut [R; CHUNK]) -> usize,
{
    type Item = R;

    fn next(&mut self) -> Option<R> {
        if self.left.is_empty() {
            self.left = 0..(self.work)(&mut self.messages, &mut self.results);
        }
        self.results.get(self.left.next()?).copied()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let (least, most) = self.messages.size_hint();
        let left = self.left.len();
        (
            least.saturating_add(left),
            most.and_then(|most| most.checked_add(left)),
        )
    }
}

impl<I, R, F> FusedIterator for InChunks<I, R, F>
where
    I: Iterator,
    R: Copy,
    F: FnMut(&mut Fuse<I>, &mut [R; CHUNK]) -> usize,
{
}

/// Up to `CHUNK` messages, as C takes them: the first `count` of each array are set. Nonces are of
/// no size where there are none. The keys are overwritten when it is dropped.
pub(crate) struct Chunk<'a, N> {
    keys: [MaybeUninit<[u8; 32]>; CHUNK],
    nonces: [MaybeUninit<N>; CHUNK],
    msgs: [MaybeUninit<*const c_void>; CHUNK],
    lens_bytes: [MaybeUninit<usize>; CHUNK],
    tags: [MaybeUninit<Tag>; CHUNK],
    count: usize,
    borrowed: PhantomData<&'a [u8]>,
}

/// What C does with a chunk.
pub(crate) trait Batch {
    /// Writes the right tags.
    fn mac(&self, tags: &mut [Tag; CHUNK]);

    /// Writes whether each tag is the right one.
    fn verify(&self, good: &mut [bool; CHUNK]);
}

impl<'a, N> Chunk<'a, N> {
    /// As many messages as there are and fit.
    fn of<T>(messages: &mut impl Iterator<Item = T>, push: impl Fn(&mut Self, T)) -> Self {
        let mut chunk = Self {
            keys: [const { MaybeUninit::uninit() }; CHUNK],
            nonces: [const { MaybeUninit::uninit() }; CHUNK],
            msgs: [const { MaybeUninit::uninit() }; CHUNK],
            lens_bytes: [const { MaybeUninit::uninit() }; CHUNK],
            tags: [const { MaybeUninit::uninit() }; CHUNK],
            count: 0,
            borrowed: PhantomData,
        };
        for message in messages.take(CHUNK) {
            push(&mut chunk, message);
        }
        chunk
    }

    /// Takes one more message. A full chunk stays as it is.
    pub(crate) fn push(&mut self, key: &[u8; 32], nonce: N, msg: &'a [u8], tag: Tag) {
        let index = self.count;
        if index < CHUNK {
            self.keys[index].write(*key);
            self.nonces[index].write(nonce);
            self.msgs[index].write(msg.as_ptr().cast());
            self.lens_bytes[index].write(msg.len());
            self.tags[index].write(tag);
            self.count = index + 1;
        }
    }
}

/// Each message under a key of its own.
impl Batch for Chunk<'_, ()> {
    fn mac(&self, tags: &mut [Tag; CHUNK]) {
        // SAFETY: of all arrays, `count` elements are set, and each message has as many bytes as
        // it says.
        unsafe {
            ffi::hornet_poly1305_batch(
                tags.as_mut_ptr().cast(),
                self.msgs.as_ptr().cast(),
                self.lens_bytes.as_ptr().cast(),
                self.keys.as_ptr().cast(),
                self.count,
            );
        }
    }

    fn verify(&self, good: &mut [bool; CHUNK]) {
        // SAFETY: of all arrays, `count` elements are set, and each message has as many bytes as
        // it says.
        unsafe {
            ffi::hornet_poly1305_verify_batch(
                good.as_mut_ptr(),
                self.tags.as_ptr().cast(),
                self.msgs.as_ptr().cast(),
                self.lens_bytes.as_ptr().cast(),
                self.keys.as_ptr().cast(),
                self.count,
            );
        }
    }
}

/// Poly1305-AES: each message under a nonce of its own.
impl Batch for Chunk<'_, [u8; 16]> {
    fn mac(&self, tags: &mut [Tag; CHUNK]) {
        // SAFETY: of all arrays, `count` elements are set, and each message has as many bytes as
        // it says.
        unsafe {
            ffi::hornet_poly1305_aes_batch(
                tags.as_mut_ptr().cast(),
                self.msgs.as_ptr().cast(),
                self.lens_bytes.as_ptr().cast(),
                self.nonces.as_ptr().cast(),
                self.keys.as_ptr().cast(),
                self.count,
            );
        }
    }

    fn verify(&self, good: &mut [bool; CHUNK]) {
        // SAFETY: of all arrays, `count` elements are set, and each message has as many bytes as
        // it says.
        unsafe {
            ffi::hornet_poly1305_aes_verify_batch(
                good.as_mut_ptr(),
                self.tags.as_ptr().cast(),
                self.msgs.as_ptr().cast(),
                self.lens_bytes.as_ptr().cast(),
                self.nonces.as_ptr().cast(),
                self.keys.as_ptr().cast(),
                self.count,
            );
        }
    }
}

impl<N> Drop for Chunk<'_, N> {
    fn drop(&mut self) {
        for key in self.keys.iter_mut().take(self.count) {
            key.write([0; 32]);
        }
        optimization_barrier(&self.keys);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mac;
    use core::iter::{self, zip};
    use core::mem::ManuallyDrop;
    use std::vec;
    use std::vec::Vec;

    fn key(index: usize) -> Key {
        let mut bytes = [7; Key::BYTES];
        for (byte, by) in zip(&mut bytes, index.to_le_bytes().into_iter().cycle()) {
            *byte ^= by;
        }
        Key::new(&bytes)
    }

    /// As many messages as asked for: all lengths up to 300 in no order, and now and then a long one.
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
    fn as_one_by_one() {
        for count in [0, 1, 2, 7, 8, 13, 63, 64, 65, 128, 129, 1_000] {
            let messages = messages(count);
            let tags: Vec<Tag> = mac_batch(with_keys(&messages)).collect();
            assert_eq!(tags.len(), count);
            for ((key, msg), tag) in zip(with_keys(&messages), &tags) {
                let len_bytes = msg.len();
                let right = mac(key, msg);
                assert_eq!(right.as_bytes(), tag.as_bytes(), "{len_bytes} of {count}");
            }
            let results: Vec<_> = verify_batch(with_tags(&messages, &tags)).collect();
            assert_eq!(results, vec![Ok(()); count]);
        }
    }

    #[test]
    fn a_wrong_tag_is_found_and_no_other() {
        let messages = messages(133);
        let mut tags: Vec<Tag> = mac_batch(with_keys(&messages)).collect();
        for wrong in 0..tags.len() {
            let right = tags[wrong];
            let mut bytes = *right.as_bytes();
            bytes[wrong % 16] ^= 1 << (wrong % 8);
            tags[wrong] = bytes.into();

            for (index, result) in verify_batch(with_tags(&messages, &tags)).enumerate() {
                assert_eq!(result.is_err(), index == wrong, "{index} {wrong}");
            }
            let all: Result<(), Mismatch> = verify_batch(with_tags(&messages, &tags)).collect();
            assert_eq!(all, Err(Mismatch));
            tags[wrong] = right;
        }
    }

    /// Where the iterator first ends, even if it would go on.
    #[test]
    fn ends_once() {
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
    fn the_number_left_is_known() {
        let messages = messages(150);
        let keys: Vec<Key> = (0..150).map(key).collect();
        let mut tags = mac_batch(zip(keys, messages.iter().map(|msg| &msg[..])));
        for left in (0..=150).rev() {
            assert_eq!(tags.size_hint(), (left, Some(left)));
            assert_eq!(tags.next().is_some(), left != 0);
        }
    }

    #[test]
    fn keys_are_wiped() {
        let messages = messages(CHUNK);
        let mut chunk = ManuallyDrop::new(Chunk::of(
            &mut with_keys(&messages),
            |chunk: &mut Chunk<()>, (key, msg)| chunk.push(key.as_bytes(), (), msg, Tag::ZERO),
        ));
        // SAFETY: all keys are set.
        let keys = |chunk: &Chunk<()>| chunk.keys.map(|key| unsafe { key.assume_init() });
        assert!(keys(&chunk).iter().all(|key| key != &[0; Key::BYTES]));
        // SAFETY: dropped once, and what is read afterwards is plain numbers.
        unsafe { ManuallyDrop::drop(&mut chunk) };
        assert_eq!(keys(&chunk), [[0; Key::BYTES]; CHUNK]);
    }
}
