// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Iterators over the results for messages, computed in chunks.

use crate::batch::chunk::{Batch, CHUNK, Chunk};
use crate::tag::{Mismatch, Tag};
use core::iter::{Fuse, FusedIterator};
use core::ops::Range;

/// Returns the tags of the messages; `push` adds a message to a chunk.
pub(crate) fn tags<'a, T, N>(
    messages: impl IntoIterator<Item = T>,
    push: impl Fn(&mut Chunk<'a, N>, T),
) -> impl FusedIterator<Item = Tag>
where
    Chunk<'a, N>: Batch,
{
    InChunks::new(messages, Tag::ZERO, move |messages, tags| {
        let mut chunk = Chunk::new();
        chunk.fill(messages, &push);
        chunk.mac(tags);
        chunk.len()
    })
}

/// Returns whether the tags of the messages are valid; `push` adds a message to a chunk.
pub(crate) fn results<'a, T, N>(
    messages: impl IntoIterator<Item = T>,
    push: impl Fn(&mut Chunk<'a, N>, T),
) -> impl FusedIterator<Item = Result<(), Mismatch>>
where
    Chunk<'a, N>: Batch,
{
    let results = InChunks::new(messages, false, move |messages, valid| {
        let mut chunk = Chunk::new();
        chunk.fill(messages, &push);
        chunk.verify(valid);
        chunk.len()
    });
    results.map(|valid| if valid { Ok(()) } else { Err(Mismatch) })
}

/// An iterator whose results are computed in chunks.
pub(crate) struct InChunks<I, R, F> {
    messages: Fuse<I>,
    /// Takes up to `CHUNK` messages, writes one result for each, and returns their number.
    work: F,
    results: [R; CHUNK],
    /// The results that have not been returned yet.
    left: Range<usize>,
}

impl<I, R, F> InChunks<I, R, F>
where
    I: Iterator,
    R: Copy,
    F: FnMut(&mut Fuse<I>, &mut [R; CHUNK]) -> usize,
{
    pub(crate) fn new(messages: impl IntoIterator<IntoIter = I>, none: R, work: F) -> Self {
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
