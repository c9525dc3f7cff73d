// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Protects the memory of the process, which holds keys, against reading by others.

use rustix::process::{Resource, Rlimit, setrlimit};

/// Disables core dumps and, on Linux, debuggers of the same user and `/proc/PID/mem`. Failures are
/// ignored: the command works without this protection.
pub(crate) fn process() {
    let none = Rlimit {
        current: Some(0),
        maximum: Some(0),
    };
    let _ = setrlimit(Resource::Core, none);
    // Programs to which the kernel pipes core dumps get them regardless of the limit.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable);
}
