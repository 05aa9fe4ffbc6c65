//! Programs named in a store run without a question only if this user made the store.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use matches::spelling::quote;
use tempfile::TempDir;

const ARBITER: &str = env!("CARGO_BIN_EXE_arbiter");

/// A home folder with an interrupted match, whose engine notes each start.
struct Home(TempDir);

impl Home {
    fn new() -> Home {
        let home = Home(TempDir::new().unwrap());
        let spy = format!("echo start >> starts; exec {} engine", quote(ARBITER));
        fs::write(home.path("spy.sh"), spy).unwrap();
        let played = home.run(&[
            "match", "--games", "2", "--nodes", "1", "--isolate", "off", "--store", "match.db",
            "--engine", "cmd=/bin/sh args=spy.sh name=a", "--engine",
            "cmd=/bin/sh args=spy.sh name=b",
        ]);
        assert!(played.status.success(), "{played:?}");
        home.change("DELETE FROM games WHERE number = 2");
        fs::remove_file(home.path("starts")).unwrap();
        home
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn change(&self, statement: &str) {
        let connection = rusqlite::Connection::open(self.path("match.db")).unwrap();
        connection.pragma_update(None, "foreign_keys", false).unwrap();
        for table in ["seats", "turns"] {
            connection.execute(&format!("DELETE FROM {table} WHERE game = 2"), []).unwrap();
        }
        connection.execute(statement, []).unwrap();
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(ARBITER);
        command.args(arguments).current_dir(self.0.path());
        command.env("XDG_STATE_HOME", self.path("state"));
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    fn has_started(&self) -> bool {
        self.path("starts").exists()
    }
}

fn refused(output: &Output) -> bool {
    let stderr = String::from_utf8_lossy(&output.stderr);
    output.status.code() == Some(2)
        && stderr.contains("\n  engine a, in ")
        && stderr.contains(r#": /bin/sh ["spy.sh"]"#)
        && stderr.contains("use --trust-commands")
}

#[test]
fn a_store_of_this_user_runs_without_a_question() {
    let home = Home::new();
    for command in ["verify", "resume"] {
        let output = home.run(&[command, "match.db"]);
        assert!(output.status.success(), "{output:?}");
        assert!(home.has_started());
    }
    let key = home.path("state/buxtehude/key").metadata().unwrap();
    assert_eq!((key.permissions().mode() & 0o777, key.len()), (0o600, 32));
}

#[test]
fn a_store_of_another_user_runs_nothing_unless_trusted() {
    let home = Home::new();
    fs::remove_dir_all(home.path("state")).unwrap();
    for command in ["verify", "resume"] {
        let output = home.run(&[command, "match.db"]);
        assert!(refused(&output), "{output:?}");
        assert!(!home.has_started());
        let trusted = home.run(&[command, "match.db", "--trust-commands"]);
        assert!(trusted.status.success(), "{trusted:?}");
        fs::remove_file(home.path("starts")).unwrap();
    }
}

#[test]
fn a_store_that_was_altered_is_not_this_users() {
    for statement in [
        "UPDATE settings SET value = json_set(value, '$.engines[0].sha256', 'x') WHERE name = 'files'",
        "UPDATE settings SET value = json_set(value, '$.engine[0].dir', '/') WHERE name = 'plan'",
        "UPDATE settings SET value = json_set(value, '$.isolate', 'auto') WHERE name = 'plan'",
        "UPDATE settings SET value = '00' WHERE name = 'mark'",
        "DELETE FROM settings WHERE name = 'mark'",
    ] {
        let home = Home::new();
        home.change(statement);
        for command in ["verify", "resume"] {
            let output = home.run(&[command, "match.db"]);
            assert!(refused(&output), "{statement}: {output:?}");
        }
        assert!(!home.has_started());
    }
}

#[test]
fn without_a_folder_for_the_key_a_match_says_that_it_needs_trust() {
    let home = Home::new();
    let play = |state: &Path| {
        let arguments = ["match", "--games", "2", "--nodes", "1", "--store", "new.db"];
        let mut command = home.command(&arguments);
        let output = command.env("XDG_STATE_HOME", state).output().unwrap();
        fs::remove_file(home.path("new.db")).unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let words = "note: the store bears no mark, so `resume` will need --trust-commands: ";
    assert!(play(Path::new("/proc/nothing")).contains(words));
    assert!(!play(&home.path("state")).contains(words));
}
