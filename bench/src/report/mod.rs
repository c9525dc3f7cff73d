//! What a run found out, and the files it ends in.

pub(crate) mod into;
pub(crate) mod json;
pub(crate) mod merge;
pub(crate) mod plot;
pub(crate) mod table;
