// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Reads which ranges of a file have changed, in one of three formats.

use crate::error::Error;
use crate::size::Size;
use crate::source::Source;
use clap::ValueEnum;
use serde::Deserialize;
use std::io::Read;
use std::ops::Range;

/// The format of a list of ranges that changed; the help of --ranges-format describes each.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    Plain,
    Nbdinfo,
    Rbd,
}

/// A list of ranges, sorted and without overlaps, that is not yet compared with a length.
#[derive(Debug)]
pub(crate) struct Ranges {
    source: Source,
    /// What the places of the source are called: lines or entries.
    unit: &'static str,
    changed: Vec<Range<u64>>,
    /// The place of each of them, counted from 1.
    places: Vec<usize>,
    /// The end of the last range, whether it counts or not.
    end: u64,
}

impl Ranges {
    /// Reads ranges, which must be in order, must not overlap and must not be empty.
    pub(crate) fn read(source: &Source, format: Format) -> Result<Self, Error> {
        let mut text = Vec::new();
        let read = source.open();
        read.and_then(|mut file| file.read_to_end(&mut text))
            .map_err(|error| Error::new(source, error))?;
        let mut ranges = Self {
            source: source.clone(),
            unit: if format == Format::Plain {
                "line"
            } else {
                "entry"
            },
            changed: Vec::new(),
            places: Vec::new(),
            end: 0,
        };
        match format {
            Format::Plain => ranges.plain(&text),
            Format::Nbdinfo => ranges.nbdinfo(&text),
            Format::Rbd => ranges.rbd(&text),
        }?;
        Ok(ranges)
    }

    /// Returns the ranges, unless one of them ends after `length` bytes.
    pub(crate) fn within(&self, length: u64) -> Result<&[Range<u64>], Error> {
        let beyond = self.changed.iter().position(|range| range.end > length);
        let Some(beyond) = beyond else {
            return Ok(&self.changed);
        };
        let Range { start, end } = self.changed[beyond];
        Err(self.error(
            self.places[beyond],
            format_args!("bytes {start} to {end} are beyond the end of the file at byte {length}"),
        ))
    }

    pub(crate) fn source(&self) -> &Source {
        &self.source
    }

    fn plain(&mut self, text: &[u8]) -> Result<(), Error> {
        let text = text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text);
        for (place, line) in (1..).zip(text.split(|&byte| byte == b'\n')) {
            let line = std::str::from_utf8(line)
                .map_err(|_| self.error(place, "not text: an offset and a length"))?;
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let mut words = line.split_whitespace();
            let (Some(offset), Some(length), None) = (words.next(), words.next(), words.next())
            else {
                return Err(self.error(place, "not an offset and a length, such as '4096 512'"));
            };
            let number = |what: &str, text: &str| {
                let parsed = text.parse::<Size>().map(|Size(bytes)| bytes);
                parsed.map_err(|why| self.error(place, format_args!("{what} {text:?}: {why}")))
            };
            let (offset, length) = (number("offset", offset)?, number("length", length)?);
            self.push(place, offset, length, true)?;
        }
        Ok(())
    }

    fn nbdinfo(&mut self, text: &[u8]) -> Result<(), Error> {
        #[derive(Deserialize)]
        struct Extent {
            offset: u64,
            length: u64,
            #[serde(rename = "type")]
            flags: u32,
            description: String,
        }
        let extents: Vec<Extent> = self.json(text)?;
        for (place, extent) in (1..).zip(extents) {
            // In base:allocation, 0 stands for data and 1 for a hole, whether they have changed or not.
            let is_dirty = match (extent.flags, &*extent.description) {
                (0, "clean") => false,
                (1, "dirty") => true,
                (flags, description) => {
                    return Err(self.error(
                        place,
                        format_args!(
                            "not of a dirty bitmap, where type 0 is clean and type 1 is dirty: type \
                             {flags}, description {description:?}"
                        ),
                    ));
                }
            };
            self.push(place, extent.offset, extent.length, is_dirty)?;
        }
        Ok(())
    }

    fn rbd(&mut self, text: &[u8]) -> Result<(), Error> {
        #[derive(Deserialize)]
        struct Extent {
            offset: u64,
            length: u64,
            /// Whether it has data. What was discarded has changed as well. A word in quotes.
            exists: Exists,
        }
        #[derive(Deserialize)]
        #[serde(rename_all = "lowercase")]
        enum Exists {
            True,
            False,
        }
        let extents: Vec<Extent> = self.json(text)?;
        for (place, extent) in (1..).zip(extents) {
            let (Exists::True | Exists::False) = extent.exists;
            self.push(place, extent.offset, extent.length, true)?;
        }
        Ok(())
    }

    fn json<'a, T: Deserialize<'a>>(&self, text: &'a [u8]) -> Result<T, Error> {
        // Its message ends in line and column.
        serde_json::from_slice(text).map_err(|error| Error::new(&self.source, error))
    }

    /// Adds a range, if it counts. Its place must be allowed in any case.
    fn push(&mut self, place: usize, offset: u64, length: u64, counts: bool) -> Result<(), Error> {
        if length == 0 {
            return Err(self.error(place, "the length is 0"));
        }
        let Some(end) = offset.checked_add(length) else {
            return Err(self.error(place, "offset and length together exceed 2^64 - 1"));
        };
        if offset < self.end {
            let before = self.end;
            return Err(self.error(
                place,
                format_args!(
                    "byte {offset} is before byte {before}, where the range before it ends: ranges must be \
                     in order and must not overlap"
                ),
            ));
        }
        self.end = end;
        if counts {
            self.changed.push(offset..end);
            self.places.push(place);
        }
        Ok(())
    }

    fn error(&self, place: usize, problem: impl std::fmt::Display) -> Error {
        let Self { source, unit, .. } = self;
        Error::new(&format_args!("{source}: {unit} {place}"), problem)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use tempfile::NamedTempFile;

    fn read(text: &[u8], format: Format) -> Result<Vec<Range<u64>>, String> {
        let mut file = NamedTempFile::new().unwrap();
        file.write_all(text).unwrap();
        let source = Source::File(file.path().into());
        let name = source.to_string();
        let result = Ranges::read(&source, format);
        let within = result.and_then(|ranges| Ok(ranges.within(1 << 40)?.to_vec()));
        within.map_err(|error| {
            let text = error.to_string();
            text.strip_prefix(&name).expect("names the file").into()
        })
    }

    #[test]
    fn what_is_read() {
        let text = b"\xef\xbb\xbf# changed\r\n0 1\n\n1 0x0F\r\n  4KiB\t1MiB\n2000000 10";
        let plain = [0..1, 1..16, 4096..4096 + (1 << 20), 2_000_000..2_000_010];
        assert_eq!(read(text, Format::Plain).unwrap(), plain);
        for format in [Format::Nbdinfo, Format::Rbd] {
            assert_eq!(read(b"[]", format).unwrap(), []);
        }
        assert_eq!(read(b"", Format::Plain).unwrap(), []);

        // What nbdinfo 1.14.2 printed of a bitmap of qemu 7.2, of 1 MiB in which 4 KiB at 0 and 8 KiB at
        // 512 KiB were written.
        let text = br#"[
{ "offset": 0, "length": 65536, "type": 1, "description": "dirty"},
{ "offset": 65536, "length": 458752, "type": 0, "description": "clean"},
{ "offset": 524288, "length": 65536, "type": 1, "description": "dirty"},
{ "offset": 589824, "length": 458752, "type": 0, "description": "clean"}
]"#;
        let dirty = [0..65536, 524_288..589_824];
        assert_eq!(read(text, Format::Nbdinfo).unwrap(), dirty);

        // The members, and their types, that rbd's sources write (src/tools/rbd/action/Diff.cc).
        let text = br#"[{"offset":0,"length":4194304,"exists":"true"},{"offset":8388608,"length":512,"exists":"false"}]"#;
        let changed = [0..4_194_304, 8_388_608..8_389_120];
        assert_eq!(read(text, Format::Rbd).unwrap(), changed);
    }

    #[test]
    fn what_is_refused() {
        let order = "ranges must be in order and must not overlap";
        for (text, place, why) in [
            ("0 1\n5 5\n9 1", ": line 3: ", order),
            ("0 1\n\n0 1", ": line 3: ", order),
            ("5 5\n0 1", ": line 2: ", order),
            ("0 0", ": line 1: ", "the length is 0"),
            ("-1 1", ": line 1: ", "offset \"-1\": not a number of bytes"),
            ("1 -1", ": line 1: ", "length \"-1\": not a number of bytes"),
            ("1", ": line 1: ", "not an offset and a length"),
            ("1 2 3", ": line 1: ", "not an offset and a length"),
            ("a b", ": line 1: ", "offset \"a\": not a number of bytes"),
            (
                "9223372036854775807 1",
                ": line 1: ",
                "beyond the end of the file at byte 1099511627776",
            ),
            (
                "0 9223372036854775808",
                ": line 1: ",
                "too large: it must be below 2^63",
            ),
            (
                "9223372036854775808 1",
                ": line 1: ",
                "too large: it must be below 2^63",
            ),
            ("18446744073709551615 1", ": line 1: ", "too large"),
            ("0 1\n1099511627775 2", ": line 2: ", "beyond the end"),
        ] {
            let error = read(text.as_bytes(), Format::Plain).unwrap_err();
            assert!(
                error.starts_with(place) && error.contains(why),
                "{text:?}: {error}"
            );
        }
        let error = read(b"0 1\n\xff 1", Format::Plain).unwrap_err();
        assert!(error.starts_with(": line 2: not text"), "{error}");

        let clean = r#"{"offset":0,"length":5,"type":0,"description":"clean"}"#;
        let mapped = r#"{"offset":5,"length":5,"type":0,"description":"data"}"#;
        for (text, why) in [
            (
                format!("[{clean},{clean}]"),
                ": entry 2: byte 0 is before byte 5",
            ),
            (
                format!("[{clean},{mapped}]"),
                ": entry 2: not of a dirty bitmap",
            ),
            (clean.into(), " at line 1 column "),
            ("[".into(), " at line 1 column 1"),
            (clean.replace('5', "-5"), " at line 1 column "),
            (
                format!("[{}]", clean.replace('5', "-5")),
                "invalid value: integer `-5`",
            ),
            (
                format!("[{}]", clean.replace('5', "0")),
                ": entry 1: the length is 0",
            ),
        ] {
            let error = read(text.as_bytes(), Format::Nbdinfo).unwrap_err();
            assert!(error.contains(why), "{text}: {error}");
        }
        let text = br#"[{"offset":18446744073709551615,"length":1,"exists":"true"}]"#;
        let error = read(text, Format::Rbd).unwrap_err();
        assert!(
            error.starts_with(": entry 1: offset and length together exceed 2^64 - 1"),
            "{error}"
        );
        let error = read(br#"[{"offset":0,"length":1}]"#, Format::Rbd).unwrap_err();
        assert!(
            error.contains("missing field `exists` at line 1"),
            "{error}"
        );
        let text = br#"[{"offset":0,"length":1,"exists":"maybe"}]"#;
        let error = read(text, Format::Rbd).unwrap_err();
        assert!(error.contains("unknown variant `maybe`"), "{error}");
    }
}
