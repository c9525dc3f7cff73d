// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Ignores the signals by which people and other programs end this one, for a moment in which it
//! would leave something behind.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// SIGKILL cannot be ignored. Others show a defect, and end the program as always.
const SIGNALS: [libc::c_int; 4] = [libc::SIGHUP, libc::SIGINT, libc::SIGQUIT, libc::SIGTERM];

/// There is one way back, so there can be one at a time.
static ONE: Mutex<()> = Mutex::new(());

/// While this exists, the signals have no effect on any thread, and are lost. To be used only where
/// the program goes on for a moment at most.
pub(crate) struct Undisturbed {
    before: [libc::sighandler_t; SIGNALS.len()],
    _one: MutexGuard<'static, ()>,
}

impl Undisturbed {
    pub(crate) fn new() -> Self {
        let one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
        Self {
            // SAFETY: ignoring a signal needs no handler.
            before: SIGNALS.map(|signal| unsafe { libc::signal(signal, libc::SIG_IGN) }),
            _one: one,
        }
    }
}

impl Drop for Undisturbed {
    fn drop(&mut self) {
        for (signal, before) in SIGNALS.into_iter().zip(self.before) {
            if before != libc::SIG_ERR {
                // SAFETY: restores what was there before.
                unsafe { libc::signal(signal, before) };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::ExitStatusExt;
    use std::process::{Command, Stdio};

    /// Whether the signal ends a program that is started now: it would inherit that it is ignored.
    fn ends(signal: libc::c_int) -> bool {
        let script = format!("kill -{signal} $$");
        let mut shell = Command::new("sh");
        let status = shell.args(["-c", &script]).stderr(Stdio::null()).status();
        status.unwrap().signal() == Some(signal)
    }

    #[test]
    fn only_while_it_exists() {
        let undisturbed = Undisturbed::new();
        assert!(!SIGNALS.into_iter().any(ends));
        drop(undisturbed);
        // Other tests may hold one for a moment.
        assert!((0..1000).any(|_| ends(libc::SIGTERM)));
    }
}
