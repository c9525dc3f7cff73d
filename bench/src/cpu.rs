// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The CPU and the date, for the report.

use crate::report::json::Cpu;
use std::fs;
use std::time::{SystemTime, UNIX_EPOCH};

/// Returns the description of the first CPU in /proc/cpuinfo.
pub(crate) fn this_cpu() -> Cpu {
    parse(&fs::read_to_string("/proc/cpuinfo").unwrap_or_default())
}

/// The CPU features that implementations of Poly1305 look for.
const FEATURES: [&str; 12] = [
    "sse2",
    "avx",
    "avx2",
    "bmi2",
    "adx",
    "avx512f",
    "avx512dq",
    "avx512bw",
    "avx512vl",
    "avx512ifma",
    "avx_ifma",
    "asimd",
];

fn parse(cpuinfo: &str) -> Cpu {
    let field = |names: &[&str]| {
        let lines = || cpuinfo.lines().filter_map(|line| line.split_once(':'));
        let find = |name: &&str| lines().find(|(key, _)| key.trim() == *name);
        let (_, value) = names.iter().find_map(find)?;
        Some(value.trim().to_owned())
    };
    let flags = field(&["flags", "Features"]).unwrap_or_default();
    let has = |feature: &&&str| flags.split_whitespace().any(|flag| flag == **feature);
    Cpu {
        model: field(&["model name", "CPU implementer"]).unwrap_or_else(|| "unknown".into()),
        family: field(&["cpu family", "CPU architecture"]).unwrap_or_default(),
        model_number: field(&["model", "CPU part"]).unwrap_or_default(),
        stepping: field(&["stepping", "CPU revision"]).unwrap_or_default(),
        features: FEATURES
            .iter()
            .filter(has)
            .map(|feature| (*feature).to_owned())
            .collect(),
    }
}

/// Returns the base name of the files with this CPU's results.
pub(crate) fn slug(cpu: &Cpu) -> String {
    let letters = cpu.model.to_lowercase();
    let mut words: Vec<&str> = letters
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !["", "r", "tm", "cpu", "processor"].contains(word))
        .collect();
    let which = format!("f{}m{}", cpu.family, cpu.model_number);
    words.push(&which);
    words.join("-")
}

/// Returns the current date in UTC, such as 2026-11-21.
pub(crate) fn today() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    date(now.map_or(0, |time| time.as_secs() / 86400))
}

/// Returns the date `days` days after 1970-01-01.
fn date(mut days: u64) -> String {
    let is_leap = |year: u64| {
        year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
    };
    let mut year = 1970;
    while days >= 365 + u64::from(is_leap(year)) {
        days -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let february = 28 + u64::from(is_leap(year));
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    format!("{year}-{month:02}-{:02}", days + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slugs() {
        let slug = |cpuinfo| slug(&parse(cpuinfo));
        let amd = "processor\t: 0\ncpu family\t: 25\nmodel\t\t: 17\nmodel name\t: AMD EPYC\nflags\t\t: fpu avx2\n";
        assert_eq!(slug(amd), "amd-epyc-f25m17");
        assert_eq!(parse(amd).features, ["avx2"]);
        let intel = "cpu family : 6\nmodel : 143\nmodel name : Intel(R) Xeon(R) Platinum 8481C CPU @ 2.70GHz\n";
        assert_eq!(slug(intel), "intel-xeon-platinum-8481c-2-70ghz-f6m143");
        let arm =
            "CPU implementer : 0x41\nCPU architecture: 8\nCPU part : 0xd4f\nFeatures : asimd\n";
        assert_eq!(slug(arm), "0x41-f8m0xd4f");
        assert_eq!(slug(""), "unknown-fm");
    }

    #[test]
    fn dates() {
        assert_eq!(date(0), "1970-01-01");
        assert_eq!(date(11_016), "2000-02-29");
        assert_eq!(date(11_017), "2000-03-01");
        assert_eq!(date(20_778), "2026-11-21");
        assert_eq!(date(20_818), "2026-12-31");
    }
}
