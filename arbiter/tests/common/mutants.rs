//! Mutants of the built-in engine, each with a single defect, and the checks that must catch them.

use std::sync::Mutex;

use matches::spelling::quote;

use super::program::{check_all, run};

const ARBITER: &str = env!("CARGO_BIN_EXE_arbiter");

/// Mutants tested concurrently.
const AT_ONCE: usize = 12;

#[derive(Clone, Copy, Debug)]
pub struct Mutant {
    /// `sed` script for its input.
    pub input: &'static str,
    /// `sed` script for its output.
    pub output: &'static str,
    /// Name of the check that must fail.
    pub check: &'static str,
}

impl Mutant {
    /// A message if the check does not catch the mutant.
    fn miss(self) -> Option<String> {
        let (input, output) = (self.input, self.output);
        let arbiter = quote(ARBITER);
        let script = format!("sed -u -e '{input}' | {arbiter} engine | sed -u -e '{output}'");
        let command = ["check", "--timeout", "2000", "--format", "json", "--only"];
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

/// Messages about the mutants that are not caught.
pub fn missed(mutants: &[Mutant]) -> Vec<String> {
    let missed = Mutex::new(Vec::new());
    check_all(AT_ONCE, mutants, |mutant| {
        let miss = mutant.miss();
        missed.lock().unwrap().extend(miss);
    });
    missed.into_inner().unwrap()
}
