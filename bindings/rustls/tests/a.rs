//! x
#[test] fn a() { }
