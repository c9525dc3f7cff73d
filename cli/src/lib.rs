// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The `hornet` command as a library, so that tests and fuzz targets can call its code. Other
//! programs should use the crates `hornet` and `hornet-key-file` instead.

mod commands;
mod error;
mod input;
mod kernel_choice;
mod number;
mod one_time_key;
mod output;
mod path;
mod progress;
mod save;
mod secrecy;
mod source;
mod standard;
mod time;
mod tree;
mod undisturbed;

pub mod manifest;

pub use commands::{command, main};
