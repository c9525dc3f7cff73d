// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Objects of a store that are to be tagged or checked, in memory of some 110 bytes each besides their names.

use crate::aes::{KeyFile, Nonces, partial_from, tag_of_partial};
use crate::buffers::{Buffer, elements, fixed};
use crate::errors::{key_file_error, not_copied, os_error};
use crate::files::lent;
use hornet_key_file::Purpose;
use hornet_manifest::{Kind, PURPOSE, Time, Writer};
use pyo3::exceptions::{PyIndexError, PyOverflowError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::fs::File;
use std::io;
use zeroize::Zeroize;

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
}

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

    fn write_to(
        &self,
        to: &File,
        key_file: &hornet_key_file::KeyFile,
        mut nonces: hornet_key_file::Nonces,
        arguments: &[Vec<u8>],
        unread: &[Vec<u8>],
        others: &[(Vec<u8>, Kind)],
    ) -> Result<(), Failure> {
        let too_few = || Failure::Nonces;
        let key = key_file.key();
        let mut writer = Writer::new(to, key, Time::now(), false)?;
        for path in arguments {
            writer.argument(path)?;
        }
        let mut all_unread: Vec<&[u8]> = unread.iter().map(Vec::as_slice).collect();
        for index in 0..self.order.len() {
            let name = self.sorted_name(index);
            let value = &self.values[index];
            match self.states[index] {
                State::Open => return Err(Failure::Open(index)),
                State::Kept => {
                    let (nonce, tag) = value.split_at(16);
                    let nonce = nonce.try_into().map_err(|_| too_few())?;
                    let tag: [u8; 16] = tag.try_into().map_err(|_| too_few())?;
                    writer.file(nonce, &tag.into(), name)?;
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
                }
            }
        }
        all_unread.sort_unstable();
        all_unread.dedup();
        for path in all_unread {
            writer.unread(path)?;
        }
        for (path, kind) in others {
            writer.other(*kind, path)?;
        }
        writer.seal(nonces.next_for(PURPOSE).ok_or_else(too_few)??)?;
        Ok(())
    }
}

/// Why no manifest was written.
enum Failure {
    Io(io::Error),
    Nonces,
    KeyFile(hornet_key_file::Error),
    Open(usize),
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
        }
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
    /// in the order of those that have none yet, and what was kept. Arguments, unread paths and others, which are paths
    /// and kinds, are bytes and sorted here.
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
        let (arguments, unread) = (paths(arguments)?, paths(unread)?);
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
        let nonces = nonces.take()?;
        py.detach(|| self.write_to(&file, key_file.file(), nonces, &arguments, &unread, &kinds))
            .map_err(|failure| match failure {
                Failure::Io(error) => os_error(&error),
                Failure::KeyFile(error) => key_file_error(&error),
                Failure::Nonces => PyRuntimeError::new_err("fewer nonces than tags"),
                Failure::Open(index) => {
                    PyRuntimeError::new_err(format!("object {index} has not been evaluated"))
                }
            })
    }

    fn __reduce__(object: &Bound<'_, Self>) -> PyResult<()> {
        not_copied(object)
    }
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
