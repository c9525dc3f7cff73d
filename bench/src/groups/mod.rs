//! The measurements, one file for each group.

mod aes;
mod batch;
mod cold;
mod edit;
mod keys;
mod lengths;
mod stream;
mod sweep;
mod unaligned;

use crate::call::{Call, Calls};
use crate::counter::Counter;
use crate::measure::{Iterations, Plan, Subject, measure};
use crate::memory::Memory;
use crate::peers::{Hornet, Peer};
use crate::reference::CLAMP;
use crate::report::json::{Column, Group, Series, Values};

/// What all groups need.
pub(crate) struct Bench<'a> {
    pub(crate) counter: Counter,
    /// Hornet first.
    pub(crate) peers: Vec<&'a dyn Peer>,
    /// With Poly1305-AES.
    pub(crate) with_aes: Vec<&'a dyn Peer>,
    /// To see that it runs, and not how fast.
    pub(crate) small: bool,
    pub(crate) rounds: usize,
}

/// Keys enough that no two calls in flight share one, few enough for the first-level cache.
const KEYS: usize = 64;

impl Bench<'_> {
    pub(crate) fn run(&self, group: Group) -> Vec<Series<Values>> {
        match group {
            Group::Lengths => lengths::run(self),
            Group::Sweep => sweep::run(self),
            Group::Cold => cold::run(self),
            Group::Keys => keys::run(self),
            Group::Unaligned => unaligned::run(self),
            Group::Batch => batch::run(self),
            Group::Stream => stream::run(self),
            Group::Aes => aes::run(self),
            Group::Edit => edit::run(self),
            Group::File | Group::Tree => Vec::new(), // they run whole processes: src/commands
        }
    }

    /// The peers that can be the fastest.
    fn fast_peers(&self) -> Vec<&dyn Peer> {
        let fast = self.peers.iter().filter(|peer| peer.is_fast());
        fast.copied().collect()
    }

    /// A part of the rounds, for what takes longer; at least three.
    fn rounds_divided_by(&self, divisor: usize) -> usize {
        (self.rounds / divisor).max(3)
    }

    fn plan(&self, iterations: Iterations) -> Plan {
        Plan {
            rounds: self.rounds,
            iterations,
        }
    }

    /// Measures the peers, making those calls.
    fn measure_calls(&self, peers: &[&dyn Peer], calls: &Calls, plan: Plan) -> Row {
        let subjects = peers
            .iter()
            .map(|peer| Subject::new(peer.name(), |iterations| peer.run(calls, iterations)));
        self.measure(subjects.collect(), plan)
    }

    fn measure(&self, mut subjects: Vec<Subject>, plan: Plan) -> Row {
        let measured = measure(&self.counter, &mut subjects, plan);
        let names = subjects.into_iter().map(|subject| subject.name);
        names.zip(measured).collect()
    }
}

/// What was measured for one x.
type Row = Vec<(String, crate::measure::Measured)>;

/// A table of rows that all have the same columns.
fn series(
    group: Group,
    variant: &str,
    axis: &str,
    xs: &[usize],
    row: impl FnMut(usize) -> Row,
) -> Series<Values> {
    let rows: Vec<Row> = xs.iter().copied().map(row).collect();
    let mut columns: Vec<Column<Values>> = Vec::new();
    for row in rows {
        for (at, (name, measured)) in row.into_iter().enumerate() {
            if at == columns.len() {
                columns.push(Column {
                    peer: name,
                    figures: Values::default(),
                });
            }
            let values = &mut columns[at].figures;
            values.ns.push(measured.ns);
            values.cycles.extend(measured.cycles);
            values.ratio.push(measured.ratio);
        }
    }
    Series {
        group,
        variant: variant.to_owned(),
        axis: axis.to_owned(),
        xs: xs.to_vec(),
        columns,
        notes: Vec::new(),
    }
}

/// Which AES Hornet's builds use.
fn notes_on_aes(bench: &Bench) -> Vec<String> {
    let hornets = bench.peers.iter().filter_map(|peer| peer.as_hornet());
    let mut names: Vec<String> = hornets.map(Hornet::aes_name).collect();
    names.dedup();
    vec![format!("Hornet's AES: `{}`.", names.join("`, `"))]
}

/// Messages with keys and room for tags.
pub(crate) struct Inputs {
    key_bytes: usize,
    messages: Memory,
    keys: Memory,
    tags: Memory,
}

impl Inputs {
    pub(crate) fn new(message_bytes: usize, keys: usize) -> Self {
        Self::with_keys_of(32, message_bytes, keys)
    }

    /// The same with longer keys.
    fn with_keys_of(key_bytes: usize, message_bytes: usize, keys: usize) -> Self {
        Self {
            key_bytes,
            messages: Memory::new(message_bytes),
            keys: Memory::new(key_bytes * keys),
            tags: Memory::new(16 * keys),
        }
    }

    /// Clamps the r that is there in that key.
    fn clamp(&mut self, key: usize, offset: usize) {
        let r = self.keys.at(self.key_bytes * key + offset);
        // SAFETY: 16 bytes of a key, which `self` owns.
        let r = unsafe { &mut *r.cast::<[u8; 16]>() };
        *r = (u128::from_le_bytes(*r) & CLAMP).to_le_bytes();
    }

    /// The message at that offset, under key number `key`.
    fn call(&mut self, offset: usize, len_bytes: usize, key: usize) -> Call {
        Call {
            tag: self.tags.at(16 * key),
            msg: self.messages.at(offset),
            len_bytes,
            key: self.keys.at(self.key_bytes * key),
        }
    }

    /// The same message under one key after another.
    pub(crate) fn in_turn(&mut self, offset: usize, len_bytes: usize, keys: usize) -> Calls {
        let calls = (0..keys).map(|key| self.call(offset, len_bytes, key));
        // SAFETY: `Memory::at` vouches for the pointers as long as self lives, which outlives the calls wherever they
        // are made.
        unsafe { Calls::new(calls.collect()) }
    }
}
