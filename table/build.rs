//! Finds what the tests in a browser need; see [`preconditions`].

use std::env;
use std::path::PathBuf;

use preconditions::{holds, program, third_party, watch_for_programs};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=TABLE_PACKAGES");
    let packages =
        env::var_os("TABLE_PACKAGES").map_or_else(|| third_party().join("browser"), PathBuf::from);
    let has_packages = packages.join("node_modules/playwright-core").is_dir();
    if !has_packages {
        watch_for_programs();
    }
    println!("cargo::rustc-env=TABLE_PACKAGES={}", packages.display());
    let programs = [
        program("node", "NODE", &["node"]),
        program("chromium", "CHROMIUM", &["chromium", "chromium-browser", "google-chrome"]),
    ];
    holds("browser", has_packages && programs == [true; 2]);
}
