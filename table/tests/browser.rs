//! The page in a real browser: `browser/*.test.mjs`, run by node's test runner with chromium.
//!
//! `browser/run` installs node's packages and chromium.

use preconditions::{needs, path};
use std::fs;
use std::process::Command;

/// Number of concurrent files, each with its own server and browser.
const CONCURRENCY: &str = "--test-concurrency=2";
/// Timeout for a file, in milliseconds.
const TIMEOUT: &str = "--test-timeout=900000";

/// The file about a game that the page does not know.
const THIRD_GAME: &str = "ludo.test.mjs";
const FOUND: &str = "the test is ignored without it";
const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/browser");

fn run(files: &[String]) {
    let output = Command::new(path!(NODE).expect(FOUND))
        .args(["--test", "--test-reporter=spec", CONCURRENCY, TIMEOUT])
        .args(files)
        .current_dir(FOLDER)
        .env("TABLE_BINARY", env!("CARGO_BIN_EXE_table"))
        .env("TABLE_PACKAGES", path!(TABLE_PACKAGES).expect(FOUND))
        .env("CHROMIUM", path!(CHROMIUM).expect(FOUND))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}");
    assert!(!said.contains("pass 0\n"), "no test ran: {said}");
    println!("{said}");
}

#[needs(browser)]
#[test]
fn people_can_use_the_page_in_a_browser() {
    let entries = fs::read_dir(FOLDER).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let files = names.filter(|name| name.ends_with(".test.mjs") && name != THIRD_GAME);
    run(&Vec::from_iter(files));
}

mod third_game {
    #[cfg_attr(not(feature = "ludo"), ignore = "needs the feature ludo")]
    #[cfg_attr(feature = "ludo", preconditions::needs(browser))]
    #[test]
    fn people_can_play_a_game_that_the_page_does_not_know() {
        super::run(&[super::THIRD_GAME.to_string()]);
    }
}
