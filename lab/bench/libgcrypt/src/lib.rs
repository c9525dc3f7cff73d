// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Only a build script. It is a separate crate so that a change in Hornet does not rebuild Libgcrypt. The script passes
//! the folder of the library to the crates that depend on this one, unless it could not be built.
