// SPDX-License-Identifier: Apache-2.0 OR MIT

//! `hornet info`: the version, the CPU features and the kernels.

use crate::error::Error;
use crate::kernel_choice::Choice;
use crate::output;
use hornet::kernel::{self, Primitive};
use std::fmt;
use std::process::ExitCode;

pub(crate) fn run(choice: &Choice) -> Result<ExitCode, Error> {
    output::print(format_args!("{}", Report(choice)))?;
    Ok(ExitCode::SUCCESS)
}

/// The output of `hornet info`.
struct Report<'a>(&'a Choice);

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let why = match self.0 {
            Choice::Option => "forced by --kernel",
            Choice::Variable => "forced by HORNET_KERNEL",
            Choice::Automatic => "the best that this CPU can run",
        };
        writeln!(f, "hornet {}", hornet::version())?;
        writeln!(f, "kernel: {}, {why}", kernel::in_use(Primitive::Poly1305))?;
        writeln!(f, "AES: {}", kernel::in_use(Primitive::Aes128))?;

        for (label, usable) in [("CPU has:  ", true), ("CPU lacks:", false)] {
            let names: Vec<&str> = kernel::cpu_features()
                .filter(|feature| feature.usable == usable)
                .map(|feature| feature.name)
                .collect();
            if !names.is_empty() {
                writeln!(f, "{label} {}", names.join(" "))?;
            }
        }

        let widest = kernel::all(Primitive::Poly1305)
            .map(|info| info.required.as_str().len())
            .max();
        let width = widest.unwrap_or(0).max("requires".len());
        writeln!(
            f,
            "\n{:<12} {:<width$} {:>5} {:>12}  runs here",
            "kernel", "requires", "lanes", "serves from"
        )?;
        for info in kernel::all(Primitive::Poly1305) {
            let required = match info.required.as_str() {
                "" => "-",
                names => names,
            };
            let from = match info.min_bytes {
                0 => "-".into(),
                bytes => format!("{bytes} bytes"),
            };
            let here = match info.supported {
                _ if info.name == kernel::in_use(Primitive::Poly1305) => "yes, in use",
                true => "yes",
                false => "no",
            };
            writeln!(
                f,
                "{:<12} {required:<width$} {:>5} {from:>12}  {here}",
                info.name, info.lanes
            )?;
        }
        Ok(())
    }
}
