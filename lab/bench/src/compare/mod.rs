// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Two source trees of Hornet, built in the same way and measured alternately in one process.

mod builds;
pub(crate) mod cases;
mod worker;

pub(crate) use builds::run as build;
pub(crate) use worker::run;
