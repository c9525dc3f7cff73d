// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Defers the signals by which users and other programs end this one, for periods in which ending
//! it would leave something behind.

use std::mem::MaybeUninit;
use std::ptr;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// SIGKILL cannot be deferred. Other signals indicate a defect and end the program as usual.
const SIGNALS: [libc::c_int; 4] = [libc::SIGHUP, libc::SIGINT, libc::SIGQUIT, libc::SIGTERM];

/// Allows one `DeferredSignals` at a time, because there is one set of handlers to restore.
static ONE: Mutex<()> = Mutex::new(());

/// One bit for each signal that arrived meanwhile.
static CAME: AtomicU32 = AtomicU32::new(0);

extern "C" fn note(signal: libc::c_int) {
    CAME.fetch_or(1 << signal, Ordering::Relaxed);
}

/// Returns whether a signal is ignored, as under nohup.
fn is_ignored(signal: libc::c_int) -> bool {
    // SAFETY: a zeroed `sigaction` is valid, and the system only writes to it.
    unsafe {
        let mut action: libc::sigaction = MaybeUninit::zeroed().assume_init();
        let status = libc::sigaction(signal, ptr::null(), &raw mut action);
        status == 0 && action.sa_sigaction == libc::SIG_IGN
    }
}

/// While this exists, the signals have no effect on any thread. Those that arrived take effect when
/// it is dropped. Blocking them would not suffice, because another thread would receive them. Signals
/// that are ignored remain so.
pub(crate) struct DeferredSignals {
    before: [libc::sighandler_t; SIGNALS.len()],
    _one: MutexGuard<'static, ()>,
}

impl DeferredSignals {
    pub(crate) fn new() -> Self {
        let one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
        let handler = note as extern "C" fn(libc::c_int) as libc::sighandler_t;
        Self {
            before: SIGNALS.map(|signal| {
                if is_ignored(signal) {
                    return libc::SIG_IGN;
                }
                // SAFETY: the handler only changes an atomic. System calls continue after it.
                unsafe { libc::signal(signal, handler) }
            }),
            _one: one,
        }
    }
}

impl DeferredSignals {
    /// Returns whether one of them came while they are deferred, so that long work should end.
    pub(crate) fn came() -> bool {
        CAME.load(Ordering::Relaxed) != 0
    }
}

impl Drop for DeferredSignals {
    fn drop(&mut self) {
        for (signal, before) in SIGNALS.into_iter().zip(self.before) {
            if before != libc::SIG_ERR {
                // SAFETY: restores the previous handler.
                unsafe { libc::signal(signal, before) };
            }
        }
        let came = CAME.swap(0, Ordering::Relaxed);
        for signal in SIGNALS {
            if came & 1 << signal != 0 {
                // SAFETY: it is a signal's number.
                unsafe { libc::raise(signal) };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::env;
    use std::os::unix::process::ExitStatusExt;
    use std::process::Command;

    const SIGNAL: &str = "HORNET_TEST_SIGNAL";
    const IGNORED: &str = "HORNET_TEST_IGNORED";

    /// Runs in a process of its own, which the next test starts.
    #[test]
    fn is_signalled() {
        let Ok(signal) = env::var(SIGNAL) else {
            return;
        };
        let signal = signal.parse().unwrap();
        // The process that runs the tests may ignore the signal.
        let before = match env::var_os(IGNORED) {
            Some(_) => libc::SIG_IGN,
            None => libc::SIG_DFL,
        };
        // SAFETY: installs no handler.
        unsafe { libc::signal(signal, before) };
        let deferred = DeferredSignals::new();
        // SAFETY: it is a signal's number.
        unsafe { libc::raise(signal) };
        eprintln!("deferred: {}", DeferredSignals::came());
        drop(deferred);
        eprintln!("survived");
    }

    fn signalled(signal: libc::c_int, ignored: bool) -> (Option<i32>, String) {
        let mut command = Command::new(env::current_exe().unwrap());
        let name = "defer_signals::tests::is_signalled";
        command.args(["--exact", name, "--nocapture"]);
        command.env(SIGNAL, signal.to_string());
        if ignored {
            command.env(IGNORED, "");
        }
        let output = command.output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        (output.status.signal(), stderr)
    }

    #[test]
    fn signals_are_deferred() {
        for signal in SIGNALS {
            let (ended_by, stderr) = signalled(signal, false);
            assert_eq!(ended_by, Some(signal), "{stderr}");
            assert!(stderr.contains("deferred: true\n") && !stderr.contains("survived"));
            let (ended_by, stderr) = signalled(signal, true);
            assert_eq!(ended_by, None, "{stderr}");
            assert!(stderr.contains("deferred: false\n") && stderr.contains("survived"));
        }
    }
}
