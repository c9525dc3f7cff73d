//! Nothing but a build script: a crate of its own, so that a change in Hornet does not build OpenSSL again. The
//! script tells those who depend on this crate where the library is.
