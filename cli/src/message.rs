//! `hornet mac` and `hornet verify`: one message under a one-time key.

use crate::error::Error;
use crate::input::Input;
use crate::key;
use crate::output::{complain, print, say};
use crate::source::Source;
use clap::Args;
use hornet::{Poly1305, Tag, kernel};
use std::process::ExitCode;
use std::time::Instant;

#[derive(Args)]
pub(crate) struct Mac {
    #[command(flatten)]
    message: Message,
}

impl Mac {
    pub(crate) fn run(&self) -> Result<ExitCode, Error> {
        let tag = self.message.read()?.finalize();
        print(format_args!("{tag}\n"))?;
        Ok(ExitCode::SUCCESS)
    }
}

#[derive(Args)]
pub(crate) struct Verify {
    /// The tag: 32 hexadecimal digits
    #[arg(long, value_name = "HEX")]
    tag: Tag,

    #[command(flatten)]
    message: Message,
}

impl Verify {
    pub(crate) fn run(&self) -> Result<ExitCode, Error> {
        let input = &self.message.input;
        if let Err(mismatch) = self.message.read()?.verify(&self.tag) {
            complain(&Error::new(input, mismatch));
            return Ok(ExitCode::from(1));
        }
        print(format_args!("{input}: OK\n"))?;
        Ok(ExitCode::SUCCESS)
    }
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
