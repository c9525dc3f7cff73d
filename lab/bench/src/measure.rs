// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Measures several subjects in turn.
//!
//! The speed of a machine varies with its load, by half and more, but slowly. So the subjects alternate, with samples
//! of some ten microseconds, and only samples of the same round are compared. The ratio of two subjects is the median
//! over the rounds of the ratios within each, which is stable even where times are not.

use crate::counter::{Counter, Elapsed};
use crate::stats::median;

/// Something that is timed.
pub(crate) struct Subject<'a> {
    pub(crate) name: String,
    /// Runs before each sample and its warm-up, if there is a warm-up. Not timed.
    pub(crate) prepare: Box<dyn FnMut() + 'a>,
    /// Runs the subject the given number of times, a multiple of the plan's step.
    pub(crate) run: Box<dyn FnMut(usize) + 'a>,
}

impl<'a> Subject<'a> {
    pub(crate) fn new(name: &str, run: impl FnMut(usize) + 'a) -> Self {
        Self {
            name: name.to_owned(),
            prepare: Box::new(|| ()),
            run: Box::new(run),
        }
    }

    pub(crate) fn prepared_by(mut self, prepare: impl FnMut() + 'a) -> Self {
        self.prepare = Box::new(prepare);
        self
    }
}

/// The number and the length of the samples.
#[derive(Clone, Copy)]
pub(crate) struct Plan {
    /// The number of samples of each subject.
    pub(crate) rounds: usize,
    /// The number of iterations in a sample.
    pub(crate) iterations: Iterations,
}

#[derive(Clone, Copy)]
pub(crate) enum Iterations {
    /// The number that takes 15 microseconds, rounded up to a multiple of this value: a thousand times as long as
    /// reading the clock, and short enough to be rarely interrupted.
    MultipleOf(usize),
    /// Like `MultipleOf`, but with the same number for all subjects.
    SameMultipleOf(usize),
    /// Exactly this number, without a warm-up.
    Exactly(usize),
}

const SAMPLE_NS: f64 = 15_000.0;

/// One subject's medians over all rounds, per iteration.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Measured {
    pub(crate) ns: f64,
    pub(crate) cycles: Option<f64>,
    /// The ratio to the time of the first subject.
    pub(crate) ratio: f64,
}

/// Measures all subjects, and returns the results in the same order.
pub(crate) fn measure(counter: &Counter, subjects: &mut [Subject], plan: Plan) -> Vec<Measured> {
    let mut iterations: Vec<usize> = subjects
        .iter_mut()
        .map(|subject| match plan.iterations {
            Iterations::Exactly(iterations) => iterations,
            Iterations::MultipleOf(step) | Iterations::SameMultipleOf(step) => {
                iterations_for(counter, subject, step)
            }
        })
        .collect();
    if let Iterations::SameMultipleOf(step) = plan.iterations {
        let most = iterations.iter().copied().max().unwrap_or(step);
        iterations.fill(most);
    }
    let mut samples = vec![Vec::with_capacity(plan.rounds); subjects.len()];
    for round in 0..plan.rounds {
        for turn in 0..subjects.len() {
            // Rotates the subject that comes first. The predecessor of a subject is always the same, but the warm-up
            // separates the two.
            let which = (round + turn) % subjects.len();
            let (subject, count) = (&mut subjects[which], iterations[which]);
            (subject.prepare)();
            if let Iterations::MultipleOf(step) | Iterations::SameMultipleOf(step) = plan.iterations
            {
                (subject.run)((count / 8).next_multiple_of(step));
            }
            clear_upper_halves();
            let elapsed = counter.time(|| (subject.run)(count));
            samples[which].push(once(elapsed, count));
        }
    }
    summarize(&samples)
}

/// Clears the upper halves of the vector registers. If the previous subject left values in them, some CPUs would slow
/// down the SSE instructions of the next one.
fn clear_upper_halves() {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx") {
        // SAFETY: the CPU has AVX, and these registers are caller-saved.
        unsafe { std::arch::x86_64::_mm256_zeroupper() };
    }
}

/// Returns the number of iterations that fill a sample.
fn iterations_for(counter: &Counter, subject: &mut Subject, step: usize) -> usize {
    let mut count = step;
    (subject.prepare)();
    (subject.run)(count); // the first run is slower
    loop {
        (subject.prepare)();
        let ns = counter.time(|| (subject.run)(count)).ns;
        if ns >= SAMPLE_NS / 2.0 {
            #[expect(
                clippy::cast_precision_loss,
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a few thousand at most"
            )]
            let filling = (count as f64 * SAMPLE_NS / ns) as usize;
            return filling.max(1).next_multiple_of(step);
        }
        count *= 2;
    }
}

fn once(elapsed: Elapsed, count: usize) -> Elapsed {
    #[expect(clippy::cast_precision_loss, reason = "far fewer than 2^52")]
    let count = count as f64;
    Elapsed {
        ns: elapsed.ns / count,
        cycles: elapsed.cycles.map(|cycles| cycles / count),
    }
}

/// Takes one list of samples per subject; equal indexes belong to the same round.
fn summarize(samples: &[Vec<Elapsed>]) -> Vec<Measured> {
    let middle = |values: Vec<f64>| median(&values).unwrap_or(f64::NAN);
    samples
        .iter()
        .map(|own| {
            let cycles: Option<Vec<f64>> = own.iter().map(|sample| sample.cycles).collect();
            let pairs = own.iter().zip(&samples[0]);
            Measured {
                ns: middle(own.iter().map(|sample| sample.ns).collect()),
                cycles: cycles.map(middle),
                ratio: middle(pairs.map(|(own, first)| own.ns / first.ns).collect()),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;
    use std::time::{Duration, Instant};

    #[test]
    fn ratios_are_of_one_round() {
        let samples = |times: [f64; 3]| times.map(|ns| Elapsed { ns, cycles: None }).to_vec();
        // The machine slows down, but the second subject always takes twice as long.
        let measured = summarize(&[samples([1.0, 10.0, 100.0]), samples([2.0, 20.0, 200.0])]);
        assert_eq!((measured[0].ns, measured[0].ratio), (10.0, 1.0));
        assert_eq!((measured[1].ns, measured[1].ratio), (20.0, 2.0));
        assert_eq!(measured[1].cycles, None);
    }

    #[test]
    fn subjects_take_turns() {
        let log = RefCell::new(String::new());
        let subject = |name: &'static str| {
            Subject::new(name, |count| {
                assert_eq!(count, 3);
                log.borrow_mut().push_str(name);
            })
            .prepared_by(|| log.borrow_mut().push('.'))
        };
        let plan = Plan {
            rounds: 3,
            iterations: Iterations::Exactly(3),
        };
        let mut subjects = [subject("a"), subject("b")];
        assert_eq!(measure(&Counter::open(), &mut subjects, plan).len(), 2);
        drop(subjects);
        assert_eq!(log.into_inner(), ".a.b.b.a.a.b");
    }

    #[test]
    fn the_same_number_for_all() {
        let counts = RefCell::new([0; 2]);
        let taking = |which: usize, ns: u64| {
            let counts = &counts;
            Subject::new("", move |count| {
                counts.borrow_mut()[which] = count; // the last run is a sample
                let started = Instant::now();
                while started.elapsed() < Duration::from_nanos(ns * count as u64) {}
            })
        };
        let plan = Plan {
            rounds: 2,
            iterations: Iterations::SameMultipleOf(4),
        };
        let mut subjects = [taking(0, 500), taking(1, 5000)];
        measure(&Counter::open(), &mut subjects, plan);
        drop(subjects);
        let [fast, slow] = counts.into_inner();
        assert_eq!(fast, slow);
        assert_eq!(fast % 4, 0);
    }
}
