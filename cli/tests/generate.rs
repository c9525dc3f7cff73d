// SPDX-License-Identifier: Apache-2.0 OR MIT

//! `hornet generate`: manual pages and shell completions cover the whole command.

mod common;

use common::{Folder, complains, prints, rejects};
use std::ffi::OsStr;
use std::fs;
use std::process::{Command, Stdio};

const PAGES: [&str; 12] = [
    "hornet-bound.1",
    "hornet-cat.1",
    "hornet-check.1",
    "hornet-info.1",
    "hornet-keygen.1",
    "hornet-mac.1",
    "hornet-open.1",
    "hornet-retag.1",
    "hornet-seal.1",
    "hornet-tag.1",
    "hornet-verify.1",
    "hornet.1",
];

/// Returns a folder with `man` and `completions`, which hold what `hornet generate` writes.
fn generated() -> Folder {
    let folder = Folder::new();
    for what in ["man", "completions"] {
        fs::create_dir(folder.path(what)).unwrap();
        prints(&folder.run(&format!("generate {what} {what}")), "");
    }
    folder
}

fn names(folder: &Folder, subfolder: &str) -> Vec<String> {
    let entries = fs::read_dir(folder.path(subfolder)).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// Returns the definition of the command, with what clap adds to it.
fn definition() -> clap::Command {
    let mut command = hornet_cli::command().disable_help_subcommand(true);
    command.build();
    command
}

/// Runs a program, which must succeed and print nothing to standard error. `None` if there is no
/// such program.
fn run<S: AsRef<OsStr>>(program: &str, arguments: impl IntoIterator<Item = S>) -> Option<String> {
    let child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .output();
    let Ok(output) = child else {
        eprintln!("not tested with {program}, which is not installed");
        return None;
    };
    assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{program}");
    assert!(output.status.success(), "{program}: {}", output.status);
    Some(String::from_utf8(output.stdout).unwrap())
}

#[test]
fn the_definition_is_consistent() {
    hornet_cli::command().debug_assert();
}

#[test]
fn every_command_has_a_page() {
    let folder = generated();
    assert_eq!(names(&folder, "man"), PAGES);
    let mut expected: Vec<String> = definition()
        .get_subcommands()
        .map(|command| format!("hornet-{}.1", command.get_name()))
        .chain(["hornet.1".into()])
        .collect();
    expected.sort();
    assert_eq!(names(&folder, "man"), expected);

    let main = folder.read("man/hornet.1");
    for command in definition().get_subcommands() {
        let name = format!("hornet\\-{}(1)", command.get_name());
        assert!(main.contains(&name), "{name} is not in {main}");
    }
    for words in ["EXIT STATUS", "ENVIRONMENT", "HORNET_KERNEL"] {
        assert!(main.contains(words), "{words} is not in {main}");
    }
}

/// Each option is listed with its long and short name, its value and the first line of its help.
#[test]
fn every_option_is_in_its_page() {
    let folder = generated();
    let definition = definition();
    let mut options = 0;
    for command in definition.get_subcommands().chain([&definition]) {
        let name = command.get_display_name().unwrap_or(command.get_name());
        let page = folder.read(&format!("man/{name}.1"));
        for argument in command.get_arguments() {
            let long = argument.get_long().map(|long| {
                let long = long.replace('-', "\\-");
                format!("\\fB\\-\\-{long}\\fR")
            });
            let short = argument
                .get_short()
                .map(|short| format!("\\fB\\-{short}\\fR"));
            let takes_values = argument.get_action().takes_values();
            let value = argument.get_value_names().unwrap_or_default().first();
            let value = value.filter(|_| takes_values).map(ToString::to_string);
            let help = argument.get_long_help().or(argument.get_help());
            let help = help.map(|help| {
                let line = help.to_string().lines().next().unwrap_or("").to_owned();
                line.replace('-', "\\-").replace('\'', "\\*(Aq")
            });
            assert!(help.is_some(), "{name}: {argument}");
            for words in [long, short, value, help].into_iter().flatten() {
                assert!(page.contains(&words), "{words} is not in {page}");
            }
            options += 1;
        }
    }
    assert!(options > 30, "{options}");
}

/// The date is that of the release if the changelog has one, and does not depend on the clock, the
/// time zone or the environment of the build.
#[test]
fn all_pages_have_the_date_of_the_version() {
    let folder = generated();
    let main = folder.read("man/hornet.1");
    let title = main
        .lines()
        .find_map(|line| line.strip_prefix(".TH HORNET 1 "));
    let date = title.unwrap().split(' ').next().unwrap();
    let is_date = |text: &str| {
        let form = text
            .bytes()
            .map(|byte| if byte.is_ascii_digit() { b'0' } else { byte });
        form.eq(*b"0000-00-00")
    };
    assert!(is_date(date), "{title:?}");
    for page in PAGES {
        let text = folder.read(&format!("man/{page}"));
        let title = format!(
            ".TH {} 1 {date} ",
            page.trim_end_matches(".1").to_uppercase()
        );
        assert!(text.contains(&title), "{title} is not in {text}");
    }
    let changelog = include_str!("../../docs/CHANGELOG.md");
    let heading = format!("## [{}] - ", env!("CARGO_PKG_VERSION"));
    let released = changelog
        .lines()
        .find_map(|line| line.strip_prefix(&heading));
    let released = released.expect("the changelog has this version");
    assert!(released == "unreleased" || released == date, "{released}");

    fs::create_dir(folder.path("again")).unwrap();
    let mut again = folder.hornet("generate man again");
    again
        .env("SOURCE_DATE_EPOCH", "1000000000")
        .env("TZ", "Pacific/Kiritimati");
    prints(&again.output().unwrap(), "");
    for page in PAGES {
        let read = |place: &str| folder.read(&format!("{place}/{page}"));
        assert_eq!(read("man"), read("again"));
    }
}

#[test]
fn pages_render_without_warnings() {
    let folder = generated();
    for name in PAGES {
        let page = folder.path("man").join(name);
        let options = ["-man", "-ww", "-Tascii", "-P-cbou"].map(OsStr::new);
        let Some(text) = run("groff", options.into_iter().chain([page.as_os_str()])) else {
            return;
        };
        for heading in ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "SEE ALSO"] {
            let lines = text.lines().filter(|line| *line == heading);
            assert_eq!(lines.count(), 1, "{heading} in {text}");
        }
        assert!(!text.contains('`') && !text.contains("\\f"), "{text}");
    }
}

#[test]
fn bash_completes() {
    let folder = generated();
    assert_eq!(
        names(&folder, "completions"),
        ["_hornet", "hornet.bash", "hornet.fish"]
    );
    let script = folder.path("completions/hornet.bash");
    let complete = |words: &str| {
        let test = "
            set -u
            source \"$1\" || exit 1
            COMP_WORDS=($2)
            COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
            COMPREPLY=()
            _hornet hornet \"${COMP_WORDS[COMP_CWORD]}\" \"${COMP_WORDS[COMP_CWORD - 1]}\"
            echo \"${COMPREPLY[@]}\"";
        let arguments = ["-c", test, "bash"].map(OsStr::new);
        let arguments = arguments
            .into_iter()
            .chain([script.as_os_str(), OsStr::new(words)]);
        run("bash", arguments).map(|completions| completions.trim_end().to_owned())
    };
    for (words, expected) in [
        ("hornet ta", "tag"),
        ("hornet ver", "verify"),
        ("hornet gen", ""),
        ("hornet check --str", "--strict"),
        ("hornet tag --fo", "--force --follow-symlinks"),
        ("hornet tag --exc", "--exclude --exclude-from"),
        ("hornet check --color a", "auto always"),
        ("hornet keygen --kern", "--kernel"),
    ] {
        if let Some(completions) = complete(words) {
            assert_eq!(completions, expected, "{words}");
        }
    }
}

#[test]
fn completions_of_other_shells_are_valid() {
    let folder = generated();
    for (shell, name) in [("zsh", "_hornet"), ("fish", "hornet.fish")] {
        let script = folder.path("completions").join(name);
        run(shell, [OsStr::new("-n"), script.as_os_str()]);
        let script = fs::read_to_string(script).unwrap();
        for command in definition().get_subcommands() {
            assert!(script.contains(command.get_name()), "{script}");
        }
    }
}

#[test]
fn files_that_exist_are_replaced_only_with_force() {
    let folder = Folder::new();
    fs::create_dir(folder.path("d")).unwrap();
    folder.file("d/hornet-tag.1", "mine");
    let output = folder.run("generate man d");
    complains(&output, 2, &["d/hornet-tag.1: exists", "--force"]);
    // No other page is written either.
    assert_eq!(names(&folder, "d"), ["hornet-tag.1"]);
    assert_eq!(folder.read("d/hornet-tag.1"), "mine");
    prints(&folder.run("generate man --force d"), "");
    assert_eq!(names(&folder, "d"), PAGES);
    assert!(folder.read("d/hornet-tag.1").contains(".TH HORNET-TAG 1"));
}

#[test]
fn it_is_hidden() {
    let folder = Folder::new();
    for arguments in ["--help", "-h", "help"] {
        let help = String::from_utf8(folder.run(arguments).stdout).unwrap();
        assert!(!help.contains("generate"), "{help}");
    }
    rejects(&folder.run("generate"), &["generate"]);
    rejects(&folder.run("generate man"), &["DIR"]);
    complains(&folder.run("generate man none"), 2, &["none/"]);
}

/// The examples of a command in its long help: for each, what it does and the lines to run.
fn examples(folder: &Folder, command: &str) -> Vec<(String, Vec<String>)> {
    let help = String::from_utf8(folder.run(&format!("{command} --help")).stdout).unwrap();
    let (_, text) = help.split_once("\nExamples:\n").expect(&help);
    let mut examples = Vec::new();
    for line in text
        .lines()
        .take_while(|line| line.is_empty() || line.starts_with(' '))
    {
        if let Some(line) = line.strip_prefix("    ") {
            let (_, lines): &mut (_, Vec<String>) = examples.last_mut().unwrap();
            lines.push(line.to_owned());
        } else if let Some(what) = line.strip_prefix("  ") {
            examples.push((what.to_owned(), Vec::new()));
        }
    }
    examples
}

/// The examples in a page, in the same form.
fn examples_in_page(page: &str) -> Vec<(String, Vec<String>)> {
    let (_, text) = page.split_once("\n.SH EXAMPLES\n").expect(page);
    let (text, _) = text.split_once("\n.SH ").unwrap();
    let text = text.replace("\\-", "-").replace("\\*(Aq", "'");
    let text = text.replace("\\\\", "\\");
    let examples = text
        .split("\n.EE\n.RE")
        .filter(|example| !example.is_empty());
    examples
        .map(|example| {
            let example = example.trim_start_matches("\n.PP").trim_start();
            let (what, lines) = example.split_once("\n.RS 4\n.EX\n").expect(example);
            (what.to_owned(), lines.lines().map(str::to_owned).collect())
        })
        .collect()
}

/// Creates what examples use and other commands have made.
fn prepare(folder: &Folder, command: &str) {
    fs::create_dir_all(folder.path("src/build")).unwrap();
    for name in ["main.c", "main.o", "build/main"] {
        folder.file(format!("src/{name}"), name);
    }
    folder.file(".gitignore", "*.o\n/src/build/\n/key\n");
    folder.file("message", "a message");
    fs::remove_file(folder.path("key")).unwrap();
    let before: &[_] = match command {
        "tag" => &["keygen key"],
        "check" => &[
            "keygen key",
            "tag -k key -o accepted src",
            "tag -k key -o manifest --parts parts src",
        ],
        "cat" | "retag" => &["keygen key", "tag -k key -o manifest --parts parts src"],
        _ => &[],
    };
    for arguments in before {
        prints(&folder.run(arguments), "");
    }
    if command == "verify" {
        folder.secret("once.key", "k".repeat(32));
        let tag = folder.run("mac --key-file once.key message").stdout;
        folder.file("message.tag", tag);
    }
}

/// Runs the examples of each command as they stand, one after another, and finds the same ones in
/// its page.
#[test]
fn every_example_runs() {
    let pages = generated();
    let bin = std::path::Path::new(env!("CARGO_BIN_EXE_hornet"))
        .parent()
        .unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let mut run = 0;
    for page in PAGES {
        let name = page.trim_end_matches(".1");
        let command = name.strip_prefix("hornet-").unwrap_or("");
        let folder = Folder::new();
        prepare(&folder, command);
        let examples = examples(&folder, command);
        assert!(!examples.is_empty(), "{page} has no examples");
        assert_eq!(
            examples_in_page(&pages.read(&format!("man/{page}"))),
            examples
        );
        for (what, lines) in examples {
            let mut shell = Command::new("sh");
            shell.args(["-ec", &lines.join("\n")]).env("PATH", &path);
            let output = shell.current_dir(folder.path("")).output().unwrap();
            assert!(
                output.status.success(),
                "{page}: {what} {lines:?}: {output:?}"
            );
            assert!(
                lines
                    .iter()
                    .any(|line| line.contains(&format!("hornet {command}")))
            );
            run += 1;
        }
        if command == "tag" {
            // The last one tags what find lists.
            assert!(folder.read("manifest").contains("\npath src/main.c\n"));
            assert!(folder.read("manifest").contains("\nfiles 1 unread"));
        }
    }
    assert!(run >= 20, "only {run} examples");
}

/// It is of use to few.
#[test]
fn the_choice_of_a_kernel_is_not_in_short_help() {
    let folder = generated();
    for page in PAGES {
        let command = page
            .trim_end_matches(".1")
            .strip_prefix("hornet-")
            .unwrap_or("");
        let help = |option: &str| {
            String::from_utf8(folder.run(&format!("{command} {option}")).stdout).unwrap()
        };
        assert!(!help("-h").contains("kernel <"), "{command}");
        let long = help("--help");
        let (_, advanced) = long.split_once("\nAdvanced options:\n").expect(&long);
        assert!(
            advanced.trim_start().starts_with("--kernel <NAME>"),
            "{long}"
        );
        let text = folder.read(&format!("man/{page}"));
        let (_, advanced) = text
            .split_once("\n.SH \"ADVANCED OPTIONS\"\n")
            .expect(&text);
        assert!(advanced.contains("Use this kernel"), "{text}");
    }
}
