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

/// The provider `base` with its suites of ChaCha20-Poly1305 on Hornet: those of TLS 1.3, of QUIC,
/// and (feature `tls12`) of TLS 1.2. Everything else stays as it is in `base`: other suites, key
/// exchange, signatures, hashes, random numbers, and the order of the suites. A suite that `base`
/// does not have is not added, so a provider of approved algorithms only stays one.
///
/// rustls refers to suites as long as the program runs. So they are kept, some hundred bytes each,
/// once for each suite of each base.
#[must_use]
pub fn provider(base: CryptoProvider) -> CryptoProvider {
    let cipher_suites = base.cipher_suites.into_iter().map(on_hornet).collect();
    CryptoProvider {
        cipher_suites,
        ..base
    }
}

/// The suite on Hornet if it is of ChaCha20-Poly1305, or else as it is.
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

/// Suites of bases, and the same on Hornet.
struct Kept<T: 'static>(Mutex<Vec<(&'static T, &'static T)>>);

impl<T> Kept<T> {
    const fn new() -> Self {
        Self(Mutex::new(Vec::new()))
    }

    /// Makes a suite only once, because it stays.
    fn on_hornet(&self, base: &'static T, make: fn(&T) -> T) -> &'static T {
        // It is whole even if a thread has panicked while it held the lock.
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Not by `==`, which compares only the number of a suite.
        if let Some((_, ours)) = kept.iter().find(|(of, _)| ptr::eq(*of, base)) {
            return ours;
        }
        let ours = Box::leak(Box::new(make(base)));
        kept.push((base, ours));
        ours
    }
}
