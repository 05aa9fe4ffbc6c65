//! A directory where engines attack each other and the arbiter, as an ordinary user.
#![cfg(target_os = "linux")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use matches::record::GameRecord;
use matches::spelling::{engine_text, join};
use tempfile::TempDir;

/// Id of a user who owns nothing.
pub const NOBODY: u32 = 65534;

/// A directory writable by an ordinary user, with the arbiter and the scripts of a victim and an attacker.
pub struct Arena(TempDir);

pub struct Outcome {
    pub code: Option<i32>,
    pub text: String,
    pub records: Vec<GameRecord>,
}

impl Arena {
    /// Creates an arena whose attacker runs `attack` on each `go`; `DIR` in it is replaced by the directory.
    pub fn new(attack: &str) -> Arena {
        let arena = Arena(TempDir::new().unwrap());
        let open = |path: &PathBuf| {
            fs::set_permissions(path, fs::Permissions::from_mode(0o777)).unwrap();
        };
        open(&arena.0.path().to_path_buf());
        let engine = crate::common::ENGINE;
        for name in ["victim.sh", "attacker.sh"] {
            fs::copy(engine, arena.path(name)).unwrap();
            open(&arena.path(name));
        }
        let directory = arena.0.path().to_str().unwrap();
        fs::write(arena.path("attack"), attack.replace("DIR", directory)).unwrap();
        open(&arena.path("attack"));
        arena.copy(env!("CARGO_BIN_EXE_arbiter").as_ref(), "arbiter");
        arena
    }

    pub fn copy(&self, program: &Path, name: &str) {
        // By another process, so that no child of a parallel test has the file open for writing when it is run.
        let mut copy = Command::new("cp");
        copy.args([program, self.path(name).as_path()]);
        assert!(copy.status().unwrap().success());
        fs::set_permissions(self.path(name), fs::Permissions::from_mode(0o777)).unwrap();
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Trimmed content of a file written by an engine; empty without the file.
    pub fn written(&self, name: &str) -> String {
        let text = fs::read_to_string(self.path(name)).unwrap_or_default();
        text.trim().to_string()
    }

    /// Arguments of a match between the attacker, with more `keys`, and its victim.
    pub fn arguments(&self, keys: &str, more: &[&str]) -> Vec<String> {
        let engine = |name: &str, code: &str, keys: &str| {
            let script = self.path(&format!("{name}.sh"));
            let command = engine_text("/bin/sh", &[script.to_str().unwrap(), code]);
            format!("{command} name={name} legal=on {keys}")
        };
        let attack = format!(". {}", self.path("attack").display());
        let victim = engine("victim", "", "");
        let attacker = engine("attacker", &attack, keys);
        let record = self.path("games.jsonl");
        let fixed = [
            "match",
            "--max-plies",
            "6",
            "--stall",
            "5",
            "--retire",
            "0",
            "--seed",
            "1",
            "--record",
            record.to_str().unwrap(),
            "--engine",
            &victim,
            "--engine",
            &attacker,
        ];
        let limit = if keys.contains("movetime") { &[][..] } else { &["--nodes", "1"] };
        let all = fixed.iter().chain(limit).chain(more);
        all.map(|argument| argument.to_string()).collect()
    }

    /// A command that runs the program as an ordinary user in the directory.
    pub fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.0.path()).stdin(Stdio::null());
        // The superuser's home is closed to the ordinary user.
        command.env("XDG_STATE_HOME", self.path("state"));
        if rustix::process::geteuid().is_root() {
            command.uid(NOBODY).gid(NOBODY);
        }
        command
    }

    pub fn arbiter(&self, arguments: &[String]) -> Command {
        let mut command = self.command(self.path("arbiter").to_str().unwrap());
        command.args(arguments);
        command
    }

    /// A line for a shell that plays a match.
    pub fn shell_line(&self, more: &[&str]) -> String {
        let mut arguments = self.arguments("", more);
        arguments.insert(0, self.path("arbiter").display().to_string());
        join(arguments.iter().map(String::as_str))
    }

    pub fn play(&self, keys: &str, more: &[&str]) -> Outcome {
        let arguments = self.arguments(keys, more);
        let output = self.arbiter(&arguments).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let records = self.written("games.jsonl");
        let records = records.lines().map(matches::archive::replay::read);
        Outcome {
            code: output.status.code(),
            text: text(&output.stdout) + &text(&output.stderr),
            records: records.map(Result::unwrap).collect(),
        }
    }
}
