//! Architecture rules, checked in the source code: which part may use which.

mod page;
mod parts;

use std::fs;
use std::path::{Path, PathBuf};

use parts::{
    ARBITER_MODULES, ENGINE_PARTS, MATCHES_MODULES, SETTINGS_MODULES, TABLE_ROOMS, TRAINER_MODULES,
};

/// Parts of the engine that know no game.
const NEUTRAL_PARTS: &[&str] = &["protocol", "session", "search", "engine"];

/// The module of each game, in the rules and in the evaluation, with the words that name the game.
const GAMES: &[(&str, &[&str])] = &[
    ("hase", &["hase", "igel", "hare", "carrot", "lettuce", "hedgehog"]),
    ("fox", &["fox", "hound", "rabbit", "wolve", "wolf"]),
    ("ludo", &["ludo", "pawn"]),
];

/// Maximum number of lines of a source file, and of columns of a line.
const MAX_LINES: usize = 800;
const MAX_COLUMNS: usize = 120;

struct Source {
    path: PathBuf,
    /// First component of the path below `src`, without `.rs`.
    part: String,
    /// Lines of code, without comments and unit tests.
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
                let part = below.components().next().unwrap().as_os_str().to_string_lossy();
                let text = fs::read_to_string(&path).unwrap();
                let code = code_of(&text);
                let part = part.trim_end_matches(".rs").to_string();
                sources.push(Source { path, part, code });
            }
        }
    }
    assert!(sources.len() > 1, "found only {} sources in {root:?}", sources.len());
    sources
}

/// Lines of a source file without comments and without items for unit tests.
fn code_of(text: &str) -> Vec<String> {
    let mut code = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let start = line.trim_start();
        if start.starts_with("#[cfg(test)]") {
            // The item ends at the first closing line with the same indent.
            let indent = &line[..line.len() - start.len()];
            let closing = format!("{indent}}}");
            lines.find(|line| {
                let is_level = !line.strip_prefix(indent).unwrap_or(" ").starts_with(' ');
                *line == closing || is_level && line.ends_with(';')
            });
        } else if !start.starts_with("//") {
            code.push(line.to_string());
        }
    }
    code
}

/// The words after each `prefix::` in a line, including each word of a list in braces.
fn named_after<'a>(line: &'a str, prefix: &str) -> Vec<&'a str> {
    let word =
        |text: &'a str| text.trim().split(|c: char| !(c.is_alphanumeric() || c == '_')).next();
    let pieces = line.split(prefix).skip(1);
    let words = pieces.flat_map(|piece| match piece.strip_prefix('{') {
        Some(list) => list.split(',').filter_map(word).collect(),
        None => Vec::from_iter(word(piece)),
    });
    words.filter(|word| !word.is_empty()).collect()
}

/// Asserts that each part uses only the parts that it may use.
fn assert_one_way(folder: &str, prefixes: &[&str], parts: &[(&str, &[&str])]) {
    for source in sources(folder) {
        let row = parts.iter().find(|(part, _)| *part == source.part);
        let (part, allowed) = row.unwrap_or_else(|| panic!("{:?}: no such part", source.path));
        for line in &source.code {
            for used in prefixes.iter().flat_map(|prefix| named_after(line, prefix)) {
                let is_part = parts.iter().any(|(part, _)| *part == used);
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
fn imports_of_the_engine_go_one_way() {
    assert_one_way("src", &["crate::"], ENGINE_PARTS);
}

#[test]
fn imports_of_the_arbiter_go_one_way() {
    assert_one_way("arbiter/src", &["crate::", "arbiter::"], ARBITER_MODULES);
}

#[test]
fn imports_of_the_match_library_go_one_way() {
    assert_one_way("crates/matches/src", &["crate::"], MATCHES_MODULES);
}

#[test]
fn imports_of_the_settings_go_one_way() {
    assert_one_way("crates/settings/src", &["crate::"], SETTINGS_MODULES);
}

#[test]
fn imports_of_the_table_go_one_way() {
    assert_one_way("table/src", &["crate::", "table::"], TABLE_ROOMS);
}

#[test]
fn imports_of_the_trainer_go_one_way() {
    assert_one_way("crates/trainer/src", &["crate::", "trainer::"], TRAINER_MODULES);
}

#[test]
fn code_for_tests_is_recognized() {
    let text = "mod a;\n#[cfg(test)]\nmod laws;\nfn b() {}\n\
        #[cfg(test)]\nmod tests {\n    fn c() {\n    }\n}\nfn d() {}\n";
    assert_eq!(code_of(text), ["mod a;", "fn b() {}", "fn d() {}"]);
}

#[test]
fn only_the_table_of_variants_names_games() {
    let mut neutral = sources("src");
    neutral.retain(|source| NEUTRAL_PARTS.contains(&source.part.as_str()));
    for folder in
        ["arbiter/src", "fleet/src", "crates/matches/src", "crates/settings/src", "table/src"]
    {
        neutral.extend(sources(folder));
    }
    for source in neutral {
        for (_, names) in GAMES {
            names_none(&source, names);
        }
    }
}

/// Files of the rules and the evaluation that list the games.
const TABLES_OF_GAMES: &[&str] = &["rules.rs", "variant.rs", "eval.rs", "settings.rs"];

#[test]
fn what_games_share_names_none_of_them() {
    for source in sources("src") {
        let names: Vec<_> = source.path.iter().filter_map(|name| name.to_str()).collect();
        let is_of_a_game = names.iter().any(|name| {
            let folder = name.trim_end_matches(".rs");
            GAMES.iter().any(|(game, _)| *game == folder)
        });
        let is_table = names.last().is_some_and(|file| TABLES_OF_GAMES.contains(file));
        if ["rules", "eval"].contains(&source.part.as_str()) && !is_of_a_game && !is_table {
            for (_, names) in GAMES {
                names_none(&source, names);
            }
        }
    }
}

#[test]
fn games_do_not_use_each_other() {
    for source in sources("src") {
        let is_of = |game: &str| {
            let mut components = source.path.iter().map(|component| component.to_string_lossy());
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

/// An option of the protocol that the arbiter's check must name.
const OPTION: &str = "\"HareModel\"";

fn names_none(source: &Source, names: &[&str]) {
    for line in source.code.iter().map(|line| line.replace(OPTION, "")) {
        let named = words_of(&line).into_iter().find(|word| names.contains(&word.as_str()));
        assert_eq!(named, None, "{:?} names a game: {line}", source.path);
    }
}

/// The words of a line, including the parts of compound names, in lower case and without a plural `s`.
fn words_of(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for letter in line.chars() {
        let begins = !letter.is_alphabetic() || (letter.is_uppercase() && was_lower);
        if begins {
            words.push(String::new());
        }
        was_lower = letter.is_lowercase();
        if letter.is_alphabetic() {
            words.last_mut().unwrap().extend(letter.to_lowercase());
        }
    }
    let singular = |word: String| word.strip_suffix('s').map_or(word.clone(), String::from);
    words.into_iter().filter(|word| !word.is_empty()).map(singular).collect()
}

#[test]
fn names_are_split_into_words() {
    let words = words_of("let shared_hares = HareModel::of(CARROTS)");
    assert_eq!(words, ["let", "shared", "hare", "hare", "model", "of", "carrot"]);
}

#[test]
fn the_arbiter_uses_only_rules_and_protocol() {
    for folder in ["arbiter/src", "crates/matches/src", "crates/settings/src"] {
        assert_sees_alone(folder, &["rules", "protocol"]);
    }
}

#[test]
fn the_fleet_uses_only_rules_protocol_bench_and_search() {
    assert_sees_alone("fleet/src", &["rules", "protocol", "bench", "search"]);
}

#[test]
fn the_table_uses_only_rules_protocol_and_articles() {
    assert_sees_alone("table/src", &["rules", "protocol", "articles"]);
}

/// Asserts that sources use only these parts of the engine, the session only where the program runs it as the built-in
/// engine, and the search only where it measures luck.
fn assert_sees_alone(folder: &str, parts: &[&str]) {
    for source in sources(folder) {
        for line in &source.code {
            for used in named_after(line, "buxtehude::") {
                let is_engine_command = source.part == "main" && used == "session";
                let is_evaluator = source.part == "luck" && ["eval", "search"].contains(&used);
                assert!(
                    is_engine_command || is_evaluator || parts.contains(&used),
                    "{:?} uses {used}: {line}",
                    source.path
                );
            }
        }
    }
}

#[test]
fn rules_and_search_print_nothing() {
    let silent = ["rules", "eval", "search", "engine", "protocol"];
    for source in sources("src").iter().filter(|source| silent.contains(&source.part.as_str())) {
        for line in &source.code {
            for word in ["println!", "print!", "eprintln!", "std::io::stdout", "thread::spawn"] {
                assert!(!line.contains(word), "{:?} prints or spawns: {line}", source.path);
            }
        }
    }
}

#[test]
fn files_are_short_and_have_a_subject() {
    for folder in [
        "src", "arbiter/src", "arbiter/examples", "tests", "arbiter/tests", "crates/matches/src",
        "crates/matches/tests", "crates/settings/src", "table/src", "table/tests", "fleet/src",
        "fleet/tests", "crates/trainer/src",
    ] {
        for source in sources(folder) {
            let text = fs::read_to_string(&source.path).unwrap();
            let lines = text.lines().count();
            assert!(lines <= MAX_LINES, "{:?} has {lines} lines", source.path);
            for line in text.lines() {
                let columns = line.chars().count();
                assert!(columns <= MAX_COLUMNS, "{:?}: {line}", source.path);
            }
            let name = source.path.file_stem().unwrap().to_string_lossy().into_owned();
            assert!(!["utils", "util", "misc", "helpers"].contains(&name.as_str()), "{name}");
        }
    }
}
