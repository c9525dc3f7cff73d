// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Measures each kernel at one length: single messages and batches.

use crate::counter::Counter;
use crate::inputs::Inputs;
use crate::measure::{Iterations, Measured, Plan, Subject, measure};
use crate::peers::{BatchCalls, Hornet, Peer};

/// The number of messages in a batch, and of keys that single messages use in turn.
const MESSAGES: usize = 64;

/// The two builds, and how they are measured.
pub(super) struct Bench<'a> {
    /// The library itself, with its automatic choice.
    pub(super) library: &'a Hornet,
    /// The build in which a forced kernel handles messages of every length.
    pub(super) tuning: &'a Hornet,
    pub(super) counter: Counter,
    pub(super) rounds: usize,
}

impl Bench<'_> {
    /// Measures single messages of that length: first with the library itself, to which the ratios refer, then with
    /// each of the kernels.
    pub(super) fn calls(&self, kernels: &[&str], len_bytes: usize) -> Vec<Measured> {
        let mut inputs = Inputs::new(len_bytes, MESSAGES);
        let calls = inputs.in_turn(0, len_bytes, MESSAGES);
        let library = Subject::new("", |iterations| self.library.run(&calls, iterations));
        let forced = kernels
            .iter()
            .map(|kernel| self.forced(kernel, |iterations| self.tuning.run(&calls, iterations)));
        self.measure([library].into_iter().chain(forced), 1)
    }

    /// The same for messages in a batch; the last result is one call per message, with the kernel `alone`.
    pub(super) fn batches(&self, kernels: &[&str], alone: &str, len_bytes: usize) -> Vec<Measured> {
        let mut inputs = Inputs::new(len_bytes * MESSAGES, MESSAGES);
        let calls = inputs.side_by_side(&[len_bytes; MESSAGES]);
        let batch = BatchCalls::shared(&calls);
        let run = |hornet: &Hornet, iterations| hornet.core.run_batches(&batch, iterations);
        let library = Subject::new("", |iterations| run(self.library, iterations));
        let forced = kernels
            .iter()
            .map(|kernel| self.forced(kernel, |iterations| run(self.tuning, iterations)));
        let alone = self.forced(alone, |iterations| self.tuning.run(&calls, iterations));
        let all = [library].into_iter().chain(forced).chain([alone]);
        self.measure(all, MESSAGES)
    }

    fn forced<'b>(&'b self, kernel: &'b str, run: impl FnMut(usize) + 'b) -> Subject<'b> {
        Subject::new(kernel, run).prepared_by(move || {
            let _ = self.tuning.core.force(Some(kernel)); // this CPU can run it
        })
    }

    fn measure<'b>(
        &self,
        subjects: impl Iterator<Item = Subject<'b>>,
        step: usize,
    ) -> Vec<Measured> {
        let plan = Plan {
            rounds: self.rounds,
            iterations: Iterations::MultipleOf(step),
        };
        measure(&self.counter, &mut subjects.collect::<Vec<_>>(), plan)
    }
}
