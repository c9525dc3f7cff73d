// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Runs this program as a worker process that prints JSON.

use crate::error::Error;
use serde::de::DeserializeOwned;
use std::env;
use std::fmt::Display;
use std::process::{Command, Stdio};

fn fail(problem: impl Display) -> Error {
    Error::new("worker", problem)
}

/// Returns a command that runs this program, without arguments.
pub(crate) fn this_program() -> Result<Command, Error> {
    Ok(Command::new(env::current_exe().map_err(fail)?))
}

/// Runs a command, and parses its output.
pub(crate) fn json<T: DeserializeOwned>(mut command: Command) -> Result<T, Error> {
    let output = command.stderr(Stdio::inherit()).output().map_err(fail)?;
    if !output.status.success() {
        return Err(fail(output.status));
    }
    serde_json::from_slice(&output.stdout).map_err(fail)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(script: &str) -> Result<Vec<u8>, Error> {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        json(command)
    }

    #[test]
    fn what_it_prints_and_how_it_ends() {
        assert_eq!(printed("echo '[1, 2]'").unwrap(), [1, 2]);
        assert!(printed("echo '[1, 2'").is_err());
        assert!(printed("echo '[1, 2]'; exit 3").is_err());
    }
}
