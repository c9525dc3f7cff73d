// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Chooses the kernel by an option or an environment variable.

use crate::error::Error;
use hornet::kernel::{self, Primitive};
use std::env;
use std::ffi::{OsStr, OsString};
use std::fmt;

const VARIABLE: &str = "HORNET_KERNEL";

/// What chose the kernel.
pub(crate) enum Choice {
    Option,
    Variable,
    Automatic,
}

impl Choice {
    /// Forces the kernel that the option names, or else the environment variable. An empty variable
    /// counts as unset.
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

/// Forces a kernel. The error message gives `by` as the source of its name.
fn force(by: &dyn fmt::Display, name: &OsStr) -> Result<(), Error> {
    let forced = name
        .to_str()
        .is_some_and(|name| kernel::force(Primitive::Poly1305, Some(name)).is_ok());
    if forced {
        return Ok(());
    }
    let names: Vec<&str> = kernel::names(Primitive::Poly1305).collect();
    Err(Error::new(
        by,
        format_args!(
            "no kernel {name:?} runs on this CPU; available: {}",
            names.join(", ")
        ),
    ))
}
