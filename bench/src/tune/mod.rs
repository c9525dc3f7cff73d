// SPDX-License-Identifier: Apache-2.0 OR MIT

//! `tune`: measures from which length each kernel of this CPU pays, and proposes crossovers.

mod agreement;
mod command;
mod crossovers;
mod lengths;
mod measure;
mod proposal;
mod text;

pub(crate) use command::run;
