// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Recipients, to whom files are sealed, and identities, which open them: X25519 and passphrases.

use crate::age::header::{FileKey, Header, Malformed, Stanza, bytes_of, derived};
use crate::error::Error;
use crate::source::Source;
use base64ct::{Base64Unpadded, Encoding};
use bech32::primitives::decode::CheckedHrpstring;
use bech32::{Bech32, Hrp};
use hornet::aead::{ChaCha20Poly1305, UnusedNonce};
use hornet::nonce::Nonce;
use hornet_key_file::check_access;
use std::io::{self, Read};
use std::str::FromStr;
use x25519_dalek::{X25519_BASEPOINT_BYTES, x25519};
use zeroize::Zeroizing;

const RECIPIENT: &str = "age";
const IDENTITY: &str = "age-secret-key-";
const X25519: &str = "X25519";
const X25519_LABEL: &[u8] = b"age-encryption.org/v1/X25519";
const SCRYPT: &str = "scrypt";
const SCRYPT_LABEL: &[u8] = b"age-encryption.org/v1/scrypt";
/// As age: 2^18 of scrypt's blocks when sealing, which take 256 MiB and about a second, and at most 2^22
/// when opening.
const LOG_WORK: u8 = 18;
const MOST_LOG_WORK: u8 = 22;

/// A file is not longer.
const MOST_BYTES: u64 = 16 << 20;

/// Who can open a file.
#[derive(Clone, Debug)]
pub(crate) struct Recipient([u8; 32]);

impl FromStr for Recipient {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.to_ascii_lowercase().starts_with(IDENTITY) {
            return Err("a secret identity, which is never given on the command line".into());
        }
        let decoded = CheckedHrpstring::new::<Bech32>(text);
        let decoded = decoded.map_err(|error| format!("not a recipient 'age1…': {error}"))?;
        let hrp = decoded.hrp();
        if hrp.as_bytes() != RECIPIENT.as_bytes() {
            return Err(format!(
                "'{hrp}1…' is not a recipient that is supported, 'age1…'"
            ));
        }
        let key: Vec<u8> = decoded.byte_iter().collect();
        let key = <[u8; 32]>::try_from(key);
        key.map(Self)
            .map_err(|key| format!("a recipient has 32 bytes; found {}", key.len()))
    }
}

impl Recipient {
    /// Reads the recipients of a file: one a line, with comments.
    pub(crate) fn read(source: &Source, to: &mut Vec<Self>) -> Result<(), Error> {
        let text = text_of(source, false)?;
        let before = to.len();
        for (place, line) in lines(source, &text) {
            let ssh = line.starts_with("ssh-");
            let parsed = if ssh {
                Err("an SSH key, which is not supported".into())
            } else {
                line.parse()
            };
            to.push(parsed.map_err(|why: String| Error::new(&place, why))?);
        }
        if to.len() == before {
            return Err(Error::new(source, "has no recipients"));
        }
        Ok(())
    }

    /// Seals the file's key.
    pub(crate) fn seal(&self, file_key: &FileKey) -> Result<Stanza, Error> {
        let secret = random::<32>()?;
        let share = x25519(*secret, X25519_BASEPOINT_BYTES);
        let shared = Zeroizing::new(x25519(*secret, self.0));
        if *shared == [0; 32] {
            return Err(Error::new(
                &"recipient",
                "a point of low order, which is no key",
            ));
        }
        let key = derived(&*shared, &[share, self.0].concat(), X25519_LABEL);
        Ok(Stanza {
            kind: X25519.into(),
            arguments: vec![Base64Unpadded::encode_string(&share)],
            body: wrapped(&key, file_key),
            line: 0,
        })
    }
}

/// What opens files.
pub(crate) enum Identity {
    X25519 {
        secret: Zeroizing<[u8; 32]>,
        recipient: [u8; 32],
    },
    Passphrase(Zeroizing<Vec<u8>>),
}

impl Identity {
    fn of_secret(secret: Zeroizing<[u8; 32]>) -> Self {
        let recipient = x25519(*secret, X25519_BASEPOINT_BYTES);
        Self::X25519 { secret, recipient }
    }

    /// Reads the identities of a file: one a line, with comments.
    pub(crate) fn read(source: &Source, to: &mut Vec<Self>) -> Result<(), Error> {
        let text = text_of(source, true)?;
        let before = to.len();
        for (place, line) in lines(source, &text) {
            to.push(identity(line).map_err(|why| Error::new(&place, why))?);
        }
        if to.len() == before {
            return Err(Error::new(source, "has no identities"));
        }
        Ok(())
    }

    /// Opens the file's key, if a stanza is for this identity.
    pub(crate) fn open(&self, header: &Header) -> Result<Option<FileKey>, Malformed> {
        let is_scrypt = |stanza: &&Stanza| stanza.kind == SCRYPT;
        if let (Some(Stanza { line, .. }), 2..) =
            (header.stanzas.iter().find(is_scrypt), header.stanzas.len())
        {
            let why = "a passphrase is the only key of a file, and others are here";
            return Err(Malformed { line: *line, why });
        }
        for stanza in &header.stanzas {
            let key = match self {
                Self::X25519 { secret, recipient } if stanza.kind == X25519 => {
                    Some(x25519_key(secret, recipient, stanza)?)
                }
                Self::Passphrase(passphrase) if stanza.kind == SCRYPT => {
                    Some(scrypt_key(passphrase, stanza)?)
                }
                _ => None,
            };
            let Some(key) = key else { continue };
            let Ok(body) = <[u8; 32]>::try_from(&*stanza.body) else {
                return Err(stanza.wrong("does not seal a key of 16 bytes"));
            };
            if let Some(key) = unwrapped(&key, &body) {
                return Ok(Some(key));
            }
        }
        Ok(None)
    }
}

/// Makes an identity, and returns it as a line, and its recipient.
pub(crate) fn new_identity() -> Result<(Zeroizing<String>, String), Error> {
    let secret = random::<32>()?;
    let recipient = x25519(*secret, X25519_BASEPOINT_BYTES);
    let hrp = |text| Hrp::parse(text).expect("it is one");
    let encoded = bech32::encode_upper::<Bech32>(hrp(IDENTITY), &*secret);
    let shown = bech32::encode::<Bech32>(hrp(RECIPIENT), &recipient);
    Ok((
        Zeroizing::new(encoded.expect("it is short")),
        shown.expect("it is short"),
    ))
}

/// Returns random bytes.
pub(crate) fn random<const BYTES: usize>() -> Result<Zeroizing<[u8; BYTES]>, Error> {
    let mut bytes = Zeroizing::new([0; BYTES]);
    let filled = getrandom::fill(&mut *bytes);
    filled.map_err(|error| Error::new(&"random bytes", error))?;
    Ok(bytes)
}

/// Seals the file's key with a passphrase.
pub(crate) fn seal_with_passphrase(passphrase: &[u8], file_key: &FileKey) -> Result<Stanza, Error> {
    let salt = *random::<16>()?;
    let key = scrypt_of(passphrase, &salt, LOG_WORK);
    Ok(Stanza {
        kind: SCRYPT.into(),
        arguments: vec![Base64Unpadded::encode_string(&salt), LOG_WORK.to_string()],
        body: wrapped(&key, file_key),
        line: 0,
    })
}

impl Stanza {
    fn wrong(&self, why: &'static str) -> Malformed {
        Malformed {
            line: self.line,
            why,
        }
    }
}

/// Parses an identity. The error shows nothing of it.
fn identity(line: &str) -> Result<Identity, &'static str> {
    const WHY: &str = "not an identity 'AGE-SECRET-KEY-1…'";
    if line.starts_with("age-encryption.org/") || line == crate::age::armor::BEGIN {
        return Err("the file is sealed itself: open it first");
    }
    if line.starts_with("AGE-SECRET-KEY-PQ-1") || line.starts_with("AGE-PLUGIN-") {
        return Err("an identity of another kind than X25519, which is not supported");
    }
    if line.starts_with("-----BEGIN ") {
        return Err("a private key of SSH, which is not supported");
    }
    let decoded = CheckedHrpstring::new::<Bech32>(line).map_err(|_| WHY)?;
    if decoded.hrp().to_lowercase() != IDENTITY
        || line.bytes().any(|byte| byte.is_ascii_lowercase())
    {
        return Err(WHY);
    }
    let bytes = Zeroizing::new(decoded.byte_iter().collect::<Vec<u8>>());
    let secret = <[u8; 32]>::try_from(&bytes[..]).map_err(|_| WHY)?;
    Ok(Identity::of_secret(Zeroizing::new(secret)))
}

fn text_of(source: &Source, secret: bool) -> Result<Zeroizing<String>, Error> {
    let fail = |error: io::Error| Error::new(source, error);
    let file = source.open().map_err(fail)?;
    let metadata = file.metadata().map_err(fail)?;
    if secret && metadata.is_file() {
        check_access(&metadata).map_err(|problem| Error::new(source, problem))?;
    }
    // As it does not grow, it leaves no copies.
    let capacity = usize::try_from(metadata.len().min(MOST_BYTES))
        .unwrap_or(0)
        .max(4096);
    let mut text = Zeroizing::new(Vec::with_capacity(capacity));
    file.take(MOST_BYTES).read_to_end(&mut text).map_err(fail)?;
    let text = String::from_utf8(std::mem::take(&mut *text));
    let text = text.map_err(|error| {
        drop(Zeroizing::new(error.into_bytes()));
        Error::new(source, "is not text")
    })?;
    Ok(Zeroizing::new(text))
}

/// Returns the lines of a file that are neither blank nor comments, and where they are.
fn lines<'t>(source: &'t Source, text: &'t str) -> impl Iterator<Item = (String, &'t str)> {
    let lines = text.lines().enumerate();
    let lines = lines.map(move |(index, line)| (format!("{source}: line {}", index + 1), line));
    lines.filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'))
}

fn x25519_key(
    secret: &Zeroizing<[u8; 32]>,
    recipient: &[u8; 32],
    stanza: &Stanza,
) -> Result<Zeroizing<[u8; 32]>, Malformed> {
    let share = match &stanza.arguments[..] {
        [share] => bytes_of::<32>(share.as_bytes()),
        _ => None,
    };
    let why = "an X25519 stanza has one argument, 32 bytes in base64";
    let share = share.ok_or_else(|| stanza.wrong(why))?;
    let shared = Zeroizing::new(x25519(**secret, share));
    if *shared == [0; 32] {
        return Err(stanza.wrong("a share of low order, which is no key"));
    }
    Ok(derived(
        &*shared,
        &[share, *recipient].concat(),
        X25519_LABEL,
    ))
}

fn scrypt_key(passphrase: &[u8], stanza: &Stanza) -> Result<Zeroizing<[u8; 32]>, Malformed> {
    let why = "a scrypt stanza has two arguments, a salt of 16 bytes in base64 and a work factor";
    let [salt, work] = &stanza.arguments[..] else {
        return Err(stanza.wrong(why));
    };
    let salt = bytes_of::<16>(salt.as_bytes()).ok_or_else(|| stanza.wrong(why))?;
    let digits = !work.starts_with('0') && work.bytes().all(|byte| byte.is_ascii_digit());
    match work.parse() {
        Ok(work @ 1..=MOST_LOG_WORK) if digits => Ok(scrypt_of(passphrase, &salt, work)),
        _ if digits => {
            Err(stanza.wrong("the work factor is above 22, which takes more than 4 GiB of memory"))
        }
        _ => Err(stanza.wrong("the work factor is not a number from 1 to 22")),
    }
}

fn scrypt_of(passphrase: &[u8], salt: &[u8; 16], log_work: u8) -> Zeroizing<[u8; 32]> {
    let mut key = Zeroizing::new([0; 32]);
    let parameters = scrypt::Params::new(log_work, 8, 1).expect("they are valid");
    let salt = [SCRYPT_LABEL, salt].concat();
    scrypt::scrypt(passphrase, &salt, &parameters, &mut *key).expect("32 bytes are few");
    key
}

/// The nonce is always the same, because each key seals one file's key.
const WRAP_NONCE: [u8; 12] = [0; 12];

fn wrapped(key: &[u8; 32], file_key: &FileKey) -> Vec<u8> {
    let nonce = UnusedNonce::assume_unused(WRAP_NONCE);
    let mut text = **file_key;
    let sealed = ChaCha20Poly1305::from_ref(key).seal_in_place(nonce, b"", &mut text);
    let tag = sealed.expect("it is short");
    [&text[..], tag.as_bytes()].concat()
}

fn unwrapped(key: &[u8; 32], body: &[u8; 32]) -> Option<FileKey> {
    let (sealed, tag) = body.split_at(16);
    let tag = tag.try_into().ok()?;
    let mut file_key = Zeroizing::new([0; 16]);
    let nonce = Nonce::new(WRAP_NONCE);
    let opened = ChaCha20Poly1305::from_ref(key).open(&nonce, b"", sealed, &tag, &mut *file_key);
    opened.ok().map(|()| file_key)
}
