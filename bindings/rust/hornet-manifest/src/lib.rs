// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Manifests: the tags of many files in a text that authenticates itself.
//!
//! [`Writer`] writes one, line by line, with memory that does not depend on the number of files;
//! [`Manifest::open`] verifies and reads one, and [`Manifest::open_file`] one that need not fit in memory. docs/manifest.md
//! describes the format. The module [`parts`] keeps, beside a manifest, the values of segments of its files.

mod content;
pub mod escape;
pub mod holes;
mod kind;
pub mod parts;
mod problem;
mod read;
mod seal;
#[cfg(test)]
mod tests;
mod text;
mod time;
mod write;

pub use content::{Line, Manifest, Other};
pub use kind::Kind;
pub use problem::{OpenError, Problem};
pub use read::read_text;
pub use seal::{PURPOSE, Seal};
pub use time::Time;
pub use write::Writer;

/// The examples in README.md, tested like the ones here.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
