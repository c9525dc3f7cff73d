// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The results of a run, and the files that are rendered from them.

pub(crate) mod into;
pub(crate) mod json;
pub(crate) mod markdown;
pub(crate) mod merge;
pub(crate) mod page;
pub(crate) mod plot;
mod table;
