// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Armour: a sealed file as lines of base64, between two lines that say so.

use base64ct::{Base64, Encoding};
use std::fmt;
use std::io::{self, BufRead, BufReader, Read, Write};

pub(crate) const BEGIN: &str = "-----BEGIN AGE ENCRYPTED FILE-----";
const END: &str = "-----END AGE ENCRYPTED FILE-----";
const COLUMNS: usize = 64;
const LINE_BYTES: usize = COLUMNS / 4 * 3;
/// White space may surround it, up to this length.
const MOST_SPACE: usize = 1024;
/// The longest line that is read: more than any that is valid.
const MOST_COLUMNS: u64 = 2048;

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

/// Decodes armour.
pub(crate) struct Reader<R> {
    from: BufReader<R>,
    line: u64,
    begun: bool,
    ended: bool,
    /// What was decoded, of which some was given out.
    bytes: Vec<u8>,
    given: usize,
}

impl<R: Read> Reader<R> {
    pub(crate) fn new(from: R) -> Self {
        Self {
            from: BufReader::new(from),
            line: 0,
            begun: false,
            ended: false,
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
        let mut line = Vec::new();
        self.line += 1;
        if (&mut self.from)
            .take(MOST_COLUMNS)
            .read_until(b'\n', &mut line)?
            == 0
        {
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

    fn begin(&mut self) -> io::Result<()> {
        let mut space = 0;
        loop {
            let line = self.next()?;
            if line == BEGIN.as_bytes() {
                self.begun = true;
                return Ok(());
            }
            space += line.len() + 1;
            if !line.trim_ascii().is_empty() || space > MOST_SPACE {
                return Err(self.wrong("not the first line of armour"));
            }
        }
    }

    fn end(&mut self) -> io::Result<()> {
        let mut rest = Vec::new();
        (&mut self.from)
            .take(MOST_SPACE as u64)
            .read_to_end(&mut rest)?;
        if !rest.trim_ascii().is_empty() || rest.len() == MOST_SPACE {
            return Err(self.wrong("more follows the last line of armour"));
        }
        self.ended = true;
        Ok(())
    }

    /// Decodes the whole lines that are there without waiting, as far as there is room for them and nothing
    /// about them is special, and returns their length.
    fn decode_whole(&mut self, to: &mut [u8]) -> usize {
        let mut count = 0;
        for to in to.chunks_exact_mut(LINE_BYTES) {
            let line = match self.from.buffer().get(..=COLUMNS) {
                Some([line @ .., b'\n']) if self.begun => line,
                _ => break,
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

    /// Decodes a line.
    fn decode(&mut self) -> io::Result<()> {
        if !self.begun {
            self.begin()?;
        }
        let line = self.next()?;
        self.given = 0;
        self.bytes.clear();
        if line == END.as_bytes() {
            return self.end();
        }
        if line.is_empty() || line.len() > COLUMNS {
            return Err(self.wrong("not 1 to 64 characters of base64"));
        }
        let text = std::str::from_utf8(&line).ok();
        let bytes = text.and_then(|text| Base64::decode_vec(text).ok());
        self.bytes = bytes.ok_or_else(|| self.wrong("not canonical base64"))?;
        if self.bytes.len() < LINE_BYTES {
            if self.next()? != END.as_bytes() {
                return Err(self.wrong("not the last line of armour, which a short line ends"));
            }
            self.end()?;
        }
        Ok(())
    }
}

impl<R: Read> Read for Reader<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        while self.given == self.bytes.len() && !self.ended {
            let count = self.decode_whole(to);
            if count > 0 {
                return Ok(count);
            }
            self.decode()?;
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
        // The first after the line that begins it, and then the others.
        assert_eq!(reader.read(&mut read).unwrap(), LINE_BYTES);
        let count = reader.read(&mut read[LINE_BYTES..]).unwrap();
        assert_eq!(count, 99 * LINE_BYTES);
        assert_eq!(reader.read(&mut read[100 * LINE_BYTES..]).unwrap(), 0);
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
}
