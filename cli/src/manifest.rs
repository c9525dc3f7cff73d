//! The text of a manifest: written, sealed, verified and read. docs/manifest.md describes it.

use crate::escape::{Escaped, unescape};
use crate::walk::bytes;
use hornet::Tag;
use hornet::aes::{Key, Nonce};
use hornet::key_file::Purpose;
use std::ffi::OsString;
use std::fmt;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

/// The first line.
pub(crate) const HEADER: &str = "hornet manifest 1\n";

// What lines with a path begin with.
const PATH: &[u8] = b"path ";
const UNREAD: &[u8] = b"unread ";

/// The length of 16 bytes in hexadecimal digits.
const DIGITS: usize = 32;

/// What the tag of a manifest is for. Tags of files have the purpose `MESSAGE`; if a manifest's had
/// that too, then anyone who gets to write a file that is tagged could write a manifest into it,
/// append its line's nonce and tag as the seal, and have a manifest that passes.
pub(crate) const PURPOSE: Purpose = Purpose::new(1).unwrap();

/// A file whose content was tagged.
pub(crate) struct Line {
    pub(crate) nonce: [u8; Nonce::BYTES],
    pub(crate) tag: Tag,
    pub(crate) path: PathBuf,
}

/// What a manifest says, in the order of its lines.
pub(crate) struct Manifest {
    pub(crate) follow_symlinks: bool,
    /// The PATH arguments.
    pub(crate) arguments: Vec<PathBuf>,
    /// Sorted by the bytes of their paths, and so are `unread`.
    pub(crate) files: Vec<Line>,
    /// What was there and could not be read.
    pub(crate) unread: Vec<PathBuf>,
}

impl Manifest {
    /// All of the text, the seal included.
    pub(crate) fn seal(&self, key: &Key, nonce: Nonce) -> Vec<u8> {
        let mut text = self.body();
        let shown = *nonce.as_bytes();
        let tag = key.mac(nonce, &text);
        text.extend_from_slice(b"seal ");
        push_digits(&mut text, &shown);
        text.push(b' ');
        push_digits(&mut text, tag.as_bytes());
        text.push(b'\n');
        text
    }

    /// All but the seal. Byte by byte: there may be millions of lines.
    fn body(&self) -> Vec<u8> {
        let mut text = Vec::with_capacity(128 * (self.files.len() + 1));
        text.extend_from_slice(HEADER.as_bytes());
        text.extend_from_slice(links_line(self.follow_symlinks).as_bytes());
        text.push(b'\n');
        for path in &self.arguments {
            text.extend_from_slice(PATH);
            push_path(&mut text, path);
        }
        for Line { nonce, tag, path } in &self.files {
            push_digits(&mut text, nonce);
            text.push(b' ');
            push_digits(&mut text, tag.as_bytes());
            text.extend_from_slice(b"  ");
            push_path(&mut text, path);
        }
        for path in &self.unread {
            text.extend_from_slice(UNREAD);
            push_path(&mut text, path);
        }
        text.extend_from_slice(self.count().as_bytes());
        text.push(b'\n');
        text
    }

    fn count(&self) -> String {
        format!("files {} unread {}", self.files.len(), self.unread.len())
    }

    /// Reads a manifest that has its seal, or says what is wrong.
    ///
    /// Nothing but the frame is looked at before the tag has been verified: no byte that another
    /// than the holder of the key wrote steers anything.
    pub(crate) fn open(text: &[u8], key: &Key) -> Result<Self, Problem> {
        if !text.starts_with(HEADER.as_bytes()) {
            return Err(wrong_header(text));
        }
        let (body, seal) = split_seal(text).ok_or(Problem::whole(
            "cut off, or changed: the last line is not a seal",
        ))?;
        key.verify(&seal.nonce, body, &seal.tag).map_err(|_| {
            Problem::whole(
                "changed since it was made, or made with another key: the seal does not match",
            )
        })?;
        if Purpose::of(&seal.nonce) != PURPOSE {
            return Err(Problem::whole(
                "the seal is the tag of a file, and not of a manifest",
            ));
        }
        Reader::new(body).read()
    }
}

fn links_line(follow_symlinks: bool) -> &'static str {
    if follow_symlinks {
        "symbolic links: followed"
    } else {
        "symbolic links: left out"
    }
}

fn push_digits(text: &mut Vec<u8>, bytes: &[u8; 16]) {
    // Not from a table: so the compiler takes all bytes at once.
    let digit = |number: u8| number + if number < 10 { b'0' } else { b'a' - 10 };
    let mut digits = [0; 32];
    for (pair, byte) in digits.chunks_exact_mut(2).zip(bytes) {
        pair.copy_from_slice(&[digit(byte >> 4), digit(byte & 15)]);
    }
    text.extend_from_slice(&digits);
}

/// The rest of a line.
fn push_path(text: &mut Vec<u8>, path: &Path) {
    Escaped::new(path).push_to(text);
    text.push(b'\n');
}

/// What is wrong with a manifest, and in which line if that can be told.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    line: Option<usize>,
    what: String,
}

impl Problem {
    fn whole(what: &str) -> Self {
        Self {
            line: None,
            what: what.into(),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        f.write_str(&self.what)
    }
}

fn wrong_header(text: &[u8]) -> Problem {
    let what = if text.is_empty() {
        "empty"
    } else if HEADER.as_bytes().starts_with(text) {
        "cut off in the first line"
    } else if text.starts_with(b"hornet manifest ") {
        "a manifest of a version that this hornet does not know"
    } else {
        "not a manifest: it does not begin with `hornet manifest 1`"
    };
    Problem {
        line: Some(1),
        what: what.into(),
    }
}

struct Seal {
    nonce: Nonce,
    tag: Tag,
}

/// What the seal covers, and the seal.
fn split_seal(text: &[u8]) -> Option<(&[u8], Seal)> {
    let lines = text.strip_suffix(b"\n")?;
    let start = lines.iter().rposition(|&byte| byte == b'\n')? + 1;
    let (body, seal) = lines.split_at(start);
    let (nonce, rest) = digits(seal.strip_prefix(b"seal ")?)?;
    let (tag, rest) = digits(rest.strip_prefix(b" ")?)?;
    let seal = Seal {
        nonce: Nonce::new(nonce),
        tag: tag.into(),
    };
    rest.is_empty().then_some((body, seal))
}

/// 16 bytes as exactly 32 lower-case digits, and what comes behind them.
fn digits(text: &[u8]) -> Option<([u8; 16], &[u8])> {
    let (digits, rest) = text.split_at_checked(DIGITS)?;
    let mut bytes = [0; 16];
    base16ct::lower::decode(digits, &mut bytes).ok()?;
    Some((bytes, rest))
}

/// Goes through the lines. The seal has been verified, so what is wrong here was written so.
struct Reader<'a> {
    /// The lines to come, with their ends.
    rest: &'a [u8],
    /// The number of the line that comes next.
    number: usize,
}

impl<'a> Reader<'a> {
    fn new(body: &'a [u8]) -> Self {
        Self {
            rest: body,
            number: 1,
        }
    }

    fn read(mut self) -> Result<Manifest, Problem> {
        self.next();
        let follow_symlinks = match self.next() {
            Some(line) if line == links_line(true).as_bytes() => true,
            Some(line) if line == links_line(false).as_bytes() => false,
            _ => return Err(self.wrong("not a line on symbolic links")),
        };
        let arguments = self.paths(PATH)?;
        let mut files: Vec<Line> = Vec::new();
        while let Some(line) = self.next_if(|line| {
            line.first().is_some_and(u8::is_ascii_hexdigit) && line.get(DIGITS) == Some(&b' ')
        }) {
            let file = self.file(line)?;
            if files
                .last()
                .is_some_and(|last| bytes(&last.path) >= bytes(&file.path))
            {
                return Err(self.wrong("out of order"));
            }
            files.push(file);
        }
        let unread = self.paths(UNREAD)?;
        let manifest = Manifest {
            follow_symlinks,
            arguments,
            files,
            unread,
        };
        let count = manifest.count();
        if self.next() != Some(count.as_bytes()) {
            return Err(self.wrong(format_args!("not `{count}`, which is what there is")));
        }
        if self.next().is_some() {
            return Err(self.wrong("behind the count"));
        }
        Ok(manifest)
    }

    fn next(&mut self) -> Option<&'a [u8]> {
        self.next_if(|_| true)
    }

    fn next_if(&mut self, is_wanted: impl FnOnce(&[u8]) -> bool) -> Option<&'a [u8]> {
        let end = self.rest.iter().position(|&byte| byte == b'\n')?;
        let (line, rest) = (&self.rest[..end], &self.rest[end + 1..]);
        if !is_wanted(line) {
            return None;
        }
        self.rest = rest;
        self.number += 1;
        Some(line)
    }

    /// A problem with the line that was last taken.
    fn wrong(&self, what: impl fmt::Display) -> Problem {
        Problem {
            line: Some(self.number - 1),
            what: what.to_string(),
        }
    }

    fn paths(&mut self, word: &[u8]) -> Result<Vec<PathBuf>, Problem> {
        let mut paths = Vec::new();
        while let Some(line) = self.next_if(|line| line.starts_with(word)) {
            paths.push(self.path(&line[word.len()..])?);
        }
        Ok(paths)
    }

    fn path(&self, text: &[u8]) -> Result<PathBuf, Problem> {
        let text = std::str::from_utf8(text).map_err(|_| self.wrong("not UTF-8"))?;
        let path = unescape(text).map_err(|problem| self.wrong(problem))?;
        Ok(OsString::from_vec(path).into())
    }

    fn file(&self, line: &[u8]) -> Result<Line, Problem> {
        let parts = digits(line).and_then(|(nonce, rest)| {
            let (tag, rest) = digits(rest.strip_prefix(b" ")?)?;
            Some((nonce, tag, rest.strip_prefix(b"  ")?))
        });
        let (nonce, tag, path) =
            parts.ok_or_else(|| self.wrong("not a nonce, a tag and a path"))?;
        if Purpose::of(&Nonce::new(nonce)) != Purpose::MESSAGE {
            return Err(self.wrong("the nonce is not one of a file"));
        }
        Ok(Line {
            nonce,
            tag: tag.into(),
            path: self.path(path)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key() -> Key {
        Key::clamped(&[7; 32])
    }

    fn nonce(number: u8, purpose: u8) -> [u8; 16] {
        let mut bytes = [0; 16];
        bytes[0] = number;
        bytes[15] = purpose;
        bytes
    }

    fn manifest() -> Manifest {
        let line = |number, path: &str| Line {
            nonce: nonce(number, 0),
            tag: [number; 16].into(),
            path: path.into(),
        };
        Manifest {
            follow_symlinks: true,
            arguments: vec!["b".into(), "a\n".into()],
            files: vec![line(1, "a\n"), line(2, "b/\\")],
            unread: vec!["b/c".into()],
        }
    }

    /// A body under a seal that is right, whatever the body.
    fn sealed(body: &str, nonce: [u8; 16]) -> Vec<u8> {
        let shown = Nonce::new(nonce);
        let tag = key().mac(Nonce::new(nonce), body.as_bytes());
        format!("{body}seal {shown} {tag}\n").into_bytes()
    }

    #[track_caller]
    fn problem(text: &[u8]) -> String {
        match Manifest::open(text, &key()) {
            Ok(_) => panic!("{} is good", String::from_utf8_lossy(text)),
            Err(problem) => problem.to_string(),
        }
    }

    #[test]
    fn there_and_back() {
        let text = manifest().seal(&key(), Nonce::new(nonce(3, 1)));
        let body = "\
hornet manifest 1
symbolic links: followed
path b
path a\\n
01000000000000000000000000000000 01010101010101010101010101010101  a\\n
02000000000000000000000000000000 02020202020202020202020202020202  b/\\\\
unread b/c
files 2 unread 1
";
        assert_eq!(text, sealed(body, nonce(3, 1)));
        let again = Manifest::open(&text, &key()).map_err(|problem| problem.to_string());
        assert_eq!(again.unwrap().seal(&key(), Nonce::new(nonce(3, 1))), text);
        for follow_symlinks in [true, false] {
            let empty = Manifest {
                follow_symlinks,
                arguments: vec!["x".into()],
                files: Vec::new(),
                unread: Vec::new(),
            };
            let text = empty.seal(&key(), Nonce::new(nonce(3, 1)));
            let again = Manifest::open(&text, &key()).map_err(|problem| problem.to_string());
            assert_eq!(again.unwrap().follow_symlinks, follow_symlinks);
        }
    }

    #[test]
    fn what_the_seal_is_for() {
        let text = manifest().seal(&key(), Nonce::new(nonce(3, 0)));
        assert_eq!(
            problem(&text),
            "the seal is the tag of a file, and not of a manifest"
        );
        let mut text = manifest().seal(&key(), Nonce::new(nonce(3, 1)));
        let at = text.len() - 2;
        text[at] = if text[at] == b'0' { b'1' } else { b'0' };
        assert!(problem(&text).starts_with("changed since it was made"));
        text.truncate(at);
        assert!(problem(&text).starts_with("cut off, or changed"));
        assert_eq!(problem(b""), "line 1: empty");
        assert_eq!(problem(b"hornet man"), "line 1: cut off in the first line");
        assert_eq!(
            problem(HEADER.as_bytes()),
            "cut off, or changed: the last line is not a seal"
        );
        assert!(problem(b"hornet manifest 12\n").contains("version"));
    }

    /// Sealed by the holder of the key, and wrong all the same.
    #[test]
    fn lines_that_are_not_as_they_must_be() {
        let head = "hornet manifest 1\nsymbolic links: left out\npath t\n";
        let file = |path: &str| format!("{:032x} {:032x}  {path}\n", 0, 0);
        let own = format!("{:030x}01 {:032x}  t/a\n", 0, 0);
        let end = "files 1 unread 0\n";
        for (body, wanted) in [
            (
                "hornet manifest 1\n".into(),
                "line 1: not a line on symbolic links",
            ),
            (
                "hornet manifest 1\nlinks\n".into(),
                "line 2: not a line on symbolic links",
            ),
            (
                format!("{head}files 0 unread 1\n"),
                "line 4: not `files 0 unread 0`, which is what there is",
            ),
            (format!("{head}{}{end}", file("")), "line 4: no path"),
            (
                format!("{head}{}{end}", file("\\x0a")),
                "line 4: a path that is not escaped as it must be",
            ),
            (
                format!("{head}{}{end}", file("\\q")),
                "line 4: a backslash that is not \\\\, \\n or \\xHH",
            ),
            (format!("{head}path \n{end}"), "line 4: no path"),
            (
                format!("{head}{}{}{end}", file("t/b"), file("t/a")),
                "line 5: out of order",
            ),
            (
                format!("{head}{}{}{end}", file("t/a"), file("t/a")),
                "line 5: out of order",
            ),
            (
                format!("{head}{own}{end}"),
                "line 4: the nonce is not one of a file",
            ),
            (
                format!("{head}{}{end}", file("t/a").replace("  ", " ")),
                "line 4: not a nonce, a tag and a path",
            ),
            (
                format!("{head}{}{end}", file("t/a").replace("00 ", "0g ")),
                "line 4: not a nonce, a tag and a path",
            ),
            (
                format!("{head}{}unread\nfiles 1 unread 0\n", file("t/a")),
                "line 5: not `files 1 unread 0`, which is what there is",
            ),
            (
                format!("{head}{}{end}{end}", file("t/a")),
                "line 6: behind the count",
            ),
            (
                format!("{head}{}", file("t/a")),
                "line 4: not `files 1 unread 0`, which is what there is",
            ),
        ] {
            assert_eq!(problem(&sealed(&body, nonce(3, 1))), wanted, "{body}");
        }
        let mut body = Vec::from(head);
        body.extend_from_slice(b"unread \xff\nfiles 0 unread 1\n");
        let tag = key().mac(Nonce::new(nonce(3, 1)), &body);
        body.extend_from_slice(format!("seal {} {tag}\n", Nonce::new(nonce(3, 1))).as_bytes());
        assert_eq!(problem(&body), "line 4: not UTF-8");
    }
}
