//! Borders that crates do not enforce, checked in the source code.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Folders of sources.
const PROGRAMS: &[&str] = &["src", "arbiter/src", "fleet/src", "table/src", "crates"];

/// The module of each game in the rules and in the evaluation, with the words that name the game.
const GAMES: &[(&str, &[&str])] = &[
    ("hase", &["hase", "igel", "hare", "carrot", "lettuce", "hedgehog"]),
    ("fox", &["fox", "hound", "rabbit", "wolve", "wolf"]),
    ("ludo", &["ludo", "pawn"]),
];

/// Other files that may name games.
const TABLES_OF_GAMES: &[&str] = &[
    "src/articles", "src/main.rs", "src/rules.rs", "src/rules/variant.rs", "src/pictures.rs",
    "src/eval.rs", "src/bench.rs", "crates/trainer", "table/src/page/games.js",
    "arbiter/src/main.rs", "fleet/src/main.rs", "table/src/main.rs",
];

struct Source {
    path: PathBuf,
    text: String,
    /// Lines of code, without comments and unit tests.
    code: Vec<String>,
}

impl Source {
    /// Whether one of these is a component of the path, with or without `.rs`.
    fn is_in(&self, names: &[&str]) -> bool {
        let mut parts = self.path.iter().filter_map(|part| part.to_str());
        parts.any(|part| names.contains(&part) || names.contains(&part.trim_end_matches(".rs")))
    }

    /// The crate with its top-level module, or the folder of the page's scripts with the script.
    fn module(&self) -> (&str, &str) {
        let path = self.path.to_str().unwrap();
        let script = path.split_once("src/page/");
        let (package, below) = script.or(path.split_once("src/")).unwrap();
        let module = below.split(['/', '.']).next().unwrap();
        (if script.is_some() { "page" } else { package }, module)
    }
}

/// Source files below a folder, by their paths in the project.
fn sources(folder: &str) -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut sources = Vec::new();
    let mut folders = vec![root.join(folder)];
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|kind| kind == "rs" || kind == "js") {
                let text = fs::read_to_string(&path).unwrap();
                let path = path.strip_prefix(root).unwrap().into();
                let code = code_of(&text);
                sources.push(Source { path, text, code });
            }
        }
    }
    assert!(!sources.is_empty(), "no sources in {folder}");
    sources
}

/// Lines of a source file without comments and without the unit tests at its end.
fn code_of(text: &str) -> Vec<String> {
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap().lines();
    let is_comment =
        |line: &str| ["//", "/*", "*"].iter().any(|mark| line.trim_start().starts_with(mark));
    code.filter(|line| !is_comment(line)).map(String::from).collect()
}

/// The words after each `prefix` in a line, including each word of a list in braces.
fn named_after<'a>(line: &'a str, prefix: &str) -> Vec<&'a str> {
    let first_word =
        |text: &'a str| text.trim().split(|c: char| !c.is_alphanumeric() && c != '_').next();
    let words = line.split(prefix).skip(1).flat_map(|rest| match rest.strip_prefix('{') {
        Some(list) => list.split(',').filter_map(first_word).collect(),
        None => Vec::from_iter(first_word(rest)),
    });
    words.collect()
}

#[test]
fn modules_use_each_other_in_one_direction() {
    let sources: Vec<Source> = PROGRAMS.iter().flat_map(|folder| sources(folder)).collect();
    let mut uses = Vec::new();
    for source in sources.iter().filter(|source| source.is_in(&["src"])) {
        let (package, module) = source.module();
        for line in &source.code {
            let used =
                named_after(line, "crate::").into_iter().chain(named_after(line, "from \"./"));
            uses.extend(used.filter(|used| *used != module).map(|used| (package, module, used)));
        }
    }
    let used_by = |user: &str| -> BTreeSet<&str> {
        let own = uses.iter().filter(|(package, module, _)| package.is_empty() && *module == user);
        own.map(|(_, _, used)| *used).collect()
    };
    assert!(used_by("rules").is_empty() && used_by("protocol").is_empty());
    assert_eq!(used_by("eval"), BTreeSet::from(["rules"]));
    // The search has one arm for the programs of the articles, which use it in turn.
    uses.retain(|(_, user, used)| (*user, *used) != ("search", "articles"));
    assert!(uses.len() > 100);
    while let before = uses.len()
        && before > 0
    {
        // A module that uses no other is part of no circle.
        let users: BTreeSet<_> = uses.iter().map(|(package, user, _)| (*package, *user)).collect();
        uses.retain(|(package, _, used)| users.contains(&(package, used)));
        assert!(uses.len() < before, "modules in a circle: {uses:?}");
    }
}

#[test]
fn a_game_is_named_in_its_own_files_and_in_the_tables_of_games() {
    for source in PROGRAMS.iter().flat_map(|folder| sources(folder)) {
        let is_table = TABLES_OF_GAMES.iter().any(|table| {
            source.path.starts_with(table) || source.path.starts_with(format!("{table}.rs"))
        });
        if source.is_in(&["src"]) && !is_table {
            for (_, names) in GAMES.iter().filter(|(game, _)| !source.is_in(&[game])) {
                assert_names_none(&source, names);
            }
        }
    }
}

fn assert_names_none(source: &Source, names: &[&str]) {
    for line in &source.code {
        // An option of the protocol that the arbiter's check must name.
        let words = words_of(&line.replace("\"HareModel\"", ""));
        let named = words.iter().find(|word| names.contains(&word.trim_end_matches('s')));
        assert_eq!(named, None, "{:?} names a game: {line}", source.path);
    }
}

/// The words of a line in lower case, including the parts of compound names.
fn words_of(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for letter in line.chars() {
        if !letter.is_alphabetic() || letter.is_uppercase() && was_lower {
            words.push(String::new());
        }
        was_lower = letter.is_lowercase();
        words
            .last_mut()
            .unwrap()
            .extend(letter.to_lowercase().filter(|letter| letter.is_alphabetic()));
    }
    words
}

#[test]
fn programs_use_only_some_parts_of_the_engine() {
    for folder in
        ["arbiter/src", "fleet/src", "table/src", "crates/matches/src", "crates/settings/src"]
    {
        for source in sources(folder) {
            let allowed: &[&str] = match (source.module().1, folder) {
                ("main", _) => &["session"],
                ("luck", _) => &["rules", "protocol", "eval", "search"],
                (_, "fleet/src") => &["rules", "protocol", "bench", "search"],
                (_, "table/src") => &["rules", "pictures", "protocol", "articles"],
                _ => &["rules", "pictures", "protocol"],
            };
            for line in &source.code {
                let used = named_after(line, "buxtehude::");
                assert!(
                    used.iter().all(|used| allowed.contains(used)),
                    "{:?}: {line}",
                    source.path
                );
            }
        }
    }
}

#[test]
fn rules_and_search_print_nothing() {
    let loud = ["println!", "print!", "eprintln!", "std::io::stdout", "thread::spawn"];
    for source in sources("src") {
        if source.is_in(&["rules", "pictures", "eval", "search", "engine", "protocol"]) {
            let line = source.code.iter().find(|line| loud.iter().any(|word| line.contains(word)));
            assert_eq!(line, None, "{:?}", source.path);
        }
    }
}

#[test]
fn files_have_at_most_800_lines_of_120_columns() {
    for folder in
        ["src", "tests", "benches", "examples", "arbiter", "fleet", "crates", "table/tests"]
    {
        for source in sources(folder) {
            let Source { path, text, .. } = source;
            assert!(text.lines().count() <= 800, "{path:?} has too many lines");
            let wide = text.lines().find(|line| line.chars().count() > 120);
            assert_eq!(wide, None, "{path:?}");
        }
    }
}
