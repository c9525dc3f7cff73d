// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Colors of the results on a terminal.

use anstyle::{AnsiColor, Style};
use clap::{Args, ColorChoice};
use std::fmt;
use std::io::{self, IsTerminal};

#[derive(Args)]
pub(crate) struct Color {
    /// Print results such as OK in color: 'auto', 'always' or 'never'
    ///
    /// 'auto' uses color if standard output is a terminal and the environment, which hornet(1)
    /// describes, does not forbid it. JSON is never in color.
    #[arg(
        long,
        value_name = "WHEN",
        default_value = "auto",
        hide_possible_values = true
    )]
    color: ColorChoice,
}

impl Color {
    /// Returns whether words printed to standard output are to be in color.
    pub(crate) fn is_on(&self) -> bool {
        match self.color {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => {
                io::stdout().is_terminal()
                    && !anstyle_query::no_color()
                    && anstyle_query::term_supports_color()
            }
        }
    }
}

/// A word in a color, or as it is if that is `None`.
pub(crate) struct Colored(pub(crate) &'static str, pub(crate) Option<AnsiColor>);

impl fmt::Display for Colored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let style = Style::new().fg_color(self.1.map(Into::into));
        write!(f, "{style}{}{style:#}", self.0)
    }
}
