//! Which kernel runs, and why.

use crate::error::Error;
use crate::output;
use hornet::{aes, kernel};
use std::env;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::process::ExitCode;

const VARIABLE: &str = "HORNET_KERNEL";

/// What chose the kernel.
pub(crate) enum Choice {
    Option,
    Variable,
    Automatic,
}

impl Choice {
    /// Forces the kernel that the option names, or else the environment; an empty variable is as
    /// good as none.
    pub(crate) fn new(option: Option<OsString>) -> Result<Self, Error> {
        if let Some(name) = option {
            force(&"--kernel", &name)?;
            return Ok(Self::Option);
        }
        match env::var_os(VARIABLE) {
            Some(name) if !name.is_empty() => {
                force(&VARIABLE, &name)?;
                Ok(Self::Variable)
            }
            _ => Ok(Self::Automatic),
        }
    }
}

fn force(by: &dyn fmt::Display, name: &OsStr) -> Result<(), Error> {
    let forced = name
        .to_str()
        .is_some_and(|name| kernel::force(Some(name)).is_ok());
    if forced {
        return Ok(());
    }
    let names: Vec<&str> = kernel::names().collect();
    Err(Error::new(
        by,
        format_args!(
            "no kernel {name:?} runs on this CPU; there are {}",
            names.join(", ")
        ),
    ))
}

pub(crate) fn run(choice: &Choice) -> Result<ExitCode, Error> {
    output::print(format_args!("{}", Report(choice)))?;
    Ok(ExitCode::SUCCESS)
}

/// Everything about the kernels, for a person to read.
struct Report<'a>(&'a Choice);

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let why = match self.0 {
            Choice::Option => "forced by --kernel",
            Choice::Variable => "forced by HORNET_KERNEL",
            Choice::Automatic => "the best that this CPU can run",
        };
        writeln!(f, "hornet {}", env!("CARGO_PKG_VERSION"))?;
        writeln!(f, "kernel: {}, {why}", kernel::current())?;
        writeln!(f, "AES: {}", aes::implementation())?;

        for (label, usable) in [("CPU has:  ", true), ("CPU lacks:", false)] {
            let names: Vec<&str> = kernel::cpu_features()
                .filter(|feature| feature.usable == usable)
                .map(|feature| feature.name)
                .collect();
            if !names.is_empty() {
                writeln!(f, "{label} {}", names.join(" "))?;
            }
        }

        let widest = kernel::all().map(|info| info.needs.as_str().len()).max();
        let width = widest.unwrap_or(0).max("needs".len());
        writeln!(
            f,
            "\n{:<12} {:<width$} {:>5} {:>12}  runs here",
            "kernel", "needs", "lanes", "vectors from"
        )?;
        for info in kernel::all() {
            let needs = match info.needs.as_str() {
                "" => "-",
                names => names,
            };
            let from = match info.min_bytes {
                0 => "-".into(),
                bytes => format!("{bytes} bytes"),
            };
            let here = match info.supported {
                _ if info.name == kernel::current() => "yes, in use",
                true => "yes",
                false => "no",
            };
            writeln!(
                f,
                "{:<12} {needs:<width$} {:>5} {from:>12}  {here}",
                info.name, info.lanes
            )?;
        }
        Ok(())
    }
}
