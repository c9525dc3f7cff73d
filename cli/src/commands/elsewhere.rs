// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Finds the folder that the files of a manifest are in, if `hornet check` runs in another.

use crate::error::Error;
use crate::output::say;
use crate::source::Source;
use hornet_manifest::escape::Escaped;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// How many of the missing files are looked for in each folder.
const SAMPLES: usize = 16;

/// Makes another folder the current one.
pub(super) fn enter(base: Option<&Path>) -> Result<(), Error> {
    let Some(base) = base else { return Ok(()) };
    env::set_current_dir(base).map_err(|error| Error::new(&Escaped::new(base), error))
}

pub(super) struct Elsewhere<'a> {
    manifest: &'a Source,
    base: Option<&'a Path>,
    /// Where the files may be: the manifest's folder, the current one, and those that contain them.
    folders: Vec<PathBuf>,
}

impl<'a> Elsewhere<'a> {
    /// To be called before the current folder is changed to `base`.
    pub(super) fn new(manifest: &'a Source, base: Option<&'a Path>) -> Self {
        let beside = match manifest {
            Source::File(path) => fs::canonicalize(path).ok(),
            Source::Stdin => None,
        };
        let beside = beside.as_deref().and_then(Path::parent);
        let here = env::current_dir().ok();
        let folders = [beside, here.as_deref()].into_iter().flatten();
        let folders = folders.flat_map(Path::ancestors).map(Path::to_owned);
        Self {
            manifest,
            base,
            folders: folders.collect(),
        }
    }

    /// Prints a hint if nearly all files are missing, of which there were `listed`.
    pub(super) fn hint(&self, missing: &[&Path], listed: usize) {
        // Others are not below the base.
        let missing = missing.iter().filter(|path| path.is_relative());
        let missing: Vec<_> = missing.collect();
        if missing.is_empty() || missing.len() * 10 < listed * 9 {
            return;
        }
        let step = missing.len().div_ceil(SAMPLES);
        let has_most = |folder: &&PathBuf| {
            let samples = missing.iter().step_by(step);
            let found = samples.clone().filter(|path| {
                let path = folder.join(path);
                path.symlink_metadata().is_ok()
            });
            found.count() * 2 > samples.len()
        };
        let base = match self.base {
            Some(base) => Escaped::new(base).to_string(),
            None => "the current folder".into(),
        };
        let manifest = self.manifest;
        match self.folders.iter().find(has_most) {
            Some(folder) => say(format_args!(
                "{manifest}: files were looked for in {base}, but are in another folder; use --base {}",
                Escaped::new(folder)
            )),
            None => say(format_args!(
                "{manifest}: files were looked for in {base}; if they are in another folder, use --base"
            )),
        }
    }
}
