// SPDX-License-Identifier: Apache-2.0 OR MIT

//! `hornet bound`: the security bound of Poly1305-AES as numbers (Bernstein 2005, section 3), and
//! the probability that copies of a key file repeat a nonce.

use crate::error::Error;
use crate::number::Number;
use crate::output;
use crate::size::Size;
use clap::Args;
use hornet_key_file::Nonces;
use std::fmt;
use std::process::ExitCode;

/// Exceeds the sum of all rounding errors of any computation here, as a base-2 logarithm.
const SLACK: f64 = 1e-9;

#[derive(Args)]
pub(crate) struct Bound {
    /// C, the number of messages authenticated under the key
    #[arg(long, value_name = "C")]
    messages: Number,

    /// D, the number of forgeries that an attacker attempts
    #[arg(long, value_name = "D")]
    forgeries: Number,

    /// L, the length in bytes of the longest message, including forged ones
    ///
    /// 0 counts as one block: the formula would give 0, but the tag of an empty message can be
    /// guessed like any other.
    #[arg(long, value_name = "L")]
    length: Number,

    /// S, the length in bytes of the segments of a parts file, each of which is checked alone
    ///
    /// As given to 'hornet tag --segment', such as 1MiB. Adds the probability that 'hornet check --range' accepts a
    /// segment that was not tagged.
    #[arg(long, value_name = "S")]
    segment: Option<Size>,

    /// N, the number of nonce reservations in all copies of the key file together
    ///
    /// Each 'hornet tag' reserves nonces once, as does each 'hornet keygen --fork'. The default is
    /// one per minute for 31 years. N does not matter for a key file that is never copied, restored
    /// or rolled back.
    #[arg(long, value_name = "N", default_value = "2^24")]
    reservations: Number,
}

impl Bound {
    pub(crate) fn run(&self) -> Result<ExitCode, Error> {
        output::print(format_args!("{self}")).map(|()| ExitCode::SUCCESS)
    }

    /// Base-2 logarithm of (1 - C/2^128)^(-(C+1)/2), rounded up.
    fn log2_factor(&self) -> f64 {
        let messages = self.messages.value;
        if messages == 0 {
            return 0.0;
        }
        let used = to_f64(messages) / 2f64.powi(128);
        -(to_f64(messages) + 1.0) / 2.0 * (-used).ln_1p() / std::f64::consts::LN_2 + SLACK
    }

    /// Base-2 logarithm of the bound without delta, for messages or segments of at most this length,
    /// rounded up; minus infinity if D is 0.
    fn log2(&self, length: u128) -> f64 {
        self.log2_factor() + 3.0 + log2_up(self.forgeries.value) + log2_up(blocks(length)) - 106.0
    }

    /// Base-2 logarithm of N^2 / 2^73, rounded up; minus infinity if N is 0. The birthday bound:
    /// Bellare and Rogaway, Introduction to Modern Cryptography, appendix A.
    ///
    /// Each of the N(N-1)/2 pairs of reservations has the same random bits with probability at most
    /// 1/(2^72 - 1). The sum is at most N^2 / 2^73 for N up to 2^72; beyond that, neither says
    /// anything.
    fn log2_copies(&self) -> f64 {
        2.0 * log2_up(self.reservations.value) - f64::from(Nonces::RANDOM_BITS + 1)
    }
}

/// Returns ceil(L/16), but 1 for L = 0: the paper's bound on differential probabilities is about two
/// different messages, and even with only the empty message a forger can guess.
fn blocks(length: u128) -> u128 {
    length.div_ceil(16).max(1)
}

/// Writes a line for a probability, given by its base-2 logarithm. A bound of 1 or more says
/// nothing.
fn write_probability(
    f: &mut fmt::Formatter<'_>,
    name: &str,
    log2: f64,
    which: &str,
) -> fmt::Result {
    if log2 < 0.0 {
        writeln!(f, "    {name:<17} {}", Up(log2))
    } else {
        writeln!(f, "    {name:<17} 1 or more: NO GUARANTEE for this {which}")
    }
}

#[expect(clippy::cast_precision_loss, reason = "SLACK is larger")]
fn to_f64(number: u128) -> f64 {
    number as f64
}

/// Base-2 logarithm, exact for powers of two, else rounded up.
fn log2_up(number: u128) -> f64 {
    if number.is_power_of_two() {
        number.trailing_zeros().into()
    } else {
        to_f64(number).log2() + SLACK
    }
}

/// Shows a number, given by its base-2 logarithm, as a power of two and in decimal, both rounded
/// up.
struct Up(f64);

impl fmt::Display for Up {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 == f64::NEG_INFINITY {
            return f.write_str("0");
        }
        let hundredths = (self.0 * 100.0).ceil() / 100.0;
        // 2^0 is exact in both forms.
        let slack = if self.0 == 0.0 { 0.0 } else { SLACK };
        let log10 = (self.0 + slack) * std::f64::consts::LOG10_2;
        let mut exponent = log10.floor();
        let mut digits = (10f64.powf(log10 - exponent) * 1000.0).ceil() / 1000.0;
        if digits >= 10.0 {
            digits /= 10.0;
            exponent += 1.0;
        }
        // Turns -0 into 0.
        let hundredths = hundredths + 0.0;
        write!(f, "2^{hundredths}, which is at most {digits}")?;
        if exponent != 0.0 {
            write!(f, "e{exponent}")?;
        }
        Ok(())
    }
}

impl Bound {
    /// Writes the bound for a segment that is checked against the value in a parts file.
    ///
    /// A try is accepted if two polynomials of at most ceil(S/16) blocks have the same value at r,
    /// modulo 2^130 - 5 and then 2^128: theorem 3.3 of the paper, as for a message, since tags hide the
    /// values and say nothing about r that the first factor does not count.
    fn write_segment(&self, f: &mut fmt::Formatter<'_>, Size(segment): Size) -> fmt::Result {
        write!(
            f,
            "
A segment that is checked alone, against its value in a parts file: the probability that any of D others is accepted
is at most

    delta + (1 - C/2^128)^(-(C+1)/2) * 8 * D * ceil(S/16) / 2^106

    S = {}: length in bytes of a segment, ceil(S/16) = {}

",
            segment,
            blocks(segment.into()),
        )?;
        write_probability(f, "bound - delta", self.log2(segment.into()), "C, D and S")?;
        f.write_str(
            "
This assumes that the value is the owner's: parts files are sealed with XChaCha20-Poly1305, and nothing is known of
values but whether they match.
",
        )
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let log2 = self.log2(self.length.value);
        let blocks = blocks(self.length.value);
        write!(
            f,
            "\
Poly1305-AES (Bernstein 2005, section 3): the probability that any of D forgeries is accepted is at most

    delta + (1 - C/2^128)^(-(C+1)/2) * 8 * D * ceil(L/16) / 2^106

    C = {}: messages authenticated under the key
    D = {}: forgeries attempted
    L = {}: length in bytes of the longest message, ceil(L/16) = {blocks}{}

",
            self.messages.text,
            self.forgeries.text,
            self.length.text,
            if self.length.value == 0 {
                " (one block: an empty message's tag can be guessed too)"
            } else {
                ""
            },
        )?;
        if log2 < 0.0 {
            writeln!(f, "    first factor      {}", Up(self.log2_factor()))?;
        }
        write_probability(f, "bound - delta", log2, "C, D and L")?;
        if let Some(segment) = self.segment {
            self.write_segment(f, segment)?;
        }
        write!(
            f,
            "
This assumes that the key is random and secret, and that no two messages have the same nonce. One key file never
repeats a nonce. If it was copied, restored from a backup or rolled back, add the probability that two of N
reservations drew the same {} random bits, which is at most (birthday bound)

    N^2 / 2^{}

    N = {}: nonce reservations in all copies

",
            Nonces::RANDOM_BITS,
            Nonces::RANDOM_BITS + 1,
            self.reservations.text,
        )?;
        write_probability(f, "copies collide", self.log2_copies(), "N")?;
        f.write_str(
            "
All results are rounded up. delta is the probability of distinguishing AES-128 from a random permutation with C + D
queries. It cannot be proved to be small, but AES was designed to make it so.
",
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bound(messages: &str, forgeries: &str, length: &str) -> Bound {
        Bound {
            messages: messages.parse().unwrap(),
            forgeries: forgeries.parse().unwrap(),
            length: length.parse().unwrap(),
            segment: None,
            reservations: "2^24".parse().unwrap(),
        }
    }

    fn log2_of(bound: &Bound) -> f64 {
        bound.log2(bound.length.value)
    }

    fn copies(reservations: &str) -> Bound {
        Bound {
            reservations: reservations.parse().unwrap(),
            ..bound("1", "1", "1")
        }
    }

    /// Compares with the product of the probabilities that each reservation differs from all before
    /// it.
    #[test]
    fn birthday_bound() {
        for reservations in [2_u32, 3, 10, 1_000, 1_000_000] {
            let values = 2f64.powi(72) - 1.0;
            let none: f64 = (1..reservations)
                .map(|before| (-f64::from(before) / values).ln_1p())
                .sum();
            let exact = -none.exp_m1();
            let stated = copies(&reservations.to_string()).log2_copies().exp2();
            assert!(exact <= stated, "{reservations}");
            // The exact value is (N - 1)/N of the stated one, except for rounding.
            let part = 1.0 - 1.0 / f64::from(reservations);
            assert!(exact > 0.999_999 * part * stated, "{reservations}");
        }
    }

    #[test]
    fn copies_of_a_key_file() {
        for (reservations, line) in [
            (
                "2^24",
                "copies collide    2^-25, which is at most 2.981e-8\n",
            ),
            ("0", "copies collide    0\n"),
            ("2^36", "copies collide    2^-1, which is at most 5"),
            (
                "2^37",
                "copies collide    1 or more: NO GUARANTEE for this N\n",
            ),
            ("2^127", "copies collide    1 or more: NO GUARANTEE"),
        ] {
            let text = copies(reservations).to_string();
            assert!(text.contains(line), "{text}");
            assert!(
                text.contains(&format!("    N = {reservations}: ")),
                "{text}"
            );
            assert!(text.contains("    N^2 / 2^73\n"), "{text}");
        }
    }

    /// Computed with Python's decimal module, with 120 digits:
    /// `(-(C+1)/2 * (1 - C/2**128).ln()).exp() * 8 * D * max(1, ceil(L/16)) / 2**106`.
    const KNOWN: [(&str, &str, &str, f64); 10] = [
        ("2^64", "2^75", "1024", -21.278_652_479_556),
        ("0", "1", "0", -103.0),
        ("0", "1", "16", -103.0),
        ("1", "1", "17", -102.0),
        ("10^9", "10^6", "65536", -71.068_431_430_676),
        ("2^66", "2^60", "1500", -24.903_850_821_211),
        ("2^67", "1", "1", -56.833_758_691_553),
        ("221360928884514619392", "1", "1", 0.874_042_944_005),
        ("2^60", "2^80", "2^40", 13.002_817_763_752),
        ("2^64", "2^102", "16", -0.278_652_479_556),
    ];

    #[test]
    fn same_as_computed_with_many_digits() {
        for (messages, forgeries, length, log2) in KNOWN {
            let found = log2_of(&bound(messages, forgeries, length));
            // Not too low; `log2` is itself rounded in its last digit.
            assert!(
                found >= log2 - 1e-12 && found < log2 + 5e-9,
                "{messages} {forgeries} {length}: {found}"
            );
        }
    }

    #[test]
    fn the_papers_example() {
        // "Then, with probability at least 0.999999 - delta, all of the 2^75 forgeries are
        // rejected", and "at most delta + 1.649 * 8D ceil(L/16) / 2^106".
        let text = bound("2^64", "2^75", "1024").to_string();
        assert!(
            text.contains("first factor      2^0.73, which is at most 1.649\n"),
            "{text}"
        );
        assert!(
            text.contains("bound - delta     2^-21.27, which is at most 3.931e-7\n"),
            "{text}"
        );
    }

    #[test]
    fn a_segment_checked_alone() {
        let of = |messages, forgeries, length, segment: &str| Bound {
            segment: Some(segment.parse().unwrap()),
            ..bound(messages, forgeries, length)
        };
        // 1 MiB, one try: 8 * 2^16 / 2^106. The message does not count.
        let text = of("0", "1", "2^40", "1MiB").to_string();
        let line = "\n    bound - delta     2^-87, which is at most 6.463e-27\n";
        assert!(text.contains(line), "{text}");
        assert!(
            text.contains("    S = 1048576: length in bytes of a segment, ceil(S/16) = 65536\n")
        );
        assert!(!of("0", "1", "2^40", "2^19").to_string().contains(line));
        assert!(!bound("0", "1", "2^40").to_string().contains("segment"));
        for (messages, forgeries, length, log2) in KNOWN {
            let bound = of(messages, forgeries, "1", length);
            let found = bound.log2(bound.segment.unwrap().0.into());
            assert!(found >= log2 - 1e-12 && found < log2 + 5e-9, "{length}");
        }
        let text = of("0", "2^103", "0", "16").to_string();
        assert!(
            text.contains("1 or more: NO GUARANTEE for this C, D and S\n"),
            "{text}"
        );
    }

    #[test]
    fn exact_numbers_stay_exact() {
        let text = bound("0", "1", "1").to_string();
        assert!(
            text.contains("first factor      2^0, which is at most 1\n"),
            "{text}"
        );
        assert!(
            text.contains("bound - delta     2^-103, which is at most 9.861e-32\n"),
            "{text}"
        );
        let text = bound("2^64", "0", "16").to_string();
        assert!(text.contains("bound - delta     0\n"), "{text}");
    }

    #[test]
    fn no_guarantee() {
        for (messages, forgeries, length) in [
            ("2^127", "1", "1"),
            ("340282366920938463463374607431768211455", "1", "1"),
            ("0", "2^103", "16"),
            ("0", "2^127", "2^127"),
        ] {
            let text = bound(messages, forgeries, length).to_string();
            assert!(
                text.contains("bound - delta     1 or more: NO GUARANTEE"),
                "{text}"
            );
        }
        let text = bound("0", "2^102", "16").to_string();
        assert!(
            text.contains("bound - delta     2^-1, which is at most 5"),
            "{text}"
        );
    }

    #[test]
    fn the_empty_message_is_a_block() {
        let empty = bound("5", "7", "0");
        assert!(empty.to_string().contains("ceil(L/16) = 1 (one block:"));
        assert_eq!(
            log2_of(&empty).to_bits(),
            log2_of(&bound("5", "7", "1")).to_bits()
        );
        assert!(
            bound("5", "7", "16")
                .to_string()
                .contains("ceil(L/16) = 1\n")
        );
    }
}
