// SPDX-License-Identifier: Apache-2.0 OR MIT

//! QUIC (RFC 9001, section 5).

use crate::protection::{KEY_BYTES, Protection, TAG_BYTES, bytes, count};
use hornet::chacha20::ChaCha20;
use rustls::Error;
use rustls::crypto::cipher::{AeadKey, Iv, Nonce};
use rustls::quic::{Algorithm, HeaderProtectionKey, PacketKey, Tag};

pub(crate) struct Quic;

impl Algorithm for Quic {
    fn packet_key(&self, key: AeadKey, iv: Iv) -> Box<dyn PacketKey> {
        Box::new(Packets(Protection::new(&key, iv)))
    }

    fn header_protection_key(&self, key: AeadKey) -> Box<dyn HeaderProtectionKey> {
        Box::new(Headers(ChaCha20::new(bytes(&key))))
    }

    fn aead_key_len(&self) -> usize {
        KEY_BYTES
    }
}

/// Packet protection for one direction.
struct Packets(Protection);

impl Packets {
    fn encrypt(&self, nonce: &Nonce, header: &[u8], payload: &mut [u8]) -> Result<Tag, Error> {
        let tag = self.0.seal(nonce, header, payload)?;
        Ok(Tag::from(&tag.as_bytes()[..]))
    }

    fn decrypt<'a>(
        &self,
        nonce: &Nonce,
        header: &[u8],
        payload: &'a mut [u8],
    ) -> Result<&'a [u8], Error> {
        let len_bytes = self.0.open(nonce, header, payload)?;
        Ok(&payload[..len_bytes])
    }
}

impl PacketKey for Packets {
    fn encrypt_in_place(
        &self,
        packet_number: u64,
        header: &[u8],
        payload: &mut [u8],
    ) -> Result<Tag, Error> {
        self.encrypt(&Nonce::new(&self.0.iv, packet_number), header, payload)
    }

    fn encrypt_in_place_for_path(
        &self,
        path_id: u32,
        packet_number: u64,
        header: &[u8],
        payload: &mut [u8],
    ) -> Result<Tag, Error> {
        let nonce = Nonce::for_path(path_id, &self.0.iv, packet_number);
        self.encrypt(&nonce, header, payload)
    }

    fn decrypt_in_place<'a>(
        &self,
        packet_number: u64,
        header: &[u8],
        payload: &'a mut [u8],
    ) -> Result<&'a [u8], Error> {
        self.decrypt(&Nonce::new(&self.0.iv, packet_number), header, payload)
    }

    fn decrypt_in_place_for_path<'a>(
        &self,
        path_id: u32,
        packet_number: u64,
        header: &[u8],
        payload: &'a mut [u8],
    ) -> Result<&'a [u8], Error> {
        let nonce = Nonce::for_path(path_id, &self.0.iv, packet_number);
        self.decrypt(&nonce, header, payload)
    }

    fn tag_len(&self) -> usize {
        TAG_BYTES
    }

    /// More packets than a connection can send (RFC 9001, section 6.6).
    fn confidentiality_limit(&self) -> u64 {
        u64::MAX
    }

    /// The limit from RFC 9001, section 6.6.
    fn integrity_limit(&self) -> u64 {
        1 << 36
    }
}

/// Header protection (RFC 9001, section 5.4).
struct Headers(ChaCha20);

/// Block counter and nonce, taken from the ciphertext.
const SAMPLE_BYTES: usize = 16;
/// One byte for the first byte of the header, and up to 4 for the packet number.
const MASK_BYTES: usize = 5;

impl Headers {
    /// Masks the header. This is the same in both directions, except that the first byte shows the
    /// length of the packet number only while it is not masked.
    fn mask(
        &self,
        sample: &[u8],
        first: &mut u8,
        packet_number: &mut [u8],
        masked: bool,
    ) -> Result<(), Error> {
        count();
        let sample: &[u8; SAMPLE_BYTES] = sample
            .try_into()
            .map_err(|_| Error::General("a sample of a header has 16 bytes".into()))?;
        if packet_number.len() > MASK_BYTES - 1 {
            return Err(Error::General("a packet number has at most 4 bytes".into()));
        }
        let [of_first, of_number @ ..] = self.0.header_mask(sample);
        let is_long = *first & 0x80 != 0;
        let of_first = of_first & if is_long { 0x0f } else { 0x1f };
        let plain = if masked { *first ^ of_first } else { *first };
        *first ^= of_first;
        let number_bytes = usize::from(plain & 0x03) + 1;
        for (byte, by) in packet_number.iter_mut().zip(of_number).take(number_bytes) {
            *byte ^= by;
        }
        Ok(())
    }
}

impl HeaderProtectionKey for Headers {
    fn encrypt_in_place(
        &self,
        sample: &[u8],
        first: &mut u8,
        packet_number: &mut [u8],
    ) -> Result<(), Error> {
        self.mask(sample, first, packet_number, false)
    }

    fn decrypt_in_place(
        &self,
        sample: &[u8],
        first: &mut u8,
        packet_number: &mut [u8],
    ) -> Result<(), Error> {
        self.mask(sample, first, packet_number, true)
    }

    fn sample_len(&self) -> usize {
        SAMPLE_BYTES
    }
}
