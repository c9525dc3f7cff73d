// SPDX-License-Identifier: Apache-2.0 OR MIT

//! `compare`: the speed of two source trees of Hornet, built in the same way and measured alternately in one process.

mod builds;
pub(crate) mod cases;
mod command;
mod output;
mod results;
mod text;
mod worker;

pub(crate) use command::run;
pub(crate) use worker::run as work;
