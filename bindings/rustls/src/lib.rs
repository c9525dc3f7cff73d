// SPDX-License-Identifier: Apache-2.0 OR MIT

#![doc = include_str!("../README.md")]

mod protection;
mod quic;
mod records;
#[cfg(test)]
mod tests;
#[cfg(feature = "tls12")]
mod tls12;
mod tls13;

use rustls::crypto::CryptoProvider;
use rustls::{CipherSuite, SupportedCipherSuite, Tls13CipherSuite};
use std::ptr;
use std::sync::{Mutex, PoisonError};

/// Returns the provider `base` with its ChaCha20-Poly1305 suites implemented by Hornet: for TLS
/// 1.3, QUIC, and (feature `tls12`) TLS 1.2. Everything else remains as in `base`: other suites,
/// key exchange, signatures, hashes, random numbers, and the order of the suites. A suite that
/// `base` lacks is not added, so a provider of approved algorithms only remains one.
///
/// rustls needs references to suites that live as long as the program. They are therefore kept,
/// some hundred bytes each, once for each suite of each base.
#[must_use]
pub fn provider(base: CryptoProvider) -> CryptoProvider {
    let cipher_suites = base.cipher_suites.into_iter().map(on_hornet).collect();
    CryptoProvider {
        cipher_suites,
        ..base
    }
}

/// Returns the Hornet version of a ChaCha20-Poly1305 suite, and any other suite unchanged.
fn on_hornet(suite: SupportedCipherSuite) -> SupportedCipherSuite {
    match suite {
        SupportedCipherSuite::Tls13(base)
            if base.common.suite == CipherSuite::TLS13_CHACHA20_POLY1305_SHA256 =>
        {
            static KEPT: Kept<Tls13CipherSuite> = Kept::new();
            KEPT.on_hornet(base, tls13::suite).into()
        }
        #[cfg(feature = "tls12")]
        SupportedCipherSuite::Tls12(base) if tls12::SUITES.contains(&base.common.suite) => {
            static KEPT: Kept<rustls::Tls12CipherSuite> = Kept::new();
            KEPT.on_hornet(base, tls12::suite).into()
        }
        _ => suite,
    }
}

/// Pairs of a base's suite and the Hornet version of it.
struct Kept<T: 'static>(Mutex<Vec<(&'static T, &'static T)>>);

impl<T> Kept<T> {
    const fn new() -> Self {
        Self(Mutex::new(Vec::new()))
    }

    /// Creates each suite only once, because it lives as long as the program.
    fn on_hornet(&self, base: &'static T, make: fn(&T) -> T) -> &'static T {
        // The list is consistent even if a thread panicked while it held the lock.
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Not with `==`, which compares only the suite's number.
        if let Some((_, ours)) = kept.iter().find(|(of, _)| ptr::eq(*of, base)) {
            return ours;
        }
        let ours = Box::leak(Box::new(make(base)));
        kept.push((base, ours));
        ours
    }
}
