// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The command: its arguments, and one file for each subcommand.

mod bound;
mod cat;
mod check;
mod checking;
mod elsewhere;
mod examples;
mod extra;
mod generate;
mod given;
mod info;
mod keeping;
mod keygen;
mod mac;
mod open;
mod opened;
mod options;
mod partly;
mod retag;
mod seal;
mod sealing;
mod sections;
mod tag;

use crate::error::Error;
use crate::harden;
use crate::kernel_choice::Choice;
use crate::output;
use crate::stdio;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use generate::Generate;
use std::env;
use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::process::ExitCode;

/// Compute and verify Poly1305 tags of files and messages
///
/// The commands 'keygen', 'tag' and 'check' handle any number of files under one key (Poly1305-AES);
/// the key file counts the nonces. The commands 'mac' and 'verify' take a one-time key (RFC 8439) for
/// ONE message: two tags under the same key let anyone forge. Derive a fresh key for each message.
#[derive(Parser)]
#[command(name = "hornet", version = hornet::version(), after_long_help = help())]
struct Cli {
    /// Use this kernel instead of the best one; 'hornet info' lists the kernels
    ///
    /// All kernels compute the same tags.
    #[arg(
        long,
        global = true,
        value_name = "NAME",
        hide_short_help = true,
        help_heading = "Advanced options"
    )]
    kernel: Option<OsString>,

    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Create a key file for 'tag' and 'check'
    ///
    /// The file has mode 0600 and holds a random key and the counter of its nonces.
    #[command(after_long_help = examples::help("keygen"))]
    Keygen(keygen::Keygen),

    /// Tag files, including all files in folders, and print a manifest
    ///
    /// Each file gets a nonce and the Poly1305-AES tag of its content. The last line authenticates
    /// the manifest itself. docs/manifest.md describes the format.
    ///
    /// A file that cannot be read, or whose length, modification time or change time changes while it
    /// is read, is reported and listed in the manifest as unread; docs/manifest.md says which changes
    /// that misses. The key file and MANIFEST are never tagged, whatever link or mount leads to them.
    ///
    /// The exit status is 0 if all files were tagged, and 2 if some could not be read or no manifest
    /// was written.
    #[command(after_long_help = examples::help("tag"))]
    Tag(tag::TagFiles),

    /// Check files against a manifest
    ///
    /// Paths are resolved in the current folder, or in the folder given with --base. Standard error
    /// shows when the manifest was sealed, and a warning if the key has since been used for at least
    /// as many tags as a newer manifest would take.
    ///
    /// A manifest that was changed, truncated or made with another key is refused as a whole, with
    /// exit status 1, as is a file that is not a manifest. For each file, prints OK, CHANGED, MISSING,
    /// EXTRA, UNREAD (listed as such in the manifest) or UNREADABLE.
    ///
    /// With --parts and --range, verifies only the segments of a file that have given bytes, and reads no
    /// others.
    ///
    /// The exit status is 0 if all files are OK, 1 if some differ or the manifest is refused, and 2
    /// if some cannot be read.
    #[command(after_long_help = examples::help("check"))]
    Check(check::Check),

    /// Make a new manifest and new parts, reading only what changed
    ///
    /// Takes a manifest and the parts file beside it, made by 'hornet tag --parts', and replaces both.
    /// Reads as a whole new files and those whose length or times differ; reads in part files of which
    /// --ranges or --appended says what has changed; does not read others, whose lines stay. A changed
    /// file gets a new nonce. Searches the folders that were given to 'hornet tag' for new files, with the
    /// same exclusions; paths are resolved in the current folder.
    ///
    /// Prints for each file that is not as it was NEW, CHANGED, SAME (read, and as it was), REMOVED or
    /// UNREAD; then how many bytes were read, and how many were not and on what word they are trusted.
    /// What is read is trusted as it is now: an unwanted change of it gets a tag as well.
    ///
    /// The exit status is 0 if all that changed was tagged; 1 if the manifest or the parts were changed or
    /// do not belong together, or if old bytes differ in a file to which bytes were only appended; and 2
    /// if a file could not be read and is listed as unread, or nothing was written for another reason.
    #[command(after_long_help = examples::help("retag"))]
    Retag(retag::Retag),
    /// Print bytes of a file after they were verified
    ///
    /// Reads each segment of the file that has some of them once, verifies it with the parts of the
    /// manifest, and prints the bytes that were verified, from memory: what is written to the file
    /// meanwhile is not printed. The bytes of a segment are printed before the next one is read, so
    /// that output may end early, with an exit status other than 0; with --output, FILE then does not
    /// appear.
    ///
    /// The exit status is 0 if all bytes were printed, 1 if a segment, or the length of the file,
    /// differs, the file is missing, or the manifest or its parts are refused, and 2 if a file cannot be
    /// read or written, or the range is not in the file.
    #[command(after_long_help = examples::help("cat"))]
    Cat(cat::Cat),

    /// Seal a file: encrypt and authenticate it, in the format of age
    ///
    /// Only the recipients, or who has the passphrase, can open it, with 'hornet open', 'age -d' or
    /// 'rage -d'. The format is age v1 (c2sp.org/age). docs/sealing.md says what sealing promises: nobody
    /// learns from who it is, and everybody how long.
    ///
    /// The exit status is 0 if the file was sealed, and 2 otherwise.
    #[command(after_long_help = examples::help("seal"))]
    Seal(seal::Seal),

    /// Open a file that was sealed by 'hornet seal', age or rage
    ///
    /// The bytes of each chunk of 64 KiB are written after it was verified. Output to a pipe may therefore
    /// end early, with an exit status other than 0; with --output, FILE then does not appear.
    ///
    /// The exit status is 0 if the file was opened, 1 if it is not authentic, not for this identity or
    /// passphrase, or not a sealed file, and 2 if a file cannot be read or written.
    #[command(after_long_help = examples::help("open"))]
    Open(open::Open),

    /// Print an upper bound on the probability of a forgery under one key
    ///
    /// Numbers are decimal, or powers such as 2^64 and 10^9, below 2^128.
    #[command(after_long_help = examples::help("bound"))]
    Bound(bound::Bound),

    /// Print the tag of INPUT under a one-time key: 32 hexadecimal digits
    ///
    /// The exit status is 0 if the tag was printed, and 2 otherwise.
    #[command(after_long_help = examples::help("mac"))]
    Mac(mac::Mac),

    /// Verify the tag of INPUT under a one-time key
    ///
    /// The exit status is 0 if the tag matches, 1 if it does not, and 2 if INPUT or the key cannot be
    /// read.
    #[command(after_long_help = examples::help("verify"))]
    Verify(mac::Verify),

    /// Print the version, the CPU features, the AES implementation and the kernels
    #[command(after_long_help = examples::help("info"))]
    Info,
}

/// The end of the help.
fn help() -> String {
    [examples::help("hornet"), sections::help()].join("\n\n")
}

/// The definition of the command, for manual pages, completions and tests.
#[must_use]
pub fn command() -> clap::Command {
    Cli::command()
}

/// Runs the command with the arguments of the process, and returns its exit status.
#[must_use]
pub fn main() -> ExitCode {
    output::fail_at_limits();
    harden::process();
    let result = stdio::check().and_then(|()| match parse() {
        Ok(Parsed::Cli(cli)) => run(*cli),
        Ok(Parsed::Generate(generate)) => generate.run(command()),
        Err(usage) => explain(&usage),
    });
    result.unwrap_or_else(|error| {
        output::complain(&error);
        ExitCode::from(2)
    })
}

/// Prints why the arguments were rejected. clap returns --help and --version as errors too.
fn explain(usage: &clap::Error) -> Result<ExitCode, Error> {
    if usage.use_stderr() {
        // A failure to print is ignored.
        let _ = usage.print();
        return Ok(ExitCode::from(2));
    }
    output::check()?;
    if io::stdout().is_terminal() {
        // Printed in the terminal's colors.
        usage
            .print()
            .map_err(|error| Error::new(&output::STDOUT, error))?;
    } else {
        output::print(format_args!("{}", usage.render()))?;
    }
    Ok(ExitCode::SUCCESS)
}

enum Parsed {
    Cli(Box<Cli>),
    Generate(Generate),
}

/// Parses the arguments. `generate` is added here, because it is not part of the definition that it
/// documents.
fn parse() -> Result<Parsed, clap::Error> {
    let mut command = command().subcommand(Generate::command());
    let matches = command.try_get_matches_from_mut(env::args_os())?;
    let parsed = match matches.subcommand() {
        Some((Generate::NAME, matches)) => {
            Generate::from_arg_matches(matches).map(Parsed::Generate)
        }
        _ => Cli::from_arg_matches(&matches)
            .map(Box::new)
            .map(Parsed::Cli),
    };
    parsed.map_err(|error| error.format(&mut command))
}

fn run(cli: Cli) -> Result<ExitCode, Error> {
    let choice = Choice::new(cli.kernel)?;
    match cli.command {
        Command::Keygen(keygen) => keygen.run(),
        Command::Tag(tag) => tag.run(),
        Command::Check(check) => check.run(),
        Command::Retag(retag) => retag.run(),
        Command::Cat(cat) => cat.run(),
        Command::Seal(seal) => seal.run(),
        Command::Open(open) => open.run(),
        Command::Bound(bound) => bound.run(),
        Command::Mac(mac) => mac.run(),
        Command::Verify(verify) => verify.run(),
        Command::Info => info::run(&choice),
    }
}
