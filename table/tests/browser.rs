//! The page in a real browser: `browser/*.test.mjs`, run by node's test runner with chromium.
//!
//! `browser/run` installs the requirements. Without them the tests print a note and pass.

use std::env;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

const BROWSERS: &[&str] = &["chromium", "chromium-browser", "google-chrome"];
/// Number of concurrent files, each with its own server and browser.
const CONCURRENCY: &str = "--test-concurrency=2";
/// Timeout for a file, in milliseconds.
const LONGEST: &str = "--test-timeout=300000";

/// Path of a program: from an environment variable, or the first of these names in the search path.
fn program(variable: &str, names: &[&str]) -> Option<PathBuf> {
    if let Some(path) = env::var_os(variable) {
        return Some(PathBuf::from(path)).filter(|path| path.is_file());
    }
    let folders: Vec<_> = env::split_paths(&env::var_os("PATH")?).collect();
    let all = names
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    all.into_iter().find(|path| path.is_file())
}

/// Folder with `node_modules`: TABLE_PACKAGES, or where `browser/run` installs it.
fn packages() -> Option<PathBuf> {
    let installed = || {
        let target = Path::new(env!("CARGO_BIN_EXE_table")).ancestors().nth(2)?;
        Some(target.join("third_party/browser"))
    };
    let folder = env::var_os("TABLE_PACKAGES").map_or_else(installed, |path| Some(path.into()))?;
    Some(folder).filter(|folder| folder.join("node_modules/playwright-core").is_dir())
}

#[test]
fn people_can_use_the_page_in_a_browser() {
    let found = (
        program("NODE", &["node"]),
        program("CHROMIUM", BROWSERS),
        packages(),
    );
    let (Some(node), Some(browser), Some(packages)) = found else {
        let (node, browser, packages) = found;
        // Written around the output capture of passing tests, so that the user sees it.
        let _ = writeln!(
            std::io::stderr(),
            "skipped the browser tests: node is {node:?}, chromium is {browser:?}, their packages are in \
             {packages:?}; table/tests/browser/run installs what is missing"
        );
        return;
    };
    let output = Command::new(node)
        .args(["--test", "--test-reporter=spec", CONCURRENCY, LONGEST])
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/browser"))
        .env("TABLE_BINARY", env!("CARGO_BIN_EXE_table"))
        .env("TABLE_PACKAGES", packages)
        .env("CHROMIUM", browser)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}");
    assert!(!said.contains("pass 0\n"), "no test ran: {said}");
    println!("{said}");
}
