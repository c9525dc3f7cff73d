// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The options that `tag` and `check` share.

use crate::error::Error;
use crate::tree::holes::Holes;
use clap::Args;
use rayon::{ThreadPool, ThreadPoolBuilder};

#[derive(Args)]
pub(crate) struct Options {
    /// Use N threads, 1 to 1024, instead of one per CPU
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,

    /// Read files instead of mapping them into memory
    ///
    /// Mapping huge files is faster. The tags are the same.
    #[arg(long)]
    pub(super) no_mmap: bool,

    /// Read also the holes of sparse files
    ///
    /// On ext4, XFS, Btrfs and tmpfs, holes of at least 64 KiB are not read otherwise, because they
    /// consist of zeros. The tags are the same.
    #[arg(long)]
    no_holes: bool,
}

impl Options {
    /// Returns how to treat holes.
    pub(crate) fn holes(&self) -> Holes {
        Holes::new(!self.no_holes)
    }

    /// Starts the threads.
    pub(crate) fn pool(&self) -> Result<ThreadPool, Error> {
        ThreadPoolBuilder::new()
            .num_threads(self.threads.unwrap_or(0).into())
            .build()
            .map_err(|error| Error::new(&"threads", error))
    }
}
