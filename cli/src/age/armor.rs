// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Armour: a sealed file as lines of base64, between two lines that say so.

use base64ct::{Base64, Encoding};
use std::fmt;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::mem;

pub(crate) const BEGIN: &str = "-----BEGIN AGE ENCRYPTED FILE-----";
const END: &str = "-----END AGE ENCRYPTED FILE-----";
const COLUMNS: usize = 64;
const LINE_BYTES: usize = COLUMNS / 4 * 3;
/// White space may surround it, up to this length.
const MOST_SPACE: usize = 1024;
/// The longest line that is read: more than any that is valid.
const MOST_COLUMNS: usize = 2048;

/// What is wrong with a line, counted from 1.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct BadLine {
    line: u64,
    why: &'static str,
}

impl fmt::Display for BadLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {} of the armour: {}", self.line, self.why)
    }
}

impl std::error::Error for BadLine {}

/// Where the next byte is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Before the first line, after this number of bytes of space.
    Before(usize),
    Within,
    /// After a short line, which only the last line follows.
    Short,
    /// After the last line, and this number of bytes of space.
    After(usize),
    Ended,
}

/// Decodes armour. Reads once at most each time it is read: `ErrorKind::Interrupted` says that what was read
/// is not yet a line, so that who waits for more need not wait here.
pub(crate) struct Reader<R> {
    from: BufReader<R>,
    place: Place,
    line: u64,
    /// What was read of the next line.
    part: Vec<u8>,
    /// What was decoded, of which some was given out.
    bytes: Vec<u8>,
    given: usize,
}

impl<R: Read> Reader<R> {
    pub(crate) fn new(from: R) -> Self {
        Self {
            from: BufReader::new(from),
            place: Place::Before(0),
            line: 0,
            part: Vec::new(),
            bytes: Vec::new(),
            given: 0,
        }
    }

    fn wrong(&self, why: &'static str) -> io::Error {
        let line = self.line;
        io::Error::new(io::ErrorKind::InvalidData, BadLine { line, why })
    }

    /// Returns the next line, without LF or CR LF.
    fn next(&mut self) -> io::Result<Vec<u8>> {
        let waiting = self.from.fill_buf()?;
        let is_end = waiting.is_empty();
        let room = waiting.len().min(MOST_COLUMNS - self.part.len());
        let newline = waiting[..room].iter().position(|&byte| byte == b'\n');
        let count = newline.map_or(room, |at| at + 1);
        self.part.extend_from_slice(&waiting[..count]);
        self.from.consume(count);
        if newline.is_none() && !is_end && self.part.len() < MOST_COLUMNS {
            return Err(io::ErrorKind::Interrupted.into());
        }
        self.line += 1;
        let mut line = mem::take(&mut self.part);
        if line.is_empty() {
            return Err(self.wrong("cut off"));
        }
        if line.last() == Some(&b'\n') {
            line.pop();
            if line.last() == Some(&b'\r') {
                line.pop();
            }
        }
        Ok(line)
    }

    /// Decodes the whole lines that are there without waiting, as far as there is room for them and nothing
    /// about them is special, and returns their length.
    fn decode_whole(&mut self, to: &mut [u8]) -> usize {
        let mut count = 0;
        if self.place != Place::Within || !self.part.is_empty() {
            return 0;
        }
        for to in to.chunks_exact_mut(LINE_BYTES) {
            let Some([line @ .., b'\n']) = self.from.buffer().get(..=COLUMNS) else {
                break;
            };
            if !Base64::decode(line, to).is_ok_and(|bytes| bytes.len() == LINE_BYTES) {
                break;
            }
            self.from.consume(COLUMNS + 1);
            self.line += 1;
            count += LINE_BYTES;
        }
        count
    }

    /// Decodes a line, or reads space.
    fn decode(&mut self) -> io::Result<()> {
        match self.place {
            Place::Before(space) => {
                let line = self.next()?;
                if line == BEGIN.as_bytes() {
                    self.place = Place::Within;
                    return Ok(());
                }
                let space = space + line.len() + 1;
                if !line.trim_ascii().is_empty() || space > MOST_SPACE {
                    return Err(self.wrong("not the first line of armour"));
                }
                self.place = Place::Before(space);
            }
            Place::Within => {
                let line = self.next()?;
                self.given = 0;
                self.bytes.clear();
                if line == END.as_bytes() {
                    self.place = Place::After(0);
                    return Ok(());
                }
                if line.is_empty() || line.len() > COLUMNS {
                    return Err(self.wrong("not 1 to 64 characters of base64"));
                }
                let text = std::str::from_utf8(&line).ok();
                let bytes = text.and_then(|text| Base64::decode_vec(text).ok());
                self.bytes = bytes.ok_or_else(|| self.wrong("not canonical base64"))?;
                if self.bytes.len() < LINE_BYTES {
                    self.place = Place::Short;
                }
            }
            Place::Short => {
                if self.next()? != END.as_bytes() {
                    return Err(self.wrong("not the last line of armour, which a short line ends"));
                }
                self.place = Place::After(0);
            }
            Place::After(space) => {
                let rest = self.from.fill_buf()?;
                let (count, blank) = (rest.len(), rest.trim_ascii().is_empty());
                self.from.consume(count);
                if !blank || space + count >= MOST_SPACE {
                    return Err(self.wrong("more follows the last line of armour"));
                }
                self.place = match count {
                    0 => Place::Ended,
                    count => Place::After(space + count),
                };
            }
            Place::Ended => {}
        }
        Ok(())
    }

    /// Returns whether there is something to give out, or its end.
    fn has_more(&self) -> bool {
        match self.place {
            Place::Within => self.given < self.bytes.len(),
            place => place == Place::Ended,
        }
    }
}

impl<R: Read> Read for Reader<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        if !self.has_more() {
            let count = self.decode_whole(to);
            if count > 0 {
                return Ok(count);
            }
            self.decode()?;
        }
        if !self.has_more() {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let count = to.len().min(self.bytes.len() - self.given);
        to[..count].copy_from_slice(&self.bytes[self.given..][..count]);
        self.given += count;
        Ok(count)
    }
}

/// Writes armour, of which `finish` writes the end.
pub(crate) struct Writer<W: Write> {
    to: W,
    /// What a line lacks.
    waiting: Vec<u8>,
}

impl<W: Write> Writer<W> {
    pub(crate) fn new(mut to: W) -> io::Result<Self> {
        writeln!(to, "{BEGIN}")?;
        Ok(Self {
            to,
            waiting: Vec::new(),
        })
    }

    pub(crate) fn finish(mut self) -> io::Result<()> {
        if !self.waiting.is_empty() {
            writeln!(self.to, "{}", Base64::encode_string(&self.waiting))?;
        }
        writeln!(self.to, "{END}")?;
        self.to.flush()
    }
}

impl<W: Write> Write for Writer<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.waiting.extend_from_slice(bytes);
        let whole = self.waiting.len() / LINE_BYTES * LINE_BYTES;
        let mut lines = String::with_capacity(whole / LINE_BYTES * (COLUMNS + 1));
        for line in self.waiting[..whole].chunks(LINE_BYTES) {
            lines.push_str(&Base64::encode_string(line));
            lines.push('\n');
        }
        self.to.write_all(lines.as_bytes())?;
        self.waiting.drain(..whole);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reading a line at a time would wait for each of them.
    #[test]
    fn lines_that_are_there() {
        let bytes: Vec<u8> = (0..100_u8).flat_map(|line| [line; LINE_BYTES]).collect();
        let mut armor = Vec::new();
        let mut writer = Writer::new(&mut armor).unwrap();
        writer.write_all(&bytes).unwrap();
        writer.finish().unwrap();
        let mut read = vec![0; bytes.len() + 1];
        let mut reader = Reader::new(&*armor);
        // After the line that begins it.
        let begun = reader.read(&mut read).unwrap_err();
        assert_eq!(begun.kind(), io::ErrorKind::Interrupted);
        assert_eq!(reader.read(&mut read).unwrap(), bytes.len());
        assert_eq!(reader.read_to_end(&mut Vec::new()).unwrap(), 0);
        assert!(read[..bytes.len()] == bytes);

        // Those before a line that is wrong are read first.
        let place = BEGIN.len() + 1 + 60 * (COLUMNS + 1) + 7;
        armor[place] = b'!';
        let mut reader = Reader::new(&*armor);
        let mut read = Vec::new();
        let error = reader.read_to_end(&mut read).unwrap_err().to_string();
        assert!(error.starts_with("line 62 of the armour: "), "{error}");
        assert!(read == bytes[..60 * LINE_BYTES]);
    }

    /// A byte each time it is read.
    struct Bytes<'a>(&'a [u8], usize);

    impl Read for Bytes<'_> {
        fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
            self.1 += 1;
            self.0.read(&mut to[..1])
        }
    }

    /// Who waits for a line would wait before what was read of it earlier is used.
    #[test]
    fn reads_once() {
        for len_bytes in [0, 1, 47, 48, 49, 96, 100] {
            let bytes = vec![7; len_bytes];
            let mut armor = b"\n \r\n".to_vec();
            let mut writer = Writer::new(&mut armor).unwrap();
            writer.write_all(&bytes).unwrap();
            writer.finish().unwrap();
            armor.extend_from_slice(b"\r\n \n");
            let mut reader = Reader::new(Bytes(&armor, 0));
            let (mut read, mut reads) = (Vec::new(), 0);
            loop {
                let mut some = [0; 1000];
                match reader.read(&mut some) {
                    Ok(0) => break,
                    Ok(count) => read.extend_from_slice(&some[..count]),
                    Err(error) => assert_eq!(error.kind(), io::ErrorKind::Interrupted),
                }
                let before = mem::replace(&mut reads, reader.from.get_ref().1);
                assert!(reads <= before + 1);
            }
            assert!(read == bytes && reads >= armor.len());
        }
    }
}
