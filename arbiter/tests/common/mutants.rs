//! Engines that differ from the built-in one in one thing, and whether a check catches them for it.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::program::run;

const ARBITER: &str = env!("CARGO_BIN_EXE_arbiter");

/// Mutants that are tried at the same time.
const AT_ONCE: usize = 4;

/// An engine that breaks one thing.
#[derive(Clone, Copy, Debug)]
pub struct Mutant {
    /// What `sed` does to the lines that come in.
    pub input: &'static str,
    /// What `sed` does to the lines that go out.
    pub output: &'static str,
    /// The name of the check that has to fail.
    pub check: &'static str,
}

impl Mutant {
    /// What is said of the mutant where it is not caught.
    fn miss(self) -> Option<String> {
        let (input, output) = (self.input, self.output);
        let script = format!("sed -u -e '{input}' | {ARBITER} engine | sed -u -e '{output}'");
        let command = ["check", "--timeout", "700", "--format", "json", "--only"];
        let engine = [self.check, "--", "/bin/sh", "-c", &script];
        let (code, stdout, stderr) = run(&[&command[..], &engine].concat());
        let report: serde_json::Value = serde_json::from_str(&stdout).unwrap_or_default();
        let checks = report["checks"].as_array().cloned().unwrap_or_default();
        let found = checks.iter().find(|check| check["name"] == self.check);
        let Some(found) = found else {
            return Some(format!("{self:?}: no such check: {code} {stderr}"));
        };
        let is_shown = ["reason", "explanation", "transcript"]
            .iter()
            .all(|part| found[part].as_str().is_some_and(|text| !text.is_empty()));
        let is_caught = found["verdict"] == "failed" && is_shown;
        (!is_caught).then(|| format!("{self:?}: {} {}", found["verdict"], found["reason"]))
    }
}

/// What is said of the mutants that are not caught.
pub fn missed(mutants: &[Mutant]) -> Vec<String> {
    let next = AtomicUsize::new(0);
    let missed = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some(mutant) = mutants.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Some(miss) = mutant.miss() {
                        missed.lock().unwrap().push(miss);
                    }
                }
            });
        }
    });
    missed.into_inner().unwrap()
}
