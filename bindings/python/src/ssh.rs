// SPDX-License-Identifier: Apache-2.0 OR MIT

//! SSH's cipher of packets, chacha20-poly1305@openssh.com.

use crate::aead::TAG;
use crate::batch::{WINDOW, check_apart, is_long, key, next};
use crate::buffers::{Buffer, Span, cut, fixed, new_bytes};
use crate::errors::{invalid_tag, not_copied};
use crate::messages::{Held, Messages};
use crate::threads::{AEAD_BYTES, detached};
use hornet::sys;
use pyo3::exceptions::{PyOverflowError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::ptr;
use zeroize::Zeroizing;

const KEY: usize = 64;
const LENGTH: usize = 4;
const OVERHEAD: usize = LENGTH + TAG;

/// Returns a sequence number.
///
/// # Errors
///
/// `TypeError` if it is no integer, `ValueError` if it has more than 32 bits or is negative.
fn number(sequence: &Bound<'_, PyAny>) -> PyResult<u32> {
    sequence.extract().map_err(|error: PyErr| {
        if error.is_instance_of::<PyOverflowError>(sequence.py()) {
            PyValueError::new_err("sequence must be from 0 to 2**32 - 1")
        } else {
            error
        }
    })
}

/// Returns the length of the text of a packet of that length, or what is wrong with it.
fn text_bytes(packet_bytes: usize) -> Result<u32, String> {
    let text = packet_bytes.checked_sub(OVERHEAD);
    text.and_then(|text| text.try_into().ok()).ok_or_else(|| {
        format!(
            "an SSH packet has {OVERHEAD} to 2**32 + {} bytes, not {packet_bytes}",
            OVERHEAD - 1
        )
    })
}

/// chacha20-poly1305@openssh.com, the cipher of SSH packets (OpenSSH's PROTOCOL.chacha20poly1305), under the key of one
/// direction of a connection: 64 bytes, as SSH derives them.
///
/// A packet is its encrypted length (4 bytes), the encrypted text, and a tag (16 bytes). The text is what SSH calls padding
/// length, payload and padding; the cipher does not read it. sequence is the number of the packet in its direction, modulo
/// 2**32: NEVER SEAL TWO PACKETS UNDER ONE KEY AND NUMBER. The key is copied, and the copy is wiped when the object is
/// deleted.
#[pyclass(frozen, module = "hornet_poly1305")]
pub(crate) struct SSHCipher(Zeroizing<[u8; KEY]>);

impl SSHCipher {
    /// Seals or opens a packet in place, and returns whether it is authentic.
    fn run(&self, py: Python<'_>, opens: bool, sequence: u32, packet: Span) -> PyResult<bool> {
        let text = text_bytes(packet.len()).map_err(PyValueError::new_err)?;
        Ok(detached(py, packet.len() >= AEAD_BYTES, || {
            // SAFETY: the span, which the caller holds, has 4 + text + 16 bytes; the key has 64.
            unsafe {
                if opens {
                    sys::hornet_ssh_open(packet.at(), text, sequence, self.0.as_ptr())
                } else {
                    sys::hornet_ssh_seal(packet.at(), text, sequence, self.0.as_ptr());
                    true
                }
            }
        }))
    }
}

#[pymethods]
impl SSHCipher {
    #[new]
    fn new(key: &Bound<'_, PyAny>) -> PyResult<Self> {
        let mut buffer = Buffer::new();
        let key = buffer.read(key)?;
        let key = fixed(key, "SSHCipher key must be 64 bytes")?;
        Ok(Self(Zeroizing::new(key)))
    }

    /// Return the length of the text of a packet, whose first 4 bytes packet begins with: the packet has 20 more.
    ///
    /// THE LENGTH IS NOT AUTHENTIC until the packet was opened: check it against a limit before waiting for the rest.
    fn packet_length(
        &self,
        sequence: &Bound<'_, PyAny>,
        packet: &Bound<'_, PyAny>,
    ) -> PyResult<u32> {
        let sequence = number(sequence)?;
        let mut buffer = Buffer::new();
        let packet = buffer.read(packet)?;
        if packet.len() < LENGTH {
            return Err(PyValueError::new_err(format!(
                "packet must have at least {LENGTH} bytes, not {}",
                packet.len()
            )));
        }
        let encrypted: [u8; LENGTH] = packet.read();
        // SAFETY: there are 4 bytes, and the key has 64.
        Ok(unsafe { sys::hornet_ssh_packet_length(encrypted.as_ptr(), sequence, self.0.as_ptr()) })
    }

    /// Return the packet of a text, which has 20 bytes more.
    fn seal<'py>(
        &self,
        py: Python<'py>,
        sequence: &Bound<'py, PyAny>,
        text: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let sequence = number(sequence)?;
        let mut buffer = Buffer::new();
        let text = buffer.read(text)?;
        let (bytes, packet) = new_bytes(py, text.len() + OVERHEAD)?;
        packet.part(LENGTH, text.len()).copy(text);
        self.run(py, false, sequence, packet)?;
        Ok(bytes)
    }

    /// Return the text of a packet. Raises InvalidTag if it is not authentic; SSH then ends the connection.
    fn open<'py>(
        &self,
        py: Python<'py>,
        sequence: &Bound<'py, PyAny>,
        packet: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let sequence = number(sequence)?;
        let mut buffer = Buffer::new();
        let given = buffer.read(packet)?;
        let (bytes, packet) = new_bytes(py, given.len())?;
        packet.copy(given);
        if self.run(py, true, sequence, packet)? {
            cut(bytes, LENGTH, given.len() - OVERHEAD)
        } else {
            Err(invalid_tag(py))
        }
    }

    /// Seal a packet in place: its text is packet[4:-16]. Length and tag are written before and after it.
    fn seal_in_place(
        &self,
        py: Python<'_>,
        sequence: &Bound<'_, PyAny>,
        packet: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let sequence = number(sequence)?;
        let mut buffer = Buffer::new();
        let packet = buffer.write_short(packet, AEAD_BYTES)?;
        self.run(py, false, sequence, packet)?;
        Ok(())
    }

    /// Open a packet in place: its text is packet[4:-16] afterwards. The length stays encrypted. Raises InvalidTag if the
    /// packet is not authentic; the text is all zeros then.
    fn open_in_place(
        &self,
        py: Python<'_>,
        sequence: &Bound<'_, PyAny>,
        packet: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let sequence = number(sequence)?;
        let mut buffer = Buffer::new();
        let packet = buffer.write_short(packet, AEAD_BYTES)?;
        if self.run(py, true, sequence, packet)? {
            Ok(())
        } else {
            Err(invalid_tag(py))
        }
    }

    fn __reduce__(object: &Bound<'_, Self>) -> PyResult<()> {
        not_copied(object)
    }
}

/// Packets of a batch, whose buffers are held.
struct Packets {
    /// One for all packets, or one for each.
    keys: Messages,
    sequences: Span,
    messages: Messages,
}

const NO_PACKET: sys::hornet_ssh_packet = sys::hornet_ssh_packet {
    packet: ptr::null_mut(),
    len_bytes: 0,
    sequence: 0,
    key: ptr::null(),
};

impl Packets {
    /// Returns packet i, or what is wrong with it. `end` is the end of the one before it.
    fn at(&self, i: usize, end: &mut usize) -> Result<sys::hornet_ssh_packet, String> {
        let (packet, _) = next(&self.messages, i, end)?;
        let sequence = i64::from_ne_bytes(self.sequences.part(8 * i, 8).read());
        Ok(sys::hornet_ssh_packet {
            packet: packet.at(),
            len_bytes: text_bytes(packet.len()).map_err(|error| format!("packet {i}: {error}"))?,
            sequence: sequence.try_into().map_err(|_| {
                format!("packet {i}: sequence {sequence} is not from 0 to 2**32 - 1")
            })?,
            key: key(&self.keys, KEY, i)?,
        })
    }

    /// Calls the function with the packets of each window and the number of the first. All are checked before.
    fn windows(
        &self,
        mut each: impl FnMut(usize, &[sys::hornet_ssh_packet]),
    ) -> Result<(), String> {
        let count = self.messages.count();
        let mut end = 0;
        for i in 0..count {
            self.at(i, &mut end)?;
        }
        let mut window = vec![NO_PACKET; WINDOW.min(count)];
        let (mut first, mut end) = (0, 0);
        while first < count {
            window.truncate(count - first);
            for (i, packet) in window.iter_mut().enumerate() {
                *packet = self.at(first + i, &mut end)?;
            }
            each(first, &window);
            first += window.len();
        }
        Ok(())
    }
}

/// The arguments of a call for packets.
type Given<'a, 'py> = [&'a Bound<'py, PyAny>; 5];

/// Seals or opens packets, after a check of all. Returns a byte for each that is opened.
fn run_all<'py>(
    py: Python<'py>,
    opens: bool,
    [key, sequences, values, starts, lengths]: Given<'_, 'py>,
) -> PyResult<Bound<'py, PyBytes>> {
    let (mut of_packets, mut of_keys, mut of_sequences) = (Held::new(), Held::new(), Buffer::new());
    let messages = of_packets.writable_parts(values, starts, lengths)?;
    let keys = of_keys.keys(key, KEY, messages.count())?;
    let sequences = of_sequences.int64("sequences", sequences)?;
    if sequences.len() / 8 != messages.count() {
        return Err(PyValueError::new_err(format!(
            "{} sequences for {} packets",
            sequences.len() / 8,
            messages.count()
        )));
    }
    for (span, name) in [(keys.values(), "key"), (sequences, "sequences")] {
        check_apart(messages.values(), span, "values", name)?;
    }
    for part in messages.arrays().into_iter().chain(keys.arrays()) {
        check_apart(messages.values(), part, "values", "starts or lengths")?;
    }
    let long = is_long(&messages);
    let packets = Packets {
        keys,
        sequences,
        messages,
    };
    let (bytes, valid) = new_bytes(py, if opens { packets.messages.count() } else { 0 })?;
    detached(py, long, || {
        packets.windows(|first, window| {
            // SAFETY: the buffers are held; packets are apart, and within the buffers. A bool is one byte, 0 or 1.
            unsafe {
                if opens {
                    let valid = valid.part(first, window.len()).at().cast();
                    let _all = sys::hornet_ssh_open_batch(valid, window.as_ptr(), window.len());
                } else {
                    sys::hornet_ssh_seal_batch(window.as_ptr(), window.len());
                }
            }
        })
    })
    .map_err(PyValueError::new_err)?;
    Ok(bytes)
}

/// Seal SSH packets in place, as SSHCipher.seal_in_place does: packet i is the lengths[i] bytes of values from starts[i] on,
/// in ascending order, and has the number sequences[i].
///
/// key has 64 bytes, or 64 for each packet, which may also be an Arrow array of fixed_size_binary or binary. sequences,
/// starts and lengths are arrays of int64, apart from values. Raises ValueError, naming the packet, if one is not within
/// values, overlaps the one before it, or has fewer than 20 bytes; nothing is written then.
#[pyfunction]
pub(crate) fn seal_ssh_packets<'py>(
    py: Python<'py>,
    key: &Bound<'py, PyAny>,
    sequences: &Bound<'py, PyAny>,
    values: &Bound<'py, PyAny>,
    starts: &Bound<'py, PyAny>,
    lengths: &Bound<'py, PyAny>,
) -> PyResult<()> {
    run_all(py, false, [key, sequences, values, starts, lengths]).map(drop)
}

/// Open SSH packets in place, which are given as seal_ssh_packets has them. Return a byte for each: 1 if it is authentic,
/// else 0. THE TEXT OF WHAT IS NOT AUTHENTIC IS ZEROS: look at what is returned.
#[pyfunction]
pub(crate) fn open_ssh_packets<'py>(
    py: Python<'py>,
    key: &Bound<'py, PyAny>,
    sequences: &Bound<'py, PyAny>,
    values: &Bound<'py, PyAny>,
    starts: &Bound<'py, PyAny>,
    lengths: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyBytes>> {
    run_all(py, true, [key, sequences, values, starts, lengths])
}
