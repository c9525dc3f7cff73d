//! Times several things side by side.
//!
//! A machine's speed drifts with what else runs on it, by a half and more, but slowly. So all subjects take turns, a
//! sample of some ten microseconds each, and what is compared is samples of the same round. The ratio of two
//! subjects is the median over the rounds of the ratios in each; it holds still where times do not.

use crate::counter::{Counter, Elapsed};
use crate::stats::median;

/// Something that is timed.
pub(crate) struct Subject<'a> {
    pub(crate) name: String,
    /// Brings everything into the state that is measured. It is not timed. If there is a warm-up, that comes after.
    pub(crate) prepare: Box<dyn FnMut() + 'a>,
    /// Does it that many times: a multiple of the plan's `multiple_of`.
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

/// How often.
#[derive(Clone, Copy)]
pub(crate) struct Plan {
    /// How many samples of each subject.
    pub(crate) rounds: usize,
    /// How many times a sample does it.
    pub(crate) iterations: Iterations,
}

#[derive(Clone, Copy)]
pub(crate) enum Iterations {
    /// As often as fills 15 microseconds: a thousand times what the clock costs, and short enough that little gets in
    /// between. A multiple of this.
    MultipleOf(usize),
    /// Just so often, without a warm-up.
    Exactly(usize),
}

const SAMPLE_NS: f64 = 15_000.0;

/// Medians of one subject over all rounds, for doing it once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Measured {
    pub(crate) ns: f64,
    pub(crate) cycles: Option<f64>,
    /// To the time of the first subject.
    pub(crate) ratio: f64,
}

/// Measures all subjects, in their order.
pub(crate) fn measure(counter: &Counter, subjects: &mut [Subject], plan: Plan) -> Vec<Measured> {
    let iterations: Vec<usize> = subjects
        .iter_mut()
        .map(|subject| match plan.iterations {
            Iterations::Exactly(iterations) => iterations,
            Iterations::MultipleOf(step) => iterations_for(counter, subject, step),
        })
        .collect();
    let mut samples = vec![Vec::with_capacity(plan.rounds); subjects.len()];
    for round in 0..plan.rounds {
        for turn in 0..subjects.len() {
            // Each goes first at times. Who comes before whom never changes, but the warm-up lies in between.
            let which = (round + turn) % subjects.len();
            let (subject, count) = (&mut subjects[which], iterations[which]);
            (subject.prepare)();
            if let Iterations::MultipleOf(step) = plan.iterations {
                (subject.run)((count / 8).next_multiple_of(step));
            }
            clear_upper_halves();
            let elapsed = counter.time(|| (subject.run)(count));
            samples[which].push(once(elapsed, count));
        }
    }
    summarize(&samples)
}

/// Whoever ran before may have left values in the upper halves of the vector registers. On some CPUs that slows down
/// code with SSE instructions, which here would be somebody else's.
fn clear_upper_halves() {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx") {
        // SAFETY: the CPU has AVX; a function's caller expects nothing in these registers.
        unsafe { std::arch::x86_64::_mm256_zeroupper() };
    }
}

/// How many iterations fill a sample.
fn iterations_for(counter: &Counter, subject: &mut Subject, step: usize) -> usize {
    let mut count = step;
    (subject.prepare)();
    (subject.run)(count); // the first time takes longer
    loop {
        (subject.prepare)();
        let ns = counter.time(|| (subject.run)(count)).ns;
        if ns >= SAMPLE_NS / 2.0 {
            #[expect(
                clippy::cast_precision_loss,
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "some thousands at most"
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

/// One list of samples for each subject; equal indexes are of one round.
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

    #[test]
    fn ratios_are_of_one_round() {
        let samples = |times: [f64; 3]| times.map(|ns| Elapsed { ns, cycles: None }).to_vec();
        // The machine gets slower and slower; the second takes twice as long all the time.
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
}
