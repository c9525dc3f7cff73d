// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Batches: the tags of many messages, and many packets, in one call.

use crate::aead::TAG;
use crate::buffers::{Buffer, Span, new_bytes};
use crate::messages::{Held, Messages};
use crate::threads::{MESSAGES, detached};
use hornet::sys;
use pyo3::exceptions::{PyOverflowError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes};
use std::ffi::c_void;
use std::ptr;

/// How many messages are handed to the library at a time: their addresses stay in L1.
pub(crate) const WINDOW: usize = 256;
const KEY: usize = 32;
/// Messages of this length in all are worth giving up the GIL for, whatever their number.
const BATCH_BYTES: usize = 1 << 20;

pub(crate) fn count_is(span: Span, each: usize, count: usize, name: &str) -> PyResult<()> {
    if Some(span.len()) == count.checked_mul(each) {
        Ok(())
    } else {
        Err(PyValueError::new_err(format!(
            "{name} must be {count} of {each} bytes, not {} bytes",
            span.len()
        )))
    }
}

pub(crate) fn is_long(messages: &Messages) -> bool {
    messages.count() >= MESSAGES || messages.values().len() >= BATCH_BYTES
}

/// Calls the function with the messages of each window: the number of the first, addresses and lengths.
fn windows(
    messages: &Messages,
    mut each: impl FnMut(usize, &[*const c_void], &[usize]),
) -> Result<(), String> {
    let (mut at, mut lens) = ([ptr::null(); WINDOW], [0; WINDOW]);
    let count = messages.count();
    let mut first = 0;
    while first < count {
        let some = WINDOW.min(count - first);
        messages.fill(first, &mut at[..some], &mut lens[..some])?;
        each(first, &at[..some], &lens[..some]);
        first += some;
    }
    Ok(())
}

fn mac_all<'py>(
    py: Python<'py>,
    keys: &Bound<'py, PyAny>,
    messages: &Messages,
    out: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let (mut of_keys, mut of_out) = (Buffer::new(), Buffer::new());
    let (keys, count) = (of_keys.read(keys)?, messages.count());
    count_is(keys, KEY, count, "keys")?;
    let (result, tags) = if let Some(out) = out {
        let tags = of_out.write(out)?;
        count_is(tags, TAG, count, "out")?;
        check_apart(tags, keys, "out", "keys")?;
        check_apart(tags, messages.values(), "out", "the messages")?;
        for part in messages.arrays() {
            check_apart(tags, part, "out", "starts or lengths")?;
        }
        (out.clone(), tags)
    } else {
        let (bytes, tags) = new_bytes(py, TAG * count)?;
        (bytes.into_any(), tags)
    };
    detached(py, is_long(messages), || {
        windows(messages, |first, at, lens| {
            // SAFETY: the buffers are held, tags overlap nothing, and each array has that many elements.
            unsafe {
                sys::hornet_poly1305_batch(
                    tags.part(TAG * first, TAG * at.len()).at().cast(),
                    at.as_ptr(),
                    lens.as_ptr(),
                    keys.part(KEY * first, KEY * at.len())
                        .at()
                        .cast_const()
                        .cast(),
                    at.len(),
                );
            }
        })
    })
    .map_err(PyValueError::new_err)?;
    Ok(result)
}

fn verify_all<'py>(
    py: Python<'py>,
    keys: &Bound<'py, PyAny>,
    messages: &Messages,
    tags: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyBytes>> {
    let (mut of_keys, mut of_tags) = (Buffer::new(), Buffer::new());
    let (keys, tags, count) = (of_keys.read(keys)?, of_tags.read(tags)?, messages.count());
    count_is(keys, KEY, count, "keys")?;
    count_is(tags, TAG, count, "tags")?;
    let (bytes, valid) = new_bytes(py, count)?;
    detached(py, is_long(messages), || {
        windows(messages, |first, at, lens| {
            // SAFETY: as above; a bool is one byte, 0 or 1.
            let _all = unsafe {
                sys::hornet_poly1305_verify_batch(
                    valid.part(first, at.len()).at().cast(),
                    tags.part(TAG * first, TAG * at.len())
                        .at()
                        .cast_const()
                        .cast(),
                    at.as_ptr(),
                    lens.as_ptr(),
                    keys.part(KEY * first, KEY * at.len())
                        .at()
                        .cast_const()
                        .cast(),
                    at.len(),
                )
            };
        })
    })
    .map_err(PyValueError::new_err)?;
    Ok(bytes)
}

pub(crate) fn check_apart(a: Span, b: Span, of_a: &str, of_b: &str) -> PyResult<()> {
    if a.overlaps(b) {
        Err(PyValueError::new_err(format!(
            "{of_a} must not overlap {of_b}"
        )))
    } else {
        Ok(())
    }
}

/// Return the tags of the rows of a 2-dimensional array, C-contiguous: 16 bytes each.
///
/// keys has 32 bytes for each row, each used for one message only. The tags are written to out, if it is given: 16 bytes
/// for each row, apart from keys and rows.
#[pyfunction]
#[pyo3(signature = (keys, rows, out=None))]
pub(crate) fn mac_rows<'py>(
    py: Python<'py>,
    keys: &Bound<'py, PyAny>,
    rows: &Bound<'py, PyAny>,
    out: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let mut held = Held::new();
    let messages = held.rows(rows)?;
    mac_all(py, keys, &messages, out)
}

/// Return the tags of messages in one buffer: message i is the lengths[i] bytes of values from starts[i] on.
///
/// starts and lengths are arrays of int64. Raises ValueError, naming the message, if one is not within values; of out,
/// some tags may be written then.
#[pyfunction]
#[pyo3(signature = (keys, values, starts, lengths, out=None))]
pub(crate) fn mac_parts<'py>(
    py: Python<'py>,
    keys: &Bound<'py, PyAny>,
    values: &Bound<'py, PyAny>,
    starts: &Bound<'py, PyAny>,
    lengths: &Bound<'py, PyAny>,
    out: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let mut held = Held::new();
    let messages = held.parts(values, starts, lengths)?;
    mac_all(py, keys, &messages, out)
}

/// Return the tags of the elements of an Arrow array: any object with __arrow_c_array__, such as pyarrow's and polars',
/// of binary, string, large_binary, large_string or fixed_size_binary, without nulls.
#[pyfunction]
#[pyo3(signature = (keys, array, out=None))]
pub(crate) fn mac_arrow<'py>(
    py: Python<'py>,
    keys: &Bound<'py, PyAny>,
    array: &Bound<'py, PyAny>,
    out: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let mut held = Held::new();
    let messages = held.arrow(array)?;
    mac_all(py, keys, &messages, out)
}

/// Return a byte for each row, as mac_rows has them: 1 if its tag, 16 bytes of tags, is valid, else 0.
#[pyfunction]
pub(crate) fn verify_rows<'py>(
    py: Python<'py>,
    keys: &Bound<'py, PyAny>,
    rows: &Bound<'py, PyAny>,
    tags: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyBytes>> {
    let mut held = Held::new();
    let messages = held.rows(rows)?;
    verify_all(py, keys, &messages, tags)
}

/// Return a byte for each message, as mac_parts has them: 1 if its tag, 16 bytes of tags, is valid, else 0.
#[pyfunction]
pub(crate) fn verify_parts<'py>(
    py: Python<'py>,
    keys: &Bound<'py, PyAny>,
    values: &Bound<'py, PyAny>,
    starts: &Bound<'py, PyAny>,
    lengths: &Bound<'py, PyAny>,
    tags: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyBytes>> {
    let mut held = Held::new();
    let messages = held.parts(values, starts, lengths)?;
    verify_all(py, keys, &messages, tags)
}

/// Return a byte for each element of an Arrow array: 1 if its tag, 16 bytes of tags, is valid, else 0.
#[pyfunction]
pub(crate) fn verify_arrow<'py>(
    py: Python<'py>,
    keys: &Bound<'py, PyAny>,
    array: &Bound<'py, PyAny>,
    tags: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyBytes>> {
    let mut held = Held::new();
    let messages = held.arrow(array)?;
    verify_all(py, keys, &messages, tags)
}

/// ChaCha20-Poly1305 or XChaCha20-Poly1305: bytes of a nonce, and the library's functions for batches.
struct Cipher {
    nonce: usize,
    seal: unsafe extern "C" fn(*const sys::hornet_packet, usize) -> bool,
    open: unsafe extern "C" fn(*mut bool, *const sys::hornet_packet, usize) -> bool,
}

static CHACHA20: Cipher = Cipher {
    nonce: 12,
    seal: sys::hornet_chacha20_poly1305_seal_batch,
    open: sys::hornet_chacha20_poly1305_open_batch,
};

static XCHACHA20: Cipher = Cipher {
    nonce: 24,
    seal: sys::hornet_xchacha20_poly1305_seal_batch,
    open: sys::hornet_xchacha20_poly1305_open_batch,
};

/// Packets: the AEAD of many messages, whose buffers are held.
struct Packets {
    cipher: &'static Cipher,
    /// One for all packets, or one for each.
    keys: Messages,
    nonces: Span,
    messages: Messages,
    /// The associated data: the same for all packets, or one for each.
    same_aad: Span,
    aad: Option<Messages>,
    /// Where the output of a packet is: as far from its beginning as the packet is from that of the values.
    out: Span,
    values: Span,
    /// The tags; if there are none, each follows its ciphertext.
    tags: Option<Span>,
}

/// The most bytes of a message (RFC 8439: 2^32 - 1 blocks of 64 bytes, less what the library reserves).
const MOST_BYTES: u64 = 0x3f_ffff_ffc0;

const NO_PACKET: sys::hornet_packet = sys::hornet_packet {
    out: ptr::null_mut(),
    in_: ptr::null(),
    len_bytes: 0,
    aad: ptr::null(),
    aad_bytes: 0,
    nonce: ptr::null(),
    key: ptr::null(),
    tag: ptr::null_mut(),
};

impl Packets {
    /// Sets packet i, or returns what is wrong with it. `end` is the end of the one before it.
    #[inline]
    fn set(
        &self,
        packet: &mut sys::hornet_packet,
        i: usize,
        end: &mut usize,
    ) -> Result<(), String> {
        let (message, start) = next(&self.messages, i, end)?;
        let (len, tag) = match self.tags {
            Some(tags) => (message.len(), tags.part(TAG * i, TAG).at()),
            None => match message.len().checked_sub(TAG) {
                Some(len) => (len, message.at().wrapping_add(len)),
                None => {
                    return Err(format!(
                        "packet {i} has {} bytes, fewer than a tag",
                        message.len()
                    ));
                }
            },
        };
        if len as u64 > MOST_BYTES {
            return Err(format!(
                "packet {i} has {len} bytes, more than {MOST_BYTES}"
            ));
        }
        let aad = match &self.aad {
            Some(aad) => aad
                .at(i)
                .map_err(|error| format!("associated data: {error}"))?,
            None => self.same_aad,
        };
        let key = key(&self.keys, KEY, i)?;
        *packet = sys::hornet_packet {
            out: self.out.part(start, len).at().cast(),
            in_: message.at().cast_const().cast(),
            len_bytes: len,
            aad: aad.at().cast_const().cast(),
            aad_bytes: aad.len(),
            nonce: self
                .nonces
                .part(self.cipher.nonce * i, self.cipher.nonce)
                .at()
                .cast_const(),
            key,
            tag,
        };
        Ok(())
    }

    /// Checks all packets, before any is written.
    fn check(&self) -> Result<(), String> {
        let values = self.values.at() as usize;
        // Ends, as numbers of bytes: of the packets before, and of the associated data before.
        let (mut end, mut aad_end, mut packet) = (0, 0, NO_PACKET);
        for i in 0..self.messages.count() {
            let before = end;
            self.set(&mut packet, i, &mut end)?;
            if self.aad.is_none() {
                continue;
            }
            let start = end - self.messages.at(i)?.len();
            let aad = Span::new(packet.aad.cast_mut().cast(), packet.aad_bytes);
            let mut apart = end == start || aad_end <= start;
            // Headers in the buffer that is encrypted in place: a packet that is written before its turn changes them.
            if aad.overlaps(self.out) {
                let from = (aad.at() as usize).checked_sub(values);
                apart &= from.is_some_and(|from| {
                    aad_end = aad_end.max(from + aad.len());
                    from >= end || from >= before && from + aad.len() <= start
                });
            }
            if !apart {
                return Err(format!(
                    "packet {i}, or the one before it, has associated data that are not between packets"
                ));
            }
        }
        Ok(())
    }

    fn windows(&self, mut each: impl FnMut(usize, &[sys::hornet_packet])) -> Result<(), String> {
        self.check()?;
        let count = self.messages.count();
        let mut window = vec![NO_PACKET; WINDOW.min(count)];
        let (mut first, mut end) = (0, 0);
        while first < count {
            window.truncate(count - first);
            for (i, packet) in window.iter_mut().enumerate() {
                self.set(packet, first + i, &mut end)?;
            }
            each(first, &window);
            first += window.len();
        }
        Ok(())
    }
}

/// Python's arguments of a call for packets, which keep the buffers.
#[derive(Default)]
struct Arguments<'py> {
    buffers: [Option<Box<Buffer<'py>>>; 4],
    aad: Option<Box<Held<'py>>>,
    keys: Option<Box<Held<'py>>>,
    /// The objects that `aad` has the memory of.
    parts: Option<[Bound<'py, PyAny>; 3]>,
}

impl<'py> Arguments<'py> {
    fn hold(&mut self) -> &mut Buffer<'py> {
        let free = self.buffers.iter_mut().find(|buffer| buffer.is_none());
        free.expect("four buffers").insert(Box::new(Buffer::new()))
    }
}

/// Returns the key of packet i, of `each` bytes, or what is wrong with it.
#[inline]
pub(crate) fn key(keys: &Messages, each: usize, i: usize) -> Result<*const u8, String> {
    let key = match *keys {
        Messages::Rows { of, count: 1, .. } => of,
        _ => keys.at(i).map_err(|error| format!("key: {error}"))?,
    };
    if key.len() != each {
        return Err(format!("key {i} has {} bytes, not {each}", key.len()));
    }
    Ok(key.at().cast_const())
}

/// Returns packet i and its first byte in the values, or what is wrong with it. `end` is the end of the one before it,
/// and becomes its own.
#[inline]
pub(crate) fn next(
    messages: &Messages,
    i: usize,
    end: &mut usize,
) -> Result<(Span, usize), String> {
    let message = messages.at(i)?;
    let start = message.at() as usize - messages.values().at() as usize;
    let start = if message.len() == 0 { *end } else { start };
    if start < *end {
        return Err(format!(
            "packet {i} begins at byte {start} of values, before the end of the one before it ({end})"
        ));
    }
    *end = start + message.len();
    Ok((message, start))
}

/// The arguments of a call for packets.
struct Given<'a, 'py> {
    key: &'a Bound<'py, PyAny>,
    nonces: &'a Bound<'py, PyAny>,
    values: &'a Bound<'py, PyAny>,
    starts: &'a Bound<'py, PyAny>,
    lengths: &'a Bound<'py, PyAny>,
    aad: Option<&'a Bound<'py, PyAny>>,
    out: Option<&'a Bound<'py, PyAny>>,
    tags: Option<&'a Bound<'py, PyAny>>,
}

fn packets<'py>(
    cipher: &'static Cipher,
    held: &mut Held<'py>,
    arguments: &mut Arguments<'py>,
    given: &Given<'_, 'py>,
    out: Span,
    tags: Option<Span>,
) -> PyResult<Packets> {
    let messages = held.parts(given.values, given.starts, given.lengths)?;
    let values = messages.values();
    let count = messages.count();
    let of_keys = arguments.keys.insert(Box::new(Held::new()));
    let keys = of_keys.keys(given.key, KEY, count)?;
    let nonces = arguments.hold().read(given.nonces)?;
    count_is(nonces, cipher.nonce, count, "nonces")?;
    if let Some(tags) = tags {
        count_is(tags, TAG, count, "tags")?;
    }
    if out.len() != values.len() {
        return Err(PyValueError::new_err(format!(
            "out must have the length of values, {} bytes, not {}",
            values.len(),
            out.len()
        )));
    }
    if out.at() != values.at() {
        check_apart(out, values, "out", "values, except in place,")?;
    }
    let (mut same_aad, mut of_aad) = (Span::EMPTY, None);
    if let Some(aad) = given.aad {
        if let Ok((values, starts, lengths)) =
            aad.extract::<(Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>)>()
        {
            let held = arguments.aad.insert(Box::new(Held::new()));
            let [values, starts, lengths] = arguments.parts.insert([values, starts, lengths]);
            let parts = held.parts(values, starts, lengths)?;
            if parts.count() != count {
                return Err(PyValueError::new_err(format!(
                    "{} associated data for {count} packets",
                    parts.count()
                )));
            }
            same_aad = parts.values(); // for the checks below
            of_aad = Some(parts);
        } else {
            same_aad = arguments.hold().read(aad)?;
        }
    }
    // The associated data may be headers in the buffer that is decrypted in place: they are not within a packet.
    if out.at() != values.at() || of_aad.is_none() {
        check_apart(out, same_aad, "out", "associated data")?;
    }
    for (span, name) in [
        (Some(keys.values()), "key"),
        (Some(nonces), "nonces"),
        (tags, "tags"),
    ] {
        check_apart(out, span.unwrap_or(Span::EMPTY), "out", name)?;
    }
    for part in messages
        .arrays()
        .into_iter()
        .chain(of_aad.iter().flat_map(Messages::arrays))
        .chain(keys.arrays())
    {
        check_apart(out, part, "out", "starts or lengths")?;
        if let Some(tags) = tags {
            check_apart(tags, part, "tags", "starts or lengths")?;
        }
    }
    Ok(Packets {
        cipher,
        keys,
        nonces,
        messages,
        same_aad,
        aad: of_aad,
        out,
        values,
        tags,
    })
}

fn seal_all<'py>(
    py: Python<'py>,
    cipher: &'static Cipher,
    given: &Given<'_, 'py>,
) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
    let (mut held, mut arguments) = (Held::new(), Arguments::default());
    let out = made(py, given.out, given.values, 1, 1)?;
    let tags = made(py, given.tags, given.lengths, TAG, 8)?;
    let (out_span, tags_span) = (
        arguments.hold().write(&out)?,
        arguments.hold().write(&tags)?,
    );
    let packets = packets(
        cipher,
        &mut held,
        &mut arguments,
        given,
        out_span,
        Some(tags_span),
    )?;
    for (span, name) in [
        (packets.values, "values"),
        (packets.same_aad, "associated data"),
        (packets.keys.values(), "key"),
        (packets.nonces, "nonces"),
    ] {
        check_apart(tags_span, span, "tags", name)?;
    }
    let long = is_long(&packets.messages);
    detached(py, long, || {
        packets.windows(|_, window| {
            // SAFETY: the buffers are held; packets are apart, and within the buffers.
            let sealed = unsafe { (cipher.seal)(window.as_ptr(), window.len()) };
            assert!(sealed, "the lengths were checked");
        })
    })
    .map_err(|error| {
        if error.contains("more than") {
            PyOverflowError::new_err(error)
        } else {
            PyValueError::new_err(error)
        }
    })?;
    Ok((out, tags))
}

fn open_all<'py>(
    py: Python<'py>,
    cipher: &'static Cipher,
    given: &Given<'_, 'py>,
) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyBytes>)> {
    let (mut held, mut arguments) = (Held::new(), Arguments::default());
    let out = made(py, given.out, given.values, 1, 1)?;
    let out_span = arguments.hold().write(&out)?;
    let tags_span = given
        .tags
        .map(|tags| arguments.hold().read(tags))
        .transpose()?;
    let packets = packets(
        cipher,
        &mut held,
        &mut arguments,
        given,
        out_span,
        tags_span,
    )?;
    let (bytes, valid) = new_bytes(py, packets.messages.count())?;
    let long = is_long(&packets.messages);
    detached(py, long, || {
        packets.windows(|first, window| {
            // SAFETY: as above; a bool is one byte, 0 or 1.
            let _all = unsafe {
                (cipher.open)(
                    valid.part(first, window.len()).at().cast(),
                    window.as_ptr(),
                    window.len(),
                )
            };
        })
    })
    .map_err(PyValueError::new_err)?;
    Ok((out, bytes))
}

/// Defines a function of Python, with the arguments that `Given` has, of `seal_all` or `open_all` with a cipher.
macro_rules! of_packets {
    ($(#[doc = $doc:literal])* $name:ident, $all:ident, $cipher:ident, $second:ty) => {
        $(#[doc = $doc])*
        #[pyfunction]
        #[pyo3(signature = (key, nonces, values, starts, lengths, *, aad=None, out=None, tags=None))]
        #[expect(clippy::too_many_arguments, reason = "as Python has them")]
        pub(crate) fn $name<'py>(
            py: Python<'py>,
            key: &Bound<'py, PyAny>,
            nonces: &Bound<'py, PyAny>,
            values: &Bound<'py, PyAny>,
            starts: &Bound<'py, PyAny>,
            lengths: &Bound<'py, PyAny>,
            aad: Option<&Bound<'py, PyAny>>,
            out: Option<&Bound<'py, PyAny>>,
            tags: Option<&Bound<'py, PyAny>>,
        ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, $second>)> {
            let given = Given {
                key,
                nonces,
                values,
                starts,
                lengths,
                aad,
                out,
                tags,
            };
            $all(py, &$cipher, &given)
        }
    };
}

of_packets! {
    /// Encrypt packets with ChaCha20-Poly1305: packet i is the lengths[i] bytes of values from starts[i] on, in ascending
    /// order. Return (out, tags).
    ///
    /// key has 32 bytes, or 32 for each packet, which may also be an Arrow array of fixed_size_binary or binary; nonces 12
    /// for each. aad is the associated data of all packets, or a tuple of values, starts and lengths. out has the length
    /// of values, and may be values: then packets are encrypted in place. It gets each ciphertext where the packet is in
    /// values; tags gets 16 bytes for each. Without them, both are made. starts and lengths are arrays of int64. Raises
    /// ValueError, naming the packet, if one is not within values or overlaps the one before it; nothing is written then.
    ///
    /// Associated data in the buffer that is encrypted in place must be between their packet and the one before or after it.
    seal_packets, seal_all, CHACHA20, PyAny
}

of_packets! {
    /// Decrypt packets, which are given as seal_packets has them. Return (out, valid): valid has a byte for each packet, 1
    /// if it is authentic, else 0. WHAT IS NOT AUTHENTIC IS ZEROS IN OUT: look at valid.
    ///
    /// Without tags, the tag of each packet is its last 16 bytes, which lengths include.
    open_packets, open_all, CHACHA20, PyBytes
}

of_packets! {
    /// Encrypt packets with XChaCha20-Poly1305, as seal_packets does, but with nonces of 24 bytes, which may be drawn at
    /// random.
    xseal_packets, seal_all, XCHACHA20, PyAny
}

of_packets! {
    /// Decrypt packets of XChaCha20-Poly1305, as open_packets does.
    xopen_packets, open_all, XCHACHA20, PyBytes
}

/// Returns the object, or a new bytearray of zeros, with `each` bytes for each element of the other buffer.
fn made<'py>(
    py: Python<'py>,
    given: Option<&Bound<'py, PyAny>>,
    like: &Bound<'py, PyAny>,
    each: usize,
    element_bytes: usize,
) -> PyResult<Bound<'py, PyAny>> {
    if let Some(given) = given {
        return Ok(given.clone());
    }
    let mut buffer = Buffer::new();
    let len = buffer.read(like)?.len() / element_bytes * each;
    Ok(PyByteArray::new_with(py, len, |_| Ok(()))?.into_any())
}
