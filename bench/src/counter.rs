// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Measures time in nanoseconds, and in core cycles if the system lets a program count them.

use std::fs::File;
use std::io::Read;
use std::os::fd::FromRawFd;
use std::ptr::{self, NonNull};
use std::time::Instant;

/// The first fields of `perf_event_attr`, which exist in all versions of Linux.
#[repr(C)]
#[derive(Default)]
struct Attributes {
    kind: u32,
    size: u32,
    config: u64,
    sample_period: u64,
    sample_type: u64,
    read_format: u64,
    flags: u64,
    wakeup_events: u32,
    breakpoint_type: u32,
    config1: u64,
}

const HARDWARE: u32 = 0;
const CPU_CYCLES: u64 = 0;
const EXCLUDE_KERNEL_AND_HYPERVISOR: u64 = 1 << 5 | 1 << 6;

/// The first fields of `perf_event_mmap_page`, for reading the counter without a system call.
#[repr(C)]
struct Page {
    version: u32,
    compat_version: u32,
    /// Changes whenever the other fields do.
    lock: u32,
    /// The index of the counter plus one; 0 if it is not counting.
    index: u32,
    offset: i64,
    time_enabled: u64,
    time_running: u64,
    capabilities: u64,
    width_bits: u16,
}

const CAN_RDPMC: u64 = 1 << 2;

/// Counts the cycles that this thread spends in user mode.
struct Cycles {
    file: File,
    page: Option<NonNull<Page>>,
}

impl Cycles {
    /// Returns `None` if there is no such counter, as in most virtual machines, or if access is denied.
    fn open() -> Option<Self> {
        let attributes = Attributes {
            kind: HARDWARE,
            size: u32::try_from(size_of::<Attributes>()).ok()?,
            config: CPU_CYCLES,
            flags: EXCLUDE_KERNEL_AND_HYPERVISOR,
            ..Attributes::default()
        };
        let (this_thread, any_cpu, no_group, no_flags) = (0, -1, -1, 0);
        // SAFETY: `size` is the size of the attributes.
        let descriptor = unsafe {
            libc::syscall(
                libc::SYS_perf_event_open,
                &raw const attributes,
                this_thread,
                any_cpu,
                no_group,
                no_flags,
            )
        };
        let descriptor = i32::try_from(descriptor).ok().filter(|it| *it >= 0)?;
        // SAFETY: the descriptor is new, and nothing else owns it.
        let file = unsafe { File::from_raw_fd(descriptor) };
        let (read, shared) = (libc::PROT_READ, libc::MAP_SHARED);
        // SAFETY: maps one page, which stays mapped until the process ends.
        let page = unsafe { libc::mmap(ptr::null_mut(), 4096, read, shared, descriptor, 0) };
        let page = NonNull::new(page.cast()).filter(|_| page != libc::MAP_FAILED);
        let cycles = Self { file, page };
        cycles.read().is_some().then_some(cycles)
    }

    fn read(&self) -> Option<u64> {
        self.read_directly().or_else(|| {
            let mut count = [0; 8];
            (&self.file).read_exact(&mut count).ok()?;
            Some(u64::from_ne_bytes(count))
        })
    }

    #[cfg(target_arch = "x86_64")]
    #[expect(
        clippy::cast_possible_wrap,
        clippy::cast_sign_loss,
        reason = "the counter is narrower than a word and must be sign-extended"
    )]
    fn read_directly(&self) -> Option<u64> {
        use std::sync::atomic::{Ordering, compiler_fence};
        let page = self.page?.as_ptr();
        // SAFETY: the page stays mapped. The kernel changes it only while this thread is interrupted, so a compiler
        // fence is enough. The page states that rdpmc is allowed, and for which index.
        unsafe {
            loop {
                let lock = (&raw const (*page).lock).read_volatile();
                compiler_fence(Ordering::SeqCst);
                let index = (&raw const (*page).index).read_volatile();
                let capabilities = (&raw const (*page).capabilities).read_volatile();
                if index == 0 || capabilities & CAN_RDPMC == 0 {
                    return None;
                }
                let offset = (&raw const (*page).offset).read_volatile();
                let width_bits = (&raw const (*page).width_bits).read_volatile();
                let (low, high): (u32, u32);
                std::arch::asm!("rdpmc", in("ecx") index - 1, out("eax") low, out("edx") high,
                                options(nomem, nostack));
                compiler_fence(Ordering::SeqCst);
                if (&raw const (*page).lock).read_volatile() == lock {
                    let unused_bits = 64 - u32::from(width_bits);
                    let raw = u64::from(high) << 32 | u64::from(low);
                    let count = (raw << unused_bits) as i64 >> unused_bits;
                    return Some(offset.wrapping_add(count) as u64);
                }
            }
        }
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn read_directly(&self) -> Option<u64> {
        let _ = self.page;
        None
    }
}

/// An elapsed time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Elapsed {
    pub(crate) ns: f64,
    pub(crate) cycles: Option<f64>,
}

/// Returns the unit of the printed figures.
pub(crate) fn unit(counts_cycles: bool) -> &'static str {
    if counts_cycles {
        "Cycles"
    } else {
        "Nanoseconds"
    }
}

/// Measures time.
pub(crate) struct Counter(Option<Cycles>);

impl Counter {
    pub(crate) fn open() -> Self {
        Self(Cycles::open())
    }

    pub(crate) fn has_cycles(&self) -> bool {
        self.0.is_some()
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "a sample has less than 2^52 of either"
    )]
    pub(crate) fn time(&self, work: impl FnOnce()) -> Elapsed {
        let read = || self.0.as_ref().and_then(Cycles::read);
        let (cycles, started) = (read(), Instant::now());
        work();
        let (ns, now) = (started.elapsed().as_nanos(), read());
        Elapsed {
            ns: ns as f64,
            cycles: cycles
                .zip(now)
                .map(|(from, to)| to.wrapping_sub(from) as f64),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::hint::black_box;

    #[test]
    fn more_work_takes_longer() {
        let counter = Counter::open();
        let spin = |turns: u64| {
            counter.time(|| {
                (0..turns).for_each(|turn| {
                    black_box(turn);
                });
            })
        };
        let (short, long) = (spin(10), spin(10_000_000));
        assert!(short.ns < long.ns);
        if let Some((short, long)) = short.cycles.zip(long.cycles) {
            assert!(short < long);
        }
    }
}
