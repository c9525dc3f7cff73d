// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The native module of the Python package hornet-poly1305: `hornet_poly1305._native`.

#![allow(
    clippy::doc_markdown,
    reason = "the comments of what Python sees are its docstrings"
)]

mod aead;
mod aes;
mod arrow;
mod batch;
mod buffers;
mod chacha20;
mod errors;
mod files;
mod info;
mod interpreter;
mod manifest;
mod messages;
mod objects;
mod parts;
mod poly1305;
mod ssh;
mod stream;
mod threads;

/// What `hornet_poly1305` consists of.
#[pyo3::pymodule(gil_used = false)]
mod _native {
    #[pymodule_export]
    use crate::aead::{ChaCha20Poly1305, XChaCha20Poly1305};
    #[pymodule_export]
    use crate::aes::{Evaluation, KeyFile, Nonces, Poly1305Aes};
    #[pymodule_export]
    use crate::batch::{
        mac_arrow, mac_parts, mac_rows, open_packets, seal_packets, verify_arrow, verify_parts,
        verify_rows, xopen_packets, xseal_packets,
    };
    #[pymodule_export]
    use crate::chacha20::{ChaCha20, header_masks};
    #[pymodule_export]
    use crate::info::{force_kernel, info};
    #[pymodule_export]
    use crate::manifest::{SealedManifest, escaped};
    #[pymodule_export]
    use crate::objects::Objects;
    #[pymodule_export]
    use crate::parts::{OpenedParts, PartsLock};
    #[pymodule_export]
    use crate::poly1305::{Poly1305, mac, verify};
    #[pymodule_export]
    use crate::ssh::{SSHCipher, open_ssh_packets, seal_ssh_packets};
    #[pymodule_export]
    use crate::stream::{
        SegmentKeys, StreamKey, new_age_header, new_age_identity, open_age_header,
    };

    #[pymodule_init]
    fn init(module: &pyo3::Bound<'_, pyo3::types::PyModule>) -> pyo3::PyResult<()> {
        crate::interpreter::bind(pyo3::Bound::py(module))
    }
}
