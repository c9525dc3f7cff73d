// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The `hornet-bench` command: measures Hornet and the other libraries for Poly1305 and ChaCha20-Poly1305.
//!
//! Exit status: 0 success, 1 Hornet computed a wrong tag, 2 wrong usage or any other error.

mod built;
mod call;
mod check;
mod check_aead;
mod cli;
mod commands;
mod compare;
mod console;
mod counter;
mod cpu;
mod error;
mod files;
mod group;
mod groups;
mod inputs;
mod measure;
mod memory;
mod packets;
mod peers;
mod reference;
mod report;
mod run;
mod scratch;
mod section;
mod source_tree;
mod stats;
mod subprocess;
mod sum;
mod tune;
mod worker;

use clap::Parser;
use cli::{Cli, Command};
use std::process::ExitCode;

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Run(arguments) => run::run(&arguments),
        Command::Check { peers } => run::check(&peers),
        Command::List => run::list(),
        Command::Render { file, out } => run::render(&file, out.as_deref()),
        Command::Tune(arguments) => tune::run(&arguments),
        Command::Compare(arguments) => compare::run(&arguments),
        Command::CompareWorker(what) => compare::work(&what),
        Command::Worker(what) => worker::run(&what),
        Command::Reader(what) => commands::read(&what),
    };
    result.unwrap_or_else(|error| {
        console::say(format_args!("{error}"));
        ExitCode::from(2)
    })
}
