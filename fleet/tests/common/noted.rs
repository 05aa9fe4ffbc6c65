//! Engines that record each of their starts.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::Fleet;
use super::fleet::{FLEET, Process};

/// A program that records its start and becomes the built-in engine; its first argument is its name.
pub struct Noted {
    pub program: PathBuf,
    notes: PathBuf,
}

/// A start of an engine.
#[derive(Clone, Debug)]
pub struct Start {
    pub engine: String,
    pub process: u32,
    /// Processor cores that it may use, in the kernel's notation.
    pub cores: String,
}

impl Noted {
    pub fn new(folder: &Path) -> Noted {
        let (program, notes) = (folder.join("noted"), folder.join("notes"));
        let note = format!(
            "echo \"$1 $$ $(grep Cpus_allowed_list /proc/self/status)\" >> {}",
            notes.display()
        );
        fs::write(
            &program,
            format!("#!/bin/sh\n{note}\nexec {FLEET} engine\n"),
        )
        .unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        Noted { program, notes }
    }

    /// Starts the coordinator of a match between two of them, `a` and `b`, which see the processes of the machine.
    pub fn begin(&self, fleet: &mut Fleet, words: &[&str]) -> Process {
        let store = fleet.store();
        let program = self.program.display();
        let [a, b] = ["a", "b"].map(|name| format!("cmd={program} args={name} name={name}"));
        let mut all = vec!["match", "--store", store.to_str().unwrap()];
        all.extend(["--engine", &a, "--engine", &b, "--isolate", "off"]);
        all.extend_from_slice(words);
        fleet.start(&all)
    }

    /// Starts a worker that has both engines.
    pub fn worker(&self, fleet: &mut Fleet, words: &[&str]) -> Process {
        let program = self.program.display();
        let [a, b] = ["a", "b"].map(|name| format!("name={name},cmd={program}"));
        let mut all = vec!["work", "--engine", &a, "--engine", &b];
        all.extend_from_slice(words);
        fleet.start(&all)
    }

    /// All starts of an engine so far.
    pub fn starts(&self, engine: &str) -> Vec<Start> {
        let text = fs::read_to_string(&self.notes).unwrap_or_default();
        let start = |line: &str| {
            let words: Vec<&str> = line.split_whitespace().collect();
            Start {
                engine: words[0].to_string(),
                process: words[1].parse().unwrap(),
                cores: words[3].to_string(),
            }
        };
        let starts = text.lines().map(start);
        starts.filter(|start| start.engine == engine).collect()
    }

    /// Whether no such engine is running.
    pub fn are_gone(&self) -> bool {
        let starts = ["a", "b"].map(|engine| self.starts(engine)).concat();
        let runs = |start: &Start| {
            let status = fs::read_to_string(format!("/proc/{}/stat", start.process));
            status.is_ok_and(|status| !status.contains(") Z "))
        };
        !starts.iter().any(runs)
    }
}
