//! The `hornet-bench` command: Hornet beside the other Poly1305 libraries, for anyone to repeat.
//!
//! Exit status: 0 good, 1 Hornet computed a wrong tag, 2 wrong usage or something that could not be done.

mod call;
mod check;
mod cli;
mod commands;
mod counter;
mod cpu;
mod error;
mod groups;
mod measure;
mod memory;
mod peers;
mod reference;
mod report;
mod run;
mod section;
mod stats;
mod sum;
mod tune;
mod worker;

/// What the build script found out.
mod built {
    include!(concat!(env!("OUT_DIR"), "/built.rs"));
}

use clap::Parser;
use cli::{Cli, Command};
use error::Error;
use std::io::{self, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Run(arguments) => run::run(&arguments),
        Command::Check { peers } => run::check(&peers),
        Command::List => run::list(),
        Command::Render { file, out } => run::render(&file, out.as_deref()),
        Command::Tune(arguments) => tune::run(&arguments),
        Command::Worker(what) => worker::run(&what),
        Command::Reader(what) => commands::read(&what),
    };
    result.unwrap_or_else(|error| {
        say(format_args!("{error}"));
        ExitCode::from(2)
    })
}

/// `print!`, but a closed pipe or a full disk is an error and no panic.
fn print(text: impl std::fmt::Display) -> Result<(), Error> {
    let mut stdout = io::stdout().lock();
    write!(stdout, "{text}")
        .and_then(|()| stdout.flush())
        .map_err(|error| Error::new("standard output", error))
}

/// Writes a line to standard error. Where that fails, nobody is left to tell.
fn say(line: std::fmt::Arguments) {
    let _ = writeln!(io::stderr(), "hornet-bench: {line}");
}
