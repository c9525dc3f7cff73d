// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Writes a manifest together with its parts.

use crate::defer_signals::DeferredSignals;
use crate::error::Error;
use crate::tree::values::Kept;
use hornet_manifest::escape::Escaped;
use hornet_manifest::parts::{Lock, Writer};
use hornet_manifest::{Line, Seal};

/// Returns the content of the parts file of a manifest with this text, which has these lines.
pub(super) fn content(
    mut writer: Writer,
    lines: &[Line],
    kept: Vec<Kept>,
    manifest: &[u8],
) -> Result<Vec<u8>, Error> {
    for (line, Kept { stamp, values }) in lines.iter().zip(kept) {
        writer
            .file(&line.nonce, &line.tag, stamp, &values)
            .map_err(|error| Error::new(&Escaped::new(&line.path), error))?;
    }
    let seal = Seal::of(manifest).map_err(|problem| Error::new(&"manifest", problem))?;
    sealed(writer, &seal)
}

/// Returns the content of the parts file of a manifest with this seal.
pub(super) fn sealed(writer: Writer, manifest: &Seal) -> Result<Vec<u8>, Error> {
    let sealed = writer.seal(manifest);
    sealed.map_err(|error| Error::new(&"parts", error))
}

/// Writes both, in place of old ones only if told so.
pub(super) fn write(lock: &Lock, manifest: &[u8], parts: &[u8], force: bool) -> Result<(), Error> {
    let _deferred = DeferredSignals::new();
    if force {
        lock.replace(manifest, parts)?;
    } else {
        lock.create(manifest, parts)?;
    }
    Ok(())
}
