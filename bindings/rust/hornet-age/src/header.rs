// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Headers: their lines, and what authenticates them and the payload.

use base64ct::{Base64Unpadded, Encoding};
use hkdf::Hkdf;
use hmac::{Hmac, KeyInit, Mac};
use hornet::stream;
use sha2::Sha256;
use std::fmt;
use std::io::{self, BufRead, Read};
use zeroize::Zeroizing;

const VERSION: &[u8] = b"age-encryption.org/v1";
const COLUMNS: usize = 64;
/// The kind of the stanza of a passphrase.
pub(crate) const SCRYPT: &str = "scrypt";

/// The length of the nonce in bytes, which comes between header and chunks: 16.
pub const NONCE_BYTES: usize = 16;

const NO_FILE: &str = "not a file sealed by age v1";

/// A header has a line or two for each recipient, of some hundred bytes.
const MOST_BYTES: u64 = 16 << 20;
/// The last line: three dashes, a space, and 32 bytes in base64.
const END_BYTES: u64 = 3 + 1 + 43 + 1;
const LONG: &str = "a header has at most 16 MiB";

/// What the stanzas seal, and from which all other keys are derived: 16 bytes, wiped when dropped.
pub type FileKey = Zeroizing<[u8; 16]>;

/// The file's key, sealed for a recipient.
#[derive(Debug)]
pub struct Stanza {
    pub(crate) kind: String,
    pub(crate) arguments: Vec<String>,
    pub(crate) body: Vec<u8>,
    /// Where it begins.
    pub(crate) line: usize,
}

/// A header that was read, and is not authentic yet.
#[derive(Debug)]
pub struct Header {
    pub(crate) stanzas: Vec<Stanza>,
    /// Its bytes, up to and with the three dashes of the last line, which are authenticated.
    text: Vec<u8>,
    authenticator: [u8; 32],
    lines: usize,
    len_bytes: u64,
}

/// What is wrong with a line of a header, counted from 1.
#[derive(Debug, PartialEq, Eq)]
pub struct Malformed {
    pub(crate) line: usize,
    pub(crate) why: &'static str,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {} of the header: {}", self.line, self.why)
    }
}

impl std::error::Error for Malformed {}

impl From<Malformed> for io::Error {
    fn from(malformed: Malformed) -> Self {
        Self::new(io::ErrorKind::InvalidData, malformed)
    }
}

fn is_malformed(error: &io::Error) -> bool {
    let inner = error.get_ref();
    inner.is_some_and(<dyn std::error::Error + Send + Sync>::is::<Malformed>)
}

/// Lines of a header, without their ends.
struct Lines<'a> {
    from: &'a mut dyn BufRead,
    text: Vec<u8>,
    number: usize,
}

impl Lines<'_> {
    fn wrong(&self, why: &'static str) -> Malformed {
        let line = self.number;
        Malformed { line, why }
    }

    /// Returns the next line.
    fn next(&mut self) -> io::Result<Vec<u8>> {
        let begin = self.text.len();
        self.number += 1;
        let most = MOST_BYTES.saturating_sub(begin as u64);
        (&mut *self.from)
            .take(most)
            .read_until(b'\n', &mut self.text)?;
        if self.text.last() != Some(&b'\n') || self.text.len() == begin {
            let long = self.text.len() as u64 == MOST_BYTES;
            let why = if long { LONG } else { "cut off" };
            return Err(self.wrong(why).into());
        }
        Ok(self.text[begin..self.text.len() - 1].to_vec())
    }
}

impl Header {
    /// Reads a header, and nothing after it.
    ///
    /// # Errors
    ///
    /// Those of `from`, and [`Malformed`] within one of the kind `InvalidData`, if it is not a header.
    pub fn read(from: &mut dyn BufRead) -> io::Result<Self> {
        let (text, number) = (Vec::new(), 0);
        let mut lines = Lines { from, text, number };
        let first = match lines.next() {
            Err(error) if error.kind() == io::ErrorKind::InvalidData && is_malformed(&error) => {
                return Err(lines.wrong(NO_FILE).into());
            }
            first => first?,
        };
        if first != VERSION {
            let other = first.starts_with(b"age-encryption.org/");
            let why = if other {
                "another version than age v1"
            } else {
                NO_FILE
            };
            return Err(lines.wrong(why).into());
        }
        let mut stanzas = Vec::new();
        loop {
            let line = lines.next()?;
            if let Some(rest) = line.strip_prefix(b"---") {
                let authenticator = rest.strip_prefix(b" ").and_then(bytes_of::<32>);
                let why = "not an authenticator of 32 bytes in base64";
                let authenticator = authenticator.ok_or_else(|| lines.wrong(why))?;
                if stanzas.is_empty() {
                    return Err(lines.wrong("no stanza comes before the end").into());
                }
                let len_bytes = lines.text.len() as u64;
                let rest_bytes = rest.len() + 1;
                lines.text.truncate(lines.text.len() - rest_bytes);
                return Ok(Self {
                    stanzas,
                    text: lines.text,
                    authenticator,
                    lines: lines.number,
                    len_bytes,
                });
            }
            let words = line.strip_prefix(b"-> ");
            let words = words.ok_or(()).and_then(|words| words_of(words).ok_or(()));
            let Ok(mut arguments) = words else {
                return Err(lines
                    .wrong("not a stanza: '->' and words of visible ASCII, a space before each")
                    .into());
            };
            let kind = arguments.remove(0);
            let number = lines.number;
            let body = body(&mut lines)?;
            stanzas.push(Stanza {
                kind,
                arguments,
                body,
                line: number,
            });
        }
    }

    /// Returns the length of the header in bytes, after which the nonce comes.
    #[must_use]
    pub const fn len_bytes(&self) -> u64 {
        self.len_bytes
    }

    /// Returns whether the file was sealed with a passphrase.
    #[must_use]
    pub fn is_by_passphrase(&self) -> bool {
        self.stanzas.iter().any(|stanza| stanza.kind == SCRYPT)
    }

    /// Refuses a header that was changed.
    ///
    /// # Errors
    ///
    /// [`Malformed`] says so.
    pub fn verify(&self, key: &FileKey) -> Result<(), Malformed> {
        let mac = authenticator(key, &self.text);
        mac.verify_slice(&self.authenticator)
            .map_err(|_| Malformed {
                line: self.lines,
                why: "not authentic: the header was changed",
            })
    }
}

/// A header would be longer than [`Header::read`] reads: 16 MiB.
#[derive(Clone, Copy, Debug)]
pub struct TooLong;

impl fmt::Display for TooLong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "too many recipients: {LONG}")
    }
}

impl std::error::Error for TooLong {}

impl Stanza {
    fn write(&self, text: &mut Vec<u8>) {
        text.extend_from_slice(b"-> ");
        text.extend_from_slice(self.kind.as_bytes());
        for argument in &self.arguments {
            text.push(b' ');
            text.extend_from_slice(argument.as_bytes());
        }
        text.push(b'\n');
        // The last line has fewer than 64 characters, perhaps none.
        let body = Base64Unpadded::encode_string(&self.body);
        let full = body.len() / COLUMNS * COLUMNS;
        for line in body.as_bytes()[..full].chunks(COLUMNS) {
            text.extend_from_slice(line);
            text.push(b'\n');
        }
        text.extend_from_slice(&body.as_bytes()[full..]);
        text.push(b'\n');
    }

    /// Returns whether a header has room for `count` stanzas of this length.
    pub(crate) fn fits(&self, count: usize) -> bool {
        let mut text = Vec::new();
        self.write(&mut text);
        let len_bytes = text.len().saturating_mul(count) as u64;
        let rest_bytes = VERSION.len() as u64 + 1 + END_BYTES;
        len_bytes.saturating_add(rest_bytes) <= MOST_BYTES
    }
}

/// Returns a header with these stanzas.
///
/// # Errors
///
/// [`TooLong`].
pub fn written(stanzas: &[Stanza], key: &FileKey) -> Result<Vec<u8>, TooLong> {
    let mut text = [VERSION, b"\n"].concat();
    for stanza in stanzas {
        stanza.write(&mut text);
    }
    text.extend_from_slice(b"---");
    let tag = authenticator(key, &text).finalize().into_bytes();
    text.push(b' ');
    text.extend_from_slice(Base64Unpadded::encode_string(&tag).as_bytes());
    text.push(b'\n');
    if text.len() as u64 > MOST_BYTES {
        return Err(TooLong);
    }
    Ok(text)
}

fn words_of(text: &[u8]) -> Option<Vec<String>> {
    let word = |word: &[u8]| {
        let visible = !word.is_empty() && word.iter().all(u8::is_ascii_graphic);
        visible.then(|| String::from_utf8_lossy(word).into_owned())
    };
    text.split(|&byte| byte == b' ').map(word).collect()
}

/// Reads lines of 64 characters, and the last one, which has fewer.
fn body(lines: &mut Lines) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    loop {
        let line = lines.next()?;
        let columns = line.len();
        text.extend_from_slice(&line);
        if columns > COLUMNS {
            return Err(lines.wrong("longer than 64 characters").into());
        }
        if columns < COLUMNS {
            let body = decoded(&text);
            return body.ok_or_else(|| lines.wrong("not canonical base64").into());
        }
    }
}

/// Decodes canonical base64 without padding.
fn decoded(text: &[u8]) -> Option<Vec<u8>> {
    Base64Unpadded::decode_vec(std::str::from_utf8(text).ok()?).ok()
}

/// Decodes `BYTES` bytes.
pub(crate) fn bytes_of<const BYTES: usize>(text: &[u8]) -> Option<[u8; BYTES]> {
    decoded(text)?.try_into().ok()
}

/// Derives a key by HKDF-SHA-256.
pub(crate) fn derived(secret: &[u8], salt: &[u8], label: &[u8]) -> Zeroizing<[u8; 32]> {
    let mut key = Zeroizing::new([0; 32]);
    let derived = Hkdf::<Sha256>::new(Some(salt), secret).expand(label, &mut *key);
    derived.expect("32 bytes are few");
    key
}

fn authenticator(key: &FileKey, text: &[u8]) -> Hmac<Sha256> {
    let key = derived(&**key, b"", b"header");
    let mut mac = Hmac::<Sha256>::new_from_slice(&*key).expect("a key has any length");
    mac.update(text);
    mac
}

/// Derives the key of the payload, from the key of the file and the nonce that comes after the header.
#[must_use]
pub fn payload_key(key: &FileKey, nonce: &[u8; NONCE_BYTES]) -> stream::Key {
    stream::Key::new(&derived(&**key, nonce, b"payload"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The longest header that is written is the longest that is read.
    #[test]
    fn lengths() {
        let key = Zeroizing::new([7; 16]);
        let of = |kind_bytes: usize| {
            let stanza = Stanza {
                kind: "k".repeat(kind_bytes),
                arguments: Vec::new(),
                body: vec![1; 8 << 20],
                line: 0,
            };
            let fits = stanza.fits(1);
            let written = written(&[stanza], &key);
            assert_eq!(written.is_ok(), fits);
            written
        };
        let shortest = of(1).unwrap().len();
        let most = usize::try_from(MOST_BYTES).unwrap() - shortest + 1;
        let longest = of(most).unwrap();
        let read = Header::read(&mut &longest[..]).unwrap();
        assert_eq!(read.len_bytes(), MOST_BYTES);
        assert!(read.verify(&key).is_ok());
        assert!(of(most + 1).is_err());
    }
}
