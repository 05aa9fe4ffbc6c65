//! Manual pages, and the examples of every help text.

use std::fs;

use crate::common::program;
use arbiter::args::Cli;
use clap::{Command, CommandFactory};
use program::{directory, run};

/// Every subcommand that can be run, with the words that name it.
fn leaves(command: &Command, words: &[String]) -> Vec<(Vec<String>, Command)> {
    let mut found = Vec::new();
    for subcommand in command.get_subcommands() {
        let words = [words, &[subcommand.get_name().to_string()]].concat();
        if subcommand.has_subcommands() {
            found.extend(leaves(subcommand, &words));
        } else {
            found.push((words, subcommand.clone()));
        }
    }
    found
}

#[test]
fn every_help_has_an_example_of_its_own_command() {
    let leaves = leaves(&Cli::command(), &[]);
    assert!(leaves.len() >= 10, "{}", leaves.len());
    for (words, command) in leaves {
        let help = command
            .get_after_long_help()
            .or(command.get_after_help())
            .map(ToString::to_string)
            .unwrap_or_default();
        let (_, examples) = help
            .split_once("EXAMPLE")
            .unwrap_or_else(|| panic!("{words:?}: no EXAMPLE in {help:?}"));
        let example = format!("  arbiter {}", words.join(" "));
        assert!(examples.contains(&example), "{words:?}: {examples}");
        assert!(help.lines().all(|line| line.chars().count() <= 80), "{words:?}: {help}");
    }
}

/// Text of a help below its flags; nothing breaks its lines at 80 columns.
#[test]
fn every_help_fits_80_columns() {
    for (words, command) in leaves(&Cli::command(), &[]) {
        let below = command.get_after_long_help().or(command.get_after_help()).unwrap().to_string();
        let below = below.lines().last().unwrap();
        let help = command.term_width(80).render_long_help().to_string();
        assert!(help.lines().all(|line| line.chars().count() <= 80), "{words:?}: {help}");
        assert_eq!(help.lines().last(), Some(below), "{words:?}");
    }
}

#[test]
fn every_subcommand_has_a_manual_page() {
    let directory = directory("man").join("made/on/the/way");
    let output = directory.to_str().unwrap();
    let (code, stdout, stderr) = run(&["man", "--output", output]);
    assert_eq!((code, stdout.as_str(), stderr.as_str()), (0, "", ""));
    for (words, command) in leaves(&Cli::command(), &[]) {
        let page = directory.join(format!("arbiter-{}.1", words.join("-")));
        let text = fs::read_to_string(&page).unwrap_or_else(|error| panic!("{page:?}: {error}"));
        let about = command.get_about().unwrap().to_string();
        assert!(text.contains(&about.replace('-', "\\-")), "{about}: {text}");
        assert!(text.contains("EXAMPLE"), "{text}");
        for long in command.get_arguments().filter_map(clap::Arg::get_long) {
            let shown = format!("\\-\\-{}", long.replace('-', "\\-"));
            assert!(text.contains(&shown), "{words:?}: {shown}: {text}");
        }
    }
    let (code, page, stderr) = run(&["man"]);
    assert_eq!((code, stderr.as_str()), (0, ""));
    let main = fs::read_to_string(directory.join("arbiter.1")).unwrap();
    assert!(page.contains(".SH SUBCOMMANDS"), "{page}");
    assert!(main.contains(".SH SUBCOMMANDS"), "{main}");
}

#[test]
fn a_directory_that_cannot_be_made_is_named() {
    let (code, stdout, stderr) = run(&["man", "--output", "/dev/null/pages"]);
    assert_eq!((code, stdout.as_str()), (3, ""), "{stderr}");
    assert!(stderr.starts_with("error: --output: /dev/null/pages: "), "{stderr}");
}
