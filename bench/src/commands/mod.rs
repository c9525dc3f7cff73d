// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Measurements of whole processes: the `hornet` command and others on the same files, all in the page cache.
//!
//! As with calls, they alternate, and only runs of the same round are compared. A round here corresponds to a worker
//! process there.

mod bench;
mod file;
mod process;
mod reader;
mod tree;

pub(crate) use bench::Commands;
pub(crate) use reader::run as read;

use crate::console::say;
use crate::error::Error;
use crate::group::Group;
use crate::report::json::{Figures, Series};
use bench::left_out;

/// Measures one group.
pub(crate) fn run(commands: &Commands, group: Group) -> Result<Vec<Series<Figures>>, Error> {
    say(format_args!("{}: {} rounds", group.name(), commands.rounds));
    let series = if !commands.hornet.exists() {
        left_out(group, &format!("there is no {}", commands.hornet.display()))
    } else if group == Group::File {
        file::run(commands)?
    } else {
        tree::run(commands)?
    };
    Ok(vec![series])
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn without_the_command_there_is_a_note() {
        let commands = Commands::new(Path::new("/nowhere/hornet"), 1, true);
        for group in [Group::File, Group::Tree] {
            let series = run(&commands, group).unwrap();
            assert!(series[0].notes[0].contains("/nowhere/hornet"));
            assert!(series[0].columns.is_empty());
        }
    }
}
