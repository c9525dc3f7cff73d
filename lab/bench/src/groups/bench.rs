// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Shared code of the groups that measure calls.

use crate::call::Calls;
use crate::counter::Counter;
use crate::group::Group;
use crate::json::{Column, Series};
use crate::measure::{Iterations, Plan, Subject, measure};
use crate::peers::{Aead, Hornet, InPieces, Peer};

/// The peers, and how they are measured.
pub(crate) struct Bench<'a> {
    pub(crate) counter: Counter,
    /// All peers, Hornet's builds first.
    pub(crate) peers: Vec<&'a dyn Peer>,
    /// The peers that are builds of Hornet.
    pub(crate) hornets: Vec<&'a Hornet>,
    /// The peers with Poly1305-AES.
    pub(crate) with_aes: Vec<&'a dyn Peer>,
    /// The peers that are measured with messages in pieces.
    pub(crate) in_pieces: Vec<(&'a dyn Peer, &'a InPieces)>,
    /// The peers with ChaCha20-Poly1305, Hornet's builds first.
    pub(crate) aead: Vec<&'a Aead>,
    /// The peers that go through OpenSSL's EVP, Hornet's provider first.
    pub(crate) evp: Vec<&'a Aead>,
    /// Whether to use small inputs, to test that the groups run.
    pub(crate) small: bool,
    pub(crate) rounds: usize,
}

/// The number of keys used in turn: enough that no two calls in flight share one, and few enough to fit in L1.
pub(super) const KEYS: usize = 64;

/// From this length on, a sample is only a few calls and takes longer.
pub(super) const LONG: usize = 65536;

impl Bench<'_> {
    /// Returns the peers that can be the fastest.
    pub(super) fn fast_peers(&self) -> Vec<&dyn Peer> {
        let fast = self.peers.iter().filter(|peer| peer.is_fast());
        fast.copied().collect()
    }

    /// Plans samples of a multiple of `step` iterations. Groups that take longer have a fraction of the rounds, at least
    /// three.
    pub(super) fn plan(&self, step: usize, divisor: usize) -> Plan {
        Plan {
            rounds: (self.rounds / divisor).max(self.rounds.min(3)),
            iterations: Iterations::MultipleOf(step),
        }
    }

    /// Measures the peers on these calls.
    pub(super) fn measure_calls(&self, peers: &[&dyn Peer], calls: &Calls, plan: Plan) -> Row {
        let subjects = peers
            .iter()
            .map(|peer| Subject::new(peer.name(), |iterations| peer.run(calls, iterations)));
        self.measure(subjects.collect(), plan)
    }

    pub(super) fn measure(&self, mut subjects: Vec<Subject>, plan: Plan) -> Row {
        let measured = measure(&self.counter, &mut subjects, plan);
        let names = subjects.into_iter().map(|subject| subject.name);
        names.zip(measured).collect()
    }
}

/// The measurements for one value of x.
pub(super) type Row = Vec<(String, crate::measure::Measured)>;

/// Measures a row for each of `xs`. All rows must have the same columns.
pub(super) fn series(
    group: Group,
    variant: &str,
    axis: &str,
    xs: &[usize],
    row: impl FnMut(usize) -> Row,
) -> Series {
    let rows: Vec<Row> = xs.iter().copied().map(row).collect();
    let mut columns: Vec<Column> = Vec::new();
    for row in rows {
        for (at, (name, measured)) in row.into_iter().enumerate() {
            if at == columns.len() {
                columns.push(Column {
                    name,
                    ..Column::default()
                });
            }
            let column = &mut columns[at];
            column.ns.push(measured.ns);
            column.cycles.extend(measured.cycles);
            column.ratio.push(measured.ratio);
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

/// Returns a note on the AES implementation that Hornet uses.
pub(super) fn notes_on_aes(bench: &Bench) -> Vec<String> {
    let hornets = bench.hornets.iter();
    let mut names: Vec<String> = hornets.map(|hornet| hornet.aes_name()).collect();
    names.dedup();
    vec![format!("Hornet's AES: `{}`.", names.join("`, `"))]
}
