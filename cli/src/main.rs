// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The `hornet` command. Its code is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    hornet_cli::main()
}
