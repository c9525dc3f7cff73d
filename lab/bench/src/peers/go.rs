// SPDX-License-Identifier: Apache-2.0 OR MIT

//! golang.org/x/crypto/poly1305. The timed loop is in `go/main.go`.

use super::library::Library;
use super::peer::{Opened, Peer};
use crate::built::{tool, version};
use crate::call::{Call, Calls};
use crate::section::Section;

type Run = unsafe extern "C" fn(*const Call, mask: usize, iterations: usize, chained: bool);

struct Go {
    version: String,
    run: Run,
}

pub(crate) fn open() -> Opened {
    let library = Library::open("go")?;
    // SAFETY: the types are those in main.go.
    let run = unsafe {
        let open: unsafe extern "C" fn() = library.function("hornet_bench_go_open")?;
        open();
        library.function("hornet_bench_go_run")?
    };
    let version = format!("{}, {}", version("golang.org/x/crypto"), tool("go"));
    Ok(Box::new(Go { version, run }))
}

impl Peer for Go {
    fn name(&self) -> &'static str {
        "Go x/crypto"
    }

    fn version(&self) -> &str {
        &self.version
    }

    fn run(&self, calls: &Calls, iterations: usize) {
        let first = calls.as_slice().as_ptr();
        // SAFETY: a `Call` has the layout in main.go, and the mask belongs to the calls.
        unsafe { (self.run)(first, calls.mask(), iterations, calls.is_chained()) }
    }

    fn is_in(&self, _section: Section) -> bool {
        true // it has no vector code
    }

    fn is_fast(&self) -> bool {
        true
    }
}
