//! golang.org/x/crypto/poly1305; `go/main.go` has the loop.

use super::library::Library;
use super::{Peer, version};
use crate::built::TOOLS;
use crate::call::{Call, Calls};
use crate::section::Section;

type Run = unsafe extern "C" fn(*const Call, mask: usize, iterations: usize, chained: bool);

struct Go {
    version: String,
    run: Run,
}

pub(crate) fn open() -> Result<Box<dyn Peer>, String> {
    let library = Library::open("go")?;
    // SAFETY: the types are those in main.go.
    let run = unsafe {
        let open: unsafe extern "C" fn() = library.function("hornet_bench_go_open")?;
        open();
        library.function("hornet_bench_go_run")?
    };
    let go = TOOLS.iter().find(|(tool, _)| *tool == "go");
    let go = go.map_or("unknown", |(_, version)| version);
    let version = format!("{}, {go}", version("golang.org/x/crypto"));
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
        // SAFETY: a `Call` is laid out as in main.go, and the mask says how many there are.
        unsafe { (self.run)(first, calls.mask(), iterations, calls.is_chained()) }
    }

    fn is_in(&self, _section: Section) -> bool {
        true // it has no vector code
    }

    fn is_fast(&self) -> bool {
        true
    }
}
