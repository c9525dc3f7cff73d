//! The `hornet` command: Poly1305 tags of files and streams, computed and checked.
//!
//! Exit status: 0 good, 1 something differs, 2 wrong usage or an error of reading or writing.

mod bound;
mod check;
mod error;
mod escape;
mod exempt;
mod info;
mod input;
mod key;
mod keygen;
mod manifest;
mod mapping;
mod message;
mod number;
mod opener;
mod output;
mod progress;
mod report;
mod save;
mod snapshot;
mod source;
mod tag;
mod walk;
mod windows;
mod work;

use clap::{Parser, Subcommand};
use error::Error;
use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

/// Computes and checks Poly1305 tags: of files under one key (Poly1305-AES), or of one message (RFC 8439)
///
/// `keygen`, `tag` and `check` are for any number of files under one key, which counts its nonces in
/// its file. `mac` and `verify` take a bare key that is for ONE message: two tags under it let anyone
/// forge. So there is exactly one INPUT per key; derive a fresh key for each message.
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
  1  a tag does not match, or files differ from the manifest
  2  wrong usage, or an error of reading or writing

Environment:
  HORNET_KERNEL  the kernel to use when there is no --kernel";

#[derive(Subcommand)]
enum Command {
    /// Create a key file, for `tag` and `check`
    Keygen(keygen::Keygen),

    /// Tag files and all files in folders: print a manifest
    ///
    /// Each file gets a nonce and the Poly1305-AES tag of its content; a last line authenticates the
    /// manifest itself. docs/manifest.md describes the format.
    ///
    /// What cannot be read, or changes meanwhile, is reported and listed in the manifest as unread; the
    /// exit status is 2 then. The key file is left out, and so is MANIFEST.
    Tag(tag::TagFiles),

    /// Check files against a manifest
    ///
    /// A manifest that was changed, cut or made with another key is refused as a whole. Prints for each
    /// file OK, CHANGED, MISSING, EXTRA, UNREAD (listed as such in the manifest) or UNREADABLE.
    ///
    /// Exit status: 0 all OK; 1 something differs; 2 something could not be read.
    Check(check::Check),

    /// Show what chance of a forgery the use of one key leaves
    Bound(bound::Bound),

    /// Print the tag of INPUT under a one-time key as 32 hexadecimal digits
    Mac(message::Mac),

    /// Check the tag of INPUT under a one-time key
    Verify(message::Verify),

    /// Show the version, the CPU's features, the AES in use and the kernels
    Info,
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
            .map_err(|error| Error::new(&output::STDOUT, error)),
    };
    result.unwrap_or_else(|error| {
        output::complain(&error);
        ExitCode::from(2)
    })
}

fn run(cli: Cli) -> Result<ExitCode, Error> {
    let choice = info::Choice::new(cli.kernel)?;
    match cli.command {
        Command::Keygen(keygen) => keygen.run(),
        Command::Tag(tag) => tag.run(),
        Command::Check(check) => check.run(),
        Command::Bound(bound) => bound.run(),
        Command::Mac(mac) => mac.run(),
        Command::Verify(verify) => verify.run(),
        Command::Info => info::run(&choice),
    }
}
