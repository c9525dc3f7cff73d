// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The `hornet-bench` command: measures Hornet and the other libraries for Poly1305 and ChaCha20-Poly1305, and prints the
//! measurements as JSON. `measure.py` runs it several times, and makes tables and figures from what it prints.
//!
//! Exit status: 0 success, 1 Hornet computed a wrong tag, 2 wrong usage or any other error.

mod built;
mod call;
mod check;
mod check_aead;
mod cli;
mod compare;
mod console;
mod counter;
mod error;
mod group;
mod groups;
mod inputs;
mod json;
mod measure;
mod memory;
mod packets;
mod peers;
mod reader;
mod reference;
mod section;
mod source_tree;
mod stats;
mod tune;
mod worker;

use clap::Parser;
use cli::{Cli, Command};
use std::process::ExitCode;

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Measure(arguments) => worker::run(&arguments),
        Command::Check { peers } => worker::check(&peers),
        Command::List => worker::list(),
        Command::Tune(arguments) => tune::run(&arguments),
        Command::Pair(arguments) => compare::build(&arguments),
        Command::Compare(arguments) => compare::run(&arguments),
        Command::Read { file } => reader::run(&file),
    };
    result.unwrap_or_else(|error| {
        console::say(format_args!("{error}"));
        ExitCode::from(2)
    })
}
