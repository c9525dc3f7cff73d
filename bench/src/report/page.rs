// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Builds Markdown text.

use std::fmt::{Display, Write as _};

/// The text so far.
#[derive(Default)]
pub(super) struct Page(pub(super) String);

impl Page {
    pub(super) fn line(&mut self, text: impl Display) {
        let _ = writeln!(self.0, "{text}");
    }

    pub(super) fn row(&mut self, cells: impl IntoIterator<Item: Display>) {
        self.0.push('|');
        for cell in cells {
            let _ = write!(self.0, " {cell} |");
        }
        self.0.push('\n');
    }
}

/// Formats a number with about three significant digits.
pub(crate) fn figure(value: f64) -> String {
    match value {
        _ if !value.is_finite() => "-".into(),
        _ if value < 10.0 => format!("{value:.2}"),
        _ if value < 100.0 => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures() {
        for (value, text) in [
            (0.0, "0.00"),
            (9.994, "9.99"),
            (12.34, "12.3"),
            (123.4, "123"),
            (f64::NAN, "-"),
        ] {
            assert_eq!(figure(value), text);
        }
    }

    #[test]
    fn lines_and_rows() {
        let mut page = Page::default();
        page.line("text");
        page.row(["a", "b"]);
        page.row([1, 2]);
        assert_eq!(page.0, "text\n| a | b |\n| 1 | 2 |\n");
    }
}
