// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The worker process of `run`: measures, and prints the results for the process that started it to merge.

use crate::check;
use crate::check_aead;
use crate::cli::{Peers as Names, Worker};
use crate::console::print;
use crate::counter::Counter;
use crate::error::Error;
use crate::groups::{self, Bench};
use crate::peers::{Aead, Hornet, Peer, Peers};
use crate::report::json::{Verdict, WorkerReport};
use std::collections::BTreeSet;
use std::process::ExitCode;

pub(crate) fn run(arguments: &Worker) -> Result<ExitCode, Error> {
    let all = Peers::load();
    let section = arguments.section;
    let mut peers: Vec<&dyn Peer> = select(&all, &arguments.what.peers)?;
    peers.retain(|peer| peer.is_in(section));

    let mut with_aes: Vec<&dyn Peer> = all.with_aes.iter().map(|peer| &**peer).collect();
    with_aes.retain(|peer| is_selected(peer.name(), &arguments.what.peers) && peer.is_in(section));

    let [mut aead, mut evp] = [&all.aead, &all.evp].map(|all| {
        let mut selected = select_aead(all, &arguments.what.peers);
        selected.retain(|peer| peer.is_in(section));
        selected
    });

    let what = &arguments.what;
    let kernel = what.kernel.as_deref().or(section.kernel());
    let chacha20 = what.chacha20_kernel.as_deref();
    let chacha20 = chacha20.or(section.chacha20_kernel());
    for hornet in &all.hornets {
        let unknown = |kernel: Option<&str>| {
            let kernel = kernel.unwrap_or_default();
            Error::new(
                hornet.name(),
                format_args!("no kernel {kernel:?} runs here"),
            )
        };
        if !hornet.core.force(kernel) {
            return Err(unknown(kernel));
        }
        if !hornet.force_chacha20(chacha20) {
            return Err(unknown(chacha20));
        }
    }

    let inputs = check::inputs();
    let mut checks: Vec<_> = peers
        .iter()
        .map(|peer| check::check(*peer, &inputs))
        .collect();
    let aes_checks = with_aes.iter().map(|peer| check::check_aes(*peer, &inputs));
    checks.extend(aes_checks);
    let mut verdicts = checks.iter();
    let mut is_measured = |_: &&dyn Peer| verdicts.next().is_some_and(Verdict::is_measured);
    peers.retain(&mut is_measured);
    with_aes.retain(&mut is_measured);

    let mut in_pieces: Vec<_> = peers
        .iter()
        .filter_map(|peer| Some((*peer, peer.in_pieces()?)))
        .collect();
    in_pieces.retain(|(peer, in_pieces)| {
        let verdict = check::check_in_pieces(peer.name(), in_pieces, &inputs);
        let is_measured = verdict.is_measured();
        checks.push(verdict);
        is_measured
    });

    let packets = check_aead::inputs();
    for peers in [&mut aead, &mut evp] {
        peers.retain(|peer| {
            let verdict = check_aead::check(peer, &packets);
            let is_measured = verdict.is_measured();
            checks.push(verdict);
            is_measured
        });
    }

    let bench = Bench {
        counter: Counter::open(),
        hornets: peers
            .iter()
            .filter_map(|peer| all.hornet(peer.name()))
            .collect(),
        peers,
        with_aes,
        in_pieces,
        aead,
        evp,
        rounds: arguments.what.rounds.into(),
        small: arguments.what.small,
    };
    let report = WorkerReport {
        hornet_kernel: all.hornets.first().map_or_else(String::new, Hornet::kernel),
        hornet_chacha20_kernel: all
            .hornets
            .first()
            .map_or_else(String::new, Hornet::chacha20_kernel),
        counts_cycles: bench.counter.has_cycles(),
        checks,
        series: arguments
            .what
            .only
            .iter()
            .flat_map(|group| groups::run(&bench, *group))
            .collect(),
    };
    let json = serde_json::to_string(&report).map_err(|error| Error::new("worker", error))?;
    print(json)?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the peers whose names start with the words of one of these names, or all peers if there are no names.
pub(crate) fn select<'a>(peers: &'a Peers, names: &Names) -> Result<Vec<&'a dyn Peer>, Error> {
    if names.names.is_empty() {
        return Ok(peers.present().collect());
    }
    let aead = || peers.aead.iter().chain(&peers.evp).map(Aead::name);
    let known = || peers.present().map(Peer::name).chain(aead());
    if let Some(unknown) = names
        .names
        .iter()
        .find(|name| !known().any(|peer| is_meant(peer, name)))
    {
        let known: BTreeSet<&str> = known().collect();
        let known: Vec<&str> = known.into_iter().collect();
        let problem = format_args!("no peer {unknown:?}; there are {}", known.join(", "));
        return Err(Error::new("--peers", problem));
    }
    Ok(peers
        .present()
        .filter(|peer| is_selected(peer.name(), names))
        .collect())
}

/// The same for the peers with ChaCha20-Poly1305.
pub(crate) fn select_aead<'a>(all: &'a [Aead], names: &Names) -> Vec<&'a Aead> {
    let selected = all.iter().filter(|peer| is_selected(peer.name(), names));
    selected.collect()
}

pub(crate) fn is_selected(peer: &str, names: &Names) -> bool {
    names.names.is_empty() || names.names.iter().any(|name| is_meant(peer, name))
}

fn is_meant(peer: &str, name: &str) -> bool {
    let (peer, name) = (peer.to_lowercase(), name.trim().to_lowercase());
    let rest = peer.strip_prefix(&name);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' ')) && !name.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        assert!(is_meant("OpenSSL EVP", "openssl"));
        assert!(is_meant("OpenSSL EVP", "OpenSSL EVP"));
        assert!(!is_meant("OpenSSL", "OpenSSL EVP"));
        assert!(!is_meant("OpenSSL", "Open"));
        assert!(!is_meant("OpenSSL", ""));
    }
}
