// SPDX-License-Identifier: Apache-2.0 OR MIT

//! How build scripts run the build systems of other libraries. Two of them include this file.

use std::io;
use std::process::Command;

/// Runs a command, or returns the reason in one line.
pub(crate) fn run(command: &mut Command) -> Result<(), String> {
    let program = command.get_program().to_string_lossy().into_owned();
    match command.output() {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => {
            // The output of a build script is stored, and shown if the build fails.
            print!("{}", String::from_utf8_lossy(&output.stdout));
            eprint!("{}", String::from_utf8_lossy(&output.stderr));
            Err(format!("{program}: {}", output.status))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Err(format!("there is no {program}"))
        }
        Err(error) => Err(format!("{program}: {error}")),
    }
}
