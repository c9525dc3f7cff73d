// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Replaces some groups in the results of an earlier run.

use super::json::{Report, SectionReport, Series, Update};
use crate::group::Group;

/// Returns the old results with the groups that are in the new ones replaced, or the reason why the two cannot be
/// combined.
pub(crate) fn insert(mut old: Report, new: Report) -> Result<Report, String> {
    let same = |what: &str, is_same: bool| {
        if is_same {
            Ok(())
        } else {
            Err(format!(
                "{what} changed since then: measure all groups again"
            ))
        }
    };
    same("the CPU has", old.cpu == new.cpu)?;
    same(
        "flags have",
        old.hornet_flags == new.hornet_flags && old.rust_flags == new.rust_flags,
    )?;
    for tool in new.tools {
        match old.tools.iter().find(|other| other.name == tool.name) {
            // The commands only occur in the groups that are replaced together with them.
            Some(other) if !tool.is_command() => same(&tool.name, *other == tool)?,
            _ => put(&mut old.tools, tool, |a, b| a.name == b.name),
        }
    }
    for peer in new.peers {
        let same_name = old.peers.iter().find(|other| other.name == peer.name);
        match same_name {
            Some(other) => same(&peer.name, other.version == peer.version)?,
            None => old.peers.push(peer),
        }
    }
    for missing in new.missing {
        put(&mut old.missing, missing, |a, b| a.name == b.name);
    }
    let mut groups: Vec<Group> = Vec::new();
    for section in new.sections {
        for series in &section.series {
            if !groups.contains(&series.group) {
                groups.push(series.group);
            }
        }
        let same_section = |other: &&mut SectionReport| other.section == section.section;
        match old.sections.iter_mut().find(same_section) {
            Some(other) => insert_section(other, section)?,
            None => old.sections.push(section),
        }
    }
    for update in &mut old.updates {
        update.groups.retain(|group| !groups.contains(group));
    }
    old.updates.retain(|update| !update.groups.is_empty());
    old.updates.push(Update {
        date: new.date,
        groups,
        processes: new.processes,
        rounds: new.rounds,
    });
    Ok(old)
}

fn insert_section(old: &mut SectionReport, new: SectionReport) -> Result<(), String> {
    if old.hornet_chacha20_kernel.is_empty() {
        old.hornet_chacha20_kernel
            .clone_from(&new.hornet_chacha20_kernel);
    }
    if old.hornet_kernel != new.hornet_kernel
        || old.hornet_chacha20_kernel != new.hornet_chacha20_kernel
        || old.counts_cycles != new.counts_cycles
    {
        return Err("another kernel or another clock: measure all groups again".into());
    }
    for check in new.checks {
        put(&mut old.checks, check, |a, b| a.peer == b.peer);
    }
    let is_new = |series: &Series<_>| new.series.iter().any(|other| other.group == series.group);
    old.series.retain(|series| !is_new(series));
    old.series.extend(new.series);
    old.series.sort_by_key(|series| series.group);
    Ok(())
}

/// Replaces the item that is the same, or appends it.
fn put<T>(items: &mut Vec<T>, item: T, is_same: impl Fn(&T, &T) -> bool) {
    match items.iter().position(|other| is_same(other, &item)) {
        Some(at) => items[at] = item,
        None => items.push(item),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::json::{Cpu, Named, PeerInfo, Verdict};
    use crate::section::Section;

    fn report(date: &str, groups: &[Group]) -> Report {
        let series = |group: &Group| Series {
            group: *group,
            variant: date.into(),
            axis: "bytes".into(),
            xs: Vec::new(),
            columns: Vec::new(),
            notes: Vec::new(),
        };
        Report {
            date: date.into(),
            cpu: Cpu::default(),
            processes: 9,
            rounds: 41,
            tools: vec![Named {
                name: "gcc".into(),
                value: "12".into(),
            }],
            hornet_flags: "-O2".into(),
            rust_flags: String::new(),
            peers: vec![PeerInfo {
                name: "OpenSSL".into(),
                version: "4".into(),
                note: None,
            }],
            missing: Vec::new(),
            updates: Vec::new(),
            sections: vec![SectionReport {
                section: Section::Best,
                mask: None,
                hornet_kernel: "ifma".into(),
                hornet_chacha20_kernel: "avx512".into(),
                counts_cycles: false,
                checks: vec![Verdict {
                    peer: date.into(),
                    inputs: 1,
                    wrong: 0,
                    example: None,
                }],
                series: groups.iter().map(series).collect(),
            }],
        }
    }

    #[test]
    fn new_groups_replace_old_ones_and_keep_the_order() {
        let old = report(
            "old",
            &[Group::Lengths, Group::Cold, Group::Cold, Group::Edit],
        );
        let mut new = report("new", &[Group::Edit, Group::Cold]);
        new.processes = 3;
        let both = insert(old, new).unwrap();
        let section = &both.sections[0];
        let series: Vec<(Group, &str)> = section
            .series
            .iter()
            .map(|series| (series.group, &*series.variant))
            .collect();
        let expected = [
            (Group::Lengths, "old"),
            (Group::Cold, "new"),
            (Group::Edit, "new"),
        ];
        assert_eq!(series, expected);
        assert_eq!(section.checks.len(), 2);
        assert_eq!((&*both.date, both.processes), ("old", 9));
        let update = &both.updates[0];
        assert_eq!((&*update.date, update.processes), ("new", 3));
        assert_eq!(update.groups, [Group::Edit, Group::Cold]);

        let again = insert(both, report("newer", &[Group::Cold])).unwrap();
        assert_eq!(again.updates.len(), 2);
        assert_eq!(again.updates[0].groups, [Group::Edit]);
        let last = insert(again, report("last", &[Group::Edit])).unwrap();
        assert_eq!(last.updates.len(), 2);
    }

    #[test]
    fn what_was_measured_with_something_else_stays_apart() {
        let old = || report("old", &[Group::Cold]);
        let refused = |change: fn(&mut Report)| {
            let mut new = report("new", &[Group::Cold]);
            change(&mut new);
            insert(old(), new).is_err()
        };
        assert!(!refused(|_| ()));
        assert!(refused(|new| new.cpu.model = "another".into()));
        assert!(refused(|new| new.hornet_flags = "-O3".into()));
        assert!(refused(|new| new.tools[0].value = "13".into()));
        assert!(refused(|new| new.peers[0].version = "5".into()));
        assert!(refused(|new| new.sections[0].hornet_kernel = "avx2".into()));
        assert!(refused(
            |new| new.sections[0].hornet_chacha20_kernel = "avx2".into()
        ));
        assert!(!refused(|new| new.tools[0].name = "clang".into()));
        assert!(!refused(|new| new.peers[0].name = "Nettle".into()));
    }
}
