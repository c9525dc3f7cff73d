// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Objects of a store that are to be tagged or checked, in memory of some 110 bytes each besides their names.

use crate::aes::{KeyFile, Nonces, partial_from, tag_of_partial};
use crate::buffers::{Buffer, elements, fixed};
use crate::errors::{key_file_error, not_copied, os_error, parts_error};
use crate::files::lent;
use crate::parts::{OpenedParts, PartsLock, numbers, partials, segment_length};
use hornet::aes::{Partial, SealedParts, SegmentError, Segments};
use hornet_key_file::Purpose;
use hornet_manifest::parts::{self, Entry, Opened, PIN_BYTES, SegmentBytes, ValuesError};
use hornet_manifest::{Kind, Line, PURPOSE, Seal, Time, Writer};
use pyo3::exceptions::{PyIndexError, PyOverflowError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use zeroize::{Zeroize, Zeroizing};

/// What is known of an object's content.
#[derive(Clone, Copy, PartialEq)]
enum State {
    /// Nothing yet.
    Open,
    /// Its value is a partial evaluation.
    Evaluated,
    /// Its value is the nonce and the tag that a manifest has for it.
    Kept,
    /// It could not be read.
    Unread,
}

/// Names, sizes and versions of many objects, and the partial evaluations of their contents: what a manifest is made
/// from.
///
/// First objects are added; sort then orders them by name, and numbers them from 0.
#[pyclass(module = "hornet_poly1305")]
pub(crate) struct Objects {
    /// All names, one after the other, as they were added.
    names: Vec<u8>,
    /// The end of each in `names`.
    ends: Vec<u64>,
    sizes: Vec<u64>,
    /// A digest of what changes if the content does.
    pins: Vec<[u8; 16]>,
    /// The objects in the order of their names, as numbers of the vectors above.
    order: Vec<u32>,
    /// In that order. Secret: with its content, a partial evaluation reveals r.
    values: Vec<[u8; 32]>,
    states: Vec<State>,
    /// The length of the segments whose values are kept, if they are.
    segment_bytes: Option<SegmentBytes>,
    /// The values of the segments of objects of more than one.
    segments: HashMap<usize, Vec<Partial>>,
    /// The number that an object whose tag is kept has in the old parts; empty if there are none.
    old: Vec<u32>,
}

/// What stands for the version of an object of which the store tells none.
const NO_PIN: [u8; PIN_BYTES] = [0; PIN_BYTES];
/// The number of an object that is not in the old parts.
const NOT_OLD: u32 = u32::MAX;

impl Objects {
    /// Returns the name of what was added as the nth.
    fn added(&self, n: usize) -> &[u8] {
        let start = match n {
            0 => 0,
            _ => self.ends[n - 1],
        };
        #[expect(clippy::cast_possible_truncation, reason = "lengths in memory")]
        let (start, end) = (start as usize, self.ends[n] as usize);
        &self.names[start..end]
    }

    /// Returns the number in the order of addition of a sorted object.
    fn at(&self, index: usize) -> PyResult<usize> {
        let n = self.order.get(index);
        let n = n.ok_or_else(|| PyIndexError::new_err(format!("no object {index}")))?;
        Ok(*n as usize)
    }

    fn sorted_name(&self, index: usize) -> &[u8] {
        self.added(self.order[index] as usize)
    }

    fn set(&mut self, index: usize, state: State, value: &[u8; 32]) -> PyResult<()> {
        self.at(index)?;
        self.values[index] = *value;
        self.states[index] = state;
        Ok(())
    }

    /// Returns the number of segments of a sorted object.
    fn segments_of(&self, index: usize, segment_bytes: SegmentBytes) -> PyResult<u64> {
        Ok(self.sizes[self.at(index)?].div_ceil(segment_bytes.get()))
    }

    /// Returns the length of segments, if their values are kept.
    fn kept_segments(&self) -> PyResult<SegmentBytes> {
        self.segment_bytes
            .ok_or_else(|| PyRuntimeError::new_err("values of segments are not kept"))
    }

    /// Records that an object has the line that it had in old parts.
    fn keep_line(&mut self, index: usize, line: &Line, old: usize) {
        self.old.resize(self.order.len(), NOT_OLD);
        self.values[index][..16].copy_from_slice(&line.nonce);
        self.values[index][16..].copy_from_slice(line.tag.as_bytes());
        self.states[index] = State::Kept;
        // There are fewer than 2^32 objects.
        self.old[index] = u32::try_from(old).unwrap_or(NOT_OLD);
    }

    /// Records the values of all segments of an object, and that of the whole.
    fn put_values(&mut self, index: usize, whole: &Partial, values: Vec<Partial>) -> PyResult<()> {
        let mut bytes = Zeroizing::new([0; 32]);
        whole.to_bytes(&mut bytes);
        self.set(index, State::Evaluated, &bytes)?;
        if values.len() > 1 {
            self.segments.insert(index, values);
        }
        Ok(())
    }

    /// Writes a manifest, and, for parts, what is kept of each file.
    fn write_to<W: Write>(
        &self,
        to: W,
        key_file: &hornet_key_file::KeyFile,
        mut nonces: hornet_key_file::Nonces,
        listed: &Listed,
        mut keeping: Option<&mut Keeping<'_>>,
    ) -> Result<W, Failure> {
        let too_few = || Failure::Nonces;
        let key = key_file.key();
        let old = keeping.as_ref().and_then(|keeping| keeping.old);
        let old = old.map(|opened| &opened.manifest);
        let follow_symlinks = old.is_some_and(|manifest| manifest.follow_symlinks);
        let mut writer = Writer::new(to, key, Time::now(), follow_symlinks)?;
        for path in &listed.arguments {
            writer.argument(path)?;
        }
        for pattern in old.map_or(&[][..], |manifest| &manifest.exclude) {
            writer.exclude(pattern)?;
        }
        let mut all_unread: Vec<&[u8]> = listed.unread.iter().map(Vec::as_slice).collect();
        for index in 0..self.order.len() {
            let name = self.sorted_name(index);
            let value = &self.values[index];
            match self.states[index] {
                State::Open => return Err(Failure::Open(index)),
                State::Kept => {
                    let (nonce, tag) = value.split_at(16);
                    let (nonce, tag) = nonce
                        .first_chunk()
                        .zip(tag.first_chunk::<16>())
                        .expect("two halves of 32 bytes");
                    writer.file(nonce, &(*tag).into(), name)?;
                    if let Some(keeping) = &mut keeping {
                        keeping.keep(self.old.get(index).copied(), index)?;
                    }
                }
                State::Unread => {
                    // Its nonce is lost.
                    nonces.next_for(Purpose::MESSAGE).ok_or_else(too_few)??;
                    all_unread.push(name);
                }
                State::Evaluated => {
                    let unused = nonces.next_for(Purpose::MESSAGE).ok_or_else(too_few)??;
                    let nonce = *unused.nonce().as_bytes();
                    let partial = partial_from(value).map_err(|_| Failure::Open(index))?;
                    let tag = tag_of_partial(key.as_bytes(), &nonce, &partial);
                    writer.file(&nonce, &tag.into(), name)?;
                    if let Some(keeping) = &mut keeping {
                        let of_one;
                        let values = if let Some(values) = self.segments.get(&index) {
                            values.as_slice()
                        } else {
                            of_one = Partial::from_bytes(value).ok_or(Failure::Open(index))?;
                            std::slice::from_ref(&of_one)
                        };
                        // A file without content has no values.
                        let is_empty = values[0].len_bytes() == 0;
                        let values = if is_empty { &[] } else { values };
                        let pin = self.pins[self.order[index] as usize];
                        let pin = Some(pin).filter(|pin| *pin != NO_PIN);
                        let written = keeping.writer.object(&nonce, &tag.into(), pin, values);
                        written.map_err(|error| Failure::Values(index, error))?;
                    }
                }
            }
        }
        all_unread.sort_unstable();
        all_unread.dedup();
        for path in all_unread {
            writer.unread(path)?;
        }
        for (path, kind) in &listed.others {
            writer.other(*kind, path)?;
        }
        // The last one: its counter then tells an older manifest from what was reserved since.
        while nonces.len() > 1 {
            nonces.next();
        }
        Ok(writer.seal(nonces.next_for(PURPOSE).ok_or_else(too_few)??)?)
    }
}

/// What a manifest has besides objects.
struct Listed {
    arguments: Vec<Vec<u8>>,
    unread: Vec<Vec<u8>>,
    others: Vec<(Vec<u8>, Kind)>,
}

impl Listed {
    fn of(
        arguments: &Bound<'_, PyAny>,
        unread: &Bound<'_, PyAny>,
        others: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        let mut kinds = elements(others)?
            .iter()
            .map(|other| {
                let (path, word) = other.extract::<(Bound<'_, PyBytes>, String)>()?;
                match Kind::named(word.as_bytes()) {
                    Some(kind) => Ok((path.as_bytes().to_vec(), kind)),
                    None => Err(PyValueError::new_err(format!("no kind \"{word}\""))),
                }
            })
            .collect::<PyResult<Vec<_>>>()?;
        kinds.sort_unstable();
        kinds.dedup();
        Ok(Self {
            arguments: paths(arguments)?,
            unread: paths(unread)?,
            others: kinds,
        })
    }
}

/// A parts file that is being made, and where the values of what is kept come from.
struct Keeping<'a> {
    writer: parts::Writer<'a>,
    old: Option<&'a Opened>,
    /// What is left of its entries with their values, and the number of the next.
    entries: Box<dyn Iterator<Item = Result<(Entry, SealedParts), parts::Error>> + 'a>,
    next: usize,
}

impl<'a> Keeping<'a> {
    fn new(writer: parts::Writer<'a>, old: Option<&'a Opened>) -> Result<Self, parts::Error> {
        let entries: Box<dyn Iterator<Item = _>> = match old {
            Some(opened) => Box::new(opened.parts.files_with_values(&opened.manifest.files)?),
            None => Box::new(std::iter::empty()),
        };
        Ok(Self {
            writer,
            old,
            entries,
            next: 0,
        })
    }

    /// Copies what the old parts have as this number. Numbers come in order, as names do.
    fn keep(&mut self, number: Option<u32>, index: usize) -> Result<(), Failure> {
        let number = number.filter(|number| *number != NOT_OLD);
        let skipped = number.and_then(|number| (number as usize).checked_sub(self.next));
        let skipped = skipped.ok_or(Failure::Open(index))?;
        let kept = self.entries.nth(skipped).ok_or(Failure::Open(index))?;
        let (entry, values) = kept?;
        self.next += skipped + 1;
        let written = match entry.stamp {
            None => {
                let (nonce, tag) = (&entry.nonce, &entry.tag);
                self.writer.object(nonce, tag, entry.pin, values.partials())
            }
            stamp => {
                let (nonce, tag) = (&entry.nonce, &entry.tag);
                self.writer.file(nonce, tag, stamp, values.partials())
            }
        };
        written.map_err(|error| Failure::Values(index, error))
    }
}

/// Why no manifest was written.
enum Failure {
    Io(io::Error),
    Nonces,
    KeyFile(hornet_key_file::Error),
    Open(usize),
    Parts(parts::Error),
    Values(usize, ValuesError),
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Io(error) => os_error(&error),
            Failure::KeyFile(error) => key_file_error(&error),
            Failure::Nonces => PyRuntimeError::new_err("fewer nonces than tags"),
            Failure::Open(index) => {
                PyRuntimeError::new_err(format!("object {index} has not been evaluated"))
            }
            Failure::Parts(error) => parts_error(&error),
            Failure::Values(index, error) => {
                PyRuntimeError::new_err(format!("object {index}: {error}"))
            }
        }
    }
}

impl From<parts::Error> for Failure {
    fn from(error: parts::Error) -> Self {
        Self::Parts(error)
    }
}

impl From<hornet_key_file::Error> for Failure {
    fn from(error: hornet_key_file::Error) -> Self {
        Self::KeyFile(error)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

#[pymethods]
impl Objects {
    #[new]
    fn new() -> Self {
        Self {
            names: Vec::new(),
            ends: Vec::new(),
            sizes: Vec::new(),
            pins: Vec::new(),
            order: Vec::new(),
            values: Vec::new(),
            states: Vec::new(),
            segment_bytes: None,
            segments: HashMap::new(),
            old: Vec::new(),
        }
    }

    /// Keep the values of the segments of all objects, for a parts file: to be called before any is recorded. Raises
    /// ValueError if it cannot have segments of this length.
    fn keep_segments(&mut self, segment_bytes: u64) -> PyResult<()> {
        self.segment_bytes = Some(segment_length(segment_bytes)?);
        Ok(())
    }

    /// Add all files of old parts, with the sizes and pins that they had, but those with these names.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "what PyO3 converts an argument to"
    )]
    fn add_old(
        &mut self,
        py: Python<'_>,
        parts: &OpenedParts,
        without: HashSet<Vec<u8>>,
    ) -> PyResult<()> {
        let Opened {
            manifest, parts, ..
        } = parts.opened();
        py.detach(|| {
            for (line, entry) in manifest.files.iter().zip(parts.entries(&manifest.files)?) {
                let (name, entry) = (line.path.as_os_str().as_bytes(), entry?);
                if !without.contains(name) {
                    self.names.extend_from_slice(name);
                    self.ends.push(self.names.len() as u64);
                    self.sizes.push(entry.len_bytes);
                    self.pins.push(entry.pin.unwrap_or(NO_PIN));
                }
            }
            Ok(())
        })
        .map_err(|error| parts_error(&error))
    }

    /// Keep the tags and the values of what old parts have, and return the numbers of the objects that need to be evaluated.
    /// With pin_of, what has another size or pin is not kept: it is called with number, size, modification and change time
    /// in nanoseconds of what was tagged as a file, and returns its pin. Without, all are kept but those with these names.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "what PyO3 converts an argument to"
    )]
    fn keep_old(
        &mut self,
        parts: &OpenedParts,
        pin_of: Option<&Bound<'_, PyAny>>,
        without: HashSet<Vec<u8>>,
    ) -> PyResult<Vec<usize>> {
        let Opened {
            manifest, parts, ..
        } = parts.opened();
        if self.kept_segments()? != parts.segment_bytes() {
            return Err(PyValueError::new_err(
                "the old parts have segments of another length",
            ));
        }
        let entries = parts.entries(&manifest.files);
        let entries = entries.map_err(|error| parts_error(&error))?;
        for (old, (line, entry)) in manifest.files.iter().zip(entries).enumerate() {
            let entry = entry.map_err(|error| parts_error(&error))?;
            let name = line.path.as_os_str().as_bytes();
            let Some(index) = self.find(name).filter(|_| !without.contains(name)) else {
                continue;
            };
            if let Some(pin_of) = pin_of {
                let n = self.at(index)?;
                let pin = match (entry.pin, entry.stamp) {
                    (Some(pin), _) => pin,
                    (None, Some(stamp)) => {
                        let (number, modified, changed) = numbers(stamp);
                        let pin = pin_of.call1((number, entry.len_bytes, modified, changed))?;
                        pin.extract::<[u8; PIN_BYTES]>()?
                    }
                    (None, None) => NO_PIN,
                };
                if pin == NO_PIN || pin != self.pins[n] || entry.len_bytes != self.sizes[n] {
                    continue;
                }
            }
            self.keep_line(index, line, old);
        }
        let open = (0..self.order.len()).filter(|index| self.states[*index] == State::Open);
        Ok(open.collect())
    }

    /// Forget the pin of an object, whose version another one may come to share: it is read next time.
    fn unpin(&mut self, index: usize) -> PyResult<()> {
        let n = self.at(index)?;
        self.pins[n] = NO_PIN;
        Ok(())
    }

    /// Record the partial evaluation of an object, and the values of all its segments, 32 bytes each; of one without
    /// content, one value.
    fn put_segments(
        &mut self,
        index: usize,
        partial: &Bound<'_, PyAny>,
        values: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let segment_bytes = self.kept_segments()?;
        let (mut of_partial, mut of_values) = (Buffer::new(), Buffer::new());
        let whole = Zeroizing::new(of_partial.read(partial)?.to_vec()?);
        let values = partials(&Zeroizing::new(of_values.read(values)?.to_vec()?))?;
        let expected = self.segments_of(index, segment_bytes)?.max(1);
        if values.len() as u64 != expected {
            return Err(PyValueError::new_err(format!(
                "{} values for an object of {expected} segments",
                values.len()
            )));
        }
        let (size, length) = (self.sizes[self.at(index)?], |value: &Partial| {
            value.len_bytes()
        });
        match partials(&whole)?.as_slice() {
            [whole] if length(whole) == size && values.iter().map(length).sum::<u64>() == size => {
                self.put_values(index, whole, values)
            }
            _ => Err(PyValueError::new_err(format!(
                "values of another number of bytes for an object of {size}"
            ))),
        }
    }

    /// Record the value of an object of which some segments have changed, or its size. Of the others, the values that old
    /// parts have as those of file `old` are taken. New values are given as pairs of the first segment's number and of
    /// values, 32 bytes each. Raises ValueError if one is missing, or is of a segment of another length.
    fn put_changed(
        &mut self,
        index: usize,
        parts: &OpenedParts,
        old: usize,
        changes: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let segment_bytes = self.kept_segments()?;
        let size = self.sizes[self.at(index)?];
        let mut new = BTreeMap::new();
        for change in elements(changes)? {
            let (first, values) = change.extract::<(u64, Bound<'_, PyBytes>)>()?;
            new.extend((first..).zip(partials(values.as_bytes())?));
        }
        let was = parts.entry(old)?.len_bytes;
        let count = was.div_ceil(segment_bytes.get());
        let kept = parts.values(old, 0, count)?;
        let whole_bytes = usize::try_from(segment_bytes.get()).unwrap_or(usize::MAX);
        let mut segments =
            Segments::of_parts(parts.key(), whole_bytes, kept).map_err(segment_error)?;
        // Up to where nothing but content can have changed. What follows is new.
        let same = if was == size {
            count
        } else {
            was.min(size) / segment_bytes.get()
        };
        segments.truncate(usize::try_from(same).unwrap_or(usize::MAX));
        let pushed = new.split_off(&same);
        for (segment, value) in new {
            let segment = usize::try_from(segment).unwrap_or(usize::MAX);
            segments
                .replace_partial(segment, value)
                .map_err(segment_error)?;
        }
        for (expected, (segment, value)) in (same..).zip(pushed) {
            if segment != expected {
                return Err(PyValueError::new_err(format!(
                    "segment {expected} has no value"
                )));
            }
            segments.push_partial(value).map_err(segment_error)?;
        }
        if segments.len_bytes() != size {
            let found = segments.len_bytes();
            return Err(PyValueError::new_err(format!(
                "values of {found} bytes for an object of {size}"
            )));
        }
        self.put_values(index, &segments.whole(), segments.partials().to_vec())
    }

    /// Return the number of objects, once they are sorted.
    fn __len__(&self) -> usize {
        self.order.len()
    }

    /// Add an object: its name, its size in bytes, and a pin, 16 bytes that differ if its content does.
    fn add(&mut self, name: &[u8], size: u64, pin: &[u8]) -> PyResult<()> {
        let pin = pin
            .try_into()
            .map_err(|_| PyValueError::new_err("a pin has 16 bytes"))?;
        if u32::try_from(self.ends.len()).is_err() {
            return Err(PyOverflowError::new_err("more than 2**32 objects"));
        }
        self.names.extend_from_slice(name);
        self.ends.push(self.names.len() as u64);
        self.sizes.push(size);
        self.pins.push(pin);
        Ok(())
    }

    /// Order all objects by the bytes of their names. Raises ValueError if two have the same.
    fn sort(&mut self, py: Python<'_>) -> PyResult<()> {
        let count = u32::try_from(self.ends.len()).unwrap_or(u32::MAX);
        let mut order: Vec<u32> = (0..count).collect();
        let name = |n: &u32| self.added(*n as usize);
        py.detach(|| order.sort_by(|a, b| name(a).cmp(name(b))));
        // An object below two arguments is found twice.
        order.dedup_by(|a, b| {
            let (m, n) = (*a as usize, *b as usize);
            name(a) == name(b) && self.pins[m] == self.pins[n] && self.sizes[m] == self.sizes[n]
        });
        let mut pairs = order.windows(2);
        if let Some([a, _]) = pairs.find(|pair| name(&pair[0]) == name(&pair[1])) {
            let shown = crate::manifest::escaped(name(a));
            return Err(PyValueError::new_err(format!(
                "{shown}: two objects have this name, or it changed while it was listed"
            )));
        }
        let count = order.len();
        self.order = order;
        self.values = vec![[0; 32]; count];
        self.states = vec![State::Open; count];
        Ok(())
    }

    /// Return the name of an object.
    fn name<'py>(&self, py: Python<'py>, index: usize) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, self.added(self.at(index)?)))
    }

    /// Return the size of an object in bytes.
    fn size(&self, index: usize) -> PyResult<u64> {
        Ok(self.sizes[self.at(index)?])
    }

    /// Return the pin of an object.
    fn pin<'py>(&self, py: Python<'py>, index: usize) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.pins[self.at(index)?]))
    }

    /// Return the number of bytes of all objects.
    fn total_bytes(&self) -> u128 {
        let sizes = self
            .order
            .iter()
            .map(|n| u128::from(self.sizes[*n as usize]));
        sizes.sum()
    }

    /// Return the number of the object with this name, or None.
    fn find(&self, name: &[u8]) -> Option<usize> {
        self.order
            .binary_search_by(|n| self.added(*n as usize).cmp(name))
            .ok()
    }

    /// Record the partial evaluation of an object.
    fn put(&mut self, index: usize, partial: &Bound<'_, PyAny>) -> PyResult<()> {
        let mut of_partial = Buffer::new();
        let bytes = fixed(
            of_partial.read(partial)?,
            "a partial evaluation has 32 bytes",
        )?;
        let length = partial_from(&bytes)?.opaque[3];
        let size = self.sizes[self.at(index)?];
        if self
            .segment_bytes
            .is_some_and(|segment_bytes| size > segment_bytes.get())
        {
            return Err(PyValueError::new_err(
                "the values of all segments are needed",
            ));
        }
        if length != size {
            return Err(PyValueError::new_err(format!(
                "a partial evaluation of {length} bytes for an object of {size}"
            )));
        }
        self.set(index, State::Evaluated, &bytes)
    }

    /// Record the nonce and the tag that an object has already.
    fn keep(&mut self, index: usize, nonce: &[u8], tag: &[u8]) -> PyResult<()> {
        let value = [nonce, tag].concat();
        let value = <[u8; 32]>::try_from(value.as_slice());
        let value = value.map_err(|_| PyValueError::new_err("nonces and tags have 16 bytes"))?;
        self.set(index, State::Kept, &value)
    }

    /// Record that an object could not be read.
    fn fail(&mut self, index: usize) -> PyResult<()> {
        self.set(index, State::Unread, &[0; 32])
    }

    /// Return the partial evaluation of an object, or None if there is none.
    fn partial<'py>(&self, py: Python<'py>, index: usize) -> PyResult<Option<Bound<'py, PyBytes>>> {
        self.at(index)?;
        let is_there = self.states[index] == State::Evaluated;
        Ok(is_there.then(|| PyBytes::new(py, &self.values[index])))
    }

    /// Write the manifest to a file descriptor: tags of what was evaluated under the nonces, each object's at its place
    /// in the order of those that have none yet, and what was kept. The last nonce is the seal's: for check to tell that
    /// there may be a newer manifest, as many are to be reserved as there are objects now or in the old one, and one.
    /// Arguments, unread paths and others, which are paths and kinds, are bytes and sorted here.
    ///
    /// Raises RuntimeError if an object was neither evaluated, nor kept, nor failed, if there are fewer nonces than that
    /// needs and one for the seal, or if another process reserved them; OSError if it cannot be written.
    #[expect(clippy::too_many_arguments, reason = "as Python has them")]
    fn write(
        &self,
        py: Python<'_>,
        descriptor: i32,
        key_file: &KeyFile,
        nonces: &Nonces,
        arguments: &Bound<'_, PyAny>,
        unread: &Bound<'_, PyAny>,
        others: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let file = lent(descriptor)?;
        let listed = Listed::of(arguments, unread, others)?;
        let nonces = nonces.take()?;
        py.detach(|| self.write_to(&*file, key_file.file(), nonces, &listed, None))?;
        Ok(())
    }

    /// Write the manifest, as write does, and its parts, in place of those that the lock is of. Needs a nonce more. `old` are
    /// the parts that the tags come from which were kept, and what their manifest says of links and exclusions. Raises
    /// ValueError if these are damaged, and OSError if anything cannot be written: then both files are as before, or both
    /// new.
    #[expect(clippy::too_many_arguments, reason = "as Python has them")]
    fn write_with_parts(
        &self,
        py: Python<'_>,
        lock: &PartsLock,
        key_file: &KeyFile,
        nonces: &Nonces,
        arguments: &Bound<'_, PyAny>,
        unread: &Bound<'_, PyAny>,
        others: &Bound<'_, PyAny>,
        old: Option<&OpenedParts>,
    ) -> PyResult<()> {
        let segment_bytes = self.kept_segments()?;
        let listed = Listed::of(arguments, unread, others)?;
        let mut nonces = nonces.take()?;
        let (key_file, old) = (key_file.file(), old.map(OpenedParts::opened));
        let made = py.detach(|| {
            let unused = nonces.next_for(parts::PURPOSE).ok_or(Failure::Nonces)??;
            let writer = parts::Writer::new(key_file.key(), segment_bytes, unused);
            let mut keeping = Keeping::new(writer, old)?;
            let text = self.write_to(Vec::new(), key_file, nonces, &listed, Some(&mut keeping))?;
            // It has just been written.
            let seal = Seal::of(&text).map_err(|problem| io::Error::other(problem.to_string()))?;
            let kept = keeping.writer.seal(&seal).map_err(io::Error::other)?;
            Ok::<_, Failure>((text, kept))
        });
        let (text, kept) = made?;
        lock.with(py, |lock| lock.replace(&text, &kept))
    }

    fn __reduce__(object: &Bound<'_, Self>) -> PyResult<()> {
        not_copied(object)
    }
}

fn segment_error(error: SegmentError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// Returns the paths of a list.
fn paths(list: &Bound<'_, PyAny>) -> PyResult<Vec<Vec<u8>>> {
    let path = |object: &Bound<'_, PyAny>| Ok(object.cast::<PyBytes>()?.as_bytes().to_vec());
    elements(list)?.iter().map(path).collect()
}

impl Drop for Objects {
    fn drop(&mut self) {
        self.values.zeroize();
    }
}
