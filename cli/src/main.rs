//! The `hornet` command: Poly1305 tags of files and streams, computed and checked.
//!
//! Exit status: 0 good, 1 tag mismatch, 2 wrong usage or an error of reading or writing.

mod error;
mod info;
mod input;
mod key;
mod mapping;
mod progress;
mod source;

use clap::{Args, Parser, Subcommand};
use error::Error;
use hornet::{Poly1305, Tag, kernel};
use input::Input;
use source::Source;
use std::ffi::OsString;
use std::fmt;
use std::io::{self, Write};
use std::process::ExitCode;
use std::time::Instant;

/// Computes and checks Poly1305 tags (RFC 8439)
///
/// A key is for ONE message: two tags under one key let anyone forge. So there is exactly one INPUT
/// per key; derive a fresh key for each message.
#[derive(Parser)]
#[command(name = "hornet", version, after_long_help = AFTER_HELP)]
struct Cli {
    /// Use this kernel and not the best one; `hornet info` lists them
    #[arg(long, global = true, value_name = "NAME")]
    kernel: Option<OsString>,

    #[command(subcommand)]
    command: Command,
}

const AFTER_HELP: &str = "\
Exit status:
  0  good
  1  the tag does not match
  2  wrong usage, or an error of reading or writing

Environment:
  HORNET_KERNEL  the kernel to use when there is no --kernel";

#[derive(Subcommand)]
enum Command {
    /// Print the tag of INPUT as 32 hexadecimal digits
    Mac(Message),

    /// Check the tag of INPUT
    Verify {
        /// The tag: 32 hexadecimal digits
        #[arg(long, value_name = "HEX")]
        tag: Tag,

        #[command(flatten)]
        message: Message,
    },

    /// Show the version, the CPU's features and the kernels
    Info,
}

#[derive(Args)]
struct Message {
    /// Where the one-time key is: 32 raw bytes or 64 hexadecimal digits; `-` is standard input
    ///
    /// The digits may be of either case and may end in one newline. The file must not be INPUT.
    #[arg(long, value_name = "FILE")]
    key_file: Source,

    /// The one message of this key; `-` is standard input
    ///
    /// Large regular files are mapped into memory, everything else is read as a stream. A file that
    /// changes meanwhile is an error.
    #[arg(default_value = "-")]
    input: Source,

    /// Say on standard error which kernel ran, over how much, and how fast, reading included
    #[arg(short, long)]
    verbose: bool,
}

impl Message {
    /// Reads key and message: all but the end.
    ///
    /// The input is opened first: a key out of a pipe should not be used up for a message that is
    /// not there.
    fn read(&self) -> Result<Poly1305, Error> {
        let mut input = Input::open(&self.input)?;
        let mut poly1305 = Poly1305::new(key::read(&self.key_file, &input)?);
        let started = Instant::now();
        let bytes = input.feed(&mut poly1305)?;
        if self.verbose {
            let seconds = started.elapsed().as_secs_f64();
            #[expect(clippy::cast_precision_loss, reason = "shown with three digits")]
            let gigabytes_per_second = bytes as f64 / seconds / 1e9;
            say(format_args!(
                "{}: {bytes} bytes, kernel {}, {gigabytes_per_second:.3} GB/s",
                self.input,
                kernel::current()
            ));
        }
        Ok(poly1305)
    }
}

fn main() -> ExitCode {
    let result = match Cli::try_parse() {
        Ok(cli) => run(cli),
        Err(usage) => usage
            .print()
            .and_then(|()| io::stdout().flush())
            .map(|()| {
                // Help and the version are such "errors" too.
                let is_error = usage.use_stderr();
                ExitCode::from(if is_error { 2 } else { 0 })
            })
            .map_err(|error| Error::new(&STDOUT, error)),
    };
    result.unwrap_or_else(|error| {
        complain(&error);
        ExitCode::from(2)
    })
}

fn run(cli: Cli) -> Result<ExitCode, Error> {
    let choice = info::Choice::new(cli.kernel)?;
    match cli.command {
        Command::Mac(message) => {
            let tag = message.read()?.finalize();
            print(format_args!("{tag}\n"))?;
        }
        Command::Verify { message, tag } => {
            if let Err(mismatch) = message.read()?.verify(&tag) {
                complain(&Error::new(&message.input, mismatch));
                return Ok(ExitCode::from(1));
            }
            print(format_args!("{}: OK\n", message.input))?;
        }
        Command::Info => print(format_args!("{}", info::Report(&choice)))?,
    }
    Ok(ExitCode::SUCCESS)
}

const STDOUT: &str = "standard output";

/// `print!`, but a closed pipe or a full disk is an error and no panic.
fn print(text: fmt::Arguments) -> Result<(), Error> {
    let mut stdout = io::stdout().lock();
    stdout
        .write_fmt(text)
        .and_then(|()| stdout.flush())
        .map_err(|error| Error::new(&STDOUT, error))
}

fn complain(error: &Error) {
    say(format_args!("{error}"));
}

/// Writes a line to standard error. Where that fails, nobody is left to tell.
fn say(line: fmt::Arguments) {
    let _ = writeln!(io::stderr(), "hornet: {line}");
}
