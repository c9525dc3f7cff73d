// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The implementations that are measured.

mod aead;
mod aead_crates;
mod aes;
mod all;
mod crates;
mod go;
mod hornet;
mod hornet_core;
mod library;
mod peer;
mod pieces;
mod shims;

pub(crate) use aead::Aead;
pub(crate) use aes::AES_KEY_BYTES;
pub(crate) use all::Peers;
pub(crate) use hornet::{Hornet, Partial};
pub(crate) use hornet_core::{BatchCalls, Core};
pub(crate) use library::Library;
pub(crate) use peer::Peer;
pub(crate) use pieces::InPieces;
