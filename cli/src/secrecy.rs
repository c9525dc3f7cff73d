// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Keeps the memory of the process, which holds keys, from others.

use rustix::process::{Resource, Rlimit, setrlimit};

/// No core dumps; and on Linux no debugger of the same user, nor `/proc/PID/mem`. What does not work
/// is left out: the command does the same without.
pub(crate) fn keep() {
    let none = Rlimit {
        current: Some(0),
        maximum: Some(0),
    };
    let _ = setrlimit(Resource::Core, none);
    // Programs that the kernel hands core dumps to get them whatever the limit.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable);
}
