// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Packets that are sealed and opened by ChaCha20-Poly1305: the counterpart of `call.rs` and `inputs.rs`.
//!
//! All packets are under one key, as on a connection, and each has its own nonce. Their output does not overlap their
//! input, so they can be sealed and opened repeatedly.

use crate::memory::Memory;
use std::ffi::c_void;
use std::hint::black_box;

/// One packet: `hornet_packet` in hornet.h, `struct peer_packet` in shims/peer.h.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Packet {
    pub(crate) out: *mut u8,
    pub(crate) input: *const u8,
    pub(crate) len_bytes: usize,
    pub(crate) aad: *const u8,
    pub(crate) aad_bytes: usize,
    pub(crate) nonce: *const u8,
    pub(crate) key: *const u8,
    /// Written if the packet is sealed, read if it is opened.
    pub(crate) tag: *mut u8,
}

/// A C function that seals or opens a packet. It returns false if the packet is not authentic or the function failed.
pub(crate) type PacketFunction =
    unsafe extern "C" fn(packet: *const Packet, context: *mut c_void) -> bool;

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Direction {
    Seal,
    Open,
}

pub(crate) const NONCE_BYTES: usize = 12;
pub(crate) const TAG_BYTES: usize = 16;

/// Packets that are processed in turn, repeatedly. Their number is a power of two.
pub(crate) struct Packets(Vec<Packet>);

impl Packets {
    /// # Safety
    ///
    /// While packets are processed, the pointers must be valid for the lengths in `Packet`, and nothing else may access
    /// the memory that is written.
    pub(crate) unsafe fn new(packets: Vec<Packet>) -> Self {
        assert!(packets.len().is_power_of_two());
        Self(packets)
    }

    pub(crate) fn as_slice(&self) -> &[Packet] {
        &self.0
    }
}

/// Seals or opens `iterations` packets. Returns whether all calls succeeded.
///
/// # Safety
///
/// `function` may read and write the memory that a packet describes; `context` must be its own.
#[inline(never)]
pub(crate) unsafe fn run(
    function: PacketFunction,
    context: *mut c_void,
    packets: &Packets,
    iterations: usize,
) -> bool {
    // Hides the function from the compiler, which would otherwise inline functions written in Rust.
    let function = black_box(function);
    let mask = packets.0.len() - 1;
    let mut all = true;
    for i in 0..iterations {
        // SAFETY: `Packets` and the caller guarantee that the pointers are valid.
        all &= unsafe { function(&raw const packets.0[i & mask], context) };
    }
    all
}

/// Memory for packets.
pub(crate) struct PacketMemory {
    key: Memory,
    nonces: Memory,
    tags: Memory,
    aad: Memory,
    input: Memory,
    output: Memory,
}

/// The distance between nonces.
const NONCE_STRIDE: usize = 16;

/// Offset of the output from the start of a page, where the input starts. It keeps stores from having the same page
/// offset as loads that soon follow, which CPUs take for a dependence.
const OUTPUT_OFFSET: usize = 2048 + 64;

impl PacketMemory {
    pub(crate) fn new(message_bytes: usize, aad_bytes: usize, packets: usize) -> Self {
        Self {
            key: Memory::new(32),
            nonces: Memory::new(NONCE_STRIDE * packets),
            tags: Memory::new(16 * packets),
            aad: Memory::new(aad_bytes),
            input: Memory::new(message_bytes),
            output: Memory::new(OUTPUT_OFFSET + message_bytes),
        }
    }

    /// Returns the key of all packets.
    pub(crate) fn key(&mut self) -> &[u8; 32] {
        // SAFETY: the memory has 32 bytes, and the borrow ends before they can be written.
        unsafe { &*self.key.at(0).cast() }
    }

    fn packet(
        &mut self,
        offset: usize,
        len_bytes: usize,
        aad_bytes: usize,
        which: usize,
    ) -> Packet {
        Packet {
            out: self.output.at(OUTPUT_OFFSET + offset),
            input: self.input.at(offset),
            len_bytes,
            aad: self.aad.at(0),
            aad_bytes,
            nonce: self.nonces.at(NONCE_STRIDE * which),
            key: self.key.at(0),
            tag: self.tags.at(16 * which),
        }
    }

    /// Returns packets with the same message under one nonce after another.
    pub(crate) fn in_turn(&mut self, len_bytes: usize, aad_bytes: usize, count: usize) -> Packets {
        let packets = (0..count).map(|which| self.packet(0, len_bytes, aad_bytes, which));
        // SAFETY: `Memory::at` guarantees that the pointers are valid while `self` lives, and `self` outlives the
        // packets wherever they are processed.
        unsafe { Packets::new(packets.collect()) }
    }

    /// Returns packets with messages of these lengths, which are adjacent in memory. Their number must be a power of
    /// two.
    pub(crate) fn side_by_side(&mut self, lens_bytes: &[usize], aad_bytes: usize) -> Packets {
        let mut offset = 0;
        let packets = lens_bytes.iter().enumerate().map(|(which, &len_bytes)| {
            let packet = self.packet(offset, len_bytes, aad_bytes, which);
            offset += len_bytes;
            packet
        });
        // SAFETY: as above.
        unsafe { Packets::new(packets.collect()) }
    }
}

/// Writes to each packet the tag with which it can be opened. The peer must have the key.
///
/// Every message is the ciphertext of something: sealing it gives the plaintext, because the keystream is added twice,
/// and sealing the plaintext gives the tag.
pub(crate) fn write_tags(packets: &Packets, seal: impl Fn(&Packets)) {
    for packet in packets.as_slice() {
        let mut ciphertext = vec![0; packet.len_bytes];
        let again = Packet {
            input: packet.out,
            out: ciphertext.as_mut_ptr(),
            ..*packet
        };
        for packet in [*packet, again] {
            // SAFETY: the pointers are those of the packet, and of a buffer of the same length.
            seal(&unsafe { Packets::new(vec![packet]) });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    unsafe extern "C" fn log(packet: *const Packet, context: *mut c_void) -> bool {
        // SAFETY: the context is a list, and the packet is valid.
        unsafe {
            let len_bytes = (*packet).len_bytes;
            (*context.cast::<Vec<usize>>()).push(len_bytes);
            len_bytes != 7
        }
    }

    #[test]
    fn packets_are_taken_in_turn() {
        let mut memory = PacketMemory::new(10, 0, 4);
        let packets = memory.side_by_side(&[1, 2, 3, 4], 0);
        let mut lens_bytes: Vec<usize> = Vec::new();
        // SAFETY: the context is a list.
        let all = unsafe { run(log, (&raw mut lens_bytes).cast(), &packets, 6) };
        assert!(all);
        assert_eq!(lens_bytes, [1, 2, 3, 4, 1, 2]);
        let at = |i: usize| packets.as_slice()[i].input as usize;
        assert_eq!(at(3) - at(0), 6);
    }

    #[test]
    fn one_failure_is_noticed() {
        let mut memory = PacketMemory::new(8, 0, 2);
        let packets = memory.side_by_side(&[7, 1], 0);
        let mut lens_bytes: Vec<usize> = Vec::new();
        // SAFETY: the context is a list.
        let all = unsafe { run(log, (&raw mut lens_bytes).cast(), &packets, 2) };
        assert!(!all);
    }
}
