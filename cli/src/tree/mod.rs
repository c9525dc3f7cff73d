// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Trees of files: finding them, opening them safely, and reading them on all threads.

pub(crate) mod changed;
pub(crate) mod excluded;
pub(crate) mod failure;
mod handles;
pub(crate) mod holes;
pub(crate) mod opener;
pub(crate) mod patterns;
mod reading;
pub(crate) mod roots;
pub(crate) mod segments;
pub(crate) mod snapshot;
pub(crate) mod task;
pub(crate) mod values;
mod visits;
pub(crate) mod walk;
mod windows;
pub(crate) mod work;
mod worker;
