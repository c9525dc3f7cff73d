// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Recipients, to whom files are sealed, and identities, which open them: X25519, ML-KEM-768 with
//! X25519, and passphrases.

use crate::header::{
    FileKey, Header, Malformed, NONCE_BYTES, SCRYPT, Stanza, TooLong, bytes_of, derived,
};
use crate::hybrid::{self, Decapsulating, Encapsulating, LongBech32, Sealing};
use base64ct::{Base64Unpadded, Encoding};
use bech32::primitives::decode::CheckedHrpstring;
use bech32::{Bech32, Hrp};
use hornet::aead::{ChaCha20Poly1305, UnusedNonce};
use hornet::nonce::Nonce;
use std::fmt;
use std::str::FromStr;
use x_wing::{Decapsulator, KeyExport};
use x25519_dalek::{X25519_BASEPOINT_BYTES, x25519};
use zeroize::Zeroizing;

const RECIPIENT: &str = "age";
const HYBRID_RECIPIENT: &str = "age1pq";
const IDENTITY: &str = "age-secret-key-";
const HYBRID_IDENTITY: &str = "age-secret-key-pq-";
const X25519: &str = "X25519";
const X25519_LABEL: &[u8] = b"age-encryption.org/v1/X25519";
const SCRYPT_LABEL: &[u8] = b"age-encryption.org/v1/scrypt";
/// As age: 2^18 of scrypt's blocks when sealing, which take 256 MiB and about a second, and at most 2^22
/// when opening.
const LOG_WORK: u8 = 18;
const MOST_LOG_WORK: u8 = 22;

/// Why a key was not made or sealed.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The operating system gave no random bytes.
    Random(getrandom::Error),
    /// A recipient is a point of low order, with whom everyone shares a key.
    LowOrder,
    /// Recipients that a quantum computer does not find are among others, with which it would.
    Mixed,
    /// More recipients than a header has room for.
    TooLong(TooLong),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Random(error) => write!(f, "random bytes: {error}"),
            Self::LowOrder => f.write_str("recipient: a point of low order, which is no key"),
            Self::TooLong(error) => error.fmt(f),
            Self::Mixed => f.write_str("recipients: 'age1pq1…' cannot be used with others"),
        }
    }
}

impl std::error::Error for Error {}

/// Who can open a file: the public key `age1…`, or `age1pq1…`, whose files a quantum computer does not open.
#[derive(Clone, Debug)]
pub struct Recipient(Public);

#[derive(Clone, Debug)]
enum Public {
    X25519([u8; 32]),
    Hybrid(Box<Encapsulating>),
}

impl FromStr for Recipient {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.to_ascii_lowercase().starts_with(IDENTITY) {
            return Err("a secret identity, which is never given on the command line".into());
        }
        let decoded = CheckedHrpstring::new::<LongBech32>(text);
        let decoded = decoded.map_err(|error| format!("not a recipient 'age1…': {error}"))?;
        let hrp = decoded.hrp();
        let key: Vec<u8> = decoded.byte_iter().collect();
        if hrp.as_bytes() == HYBRID_RECIPIENT.as_bytes() {
            let key = Encapsulating::try_from(&key[..]);
            let key = key.map_err(|_| "not a key of ML-KEM-768 and X25519 of 1216 bytes")?;
            return Ok(Self(Public::Hybrid(Box::new(key))));
        }
        if hrp.as_bytes() != RECIPIENT.as_bytes() {
            return Err(format!(
                "'{hrp}1…' is not a recipient that is supported, 'age1…'"
            ));
        }
        let key = <[u8; 32]>::try_from(key);
        key.map(|key| Self(Public::X25519(key)))
            .map_err(|key| format!("a recipient has 32 bytes; found {}", key.len()))
    }
}

/// Seals the file's key for each of the recipients.
///
/// # Errors
///
/// Those of [`Error`].
pub fn seal_to(recipients: &[Recipient], file_key: &FileKey) -> Result<Vec<Stanza>, Error> {
    let is_hybrid = |recipient: &Recipient| matches!(recipient.0, Public::Hybrid(_));
    if recipients.iter().any(is_hybrid) && !recipients.iter().all(is_hybrid) {
        return Err(Error::Mixed);
    }
    let mut stanzas = Vec::with_capacity(recipients.len());
    for recipient in recipients {
        let stanza = recipient.seal(file_key)?;
        // All are of one kind, and so of one length. Sealing to too many would take seconds.
        if stanzas.is_empty() && !stanza.fits(recipients.len()) {
            return Err(Error::TooLong(TooLong));
        }
        stanzas.push(stanza);
    }
    Ok(stanzas)
}

impl Recipient {
    fn seal(&self, file_key: &FileKey) -> Result<Stanza, Error> {
        let (kind, share, sealing) = match &self.0 {
            Public::X25519(recipient) => {
                let secret = random::<32>()?;
                let share = x25519(*secret, X25519_BASEPOINT_BYTES);
                let shared = shared_with(&secret, *recipient).ok_or(Error::LowOrder)?;
                let key = derived(&*shared, &[share, *recipient].concat(), X25519_LABEL);
                (X25519, share.to_vec(), once(key))
            }
            Public::Hybrid(recipient) => {
                let (share, sealing) = hybrid::encapsulated(recipient)?;
                (hybrid::KIND, share.to_vec(), sealing)
            }
        };
        Ok(Stanza {
            kind: kind.into(),
            arguments: vec![Base64Unpadded::encode_string(&share)],
            body: wrapped(&sealing, file_key),
            line: 0,
        })
    }
}

/// What opens files: the secret key `AGE-SECRET-KEY-1…` or `AGE-SECRET-KEY-PQ-1…`, or a passphrase. Wiped when dropped.
pub struct Identity(Secret);

enum Secret {
    X25519 {
        secret: Zeroizing<[u8; 32]>,
        recipient: [u8; 32],
    },
    Hybrid(Box<Decapsulating>),
    Passphrase(Zeroizing<Vec<u8>>),
}

/// Shows nothing of it.
impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Identity(..)")
    }
}

impl FromStr for Identity {
    type Err = &'static str;

    /// Parses a secret key. The error shows nothing of it.
    fn from_str(text: &str) -> Result<Self, &'static str> {
        identity(text)
    }
}

impl Identity {
    /// Takes a passphrase.
    #[must_use]
    pub const fn passphrase(passphrase: Zeroizing<Vec<u8>>) -> Self {
        Self(Secret::Passphrase(passphrase))
    }

    /// Opens the file's key, if a stanza is for this identity. The header is to be verified with it.
    ///
    /// With a passphrase this takes as much memory as the header says, at most 4 GiB.
    ///
    /// # Errors
    ///
    /// [`Malformed`] if a stanza for such an identity is not as it must be.
    pub fn open(&self, header: &Header) -> Result<Option<FileKey>, Malformed> {
        let is_scrypt = |stanza: &&Stanza| stanza.kind == SCRYPT;
        if let (Some(Stanza { line, .. }), 2..) =
            (header.stanzas.iter().find(is_scrypt), header.stanzas.len())
        {
            let why = "a passphrase is the only key of a file, and others are here";
            return Err(Malformed { line: *line, why });
        }
        for stanza in &header.stanzas {
            let key = match &self.0 {
                Secret::X25519 { secret, recipient } if stanza.kind == X25519 => {
                    Some(x25519_key(secret, recipient, stanza)?)
                }
                Secret::Hybrid(identity) if stanza.kind == hybrid::KIND => {
                    Some(hybrid_key(identity, stanza)?)
                }
                Secret::Passphrase(passphrase) if stanza.kind == SCRYPT => {
                    Some(scrypt_key(passphrase, stanza)?)
                }
                _ => None,
            };
            let Some(sealing) = key else { continue };
            let Ok(body) = <[u8; 32]>::try_from(&*stanza.body) else {
                return Err(stanza.wrong("does not seal a key of 16 bytes"));
            };
            if let Some(key) = unwrapped(&sealing, &body) {
                return Ok(Some(key));
            }
        }
        Ok(None)
    }
}

/// Makes an identity, and returns it as a line, and its recipient.
///
/// # Errors
///
/// [`Error::Random`].
///
/// # Panics
///
/// Never: the texts are short.
pub fn new_identity() -> Result<(Zeroizing<String>, String), Error> {
    let secret = random::<32>()?;
    let recipient = x25519(*secret, X25519_BASEPOINT_BYTES);
    Ok(pair_of(IDENTITY, &secret, RECIPIENT, &recipient))
}

/// Makes the key of a file.
///
/// # Errors
///
/// [`Error::Random`].
pub fn new_file_key() -> Result<FileKey, Error> {
    random()
}

/// Makes the nonce that comes after a header.
///
/// # Errors
///
/// [`Error::Random`].
pub fn new_nonce() -> Result<[u8; NONCE_BYTES], Error> {
    random().map(|nonce| *nonce)
}

/// Makes an identity whose files a quantum computer does not open, and returns it as a line, and its
/// recipient, which has 1959 characters.
///
/// # Errors
///
/// [`Error::Random`].
///
/// # Panics
///
/// Never: the texts are short.
pub fn new_hybrid_identity() -> Result<(Zeroizing<String>, String), Error> {
    let secret = random::<32>()?;
    let identity = Decapsulating::from(*secret);
    let recipient = identity.encapsulation_key().to_bytes();
    Ok(pair_of(
        HYBRID_IDENTITY,
        &secret,
        HYBRID_RECIPIENT,
        &recipient,
    ))
}

/// Returns an identity and its recipient as texts.
fn pair_of(
    identity: &str,
    secret: &[u8; 32],
    recipient: &str,
    public: &[u8],
) -> (Zeroizing<String>, String) {
    let hrp = |text| Hrp::parse(text).expect("it is one");
    let encoded = bech32::encode_upper::<LongBech32>(hrp(identity), secret);
    let shown = bech32::encode::<LongBech32>(hrp(recipient), public);
    (
        Zeroizing::new(encoded.expect("it is short")),
        shown.expect("it is short"),
    )
}

pub(crate) fn random<const BYTES: usize>() -> Result<Zeroizing<[u8; BYTES]>, Error> {
    let mut bytes = Zeroizing::new([0; BYTES]);
    let filled = getrandom::fill(&mut *bytes);
    filled.map_err(Error::Random)?;
    Ok(bytes)
}

/// Seals the file's key with a passphrase, which takes 256 MiB of memory and about a second.
///
/// # Errors
///
/// [`Error::Random`].
pub fn seal_with_passphrase(passphrase: &[u8], file_key: &FileKey) -> Result<Stanza, Error> {
    let salt = *random::<16>()?;
    let key = once(scrypt_of(passphrase, &salt, LOG_WORK));
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

    /// Decodes its one argument.
    fn share<const BYTES: usize>(&self, why: &'static str) -> Result<[u8; BYTES], Malformed> {
        let share = match &self.arguments[..] {
            [share] => bytes_of(share.as_bytes()),
            _ => None,
        };
        share.ok_or_else(|| self.wrong(why))
    }

    fn low_order(&self) -> Malformed {
        self.wrong("a share of low order, which is no key")
    }
}

fn identity(line: &str) -> Result<Identity, &'static str> {
    const WHY: &str = "not an identity 'AGE-SECRET-KEY-1…'";
    if line.starts_with("age-encryption.org/") || line.starts_with("-----BEGIN AGE ") {
        return Err("the file is sealed itself: open it first");
    }
    if line.starts_with("AGE-PLUGIN-") {
        return Err("an identity of a plugin, which is not supported");
    }
    if line.starts_with("-----BEGIN ") {
        return Err("a private key of SSH, which is not supported");
    }
    let decoded = CheckedHrpstring::new::<Bech32>(line).map_err(|_| WHY)?;
    let hrp = decoded.hrp().to_lowercase();
    if ![IDENTITY, HYBRID_IDENTITY].contains(&&*hrp)
        || line.bytes().any(|byte| byte.is_ascii_lowercase())
    {
        return Err(WHY);
    }
    let bytes = Zeroizing::new(decoded.byte_iter().collect::<Vec<u8>>());
    let secret = <[u8; 32]>::try_from(&bytes[..]).map_err(|_| WHY)?;
    let secret = Zeroizing::new(secret);
    if hrp == HYBRID_IDENTITY {
        return Ok(Identity(Secret::Hybrid(Box::new((*secret).into()))));
    }
    let recipient = x25519(*secret, X25519_BASEPOINT_BYTES);
    Ok(Identity(Secret::X25519 { secret, recipient }))
}

fn x25519_key(
    secret: &Zeroizing<[u8; 32]>,
    recipient: &[u8; 32],
    stanza: &Stanza,
) -> Result<Sealing, Malformed> {
    let share = stanza.share("an X25519 stanza has one argument, 32 bytes in base64")?;
    let shared = shared_with(secret, share).ok_or_else(|| stanza.low_order())?;
    let salt = [share, *recipient].concat();
    Ok(once(derived(&*shared, &salt, X25519_LABEL)))
}

fn hybrid_key(identity: &Decapsulating, stanza: &Stanza) -> Result<Sealing, Malformed> {
    let why = "a stanza of ML-KEM-768 and X25519 has one argument, 1120 bytes in base64";
    let share = stanza.share(why)?;
    hybrid::decapsulated(identity, &share).ok_or_else(|| stanza.low_order())
}

fn scrypt_key(passphrase: &[u8], stanza: &Stanza) -> Result<Sealing, Malformed> {
    let why = "a scrypt stanza has two arguments, a salt of 16 bytes in base64 and a work factor";
    let [salt, work] = &stanza.arguments[..] else {
        return Err(stanza.wrong(why));
    };
    let salt = bytes_of::<16>(salt.as_bytes()).ok_or_else(|| stanza.wrong(why))?;
    let digits = !work.starts_with('0') && work.bytes().all(|byte| byte.is_ascii_digit());
    match work.parse() {
        Ok(work @ 1..=MOST_LOG_WORK) if digits => Ok(once(scrypt_of(passphrase, &salt, work))),
        _ if digits => {
            Err(stanza.wrong("the work factor is above 22, which takes more than 4 GiB of memory"))
        }
        _ => Err(stanza.wrong("the work factor is not a number from 1 to 22")),
    }
}

/// Returns what both know, or nothing if the other's point is of low order. How many bytes are zero takes no
/// other time.
fn shared_with(secret: &[u8; 32], other: [u8; 32]) -> Option<Zeroizing<[u8; 32]>> {
    let shared = Zeroizing::new(x25519(*secret, other));
    let any = shared.iter().fold(0, |any, byte| any | byte);
    (any != 0).then_some(shared)
}

fn scrypt_of(passphrase: &[u8], salt: &[u8; 16], log_work: u8) -> Zeroizing<[u8; 32]> {
    let mut key = Zeroizing::new([0; 32]);
    let parameters = scrypt::Params::new(log_work, 8, 1).expect("they are valid");
    let salt = [SCRYPT_LABEL, salt].concat();
    scrypt::scrypt(passphrase, &salt, &parameters, &mut *key).expect("32 bytes are few");
    key
}

/// The nonce is always the same, because each key seals one file's key.
fn once(key: Zeroizing<[u8; 32]>) -> Sealing {
    let nonce = [0; 12];
    Sealing { key, nonce }
}

fn wrapped(by: &Sealing, file_key: &FileKey) -> Vec<u8> {
    let nonce = UnusedNonce::assume_unused(by.nonce);
    let mut text = **file_key;
    let sealed = ChaCha20Poly1305::from_ref(&by.key).seal_in_place(nonce, b"", &mut text);
    let tag = sealed.expect("it is short");
    [&text[..], tag.as_bytes()].concat()
}

fn unwrapped(by: &Sealing, body: &[u8; 32]) -> Option<FileKey> {
    let (sealed, tag) = body.split_at(16);
    let tag = tag.try_into().ok()?;
    let mut file_key = Zeroizing::new([0; 16]);
    let cipher = ChaCha20Poly1305::from_ref(&by.key);
    let opened = cipher.open(&Nonce::new(by.nonce), b"", sealed, &tag, &mut *file_key);
    opened.ok().map(|()| file_key)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a header has room for all recipients is known before sealing to the second, which here is no key.
    #[test]
    fn many_recipients() {
        let (_, recipient) = new_identity().unwrap();
        let low_order = Recipient(Public::X25519([0; 32]));
        let mut recipients = vec![low_order; 171_195];
        recipients[0] = recipient.parse().unwrap();
        let key = new_file_key().unwrap();
        let sealed = seal_to(&recipients, &key);
        assert!(matches!(sealed, Err(Error::LowOrder)), "{sealed:?}");
        recipients.push(recipients[1].clone());
        let sealed = seal_to(&recipients, &key);
        assert!(matches!(sealed, Err(Error::TooLong(_))), "{sealed:?}");
    }
}
