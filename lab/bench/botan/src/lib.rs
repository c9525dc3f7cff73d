// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Only a build script. It is a separate crate so that a change in Hornet does not rebuild Botan. The script passes the
//! paths of the library to the crates that depend on this one, or the reason why it could not be built.
