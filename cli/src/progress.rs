// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Progress bars for long work.

use indicatif::{ProgressBar, ProgressStyle};
use std::io::{self, IsTerminal};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// A bar is shown after this time.
const PATIENCE: Duration = Duration::from_millis(700);

/// The unit of progress.
#[derive(Clone, Copy)]
pub(crate) enum Unit {
    Bytes,
    Files,
    /// Files found in a search.
    FilesFound,
}

impl Unit {
    fn template(self, length: Option<u64>) -> &'static str {
        match (self, length) {
            (Self::Bytes, Some(_)) => {
                "{bytes} of {total_bytes} {wide_bar} {bytes_per_sec}, {eta} left"
            }
            (Self::Bytes, None) => "{spinner} {bytes}, {bytes_per_sec}, {elapsed}",
            (Self::Files, Some(_)) => "{pos} of {len} files {wide_bar} {per_sec}, {eta} left",
            (Self::Files, None) => "{spinner} {pos} files, {per_sec}, {elapsed}",
            (Self::FilesFound, _) => "{spinner} {pos} files found, {elapsed}",
        }
    }
}

/// The progress of some work, shown on standard error if that is a terminal, and cleared when
/// dropped. Any number of threads may add to it.
pub(crate) struct Progress {
    unit: Unit,
    length: Option<u64>,
    done: AtomicU64,
    started: Instant,
    bar: OnceLock<ProgressBar>,
    /// Whether a person could see a bar.
    watched: bool,
}

impl Progress {
    pub(crate) fn new(unit: Unit, length: Option<u64>) -> Self {
        Self {
            unit,
            length,
            done: AtomicU64::new(0),
            started: Instant::now(),
            bar: OnceLock::new(),
            watched: io::stderr().is_terminal(),
        }
    }

    /// The same for an input: not shown if that is a terminal, where somebody is typing.
    pub(crate) fn of_input(length: Option<u64>, input: &impl IsTerminal) -> Self {
        let mut progress = Self::new(Unit::Bytes, length);
        progress.watched &= !input.is_terminal();
        progress
    }

    pub(crate) fn add(&self, count: usize) {
        let count = count as u64;
        self.show(self.done.fetch_add(count, Relaxed) + count);
    }

    pub(crate) fn done(&self) -> u64 {
        self.done.load(Relaxed)
    }

    fn show(&self, done: u64) {
        if self.watched && self.started.elapsed() >= PATIENCE {
            self.bar.get_or_init(|| self.new_bar()).set_position(done);
        }
    }

    fn new_bar(&self) -> ProgressBar {
        let bar = match self.length {
            Some(length) => ProgressBar::new(length),
            None => ProgressBar::new_spinner(),
        };
        if let Ok(style) = ProgressStyle::with_template(self.unit.template(self.length)) {
            bar.set_style(style);
        }
        bar.with_elapsed(self.started.elapsed())
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = self.bar.get() {
            bar.finish_and_clear();
        }
    }
}
