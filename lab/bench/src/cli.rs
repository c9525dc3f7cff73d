// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The command line.

use crate::compare::cases::{Kind, Lengths};
use crate::group::Group;
use crate::section::Section;
use crate::source_tree::COMPILERS;
use clap::{Args, Parser, Subcommand, value_parser};
use std::path::PathBuf;

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
    /// Measure in this process, and print JSON
    Measure(Measure),

    /// Check all tags against a plain implementation, without measuring
    Check {
        #[command(flatten)]
        peers: Peers,
    },

    /// List the peers with their versions, and those that are missing
    List,

    /// Measure from which length each of Hornet's kernels pays, and propose crossovers
    Tune(Tune),

    /// Build two source trees, check their tags, and print the libraries as JSON
    Pair(Pair),

    /// Measure two libraries in this process, and print JSON
    Compare(Compare),

    /// Map a file, sum its words with all cores, and print the sum
    Read { file: PathBuf },
}

#[derive(Args)]
pub(crate) struct Measure {
    /// Which instructions the peers may use
    #[arg(long, default_value = "best")]
    pub(crate) section: Section,

    /// Measure these groups only [default: all; in the section avx512f: lengths, sweep, batch; in avx2 those, and seal,
    /// open, aead-sweep, packets, aead-batch, evp]
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

    /// Use small inputs in the group edit: a test that it runs, not a measurement
    #[arg(long)]
    pub(crate) small: bool,

    /// Only check tags
    #[arg(long)]
    pub(crate) no_groups: bool,
}

#[derive(Args, Clone)]
pub(crate) struct Peers {
    /// Measure these peers only: names as in `list`, or their first words
    #[arg(long = "peers", value_name = "NAME", value_delimiter = ',')]
    pub(crate) names: Vec<String>,
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

    /// The CPU and the date, for the comments of the proposals
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub(crate) about: String,
}

#[derive(Args)]
pub(crate) struct Pair {
    /// The directories of the two source trees
    pub(crate) base: PathBuf,
    pub(crate) tree: PathBuf,

    /// The directory for the libraries
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,

    /// Build both with these compilers [default: all that are installed]
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = COMPILERS.map(|(name, _)| name))]
    pub(crate) compiler: Vec<String>,

    /// Force this kernel in both
    #[arg(long, value_name = "NAME")]
    pub(crate) kernel: Option<String>,
}

#[derive(Args)]
pub(crate) struct Compare {
    /// The two shared libraries
    pub(crate) base: PathBuf,
    pub(crate) tree: PathBuf,

    /// Load and measure the tree's library first, and not the base's
    #[arg(long)]
    pub(crate) tree_first: bool,

    /// Measure these only [default: both]
    #[arg(long, value_name = "KIND", value_delimiter = ',', default_values = ["calls", "batches"])]
    pub(crate) only: Vec<Kind>,

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

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn is_consistent() {
        Cli::command().debug_assert();
    }
}
