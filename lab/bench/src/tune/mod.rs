// SPDX-License-Identifier: Apache-2.0 OR MIT

//! `tune`: measures the length from which each kernel of this CPU pays off, and proposes crossovers.

mod agreement;
mod command;
mod crossovers;
mod lengths;
mod measure;
mod proposal;
mod text;

pub(crate) use command::run;
