//! Every block of shell commands in the documents runs as written, in an empty folder with both programs on the `PATH`;
//! so does the page's query on the store.

use crate::common::program::built_in;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

use matches::spelling::quote;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
const ARBITER: &str = env!("CARGO_BIN_EXE_arbiter");

/// Blocks marked `sh`, except those that build or need other programs, each with its line number.
fn blocks(text: &str) -> Vec<(usize, String)> {
    let mut blocks = Vec::new();
    let mut lines = text.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        if line == "```sh" {
            let block: Vec<&str> =
                lines.by_ref().map(|(_, line)| line).take_while(|line| *line != "```").collect();
            if !block.iter().any(|line| line.starts_with("cargo ") || line.starts_with("sqlite3 "))
            {
                blocks.push((number + 1, block.join("\n")));
            }
        }
    }
    blocks
}

/// Fills a folder with the arbiter and, under the engine's own name, a program that runs its built-in engine.
fn programs(folder: &Path) -> String {
    let programs = folder.join("bin");
    fs::create_dir(&programs).unwrap();
    symlink(ARBITER, programs.join("arbiter")).unwrap();
    let engine = programs.join("buxtehude");
    let script = format!(
        "#!/bin/sh\ncase $1 in --help) echo Usage;; *) exec {} engine \"$@\";; esac\n",
        quote(ARBITER)
    );
    fs::write(&engine, script).unwrap();
    fs::set_permissions(&engine, fs::Permissions::from_mode(0o755)).unwrap();
    let path = std::env::var("PATH").unwrap_or_default();
    format!("{}:{path}", programs.display())
}

/// Runs the blocks of documents, each with the number of blocks expected, one after the other in the same folder.
fn run_documents(documents: &[(&str, usize)]) {
    let folder = tempfile::tempdir().unwrap();
    let path = programs(folder.path());
    let work = folder.path().join("work");
    fs::create_dir(&work).unwrap();
    symlink(Path::new(ROOT).join("examples"), work.join("examples")).unwrap();
    for (document, expected) in documents {
        run_blocks(document, *expected, &work, &path);
    }
}

fn run_blocks(document: &str, expected: usize, work: &Path, path: &str) {
    let text = fs::read_to_string(Path::new(ROOT).join(document)).unwrap();
    let blocks = blocks(&text);
    assert!(blocks.len() >= expected, "{document}: {}", blocks.len());
    for (line, block) in blocks {
        let output = Command::new("/bin/sh")
            .args(["-ec", &block])
            .current_dir(work)
            .env("PATH", path)
            .env("HOME", work.parent().unwrap())
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "{document}:{line}: {}\n{}\n{}",
            output.status,
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
    }
}

#[test]
fn blocks_of_the_page_on_the_arbiter_run() {
    run_documents(&[("docs/arbiter.md", 8)]);
}

#[test]
fn blocks_of_the_page_on_stores_run() {
    run_documents(&[("docs/formats.md", 1)]);
}

#[test]
fn blocks_of_the_page_on_security_run() {
    run_documents(&[("docs/security.md", 1)]);
}

#[test]
fn blocks_of_the_protocol_and_then_of_the_page_on_other_games_run() {
    run_documents(&[("protocol.md", 1), ("docs/games.md", 2)]);
}

#[test]
fn installations_use_the_lock_file() {
    for (document, least) in [("README.md", 1), ("docs/arbiter.md", 0)] {
        let text = fs::read_to_string(Path::new(ROOT).join(document)).unwrap();
        let installs = text.matches("cargo install").count();
        let locked = text.matches("cargo install --locked --path").count();
        assert!(locked >= least && installs == locked, "{document}");
    }
}

#[test]
fn the_query_of_the_page_on_the_store_runs() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("match.db");
    let engine = |name: &str| built_in(&format!("name={name}"));
    let played = Command::new(ARBITER)
        .args(["match", "--games", "2", "--nodes", "50", "--store"])
        .arg(&store)
        .args(["--engine", &engine("a"), "--engine", &engine("b")])
        .output()
        .unwrap();
    assert!(played.status.success(), "{played:?}");
    let page = fs::read_to_string(Path::new(ROOT).join("docs/formats.md")).unwrap();
    let (_, rest) = page.split_once("sqlite3 match.db \"").unwrap();
    let (query, _) = rest.split_once('"').unwrap();
    let connection = rusqlite::Connection::open(&store).unwrap();
    let mut statement = connection.prepare(query).unwrap();
    let rows: Vec<(String, f64)> = statement
        .query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, f64>(1)?)))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    assert_eq!(rows.len(), 2, "{rows:?}");
    assert!(rows.iter().all(|(_, ms)| *ms >= 0.0), "{rows:?}");
}
