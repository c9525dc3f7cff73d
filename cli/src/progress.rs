// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Progress bars for long work.

use indicatif::{HumanBytes, HumanDuration, ProgressBar, ProgressState, ProgressStyle};
use std::fmt::Write;
use std::io::{self, IsTerminal};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Delay before a bar is shown.
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
            (Self::Bytes, Some(_)) => "{bytes} of {total_bytes} {wide_bar} {rate}, {left} left",
            (Self::Bytes, None) => "{spinner} {bytes}, {rate}, {elapsed}",
            (Self::Files, Some(_)) => "{pos} of {len} files {wide_bar} {rate}, {left} left",
            (Self::Files, None) => "{spinner} {pos} files, {rate}, {elapsed}",
            (Self::FilesFound, _) => "{spinner} {pos} files found, {elapsed}",
        }
    }

    /// Returns the template with the rate and the time left, both computed from the start of the
    /// work.
    ///
    /// indicatif estimates them from the creation of the bar. Here the bar is created later, and
    /// indicatif would count all earlier work as done at once.
    fn style(self, length: Option<u64>) -> ProgressStyle {
        let style = ProgressStyle::with_template(self.template(length));
        let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
        // Writing to the text of a bar does not fail.
        let rate = move |state: &ProgressState, text: &mut dyn Write| {
            let _ = text.write_str(&self.rate(per_second(state.pos(), state.elapsed())));
        };
        let left = |state: &ProgressState, text: &mut dyn Write| {
            let left = left(state.pos(), state.len(), state.elapsed());
            let _ = write!(text, "{:#}", HumanDuration(left));
        };
        style.with_key("rate", rate).with_key("left", left)
    }

    fn rate(self, per_second: u64) -> String {
        match self {
            Self::Bytes => format!("{}/s", HumanBytes(per_second)),
            Self::Files | Self::FilesFound => format!("{per_second}/s"),
        }
    }
}

/// Returns the average rate per second since the work began.
fn per_second(done: u64, elapsed: Duration) -> u64 {
    let rate = u128::from(done) * 1_000_000_000 / elapsed.as_nanos().max(1);
    u64::try_from(rate).unwrap_or(u64::MAX)
}

/// Returns how long the rest takes at that rate.
fn left(done: u64, length: Option<u64>, elapsed: Duration) -> Duration {
    let rest = length.unwrap_or(0).saturating_sub(done);
    let nanoseconds = elapsed.as_nanos() * u128::from(rest) / u128::from(done.max(1));
    Duration::from_nanos(u64::try_from(nanoseconds).unwrap_or(u64::MAX))
}

/// The progress of some work, shown on standard error if that is a terminal, and cleared when
/// dropped. Any number of threads may add to it.
pub(crate) struct Progress {
    unit: Unit,
    length: Option<u64>,
    done: AtomicU64,
    started: Instant,
    bar: OnceLock<ProgressBar>,
    /// Whether a user could see a bar.
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
            // indicatif's maps panic if the system provides no random bytes.
            watched: io::stderr().is_terminal() && getrandom::fill(&mut [0]).is_ok(),
        }
    }

    /// Creates the progress of reading an input. It is not shown if the input is a terminal, where
    /// a user is typing.
    pub(crate) fn of_input(length: Option<u64>, input: &impl IsTerminal) -> Self {
        let mut progress = Self::new(Unit::Bytes, length);
        progress.watched &= !input.is_terminal();
        progress
    }

    pub(crate) fn add(&self, count: usize) {
        let count = count as u64;
        // Files with holes may have 2^64 bytes together.
        self.show(self.done.fetch_add(count, Relaxed).saturating_add(count));
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
        bar.set_style(self.unit.style(self.length));
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

#[cfg(test)]
mod tests {
    use super::*;

    const GIB: u64 = 1 << 30;

    /// This includes the first display, after `PATIENCE`.
    #[test]
    fn the_rate_is_that_since_the_work_began() {
        for tenths in 7..1000 {
            let elapsed = Duration::from_millis(100 * tenths);
            assert_eq!(per_second(tenths * GIB, elapsed), 10 * GIB);
            let left = left(tenths * GIB, Some(1000 * GIB), elapsed);
            assert_eq!(left, Duration::from_millis(100 * (1000 - tenths)));
        }
        // No work, and results too large for a number.
        assert_eq!(per_second(0, Duration::ZERO), 0);
        assert_eq!(per_second(u64::MAX, Duration::from_nanos(1)), u64::MAX);
        assert_eq!(left(0, Some(0), PATIENCE), Duration::ZERO);
        assert_eq!(left(5, None, PATIENCE), Duration::ZERO);
        let longest = Duration::from_nanos(u64::MAX);
        assert_eq!(left(0, Some(u64::MAX), PATIENCE), longest);
    }

    #[test]
    fn rates_in_their_unit() {
        assert_eq!(Unit::Bytes.rate(3 * GIB / 2), "1.50 GiB/s");
        assert_eq!(Unit::Files.rate(1234), "1234/s");
    }
}
