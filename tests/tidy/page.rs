//! Rules for the scripts and style sheets of the table's page.

use std::fs;
use std::path::Path;

use super::*;

/// Scripts and style sheets of the pages in a browser.
fn page_sources() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders =
        ["crates/board/src", "table/src/page"].map(|folder| fs::read_dir(root.join(folder)));
    let paths =
        folders.into_iter().flat_map(|entries| entries.unwrap().map(|entry| entry.unwrap().path()));
    let page = paths.filter(|path| path.extension().is_some_and(|ext| ext == "js" || ext == "css"));
    let sources = page.map(|path| {
        let text = fs::read_to_string(&path).unwrap();
        let is_code = |line: &&str| !["//", "/*", "*"].iter().any(|c| line.trim().starts_with(c));
        Source {
            part: path.file_name().unwrap().to_string_lossy().into_owned(),
            code: text.lines().filter(is_code).map(String::from).collect(),
            path,
        }
    });
    sources.collect()
}

#[test]
fn only_one_script_of_the_page_names_games() {
    let sources = page_sources();
    assert!(sources.iter().any(|source| source.part == "games.js"));
    for source in sources.iter().filter(|source| source.part != "games.js") {
        for (_, names) in GAMES {
            names_none(source, names);
        }
    }
}

#[test]
fn imports_of_the_page_go_one_way() {
    let mut left = page_sources();
    assert!(left.len() > 5);
    while !left.is_empty() {
        let before = left.len();
        let parts: Vec<String> = left.iter().map(|source| source.part.clone()).collect();
        left.retain(|source| {
            let imports = source.code.iter().filter(|line| line.starts_with("import"));
            let mut names = imports.filter_map(|line| line.split("\"./").nth(1)?.split('"').next());
            names.any(|name| parts.iter().any(|part| part == name))
        });
        assert!(left.len() < before, "imports in a circle: {parts:?}");
    }
}
