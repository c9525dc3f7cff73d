//! Tells a person who waits how long it will take.

use indicatif::{ProgressBar, ProgressStyle};
use std::fs::File;
use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

/// Work that ends sooner is not worth a bar.
const PATIENCE: Duration = Duration::from_millis(700);

const KNOWN: &str = "{bytes} of {total_bytes} {wide_bar} {bytes_per_sec}, {eta} left";
const UNKNOWN: &str = "{spinner} {bytes}, {bytes_per_sec}, {elapsed}";

/// Progress through a message, on standard error if that is a terminal; cleared when dropped.
pub(crate) struct Progress {
    length: Option<u64>,
    done: u64,
    started: Instant,
    bar: Option<ProgressBar>,
    /// Somebody could see a bar, and is not just typing the message.
    watched: bool,
}

impl Progress {
    pub(crate) fn new(length: Option<u64>, file: &File) -> Self {
        Self {
            length,
            done: 0,
            started: Instant::now(),
            bar: None,
            watched: io::stderr().is_terminal() && !file.is_terminal(),
        }
    }

    /// Counts bytes.
    pub(crate) fn add(&mut self, bytes: usize) {
        self.done += bytes as u64;
        if !self.watched {
            return;
        }
        if self.bar.is_none() && self.started.elapsed() >= PATIENCE {
            self.bar = Some(self.new_bar());
        }
        if let Some(bar) = &self.bar {
            bar.set_position(self.done);
        }
    }

    pub(crate) fn bytes_done(&self) -> u64 {
        self.done
    }

    fn new_bar(&self) -> ProgressBar {
        let (bar, template) = match self.length {
            Some(length) => (ProgressBar::new(length), KNOWN),
            None => (ProgressBar::new_spinner(), UNKNOWN),
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.with_elapsed(self.started.elapsed())
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
