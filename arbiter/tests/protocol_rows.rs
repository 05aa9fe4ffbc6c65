//! Coverage of protocol.md and its reference: for every row of their tables and every word of their grammars, a check
//! catches an engine that breaks only that.
#![cfg(target_os = "linux")]

use std::collections::BTreeSet;

use crate::common::mutants;
use mutants::{Mutant, missed};

/// The mutants, one per line: the broken row, `sed` scripts for the input and the output, and the check that must catch
/// it. A row may have several mutants.
const MUTANTS: &str = include_str!("protocol_rows.tsv");

/// The sections that specify the protocol: a document, and a heading below which everything counts.
const SECTIONS: &[(&str, &str)] = &[
    ("protocol.md", "# The protocol"),
    ("docs/engine.md", "### UGI clients"),
    ("docs/engine.md", "## Other commands"),
    ("docs/engine.md", "## Options"),
    ("docs/engine.md", "## The articles' programs"),
    ("docs/formats.md", "## Notation"),
    ("docs/games.md", "## Rules by another program"),
];

/// The mutants, each with the row that it breaks.
fn mutants() -> Vec<(&'static str, Mutant)> {
    let lines = MUTANTS.lines().skip(1);
    let mutant = |line: &'static str| {
        let cells: Vec<&str> = line.split('\t').collect();
        let [row, input, output, check] = cells[..] else {
            panic!("expected row, input, output and check in {line:?}");
        };
        let mutant = Mutant { input, output, check };
        (row, mutant)
    };
    lines.map(mutant).collect()
}

/// The text below a heading, up to the next heading of the same level.
fn section<'a>(page: &'a str, heading: &str) -> &'a str {
    let (_, rest) = page.split_once(&format!("{heading}\n")).expect(heading);
    let hashes = heading.split(' ').next().unwrap();
    let next = format!("\n{hashes} ");
    rest.split_once(&next).map_or(rest, |(section, _)| section)
}

/// The rows of the tables, as `Heading: first cell`, and the terminals and undefined words of the grammar, as
/// `Heading/production: word`.
fn rows_of(page: &str) -> BTreeSet<String> {
    let mut rows = BTreeSet::new();
    let mut heading = "";
    let mut grammar: Option<String> = None;
    let mut is_example = false;
    let mut lines = page.lines().peekable();
    while let Some(line) = lines.next() {
        if let Some(language) = line.strip_prefix("```") {
            if let Some(text) = grammar.take() {
                rows.extend(words_of(&text).map(|word| format!("{heading}/{word}")));
            } else if language == "ebnf" {
                grammar = Some(String::new());
            } else {
                is_example = !is_example;
            }
        } else if let Some(text) = &mut grammar {
            text.push_str(line);
            text.push('\n');
        } else if is_example {
            continue;
        } else if let Some(text) = line.strip_prefix('#') {
            heading = text.trim_start_matches('#').trim();
        } else if let Some(cells) = line.strip_prefix('|') {
            let is_head = lines.peek().is_some_and(|next| next.starts_with("|-"));
            if !is_head && !cells.starts_with('-') {
                let cell = cells.split('|').next().unwrap().trim();
                rows.insert(format!("{heading}: {cell}"));
            }
        }
    }
    rows
}

/// The words of each production that the grammar itself does not define.
fn words_of(grammar: &str) -> impl Iterator<Item = String> {
    let productions: Vec<(&str, &str)> = grammar
        .split(" ;\n")
        .filter_map(|production| production.split_once('='))
        .map(|(name, body)| (name.trim(), body))
        .collect();
    let mut words = BTreeSet::new();
    for (name, body) in &productions {
        let mut is_quoted = false;
        for piece in body.split('"') {
            if is_quoted {
                words.insert(format!("{name}: \"{piece}\""));
            } else {
                let others = piece.split(|c: char| !c.is_ascii_lowercase());
                let unexplained = others.filter(|word| {
                    !word.is_empty() && productions.iter().all(|(known, _)| known != word)
                });
                words.extend(unexplained.map(|word| format!("{name}: {word}")));
            }
            is_quoted = !is_quoted;
        }
    }
    words.into_iter()
}

#[test]
fn every_row_of_the_protocol_has_a_mutant_that_is_caught() {
    let mut rows = BTreeSet::new();
    for (document, heading) in SECTIONS {
        let path = format!("{}/../{document}", env!("CARGO_MANIFEST_DIR"));
        let page = std::fs::read_to_string(path).unwrap();
        rows.extend(rows_of(&format!("{heading}\n{}", section(&page, heading))));
    }
    assert!(rows.len() > 150, "{rows:#?}");
    let mutants = mutants();
    let broken: BTreeSet<String> = mutants.iter().map(|(row, _)| row.to_string()).collect();
    let without: Vec<&String> = rows.difference(&broken).collect();
    assert!(without.is_empty(), "rows without a mutant: {without:#?}");
    let gone: Vec<&String> = broken.difference(&rows).collect();
    assert!(gone.is_empty(), "mutants without a row: {gone:#?}");
    let mutants: Vec<Mutant> = mutants.into_iter().map(|(_, mutant)| mutant).collect();
    let missed = missed(&mutants);
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

#[test]
fn a_row_that_is_added_is_seen() {
    let page = "# One\n| a | is |\n|---|---|\n| `b` | c |\n```ebnf\nx = \"y\" { z } | w ;\nw = \"v\" ;\n```\n\
        ```transcript\n| no | row |\n```\n";
    let expected = ["One/w: \"v\"", "One/x: \"y\"", "One/x: z", "One: `b`"];
    assert_eq!(rows_of(page), expected.map(String::from).into());
}
