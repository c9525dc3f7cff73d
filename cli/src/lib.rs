// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The `hornet` command as a library, so that tests can call its code. Other programs should use the
//! crates `hornet-poly1305`, `hornet-poly1305-age`, `hornet-poly1305-key-file` and `hornet-poly1305-manifest` instead.

mod age;
mod buffer;
mod color;
mod commands;
mod defer_signals;
mod error;
mod harden;
mod input;
mod kernel_choice;
mod mapping;
mod number;
mod one_time_key;
mod output;
mod path;
mod progress;
mod ranges;
mod report;
mod save;
mod size;
mod source;
mod stdio;
mod tree;

pub use commands::{command, main};
