// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The subcommands measure, check and list.

use crate::check;
use crate::check_aead;
use crate::cli::{Measure, Peers as Names};
use crate::console::print;
use crate::counter::Counter;
use crate::error::Error;
use crate::groups::{self, Bench};
use crate::json::{self, HORNET, Report, Verdict};
use crate::peers::{Aead, Hornet, Peer, Peers};
use crate::section::Section;
use std::collections::BTreeSet;
use std::env;
use std::fmt::Write as _;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

/// The variable by which OpenSSL and AWS-LC are told which instructions the CPU has.
const MASK: &str = "OPENSSL_ia32cap";

/// Starts this process anew if the variable is not that of the section, because the libraries read it when they are
/// loaded.
fn with_mask(section: Section) -> Result<(), Error> {
    if env::var(MASK).ok().as_deref() == section.mask() {
        return Ok(());
    }
    let fail = |error| Error::new("hornet-bench", error);
    let mut again = Command::new(env::current_exe().map_err(fail)?);
    again.args(env::args_os().skip(1)).env_remove(MASK);
    again.envs(section.mask().map(|mask| (MASK, mask)));
    Err(fail(again.exec()))
}

/// Forces the kernels of the options, or else those of the section.
fn force(all: &Peers, what: &Measure) -> Result<(), Error> {
    let section = what.section;
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
    Ok(())
}

/// Measures, and prints a `Report`, or `null` if Hornet has no kernel for the section.
pub(crate) fn run(what: &Measure) -> Result<ExitCode, Error> {
    let section = what.section;
    with_mask(section)?;
    let all = Peers::load();
    if !all.hornets.iter().any(|hornet| hornet.is_in(section)) {
        json::write(&())?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut peers: Vec<&dyn Peer> = select(&all, &what.peers)?;
    peers.retain(|peer| peer.is_in(section));

    let mut with_aes: Vec<&dyn Peer> = all.with_aes.iter().map(|peer| &**peer).collect();
    with_aes.retain(|peer| is_selected(peer.name(), &what.peers) && peer.is_in(section));

    let [mut aead, mut evp] = [&all.aead, &all.evp].map(|all| {
        let mut selected = select_aead(all, &what.peers);
        selected.retain(|peer| peer.is_in(section));
        selected
    });

    force(&all, what)?;
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
        rounds: what.rounds.into(),
        small: what.small,
    };
    let groups = if what.no_groups {
        Vec::new()
    } else {
        section.groups(&what.only)
    };
    let hornet = all.hornets.first();
    json::write(&Report {
        section,
        mask: section.mask(),
        kernel: hornet.map_or_else(String::new, Hornet::kernel),
        chacha20_kernel: hornet.map_or_else(String::new, Hornet::chacha20_kernel),
        clock: bench.counter.clock(),
        tools: json::tools(),
        flags: json::flags(),
        peers: json::peer_infos(&all),
        missing: &all.missing,
        checks,
        series: groups
            .into_iter()
            .flat_map(|group| groups::run(&bench, group))
            .collect(),
    })?;
    Ok(ExitCode::SUCCESS)
}

/// Checks all tags: of the peers, of each of Hornet's kernels, of batches, of messages in pieces, and of Poly1305-AES;
/// and the tags and ciphertexts of ChaCha20-Poly1305. Prints them, and returns 1 if Hornet's are wrong.
pub(crate) fn check(names: &Names) -> Result<ExitCode, Error> {
    let peers = Peers::load();
    let inputs = check::inputs();
    let mut verdicts = Vec::new();
    for peer in select(&peers, names)? {
        if let Some(hornet) = peers.hornet(peer.name()) {
            verdicts.extend(check::check_kernels(hornet, &inputs));
            continue;
        }
        verdicts.push(check::check(peer, &inputs));
        if let Some(in_pieces) = peer.in_pieces() {
            verdicts.push(check::check_in_pieces(peer.name(), in_pieces, &inputs));
        }
    }
    let with_aes = peers.with_aes.iter().map(|peer| &**peer);
    let with_aes = with_aes.filter(|peer| is_selected(peer.name(), names));
    verdicts.extend(with_aes.map(|peer| check::check_aes(peer, &inputs)));
    let packets = check_aead::inputs();
    for peer in select_aead(&peers.aead, names) {
        match peers.hornet(peer.name()) {
            Some(hornet) => verdicts.extend(check_aead::check_kernels(hornet, peer, &packets)),
            None => verdicts.push(check_aead::check(peer, &packets)),
        }
    }
    let evp = select_aead(&peers.evp, names).into_iter();
    verdicts.extend(evp.map(|peer| check_aead::check(peer, &packets)));
    let mut text = String::new();
    for verdict in &verdicts {
        let _ = writeln!(text, "{verdict}");
    }
    print(text + &missing(&peers))?;
    let is_wrong = |verdict: &Verdict| verdict.peer.starts_with(HORNET) && verdict.wrong > 0;
    Ok(ExitCode::from(u8::from(verdicts.iter().any(is_wrong))))
}

/// Lists all peers.
pub(crate) fn list() -> Result<ExitCode, Error> {
    let peers = Peers::load();
    let mut text = String::new();
    for peer in json::peer_infos(&peers) {
        let note = peer
            .note
            .map_or_else(String::new, |note| format!(": {note}"));
        let _ = writeln!(text, "{} {}{note}", peer.name, peer.version);
    }
    print(text + &missing(&peers))?;
    Ok(ExitCode::SUCCESS)
}

fn missing(peers: &Peers) -> String {
    let mut text = String::new();
    for (name, why) in &peers.missing {
        let _ = writeln!(text, "{name}: left out, {why}");
    }
    text
}

/// Returns the peers whose names start with the words of one of these names, or all peers if there are no names.
fn select<'a>(peers: &'a Peers, names: &Names) -> Result<Vec<&'a dyn Peer>, Error> {
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
fn select_aead<'a>(all: &'a [Aead], names: &Names) -> Vec<&'a Aead> {
    let selected = all.iter().filter(|peer| is_selected(peer.name(), names));
    selected.collect()
}

fn is_selected(peer: &str, names: &Names) -> bool {
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
