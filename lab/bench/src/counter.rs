// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Measures time in nanoseconds, and in core cycles if the system lets a program count them: study/cycles.h.

use crate::peers::Library;
use std::ffi::{CStr, c_char};
use std::time::Instant;

/// An elapsed time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Elapsed {
    pub(crate) ns: f64,
    pub(crate) cycles: Option<f64>,
}

/// Returns the unit of the printed figures.
pub(crate) fn unit(counts_cycles: bool) -> &'static str {
    if counts_cycles {
        "Cycles"
    } else {
        "Nanoseconds"
    }
}

type Read = unsafe extern "C" fn() -> u64;

/// Measures time. It has the name of the counter of cycles, and the function that reads it.
pub(crate) struct Counter(Option<(&'static str, Read)>);

impl Counter {
    pub(crate) fn open() -> Self {
        Self(Library::open("cycles").and_then(Self::of).unwrap_or(None))
    }

    /// Returns `None` if the library can only count with a constant rate, as in most virtual machines.
    fn of(library: Library) -> Result<Option<(&'static str, Read)>, String> {
        // SAFETY: the types are those in cycles.h, and the name is static.
        let (name, read) = unsafe {
            let open: unsafe extern "C" fn() -> *const c_char = library.function("cycles_open")?;
            (CStr::from_ptr(open()), library.function("cycles_read")?)
        };
        let name = name.to_str().unwrap_or_default();
        Ok(["rdpmc", "perf"].contains(&name).then_some((name, read)))
    }

    pub(crate) fn has_cycles(&self) -> bool {
        self.0.is_some()
    }

    /// Returns the name of the clock: "rdpmc", "perf" or "ns".
    pub(crate) fn clock(&self) -> &'static str {
        self.0.map_or("ns", |(name, _)| name)
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "a sample has less than 2^52 of either"
    )]
    pub(crate) fn time(&self, work: impl FnOnce()) -> Elapsed {
        // SAFETY: `cycles_open` was called.
        let read = || self.0.map(|(_, read)| unsafe { read() });
        let (cycles, started) = (read(), Instant::now());
        work();
        let (ns, now) = (started.elapsed().as_nanos(), read());
        Elapsed {
            ns: ns as f64,
            cycles: cycles
                .zip(now)
                .map(|(from, to)| to.wrapping_sub(from) as f64),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::hint::black_box;

    #[test]
    fn more_work_takes_longer() {
        let counter = Counter::open();
        let spin = |turns: u64| {
            counter.time(|| {
                (0..turns).for_each(|turn| {
                    black_box(turn);
                });
            })
        };
        let (short, long) = (spin(10), spin(10_000_000));
        assert!(short.ns < long.ns);
        if let Some((short, long)) = short.cycles.zip(long.cycles) {
            assert!(short < long);
        }
    }
}
