// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The command line.

use crate::compare::cases::{Kind, Lengths};
use crate::group::Group;
use crate::section::Section;
use crate::source_tree::COMPILERS;
use clap::{Args, Parser, Subcommand, value_parser};
use std::path::PathBuf;
use std::process;

/// Measures Hornet and the other libraries for Poly1305 and ChaCha20-Poly1305
#[derive(Parser)]
#[command(name = "hornet-bench", version, after_long_help = AFTER_HELP)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

const AFTER_HELP: &str = "\
Exit status:
  0  success
  1  Hornet computed a wrong tag
  2  wrong usage, or any other error";

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Measure, and write tables and plots
    Run(Run),

    /// Check all tags against a plain implementation, without measuring
    Check {
        #[command(flatten)]
        peers: Peers,
    },

    /// List the peers with their versions, and those that are missing
    List,

    /// Render tables and plots from the results of a run
    Render {
        /// The .json file that a run wrote
        file: PathBuf,

        /// The output directory [default: that of FILE]
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
    },

    /// Measure from which length each of Hornet's kernels pays, and propose crossovers
    Tune(Tune),

    /// Compare the speed of this tree's library with that of another source tree
    Compare(Compare),

    #[command(hide = true)]
    CompareWorker(CompareWorker),

    #[command(hide = true)]
    Worker(Worker),

    #[command(hide = true)]
    Reader(Reader),
}

#[derive(Args)]
pub(crate) struct Run {
    #[command(flatten)]
    pub(crate) what: What,

    /// Which instructions the peers may use
    #[arg(long, value_name = "SECTION", value_delimiter = ',',
          default_values = ["best", "avx2", "avx512f"])]
    pub(crate) sections: Vec<Section>,

    /// The number of processes, run one after another; figures are medians over them
    #[arg(long, value_name = "N", default_value_t = 9, value_parser = value_parser!(u16).range(1..))]
    pub(crate) processes: u16,

    /// The output directory
    #[arg(long, value_name = "DIR", default_value = "results")]
    pub(crate) out: PathBuf,

    /// Replace the groups that are measured in these results of an earlier run
    #[arg(long, value_name = "FILE.json", conflicts_with = "out")]
    pub(crate) into: Option<PathBuf>,

    /// The path of the `hornet` command, for the groups file and tree [default: build/hornet in this tree]
    #[arg(long, value_name = "PATH", hide_default_value = true,
          default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/../build/hornet"))]
    pub(crate) command: PathBuf,
}

/// Options that are passed on to the worker processes.
#[derive(Args, Clone)]
pub(crate) struct What {
    /// Measure these groups only [default: all; in the section avx512f: lengths, sweep, batch; in
    /// avx2 those, and seal, open, aead-sweep, packets, aead-batch, evp]
    #[arg(long, value_name = "GROUP", value_delimiter = ',')]
    pub(crate) only: Vec<Group>,

    /// Force this kernel of Hornet
    #[arg(long, value_name = "NAME")]
    pub(crate) kernel: Option<String>,

    /// Force this kernel of Hornet's ChaCha20
    #[arg(long, value_name = "NAME")]
    pub(crate) chacha20_kernel: Option<String>,

    #[command(flatten)]
    pub(crate) peers: Peers,

    /// The number of samples of each peer at each length
    #[arg(long, value_name = "N", default_value_t = 41, value_parser = value_parser!(u16).range(1..))]
    pub(crate) rounds: u16,

    /// Use small inputs in the groups edit, file and tree: a test that they run, not a measurement
    #[arg(long)]
    pub(crate) small: bool,
}

#[derive(Args, Clone)]
pub(crate) struct Peers {
    /// Measure these peers only: names as in `list`, or their first words
    #[arg(long = "peers", value_name = "NAME", value_delimiter = ',')]
    pub(crate) names: Vec<String>,
}

#[derive(Args)]
pub(crate) struct Worker {
    #[command(flatten)]
    pub(crate) what: What,

    #[arg(long)]
    pub(crate) section: Section,
}

/// Reads a file with all cores, and sums its words.
#[derive(Args)]
pub(crate) struct Reader {
    pub(crate) file: PathBuf,

    /// Unmap the pages of each window after it was read
    #[arg(long)]
    pub(crate) release: bool,
}

#[derive(Args)]
pub(crate) struct Tune {
    /// The compiler whose build of Hornet is measured
    #[arg(long, value_name = "NAME", default_value = "gcc", value_parser = COMPILERS.map(|(name, _)| name))]
    pub(crate) compiler: String,

    /// The longest message; in batches, at most 8192 bytes
    #[arg(long, value_name = "BYTES", default_value_t = 65536, value_parser = value_parser!(u32).range(16..=1 << 20))]
    pub(crate) longest: u32,

    /// The distance between lengths up to 1024 bytes, preferably odd, so that messages end anywhere within a block;
    /// above, lengths grow by an eighth
    #[arg(long, value_name = "BYTES", default_value_t = 13, value_parser = value_parser!(u32).range(1..))]
    pub(crate) step: u32,

    /// The number of samples of each kernel at each length
    #[arg(long, value_name = "N", default_value_t = 41, value_parser = value_parser!(u16).range(1..))]
    pub(crate) rounds: u16,
}

#[derive(Args)]
pub(crate) struct Compare {
    /// The directory of the source tree to compare with
    #[arg(value_name = "BASE")]
    pub(crate) base: PathBuf,

    /// The directory of the source tree that is compared with it [default: this tree]
    #[arg(value_name = "TREE")]
    pub(crate) tree: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) what: CompareWhat,

    /// Build both with these compilers [default: all that are installed]
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = COMPILERS.map(|(name, _)| name))]
    pub(crate) compiler: Vec<String>,

    /// The number of processes for each compiler: even, because each library is measured first in half of them
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = even)]
    pub(crate) processes: u16,

    /// Write all results to this file, replacing it
    #[arg(long, value_name = "FILE.json|FILE.csv")]
    pub(crate) out: Option<PathBuf>,
}

fn even(text: &str) -> Result<u16, String> {
    let number: u16 = text.parse().map_err(|error| format!("{error}"))?;
    if number == 0 || number % 2 == 1 {
        return Err("must be an even number, at least 2".into());
    }
    Ok(number)
}

/// Options that are passed on to the worker processes.
#[derive(Args)]
pub(crate) struct CompareWhat {
    /// Measure these only [default: both]
    #[arg(long, value_name = "KIND", value_delimiter = ',')]
    only: Vec<Kind>,

    /// Measure messages of these lengths only, A and B included, and no batches of random lengths
    #[arg(long, value_name = "A..B")]
    pub(crate) lengths: Option<Lengths>,

    /// Force this kernel in both
    #[arg(long, value_name = "NAME")]
    pub(crate) kernel: Option<String>,

    /// The number of samples of each library at each length
    #[arg(long, value_name = "N", default_value_t = 11, value_parser = value_parser!(u16).range(1..))]
    pub(crate) rounds: u16,
}

impl CompareWhat {
    pub(crate) fn kinds(&self) -> Vec<Kind> {
        if self.only.is_empty() {
            Kind::ALL.to_vec()
        } else {
            self.only.clone()
        }
    }

    /// Adds the same options to a worker's command line.
    pub(crate) fn pass_on(&self, command: &mut process::Command) {
        command.args(["--rounds", &self.rounds.to_string()]);
        for kind in &self.only {
            command.args(["--only", kind.name()]);
        }
        if let Some(lengths) = self.lengths {
            command.args(["--lengths", &lengths.to_string()]);
        }
        if let Some(kernel) = &self.kernel {
            command.args(["--kernel", kernel]);
        }
    }
}

#[derive(Args)]
pub(crate) struct CompareWorker {
    #[command(flatten)]
    pub(crate) what: CompareWhat,

    /// The two shared libraries
    #[arg(long)]
    pub(crate) base: PathBuf,

    #[arg(long)]
    pub(crate) tree: PathBuf,

    /// Load and measure the tree's library first, and not the base's
    #[arg(long)]
    pub(crate) tree_first: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn is_consistent() {
        Cli::command().debug_assert();
    }
}
