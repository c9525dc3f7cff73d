// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The subcommands run, check, list and render.

use crate::built::{RUST_FLAGS, TOOLS};
use crate::cli::{self, Run};
use crate::commands::{self, Commands};
use crate::console::{print, say};
use crate::error::Error;
use crate::group::Group;
use crate::peers::{Peer, Peers};
use crate::report::into::insert;
use crate::report::json::{Named, PeerInfo, Report, SectionReport, Verdict, WorkerReport};
use crate::report::merge::{is_hornet, merge};
use crate::report::{markdown, plot};
use crate::section::Section;
use crate::source_tree::FLAGS;
use crate::{check, check_aead, cpu, files, subprocess, worker};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

/// Measures, and writes results, tables and plots.
pub(crate) fn run(arguments: &Run) -> Result<ExitCode, Error> {
    let peers = Peers::load();
    worker::select(&peers, &arguments.what.peers)?; // before anything is measured
    let old = arguments.into.as_deref().map(read).transpose()?;
    let what = &arguments.what;
    let commands = Commands::new(&arguments.command, arguments.processes.into(), what.small);
    let mut sections = Vec::new();
    for &section in &arguments.sections {
        if peers.hornets.iter().any(|hornet| hornet.is_in(section)) {
            sections.push(run_section(section, arguments, &commands)?);
        } else {
            say(format_args!(
                "{}: left out, Hornet has no kernel for it here",
                section.name()
            ));
        }
    }
    let processes = usize::from(arguments.processes);
    let mut report = report(&peers, sections, processes, what.rounds.into());
    let mut series = report.sections.iter().flat_map(|section| &section.series);
    if series.any(|series| series.group.is_of_commands()) {
        report.tools.extend(commands.versions());
    }
    let status = status(report.sections.iter().flat_map(|section| &section.checks));
    match (old, &arguments.into) {
        (Some(old), Some(file)) => {
            let both = insert(old, report).map_err(|why| Error::new(file.display(), why))?;
            write_all(&both, folder_of(file))?;
        }
        _ => write_all(&report, &arguments.out)?,
    }
    Ok(status)
}

fn run_section(
    section: Section,
    arguments: &Run,
    commands: &Commands,
) -> Result<SectionReport, Error> {
    let groups = section.groups(&arguments.what.only);
    let (of_commands, of_calls): (Vec<Group>, Vec<Group>) =
        groups.iter().partition(|group| group.is_of_commands());
    // One process checks the tags even if there are no calls to measure.
    let processes = if of_calls.is_empty() {
        1
    } else {
        arguments.processes
    };
    let mut workers = Vec::new();
    for process in 1..=processes {
        say(format_args!(
            "{}: process {process} of {processes}",
            section.name()
        ));
        workers.push(run_worker(section, &of_calls, arguments)?);
    }
    let commands: Result<Vec<_>, Error> = of_commands
        .into_iter()
        .map(|group| commands::run(commands, group))
        .collect();
    let Some(first) = workers.first() else {
        return Err(Error::new(section.name(), "no process measured anything"));
    };
    Ok(SectionReport {
        section,
        mask: section.mask().map(str::to_owned),
        hornet_kernel: first.hornet_kernel.clone(),
        hornet_chacha20_kernel: first.hornet_chacha20_kernel.clone(),
        counts_cycles: first.counts_cycles,
        checks: first.checks.clone(),
        series: {
            let series: Vec<_> = workers.into_iter().map(|worker| worker.series).collect();
            let mut series = merge(&series);
            series.extend(commands?.into_iter().flatten());
            series
        },
    })
}

fn run_worker(section: Section, groups: &[Group], arguments: &Run) -> Result<WorkerReport, Error> {
    let what = &arguments.what;
    let mut command = subprocess::this_program()?;
    command.args(["worker", "--section", section.name()]);
    command.args(["--rounds", &what.rounds.to_string()]);
    for group in groups {
        command.args(["--only", &group.name()]);
    }
    if what.small {
        command.arg("--small");
    }
    for name in &what.peers.names {
        command.args(["--peers", name]);
    }
    if let Some(kernel) = &what.kernel {
        command.args(["--kernel", kernel]);
    }
    if let Some(kernel) = &what.chacha20_kernel {
        command.args(["--chacha20-kernel", kernel]);
    }
    command.env_remove("OPENSSL_ia32cap");
    command.envs(section.mask().map(|mask| ("OPENSSL_ia32cap", mask)));
    subprocess::json(command)
}

fn report(peers: &Peers, sections: Vec<SectionReport>, processes: usize, rounds: usize) -> Report {
    let named = |name: &str, value: &str| Named {
        name: name.to_owned(),
        value: value.to_owned(),
    };
    Report {
        date: cpu::today(),
        cpu: cpu::this_cpu(),
        processes,
        rounds,
        tools: TOOLS
            .iter()
            .map(|(tool, version)| named(tool, version))
            .collect(),
        hornet_flags: FLAGS.to_owned(),
        rust_flags: RUST_FLAGS.to_owned(),
        peers: peer_infos(peers),
        missing: peers
            .missing
            .iter()
            .map(|(name, why)| named(name, why))
            .collect(),
        updates: Vec::new(),
        sections,
    }
}

fn peer_infos(peers: &Peers) -> Vec<PeerInfo> {
    let info = |name: &str, version: &str, note: Option<&str>| PeerInfo {
        name: name.to_owned(),
        version: version.to_owned(),
        note: note.map(str::to_owned),
    };
    let macs = peers.present();
    let macs = macs.map(|peer| info(peer.name(), peer.version(), peer.note()));
    let aead = peers.aead.iter().chain(&peers.evp);
    let aead = aead.map(|peer| info(&peer.full_name(), peer.version(), peer.note()));
    macs.chain(aead).collect()
}

/// Writes the results, tables and plots, named after the CPU.
fn write_all(report: &Report, out: &Path) -> Result<(), Error> {
    let json = serde_json::to_string(report).map_err(|error| Error::new("results", error))?;
    fs::create_dir_all(out).map_err(|error| Error::new(out.display(), error))?;
    let slug = cpu::slug(&report.cpu);
    files::write(&out.join(format!("{slug}.json")), &(json + "\n"))?;
    draw(report, out)
}

fn draw(report: &Report, out: &Path) -> Result<(), Error> {
    let slug = cpu::slug(&report.cpu);
    let mut plots = Vec::new();
    for plot in plot::all(report) {
        let name = format!("{slug}-{}.svg", plot.name);
        files::write(
            &out.join(&name),
            &plot.svg.map_err(|error| Error::new(&name, error))?,
        )?;
        plots.push((plot.title, name));
    }
    files::write(
        &out.join(format!("{slug}.md")),
        &markdown::markdown(report, &plots),
    )
}

/// Renders tables and plots from a file of results.
pub(crate) fn render(file: &Path, out: Option<&Path>) -> Result<ExitCode, Error> {
    let report = read(file)?;
    let out = out.unwrap_or_else(|| folder_of(file));
    fs::create_dir_all(out).map_err(|error| Error::new(out.display(), error))?;
    draw(&report, out)?;
    Ok(ExitCode::SUCCESS)
}

fn read(file: &Path) -> Result<Report, Error> {
    let fail = |problem: &dyn std::fmt::Display| Error::new(file.display(), problem);
    let json = fs::read_to_string(file).map_err(|error| fail(&error))?;
    serde_json::from_str(&json).map_err(|error| fail(&error))
}

fn folder_of(file: &Path) -> &Path {
    file.parent().unwrap_or(Path::new(""))
}

/// Checks all tags: of the peers, of each of Hornet's kernels, of batches, of messages in pieces, and of Poly1305-AES;
/// and the tags and ciphertexts of ChaCha20-Poly1305.
pub(crate) fn check(names: &cli::Peers) -> Result<ExitCode, Error> {
    let peers = Peers::load();
    let inputs = check::inputs();
    let mut verdicts = Vec::new();
    for peer in worker::select(&peers, names)? {
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
    verdicts.extend(
        with_aes
            .filter(|peer| worker::is_selected(peer.name(), names))
            .map(|peer| check::check_aes(peer, &inputs)),
    );
    let packets = check_aead::inputs();
    for peer in worker::select_aead(&peers.aead, names) {
        match peers.hornet(peer.name()) {
            Some(hornet) => verdicts.extend(check_aead::check_kernels(hornet, peer, &packets)),
            None => verdicts.push(check_aead::check(peer, &packets)),
        }
    }
    let evp = worker::select_aead(&peers.evp, names).into_iter();
    verdicts.extend(evp.map(|peer| check_aead::check(peer, &packets)));
    let mut text = String::new();
    for verdict in &verdicts {
        let _ = writeln!(text, "{}", markdown::verdict(verdict));
    }
    print(text + &missing(&peers))?;
    Ok(status(verdicts.iter()))
}

/// Returns 1 if Hornet computed a wrong tag. Wrong tags of other peers are in the report.
fn status<'a>(mut verdicts: impl Iterator<Item = &'a Verdict>) -> ExitCode {
    let is_wrong = verdicts.any(|verdict| is_hornet(&verdict.peer) && verdict.wrong > 0);
    ExitCode::from(u8::from(is_wrong))
}

/// Lists all peers.
pub(crate) fn list() -> Result<ExitCode, Error> {
    let peers = Peers::load();
    let mut text = String::new();
    for peer in peer_infos(&peers) {
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
