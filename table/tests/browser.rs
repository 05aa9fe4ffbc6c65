//! The page in a real browser: `browser/*.test.mjs`, run by node's test runner with chromium.
//!
//! `browser/run` installs node's packages and chromium.

use std::process::Command;

/// Number of concurrent files, each with its own server and browser.
const CONCURRENCY: &str = "--test-concurrency=2";
/// Timeout for a file, in milliseconds.
const LONGEST: &str = "--test-timeout=300000";

#[test]
#[cfg_attr(
    not(browser),
    ignore = "needs node, chromium and npm packages: table/tests/browser/run installs them"
)]
fn people_can_use_the_page_in_a_browser() {
    let found = "the test should be ignored without a browser";
    let output = Command::new(option_env!("NODE").expect(found))
        .args(["--test", "--test-reporter=spec", CONCURRENCY, LONGEST])
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/browser"))
        .env("TABLE_BINARY", env!("CARGO_BIN_EXE_table"))
        .env("TABLE_PACKAGES", env!("TABLE_PACKAGES"))
        .env("CHROMIUM", option_env!("CHROMIUM").expect(found))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}");
    assert!(!said.contains("pass 0\n"), "no test ran: {said}");
    println!("{said}");
}
