//! The house's order: which part may use which, read off the sources themselves.

use std::fs;
use std::path::{Path, PathBuf};

/// Each part of the library with the parts that it may use beside itself.
const ENGINE_PARTS: &[(&str, &[&str])] = &[
    ("rules", &[]),
    ("protocol", &[]),
    ("limits", &[]),
    ("eval", &["rules"]),
    ("search", &["eval", "limits", "rules"]),
    ("bench", &["rules", "search"]),
    ("etudes", &["eval", "rules"]),
    (
        "session",
        &["bench", "eval", "limits", "protocol", "rules", "search"],
    ),
    ("lib", &[]),
    ("main", &[]),
];

/// Each part of the arbiter with the parts that it must not use.
const ARBITER_TABOOS: &[(&str, &[&str])] = &[
    (
        "referee",
        &[
            "args",
            "schedule::schedule",
            "runner",
            "score",
            "report",
            "progress",
        ],
    ),
    (
        "schedule",
        &["engine", "referee", "runner", "score", "report"],
    ),
    ("score", &["engine", "referee", "runner", "args", "report"]),
    (
        "engine",
        &["referee", "runner", "schedule", "score", "report", "args"],
    ),
    ("deck", &["engine", "referee", "runner", "args"]),
    ("clock", &["engine", "runner", "args"]),
    ("record", &["engine", "referee", "runner", "args"]),
];

/// The parts of the engine that know no game.
const NEUTRAL_PARTS: &[&str] = &["protocol", "session", "search", "limits"];

/// Each game's module, in the rules and in the evaluation, with the words that name the game.
const GAMES: &[(&str, &[&str])] = &[
    ("hase", &["hase", "igel"]),
    ("fox", &["fox", "hounds", "rabbit", "wolves", "wolf"]),
];

/// The most lines that a source file may have.
const MOST_LINES: usize = 500;

struct Source {
    path: PathBuf,
    /// The first component below `src`, without `.rs`.
    part: String,
    /// The lines of code: no comments, nothing of unit tests.
    code: Vec<String>,
}

fn sources(folder: &str) -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut sources = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let below = path.strip_prefix(&root).unwrap();
                let part = below
                    .components()
                    .next()
                    .unwrap()
                    .as_os_str()
                    .to_string_lossy();
                let text = fs::read_to_string(&path).unwrap();
                let code = text
                    .lines()
                    .take_while(|line| !line.contains("#[cfg(test)]"))
                    .filter(|line| !line.trim_start().starts_with("//"))
                    .map(String::from)
                    .collect();
                let part = part.trim_end_matches(".rs").to_string();
                sources.push(Source { path, part, code });
            }
        }
    }
    assert!(
        sources.len() > 5,
        "found only {} sources in {root:?}",
        sources.len()
    );
    sources
}

/// The words behind each `prefix::` in a line, those of a list in braces too.
fn named_after<'a>(line: &'a str, prefix: &str) -> Vec<&'a str> {
    let word = |text: &'a str| {
        text.trim()
            .split(|c: char| !(c.is_alphanumeric() || c == '_'))
            .next()
    };
    let pieces = line.split(prefix).skip(1);
    let words = pieces.flat_map(|piece| match piece.strip_prefix('{') {
        Some(list) => list.split(',').filter_map(word).collect(),
        None => Vec::from_iter(word(piece)),
    });
    words.filter(|word| !word.is_empty()).collect()
}

#[test]
fn imports_of_the_engine_go_one_way() {
    for source in sources("src") {
        let row = ENGINE_PARTS.iter().find(|(part, _)| *part == source.part);
        let (part, allowed) = row.unwrap_or_else(|| panic!("{:?}: no such part", source.path));
        for line in &source.code {
            for used in named_after(line, "crate::") {
                let is_part = ENGINE_PARTS.iter().any(|(part, _)| *part == used);
                assert!(
                    !is_part || used == *part || allowed.contains(&used),
                    "{:?}: {part} may not use {used}: {line}",
                    source.path
                );
            }
        }
    }
}

#[test]
fn only_the_table_of_variants_names_games() {
    let mut neutral = sources("src");
    neutral.retain(|source| NEUTRAL_PARTS.contains(&source.part.as_str()));
    neutral.extend(sources("arbiter/src"));
    for source in neutral {
        for (_, names) in GAMES {
            names_none(&source, names);
        }
    }
}

#[test]
fn games_do_not_see_each_other() {
    for source in sources("src") {
        let is_of = |game: &str| {
            let mut components = source
                .path
                .iter()
                .map(|component| component.to_string_lossy());
            ["rules", "eval"].contains(&source.part.as_str())
                && components.any(|component| component.trim_end_matches(".rs") == game)
        };
        for (game, _) in GAMES.iter().filter(|(game, _)| is_of(game)) {
            for (_, names) in GAMES.iter().filter(|(other, _)| other != game) {
                names_none(&source, names);
            }
        }
    }
}

fn names_none(source: &Source, names: &[&str]) {
    for line in &source.code {
        let lower = line.to_lowercase();
        let named = names.iter().find(|name| lower.contains(*name));
        assert_eq!(named, None, "{:?} names a game: {line}", source.path);
    }
}

#[test]
fn the_arbiter_sees_rules_and_protocol_alone() {
    for source in sources("arbiter/src") {
        for line in &source.code {
            for used in named_after(line, "buxtehude::") {
                let is_engine_command = source.part == "main" && used == "session";
                assert!(
                    is_engine_command || ["rules", "protocol"].contains(&used),
                    "{:?} uses {used}: {line}",
                    source.path
                );
            }
            let taboos = ARBITER_TABOOS
                .iter()
                .filter(|(part, _)| *part == source.part);
            for taboo in taboos.flat_map(|(_, taboos)| taboos.iter()) {
                let named = line.contains(&format!("crate::{taboo}::"));
                assert!(!named, "{:?} may not use {taboo}: {line}", source.path);
            }
        }
    }
}

#[test]
fn rules_and_search_have_no_mouth() {
    let silent = ["rules", "eval", "search", "limits", "protocol"];
    for source in sources("src")
        .iter()
        .filter(|source| silent.contains(&source.part.as_str()))
    {
        for line in &source.code {
            for word in [
                "println!",
                "print!",
                "eprintln!",
                "std::io::stdout",
                "thread::spawn",
            ] {
                assert!(
                    !line.contains(word),
                    "{:?} prints or spawns: {line}",
                    source.path
                );
            }
        }
    }
}

#[test]
fn files_are_short_and_have_a_subject() {
    for folder in [
        "src",
        "arbiter/src",
        "arbiter/examples",
        "tests",
        "arbiter/tests",
    ] {
        for source in sources(folder) {
            let lines = fs::read_to_string(&source.path).unwrap().lines().count();
            assert!(lines <= MOST_LINES, "{:?} has {lines} lines", source.path);
            let name = source
                .path
                .file_stem()
                .unwrap()
                .to_string_lossy()
                .into_owned();
            assert!(
                !["utils", "util", "misc", "helpers"].contains(&name.as_str()),
                "{name}"
            );
        }
    }
}
