// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The crossovers proposed for each kernel, and the current ones.

use crate::peers::Hornet;

/// A kernel that this CPU can run.
pub(super) struct Kernel {
    pub(super) name: String,
    pub(super) takes_batches: bool,
    /// Its current crossovers.
    pub(super) now: usize,
    pub(super) batch_now: Option<usize>,
}

/// Returns the kernels that this CPU can run, best first.
pub(super) fn kernels(library: &Hornet, tuning: &Hornet) -> Result<Vec<Kernel>, String> {
    let now = library.kernels();
    let of_this_cpu = tuning.kernels().into_iter();
    let of_this_cpu = of_this_cpu.filter(|kernel| kernel.supported);
    let kernels = of_this_cpu.map(|kernel| {
        let same = now.iter().find(|other| other.name == kernel.name);
        let same = same.ok_or_else(|| format!("{} is only in the tuning build", kernel.name))?;
        Ok(Kernel {
            name: kernel.name,
            takes_batches: kernel.min_batch_bytes.is_some(),
            now: same.min_bytes,
            batch_now: same.min_batch_bytes,
        })
    });
    kernels.collect()
}

/// Returns the current batch crossovers of the kernels that support batches. A kernel that does not, but handles all
/// lengths, ends the list: messages that reach it are computed one by one.
pub(super) fn present_for_batches(kernels: &[Kernel]) -> Vec<Option<usize>> {
    let serves_alone = |kernel: &Kernel| !kernel.takes_batches && kernel.now == 0;
    let end = kernels.iter().position(serves_alone);
    kernels
        .iter()
        .enumerate()
        .filter(|(_, kernel)| kernel.takes_batches)
        .map(|(at, kernel)| kernel.batch_now.filter(|_| end.is_none_or(|end| at < end)))
        .collect()
}

/// The crossovers of a kernel.
pub(super) struct Proposal {
    pub(super) kernel: String,
    pub(super) min_bytes: Crossover,
    /// `None` if the kernel does not support batches.
    pub(super) min_batch_bytes: Option<Crossover>,
}

/// The length from which a kernel is used; `None` means never.
#[derive(Debug, PartialEq)]
pub(super) struct Crossover {
    pub(super) proposed: Option<usize>,
    /// The longest length measured.
    pub(super) longest: usize,
    pub(super) now: Option<usize>,
}

/// The crossovers found for the columns of a table.
pub(super) struct Found<'a> {
    pub(super) columns: &'a [&'a str],
    pub(super) crossovers: &'a [Option<usize>],
    pub(super) longest: usize,
}

impl Found<'_> {
    /// Returns `None` if the kernel has no column.
    fn crossover(&self, kernel: &str, now: Option<usize>) -> Option<Crossover> {
        let at = self.columns.iter().position(|column| *column == kernel)?;
        Some(Crossover {
            proposed: self.crossovers[at],
            longest: self.longest,
            now,
        })
    }
}

/// Returns the proposals for all kernels that were measured with single messages.
pub(super) fn proposals(kernels: &[Kernel], calls: &Found, batches: &Found) -> Vec<Proposal> {
    let proposal = |kernel: &Kernel| {
        Some(Proposal {
            kernel: kernel.name.clone(),
            min_bytes: calls.crossover(&kernel.name, Some(kernel.now))?,
            min_batch_bytes: batches.crossover(&kernel.name, kernel.batch_now),
        })
    };
    kernels.iter().filter_map(proposal).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kernel(name: &str, now: usize, batch_now: Option<usize>) -> Kernel {
        Kernel {
            name: name.into(),
            takes_batches: name != "scalar",
            now,
            batch_now,
        }
    }

    #[test]
    fn present_crossovers_for_batches() {
        let list = [
            kernel("wide", 640, Some(1)),
            kernel("never", 112, None),
            kernel("scalar", 0, None),
            kernel("portable", 0, Some(0)),
        ];
        assert_eq!(present_for_batches(&list), [Some(1), None, None]);
        assert_eq!(present_for_batches(&list[..2]), [Some(1), None]);
        assert_eq!(present_for_batches(&list[3..]), [Some(0)]);
    }

    #[test]
    fn each_kernel_gets_what_was_found_for_it() {
        let kernels = [
            kernel("wide", 640, Some(0)),
            kernel("scalar", 0, None),
            kernel("narrow", 48, None),
        ];
        let calls = Found {
            columns: &["wide", "scalar", "narrow"],
            crossovers: &[Some(512), Some(0), None],
            longest: 4096,
        };
        let batches = Found {
            columns: &["wide", "narrow", "alone"],
            crossovers: &[Some(16), Some(64), Some(0)],
            longest: 1024,
        };
        let proposals = proposals(&kernels, &calls, &batches);
        let names: Vec<&str> = proposals.iter().map(|proposal| &*proposal.kernel).collect();
        assert_eq!(names, ["wide", "scalar", "narrow"]);
        let of_calls = |at: usize| {
            let Crossover {
                proposed,
                longest,
                now,
            } = proposals[at].min_bytes;
            (proposed, longest, now)
        };
        assert_eq!(of_calls(0), (Some(512), 4096, Some(640)));
        assert_eq!(of_calls(1), (Some(0), 4096, Some(0)));
        assert_eq!(of_calls(2), (None, 4096, Some(48)));
        let of_batches = |at: usize| proposals[at].min_batch_bytes.as_ref();
        let crossover = |proposed, now| Crossover {
            proposed,
            longest: 1024,
            now,
        };
        assert_eq!(of_batches(0), Some(&crossover(Some(16), Some(0))));
        assert_eq!(of_batches(1), None);
        assert_eq!(of_batches(2), Some(&crossover(Some(64), None)));
    }
}
