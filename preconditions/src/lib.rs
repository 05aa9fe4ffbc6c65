//! Preconditions of tests, checked by build scripts.
//!
//! A test that needs a program carries `#[cfg_attr(not(nats_server), ignore = "needs nats-server")]`. Where the program is
//! missing, the test is reported as ignored, with the reason, and not as passed.

use std::env;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Looks for a program; if there is one, sets `cfg(name)` and the environment variable `variable` to its path.
///
/// The user names the program by `variable`; otherwise it is the first of `names` on the `PATH`, or where
/// `tests/third_party/run` installs programs.
pub fn program(name: &str, variable: &str, names: &[&str]) -> bool {
    println!("cargo::rerun-if-env-changed={variable}");
    let found = match env::var_os(variable) {
        Some(path) => Some(PathBuf::from(path)),
        None => search_path()
            .iter()
            .flat_map(|folder| names.iter().map(move |name| folder.join(name)))
            .find(|path| path.is_file()),
    };
    let found = found.filter(|path| path.is_file());
    if let Some(path) = &found {
        println!("cargo::rustc-env={variable}={}", path.display());
    }
    holds(name, found.is_some())
}

/// Sets `cfg(name)` if the condition holds; otherwise has it checked anew once a program is installed.
pub fn holds(name: &str, condition: bool) -> bool {
    println!("cargo::rustc-check-cfg=cfg({name})");
    if condition {
        println!("cargo::rustc-cfg={name}");
    } else {
        for folder in search_path().iter().filter(|folder| folder.is_dir()) {
            println!("cargo::rerun-if-changed={}", folder.display());
        }
    }
    condition
}

/// Whether a command can be run and succeeds.
pub fn succeeds(program: &str, words: &[&str]) -> bool {
    let mut command = Command::new(program);
    command.args(words).stdin(Stdio::null());
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// Returns where the project's scripts install programs: `third_party` in the target folder.
pub fn third_party() -> PathBuf {
    // A build script runs in `target/debug/build/PACKAGE/out`, with one folder more if the target is named.
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    let profile = out.ancestors().nth(3).unwrap_or(&out);
    let is_target = |folder: &&std::path::Path| folder.join("CACHEDIR.TAG").is_file();
    let target = profile.ancestors().find(is_target).unwrap_or(profile);
    target.join("third_party")
}

fn search_path() -> Vec<PathBuf> {
    println!("cargo::rerun-if-env-changed=PATH");
    let installed = third_party().join("bin");
    // A missing folder would count as changed at every build.
    let _ = fs::create_dir_all(&installed);
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).chain([installed]).collect()
}
