// SPDX-License-Identifier: Apache-2.0 OR MIT

//! `hornet seal`: seals a file in age's format.

use crate::age::keys::read_recipients;
use crate::age::pipeline::{FirstFailed, Pipeline, To, Way};
use crate::age::{Stopped, armor, passphrase};
use crate::commands::sealing::{Input, Output, Threads, process};
use crate::error::Error;
use crate::output;
use crate::source::Source;
use clap::{ArgGroup, Args};
use hornet::stream;
use hornet_age::{
    FileKey, Recipient, new_file_key, new_nonce, payload_key, seal_to, seal_with_passphrase,
    written,
};
use rustix::fs::{FallocateFlags, fallocate};
use rustix::io::Errno;
use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::process::ExitCode;

#[derive(Args)]
#[command(group(ArgGroup::new("to").required(true).multiple(true)))]
pub(crate) struct Seal {
    /// Seal to this recipient, 'age1...', who can open the file; may be repeated
    #[arg(short, long, value_name = "RECIPIENT", group = "to")]
    recipient: Vec<String>,

    /// Seal to the recipients in FILE, one a line; may be repeated
    #[arg(short = 'R', long, value_name = "FILE", group = "to")]
    recipients_file: Vec<Source>,

    /// Seal with a passphrase, which is read from the terminal
    ///
    /// Sealing and opening then takes about a second and 256 MiB of memory more.
    #[arg(short, long, group = "to", conflicts_with_all = ["recipient", "recipients_file"])]
    passphrase: bool,

    /// Seal with the passphrase in FILE, the first line; '-' is standard input
    ///
    /// Only its owner may have permission to read or write the file.
    #[arg(long, value_name = "FILE", group = "to",
        conflicts_with_all = ["recipient", "recipients_file", "passphrase"])]
    passphrase_file: Option<Source>,

    /// Write text: lines of base64, a third longer
    #[arg(short, long)]
    armor: bool,

    #[command(flatten)]
    output: Output,

    #[command(flatten)]
    threads: Threads,

    /// The file to seal; '-' is standard input
    #[arg(default_value = "-")]
    input: Source,
}

impl Seal {
    pub(crate) fn run(&self) -> Result<ExitCode, Error> {
        let used = self.recipients_file.iter().chain(&self.passphrase_file);
        let target = self.output.target(&self.input, used)?;
        if target.is_none() && !self.armor && io::stdout().is_terminal() {
            let why = "is a terminal; use --armor, or --output FILE";
            return Err(Error::new(&output::STDOUT, why));
        }
        let file_key = new_file_key()?;
        let header = self.header(&file_key)?;
        let input = Input::open(&self.input)?;
        let progress = input.progress();
        let sealed = Output::write(&self.input, target, |output| {
            // A new key each time, as the input may have changed.
            let nonce = new_nonce().map_err(|error| Stopped::from(Error::from(error)))?;
            let header = [&header[..], &nonce].concat();
            let key = payload_key(&file_key, &nonce);
            let failed = &FirstFailed::default();
            let mut stream = input.patient(failed);
            let from = input.to_seal(&mut stream)?;
            let seal = |to| {
                let key = &key;
                let (wanted, progress) = (0..u64::MAX, &progress);
                let way = Way::Seal;
                process(
                    &Pipeline {
                        way,
                        key,
                        from,
                        to,
                        wanted,
                        progress,
                        failed,
                    },
                    self.threads.get(),
                )
            };
            if self.armor {
                let mut armor = armor::Writer::new(BufWriter::new(output.file))?;
                armor.write_all(&header)?;
                let sealed = seal(To::stream(&mut armor))?;
                armor.finish()?;
                return Ok(sealed);
            }
            (&mut &*output.file).write_all(&header)?;
            if output.is_new {
                let begin = header.len() as u64;
                if let Some(sealed) = input.bytes.and_then(stream::sealed_bytes) {
                    reserve(output.file, begin + sealed)?;
                }
                return seal(To::File {
                    file: output.file,
                    begin,
                    sparse: false,
                });
            }
            seal(To::stream(&mut &*output.file))
        });
        match sealed {
            Ok(()) => Ok(ExitCode::SUCCESS),
            Err(stopped) => stopped.report(),
        }
    }

    /// Makes the header.
    fn header(&self, file_key: &FileKey) -> Result<Vec<u8>, Error> {
        let passphrase = match &self.passphrase_file {
            Some(source) => Some(passphrase::read(source)?),
            None if self.passphrase => Some(passphrase::ask(true)?),
            None => None,
        };
        if let Some(passphrase) = passphrase {
            return Ok(written(
                &[seal_with_passphrase(&passphrase, file_key)?],
                file_key,
            )?);
        }
        // Not by clap, which would show what may be a secret.
        let parsed = |text: &String| {
            let parsed = text.parse();
            parsed.map_err(|why: String| Error::new(&"--recipient", why))
        };
        let recipients = self.recipient.iter().map(parsed);
        let mut recipients: Vec<Recipient> = recipients.collect::<Result<_, _>>()?;
        for file in &self.recipients_file {
            read_recipients(file, &mut recipients)?;
        }
        Ok(written(&seal_to(&recipients, file_key)?, file_key)?)
    }
}

/// Reserves the disk space of a new file, which saves the system time, and tells at once if there is too little.
fn reserve(file: &File, bytes: u64) -> io::Result<()> {
    match fallocate(file, FallocateFlags::empty(), 0, bytes) {
        Err(error @ (Errno::NOSPC | Errno::DQUOT | Errno::FBIG)) => Err(error.into()),
        // Not all file systems can.
        _ => Ok(()),
    }
}
