// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Which parts of a provider are replaced, and which are not.

use crate::provider;
use rustls::SupportedCipherSuite;
use rustls::crypto::ring;
use std::ptr;

/// Whether two suites are at the same address.
fn same(one: SupportedCipherSuite, other: SupportedCipherSuite) -> bool {
    match (one, other) {
        (SupportedCipherSuite::Tls13(one), SupportedCipherSuite::Tls13(other)) => {
            ptr::eq(one, other)
        }
        (SupportedCipherSuite::Tls12(one), SupportedCipherSuite::Tls12(other)) => {
            ptr::eq(one, other)
        }
        _ => false,
    }
}

#[test]
fn only_chacha20_poly1305_is_replaced() {
    let base = ring::default_provider();
    let ours = provider(ring::default_provider());
    assert_eq!(ours.cipher_suites, base.cipher_suites);
    for (ours, base) in ours.cipher_suites.into_iter().zip(base.cipher_suites) {
        let of_chacha = format!("{base:?}").contains("CHACHA20");
        assert_eq!(!same(ours, base), of_chacha, "{base:?}");
        if let (Some(ours), Some(base)) = (ours.tls13(), base.tls13()) {
            assert_eq!(ours.quic.is_some(), base.quic.is_some());
            assert_eq!(
                ours.common.confidentiality_limit,
                base.common.confidentiality_limit
            );
        }
    }
}

/// A suite that lives as long as the program is made once.
#[test]
fn suites_are_made_once() {
    let first = provider(ring::default_provider());
    let second = provider(ring::default_provider());
    for (first, second) in first.cipher_suites.into_iter().zip(second.cipher_suites) {
        assert!(same(first, second), "{first:?}");
    }
}

#[test]
fn what_a_base_lacks_is_not_added() {
    let mut base = ring::default_provider();
    base.cipher_suites
        .retain(|suite| !format!("{suite:?}").contains("CHACHA20"));
    let expected = base.cipher_suites.clone();
    assert_eq!(provider(base).cipher_suites, expected);
}
