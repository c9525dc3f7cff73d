//! The command line.

use crate::report::json::Group;
use crate::section::Section;
use clap::{Args, Parser, Subcommand, value_parser};
use std::path::PathBuf;

/// Measures Hornet beside the other Poly1305 libraries
#[derive(Parser)]
#[command(name = "hornet-bench", version, after_long_help = AFTER_HELP)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

const AFTER_HELP: &str = "\
Exit status:
  0  good
  1  Hornet computed a wrong tag
  2  wrong usage, or something that could not be done";

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Measure, and write tables and plots
    Run(Run),

    /// Compare all tags with those of a plain implementation, and measure nothing
    Check {
        #[command(flatten)]
        peers: Peers,
    },

    /// Show the peers, their versions, and those that are missing
    List,

    /// Draw tables and plots anew from the results of a run
    Render {
        /// The .json file that a run has written
        file: PathBuf,

        /// Where to write [default: beside FILE]
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
    },

    /// Find out from which length on each of Hornet's kernels pays
    Tune(Tune),

    #[command(hide = true)]
    Worker(Worker),

    #[command(hide = true)]
    Reader(Reader),
}

#[derive(Args)]
pub(crate) struct Run {
    #[command(flatten)]
    pub(crate) what: What,

    /// What the peers may use
    #[arg(long, value_name = "SECTION", value_delimiter = ',',
          default_values = ["best", "avx2", "avx512f"])]
    pub(crate) sections: Vec<Section>,

    /// How many processes to measure in, one after another
    #[arg(long, value_name = "N", default_value_t = 9, value_parser = value_parser!(u16).range(1..))]
    pub(crate) processes: u16,

    /// Where to write
    #[arg(long, value_name = "DIR", default_value = "results")]
    pub(crate) out: PathBuf,

    /// Put what is measured into these results of an earlier run, in place of the same groups
    #[arg(long, value_name = "FILE.json", conflicts_with = "out")]
    pub(crate) into: Option<PathBuf>,

    /// The `hornet` command, for the groups file and tree
    #[arg(long, value_name = "PATH", default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/../build/hornet"))]
    pub(crate) command: PathBuf,
}

/// What the workers are told, too.
#[derive(Args, Clone)]
pub(crate) struct What {
    /// Measure these only [default: all; where instructions are hidden: lengths, sweep, batch]
    #[arg(long, value_name = "GROUP", value_delimiter = ',')]
    pub(crate) only: Vec<Group>,

    /// Use this kernel of Hornet's and not the best one
    #[arg(long, value_name = "NAME")]
    pub(crate) kernel: Option<String>,

    #[command(flatten)]
    pub(crate) peers: Peers,

    /// How many times each peer has its turn at each length
    #[arg(long, value_name = "N", default_value_t = 41, value_parser = value_parser!(u16).range(1..))]
    pub(crate) rounds: u16,

    /// A short message, small and few files in edit, file and tree: to see that they run, not how fast
    #[arg(long)]
    pub(crate) small: bool,
}

#[derive(Args, Clone)]
pub(crate) struct Peers {
    /// These peers only: names as in `list`, or their first words
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

/// Reads a file with all cores, and adds its words up.
#[derive(Args)]
pub(crate) struct Reader {
    pub(crate) file: PathBuf,

    /// Gives each window of the mapping back when it is read
    #[arg(long)]
    pub(crate) release: bool,
}

#[derive(Args)]
pub(crate) struct Tune {
    /// Whose build of Hornet: gcc or clang
    #[arg(long, value_name = "NAME", default_value = "gcc", value_parser = ["gcc", "clang"])]
    pub(crate) compiler: String,

    /// The longest message
    #[arg(long, value_name = "BYTES", default_value_t = 4096, value_parser = value_parser!(u32).range(16..=1 << 20))]
    pub(crate) longest: u32,

    /// From one length to the next
    #[arg(long, value_name = "BYTES", default_value_t = 16, value_parser = value_parser!(u32).range(1..))]
    pub(crate) step: u32,

    /// How many times each kernel has its turn at each length
    #[arg(long, value_name = "N", default_value_t = 41, value_parser = value_parser!(u16).range(1..))]
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
