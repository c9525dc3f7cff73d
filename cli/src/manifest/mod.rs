// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Manifests: the tags of many files in a text that authenticates itself. docs/manifest.md describes
//! the format.

mod content;
pub mod escape;
mod problem;
mod read;
pub(crate) mod report;
mod seal;
#[cfg(test)]
mod tests;
mod text;
mod write;

pub use content::Manifest;
pub(crate) use content::{Line, Other};
pub use problem::Problem;
pub use seal::PURPOSE;
pub(crate) use text::HEADER;
