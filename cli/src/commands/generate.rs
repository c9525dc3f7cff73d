// SPDX-License-Identifier: Apache-2.0 OR MIT

//! `hornet generate`, which is hidden: writes the manual pages and the shell completions from the
//! definition of the command.

use crate::commands::examples;
use crate::commands::sections::{SECTIONS, Section};
use crate::error::Error;
use crate::save::Target;
use clap::{Args, Command, Parser, Subcommand};
use clap_complete::{Generator, Shell};
use clap_mangen::Man;
use roff::{Roff, bold, roman};
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

/// The date in the manual pages: that of the release or, before it, of the last change to their
/// text. It is not the build date, so that every build makes the same pages.
const DATE: &str = "2026-11-29";

/// Write manual pages or shell completions
#[derive(Parser)]
#[command(name = Generate::NAME, hide = true)]
pub(super) struct Generate {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Write the manual pages: hornet.1, and hornet-COMMAND.1 for each command
    Man(Destination),

    /// Write completions for bash, zsh and fish: hornet.bash, _hornet and hornet.fish
    Completions(Destination),
}

#[derive(Args)]
struct Destination {
    /// The folder, which must exist
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    /// Replace files that exist
    #[arg(long)]
    force: bool,
}

impl Generate {
    pub(super) const NAME: &str = "generate";

    /// Writes the files about a command.
    pub(super) fn run(self, command: Command) -> Result<ExitCode, Error> {
        let (files, destination) = match self.what {
            What::Man(destination) => (pages(command), destination),
            What::Completions(destination) => (completions(command), destination),
        };
        // All targets are checked before the first is written.
        let targets = files.into_iter().map(|(name, content)| {
            let target = Target::new(&destination.folder.join(name), destination.force)?;
            Ok((target, content))
        });
        for (target, content) in targets.collect::<Result<Vec<_>, Error>>()? {
            target.write(&content)?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// A file's name and content.
type File = (String, Vec<u8>);

fn completions(mut command: Command) -> Vec<File> {
    [Shell::Bash, Shell::Zsh, Shell::Fish]
        .map(|shell| {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut command, "hornet", &mut script);
            (shell.file_name("hornet"), script)
        })
        .into()
}

/// Returns the pages of a command and of its subcommands.
fn pages(command: Command) -> Vec<File> {
    let mut command = command.disable_help_subcommand(true);
    command.build();
    let name = command.get_name().to_owned();
    let subpages: Vec<String> = command
        .get_subcommands()
        .map(|subcommand| format!("{name}-{}", subcommand.get_name()))
        .collect();

    let mut pages: Vec<File> = command
        .get_subcommands()
        .map(|subcommand| page(subcommand, &[], &[&name]))
        .collect();
    let see_also: Vec<&str> = subpages.iter().map(String::as_str).collect();
    pages.push(page(&command, &SECTIONS, &see_also));
    pages
}

/// Returns the page of a command, with these sections and references added.
fn page(command: &Command, sections: &[Section], see_also: &[&str]) -> File {
    let mut command = command.clone();
    // More exact than the usage that clap_mangen derives from the arguments.
    let usage = command.render_usage().to_string();
    let usage = usage.trim_start_matches("Usage:").trim().to_owned();
    let has_subcommands = command.has_subcommands();
    let command = command.override_usage(usage);
    let examples = examples::of(command.get_name());
    let name = command.get_display_name().unwrap_or(command.get_name());
    let name = name.to_owned();
    let man = Man::new(command)
        .title(name.to_uppercase())
        .date(DATE)
        .source(format!("Hornet {}", hornet::version()))
        .manual("Hornet manual");

    let mut text = section(|text| man.render_title(text));
    // Removes the preamble, which each section repeats.
    let preamble = Roff::new().render();
    let mut push = |section: Vec<u8>| {
        let rest = section.strip_prefix(preamble.as_bytes());
        text.extend_from_slice(rest.unwrap_or(&section));
    };
    push(section(|text| man.render_name_section(text)));
    push(section(|text| man.render_synopsis_section(text)));
    push(section(|text| man.render_description_section(text)));
    push(section(|text| man.render_options_section(text)));
    if has_subcommands {
        push(section(|text| man.render_subcommands_section(text)));
    }

    let mut roff = Roff::new();
    for Section { heading, entries } in sections {
        roff.control("SH", [heading.to_uppercase().as_str()]);
        for (name, meaning) in *entries {
            roff.control("TP", []);
            roff.text([bold(*name)]);
            roff.text([roman(*meaning)]);
        }
    }
    roff.control("SH", ["EXAMPLES"]);
    for (index, (what, lines)) in examples.iter().enumerate() {
        if index > 0 {
            roff.control("PP", []);
        }
        roff.text([roman(format!("{what}:"))]);
        roff.control("RS", ["4"]);
        roff.control("EX", []);
        for line in *lines {
            roff.text([roman(*line)]);
        }
        roff.control("EE", []);
        roff.control("RE", []);
    }
    roff.control("SH", ["SEE ALSO"]);
    for (index, name) in see_also.iter().enumerate() {
        let end = if index + 1 < see_also.len() { "," } else { "" };
        roff.text([bold(*name), roman(format!("(1){end}"))]);
    }
    push(roff.render().into_bytes());
    (format!("{name}.1"), text)
}

/// Returns what `render` writes. Writing to memory does not fail.
fn section(render: impl FnOnce(&mut dyn io::Write) -> io::Result<()>) -> Vec<u8> {
    let mut text = Vec::new();
    let _ = render(&mut text);
    text
}
