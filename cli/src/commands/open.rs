// SPDX-License-Identifier: Apache-2.0 OR MIT

//! `hornet open`: opens a file that was sealed in age's format.

use crate::age::keys::read_identities;
use crate::age::pipeline::{FirstFailed, From, Patient, Pipeline, To, Way};
use crate::age::{Stopped, armor, passphrase};
use crate::commands::sealing::{Input, Output, Threads, place_of, process, unread};
use crate::error::Error;
use crate::size::Bytes;
use crate::source::Source;
use clap::{ArgGroup, Args};
use hornet::stream::{self, CHUNK_BYTES, OpenError, SEALED_CHUNK_BYTES};
use hornet_age::{FileKey, Header, Identity, NONCE_BYTES, payload_key};
use std::io::{BufRead, BufReader, Cursor, ErrorKind, Read};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::process::ExitCode;
use zeroize::Zeroizing;

#[derive(Args)]
#[command(group(ArgGroup::new("by").required(true).multiple(true)))]
pub(crate) struct Open {
    /// Open with the identities in FILE, one a line; may be repeated
    ///
    /// Only its owner may have permission to read or write the file. '-' is standard input.
    #[arg(short, long, value_name = "FILE", group = "by")]
    identity: Vec<Source>,

    /// Open with a passphrase, which is read from the terminal
    #[arg(short, long, group = "by", conflicts_with = "identity")]
    passphrase: bool,

    /// Open with the passphrase in FILE, the first line; '-' is standard input
    #[arg(long, value_name = "FILE", group = "by", conflicts_with_all = ["identity", "passphrase"])]
    passphrase_file: Option<Source>,

    /// Open only these bytes of the text, reading no more than the chunks that have them, and the last
    ///
    /// Numbers are as for 'hornet check --range'. The file must be a regular one without armour.
    #[arg(long, value_name = "OFFSET:LENGTH")]
    range: Option<Bytes>,

    #[command(flatten)]
    output: Output,

    #[command(flatten)]
    threads: Threads,

    /// The file to open, with or without armour; '-' is standard input
    #[arg(default_value = "-")]
    input: Source,
}

/// What reads the header, and what follows it in a stream.
type From_<'a> = Box<dyn BufRead + Send + 'a>;

/// A file whose chunks come next.
struct Begun<'a> {
    armored: bool,
    from: From_<'a>,
    key: stream::Key,
    /// Where they begin, without armour.
    begin: u64,
}

impl Open {
    pub(crate) fn run(&self) -> Result<ExitCode, Error> {
        let used = self.identity.iter().chain(&self.passphrase_file);
        let target = self.output.target(&self.input, used)?;
        let identities = self.identities()?;
        let input = Input::open(&self.input)?;
        let failed = &FirstFailed::default();
        // Signals still end it at once, which may be long here: for a passphrase, or many recipients.
        let begun = self.begun(&input, &identities, failed);
        let mut begun = match begun {
            Ok(begun) => Some(begun),
            Err(stopped) => return stopped.report(),
        };
        let opened = Output::write(&self.input, target, |output| {
            let again = || self.begun(&input, &identities, failed);
            let Begun {
                armored,
                mut from,
                key,
                begin,
            } = begun.take().map_or_else(again, Ok)?;
            let regular = input.bytes.filter(|_| !armored);
            let bytes = regular.map(|bytes| (input.begin + bytes).saturating_sub(begin));
            let (chunks, wanted) = match &self.range {
                Some(range) => self.chunks(&input, begin, bytes, &key, &range.0)?,
                None => (0..u64::MAX, 0..u64::MAX),
            };
            let from = match bytes {
                Some(bytes) => {
                    let end = bytes.div_ceil(SEALED_CHUNK_BYTES as u64).max(1);
                    let chunks = chunks.start..chunks.end.min(end);
                    From::File {
                        file: &input.file,
                        begin,
                        bytes,
                        chunks,
                        mapping: None,
                    }
                }
                None => From::stream(&mut from, input.pipe()),
            };
            let (way, key, progress) = (Way::Open, &key, &input.progress());
            let mut stream = output.file;
            let to = if output.is_new {
                To::File {
                    file: output.file,
                    begin: 0,
                    sparse: true,
                }
            } else {
                To::stream(&mut stream)
            };
            let end = wanted.end - wanted.start;
            let pipeline = Pipeline {
                way,
                key,
                from,
                to,
                wanted,
                progress,
                failed,
            };
            let text_bytes = process(&pipeline, self.threads.get())?;
            if output.is_new {
                let bytes = if self.range.is_some() {
                    end
                } else {
                    text_bytes
                };
                // Zeros at the end were left out. Not all file systems have this call.
                if output.file.metadata()?.len() != bytes {
                    output.file.set_len(bytes)?;
                }
            }
            Ok(text_bytes)
        });
        match opened {
            Ok(()) => Ok(ExitCode::SUCCESS),
            Err(stopped) => stopped.report(),
        }
    }

    /// Reads what comes before the chunks.
    fn begun<'a>(
        &self,
        input: &'a Input,
        identities: &[Identity],
        failed: &'a FirstFailed,
    ) -> Result<Begun<'a>, Stopped> {
        input.start()?;
        let (armored, mut from) = self.begin(input.patient(failed))?;
        let (header, file_key) = self.header(&mut *from, identities)?;
        let mut nonce = [0; NONCE_BYTES];
        from.read_exact(&mut nonce)
            .map_err(|error| match error.kind() {
                ErrorKind::UnexpectedEof => {
                    Stopped::refused(&self.input, "cut off after the header")
                }
                _ => unread(&self.input, error),
            })?;
        Ok(Begun {
            armored,
            from,
            key: payload_key(&file_key, &nonce),
            begin: input.begin + header.len_bytes() + NONCE_BYTES as u64,
        })
    }

    fn identities(&self) -> Result<Vec<Identity>, Error> {
        let mut identities = Vec::new();
        for file in &self.identity {
            read_identities(file, &mut identities)?;
        }
        match &self.passphrase_file {
            Some(source) => identities.push(Identity::passphrase(passphrase::read(source)?)),
            None if self.passphrase => {
                identities.push(Identity::passphrase(passphrase::ask(false)?));
            }
            None => {}
        }
        Ok(identities)
    }

    /// Finds out whether the input is armoured: then its first character that is no space is a dash.
    fn begin<'a>(&self, patient: Patient<'a>) -> Result<(bool, From_<'a>), Stopped> {
        const MOST_SPACE: usize = 1024;
        let mut from = BufReader::with_capacity(4096, patient);
        let mut space = Vec::new();
        let armored = loop {
            let waiting = match from.fill_buf() {
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                waiting => waiting.map_err(|error| unread(&self.input, error))?,
            };
            match waiting.first() {
                Some(byte) if byte.is_ascii_whitespace() && space.len() <= MOST_SPACE => {
                    space.push(*byte);
                }
                first => break first == Some(&b'-'),
            }
            from.consume(1);
        };
        let from = Cursor::new(space).chain(from);
        if armored {
            return Ok((true, Box::new(BufReader::new(armor::Reader::new(from)))));
        }
        Ok((false, Box::new(from)))
    }

    /// Reads and verifies the header.
    fn header(
        &self,
        from: &mut dyn BufRead,
        identities: &[Identity],
    ) -> Result<(Header, FileKey), Stopped> {
        let header = Header::read(from).map_err(|error| unread(&self.input, error))?;
        let refused = |why| Stopped::refused(&self.input, why);
        for identity in identities {
            let opened = identity
                .open(&header)
                .map_err(|why| refused(why.to_string()))?;
            if let Some(key) = opened {
                header
                    .verify(&key)
                    .map_err(|why| refused(why.to_string()))?;
                return Ok((header, key));
            }
        }
        let by_passphrase = header.is_by_passphrase();
        let passphrase = self.identity.is_empty();
        Err(refused(
            match (by_passphrase, passphrase) {
                (true, true) => "the passphrase is another",
                (true, false) => "sealed with a passphrase; use --passphrase",
                (false, true) => "not sealed with a passphrase; use --identity",
                (false, false) => "not sealed to any of these identities",
            }
            .into(),
        ))
    }

    /// Verifies the last chunk, which shows how long the text is, and returns the chunks that have the bytes
    /// of a range, and which bytes are wanted.
    fn chunks(
        &self,
        input: &Input,
        begin: u64,
        bytes: Option<u64>,
        key: &stream::Key,
        range: &Range<u64>,
    ) -> Result<(Range<u64>, Range<u64>), Stopped> {
        let Some(bytes) = bytes else {
            let why = "--range needs a regular file without armour";
            return Err(Error::new(&self.input, why).into());
        };
        let refused = |error| Stopped::refused(&self.input, place_of(error));
        let number = bytes / SEALED_CHUNK_BYTES as u64;
        let text_bytes =
            stream::text_bytes(bytes).ok_or_else(|| refused(OpenError::CutOff(number)))?;
        let last = text_bytes.saturating_sub(1) / CHUNK_BYTES as u64;
        let place = last * SEALED_CHUNK_BYTES as u64;
        let len = usize::try_from(bytes - place).unwrap_or(SEALED_CHUNK_BYTES);
        let mut sealed = vec![0; len];
        let mut text = Zeroizing::new(vec![0; len - (SEALED_CHUNK_BYTES - CHUNK_BYTES)]);
        input
            .file
            .read_exact_at(&mut sealed, begin + place)
            .map_err(|error| unread(&self.input, error))?;
        key.open(last, true, &sealed, &mut text).map_err(refused)?;
        if range.end > text_bytes {
            let why = format!(
                "the range ends at byte {}, and the text has {text_bytes} bytes",
                range.end
            );
            return Err(Error::new(&self.input, why).into());
        }
        let chunk = CHUNK_BYTES as u64;
        Ok((
            range.start / chunk..range.end.div_ceil(chunk),
            range.clone(),
        ))
    }
}
