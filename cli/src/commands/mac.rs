// SPDX-License-Identifier: Apache-2.0 OR MIT

//! `hornet mac` and `hornet verify`: the tag of one message under a one-time key.

use crate::color::{Color, Colored};
use crate::error::Error;
use crate::input::Input;
use crate::one_time_key;
use crate::output::{self, complain, print, say};
use crate::source::Source;
use anstyle::AnsiColor;
use clap::Args;
use hornet::kernel::{self, Primitive};
use hornet::{Poly1305, Tag};
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
    color: Color,

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
        let ok = Colored("OK", self.color.is_on().then_some(AnsiColor::Green));
        print(format_args!("{input}: {ok}\n"))?;
        Ok(ExitCode::SUCCESS)
    }
}

#[derive(Args)]
struct Message {
    /// The file with the one-time key: 32 raw bytes or 64 hexadecimal digits; '-' is standard input
    ///
    /// The digits may be upper or lower case and may be followed by one newline. The file must not be
    /// INPUT, and only its owner may have permission to read or write it.
    #[arg(long, value_name = "FILE")]
    key_file: Source,

    /// The message, the only one under this key; '-' is standard input
    ///
    /// Large regular files are mapped into memory; others are read as a stream. It is an error if
    /// the file or its metadata changes in the meantime.
    #[arg(default_value = "-")]
    input: Source,

    /// Print to standard error the length in bytes, the kernel, and the speed in GB/s
    ///
    /// A gigabyte is 10^9 bytes. The time includes reading.
    #[arg(short, long)]
    verbose: bool,
}

impl Message {
    /// Reads the key and the message, and leaves it to the caller to compute or verify the tag.
    ///
    /// Opens the input first: a key from a pipe should not be consumed if there is no message.
    fn read(&self) -> Result<Poly1305, Error> {
        output::check()?;
        let mut input = Input::open(&self.input)?;
        let mut poly1305 = Poly1305::new(one_time_key::read(&self.key_file, &input)?);
        let started = Instant::now();
        let bytes = input.feed(&mut poly1305)?;
        if self.verbose {
            let seconds = started.elapsed().as_secs_f64();
            #[expect(clippy::cast_precision_loss, reason = "shown with three digits")]
            let gigabytes_per_second = bytes as f64 / seconds / 1e9;
            say(format_args!(
                "{}: {bytes} bytes, kernel {}, {gigabytes_per_second:.3} GB/s",
                self.input,
                kernel::in_use(Primitive::Poly1305)
            ));
        }
        Ok(poly1305)
    }
}
