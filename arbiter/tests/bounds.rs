//! Files and texts that block, never end, or hold more than any match: each ends with an error, soon and in little
//! memory.
#![cfg(target_os = "linux")]

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use matches::spelling::engine_text;
use rusqlite::Connection;
use tempfile::TempDir;

use crate::common::program::built_in;

/// Limits of a program: seconds, and KiB of its address space. Unbounded reading exceeds them within a minute.
const LIMITS: (u32, u32) = (60, 3_000_000);

/// A folder with files that the commands must refuse.
struct Folder(TempDir);

impl Folder {
    fn new() -> Folder {
        let folder = Folder(TempDir::new().unwrap());
        let made = Command::new("mkfifo").arg(folder.path("pipe")).status();
        assert!(made.unwrap().success());
        folder
    }

    /// Adds a store with two games.
    fn with_store() -> Folder {
        let folder = Folder::new();
        let arguments = [
            "match",
            "--games",
            "2",
            "--nodes",
            "1",
            "--store",
            "match.db",
            "--seed",
            "1",
            "--engine",
            &built_in("name=buxtehude"),
        ];
        assert_eq!(folder.run(&arguments).0, Some(0));
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn change(&self, statements: &str) {
        let connection = Connection::open(self.path("match.db")).unwrap();
        connection.pragma_update(None, "foreign_keys", false).unwrap();
        connection.execute_batch(statements).unwrap();
    }

    fn command(&self, program: &str, arguments: &[&str]) -> Command {
        let (seconds, kib) = LIMITS;
        let line = format!("ulimit -v {kib}; exec timeout {seconds} \"$0\" \"$@\"");
        let mut command = Command::new("sh");
        command.args(["-c", &line, program]).args(arguments).current_dir(self.0.path());
        command.env("XDG_STATE_HOME", self.path("state")).stdin(Stdio::null());
        command
    }

    /// Exit status of the arbiter, and the end of its output.
    fn run(&self, arguments: &[&str]) -> (Option<i32>, String) {
        self.end_of(self.command(env!("CARGO_BIN_EXE_arbiter"), arguments))
    }

    fn end_of(&self, mut command: Command) -> (Option<i32>, String) {
        let output = command.output().unwrap();
        let text =
            String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
        let end = text.chars().count().saturating_sub(2000);
        (output.status.code(), text.chars().skip(end).collect())
    }

    /// Runs each command on a file, and expects an error with these words.
    fn expect(&self, commands: &[&str], words: &str) {
        for command in commands {
            let arguments: Vec<&str> = command.split(' ').collect();
            let (code, text) = self.run(&arguments);
            assert!(code == Some(2) && text.contains(words), "{command}: {code:?} {text}");
        }
    }
}

#[test]
fn a_long_name_is_refused() {
    let folder = Folder::new();
    let name = "n".repeat(70_000);
    for name in [&name[..70_000], &name[..201]] {
        let engine = format!("cmd=/bin/true name={name}");
        let (code, text) = folder.run(&["match", "--engine", &engine]);
        assert!(text.contains(": expected at most 200 characters"), "{code:?} {text}");
        assert_eq!(code, Some(2));
    }
    let engine = format!("name={}", &name[..200]);
    let (code, text) =
        folder.run(&["match", "--nodes", "1", "--each", "cmd=/bin/true", "--engine", &engine]);
    assert!(!text.contains("expected at most"), "{code:?} {text}");
}

#[test]
fn pipes_and_devices_are_no_input() {
    let folder = Folder::new();
    for file in ["pipe", "/dev/zero"] {
        for command in ["report", "replay", "export", "explain", "review", "verify", "resume"] {
            let (code, text) = folder.run(&[command, file]);
            assert!(
                code == Some(2) && text.contains("expected a regular file"),
                "{command} {file}: {text}"
            );
        }
        for flag in ["--openings", "--seed-file", "--config"] {
            let (code, text) = folder.run(&["match", flag, file]);
            assert!(
                code == Some(2) && text.contains("expected a regular file"),
                "{flag} {file}: {text}"
            );
        }
        let (code, text) = folder.run(&["transcript", "--script", file, "/bin/true"]);
        assert!(code == Some(2) && text.contains("expected a regular file"), "{text}");
        for keys in [format!("cmd=./{file}"), format!("cmd=/bin/false args={file}")] {
            let engine = keys.replace(".//", "/");
            let store = ["--store", "new.db", "--retire", "1"];
            let arguments = [&["match", "--games", "2", "--engine", &engine], &store[..]].concat();
            let (code, text) = folder.run(&arguments);
            assert!(matches!(code, Some(2 | 4)), "{engine}: {code:?} {text}");
            let _ = fs::remove_file(folder.path("new.db"));
        }
    }
}

#[test]
fn reading_a_long_file_ends_by_a_signal() {
    let folder = Folder::new();
    // Without content, it takes no space; reading it takes minutes.
    File::create(folder.path("long")).unwrap().set_len(1 << 40).unwrap();
    let script = crate::common::ENGINE;
    let engine = engine_text("/bin/sh", &[script, "", "", "", "", "long"]);
    let engine = format!("{engine} legal=on");
    let mut command = Command::new(env!("CARGO_BIN_EXE_arbiter"));
    command.args(["match", "--engine", &engine]).current_dir(folder.0.path());
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let deadline = Instant::now() + Duration::from_secs(60);
    let handles = |child: u32| {
        let status = fs::read_to_string(format!("/proc/{child}/status")).unwrap();
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap();
        u64::from_str_radix(caught.trim(), 16).unwrap() & (1 << 14) != 0
    };
    while !handles(child.id()) {
        assert!(Instant::now() < deadline);
        std::thread::sleep(Duration::from_millis(5));
    }
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if Instant::now() > deadline {
            child.kill().unwrap();
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    assert_eq!(status.code(), Some(130));
}

const READERS: [&str; 7] = [
    "report match.db --format text", "report match.db --format html", "replay match.db",
    "export match.db", "explain match.db", "verify match.db --trust-commands",
    "resume match.db --trust-commands",
];

#[test]
fn a_store_has_plain_tables_only() {
    let endless = "DROP TABLE games; CREATE VIEW games AS
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
        SELECT i AS number, 1 AS block, 'x' AS variant, '' AS start, '' AS moves, '' AS digest FROM n";
    let trigger = "CREATE TRIGGER t AFTER INSERT ON seats BEGIN DELETE FROM games; END";
    let column = "ALTER TABLE games ADD COLUMN more TEXT AS (printf('%.*c', 1000, 'x'))";
    for statement in [endless, trigger, column] {
        let folder = Folder::with_store();
        folder.change(statement);
        folder.expect(&READERS, "not a store: its tables differ");
    }
}

#[test]
fn a_store_holds_no_more_than_a_match() {
    const NUMBERS: &str =
        "WITH RECURSIVE n(i) AS (SELECT 9 UNION ALL SELECT i + 1 FROM n LIMIT 300000)";
    let folder = Folder::with_store();
    folder.change(&format!(
        "{NUMBERS} UPDATE settings SET value = json_set(value, '$.engine',
            (SELECT json_group_array(json(engine)) FROM n,
            (SELECT value ->> '$.engine[0]' AS engine FROM settings WHERE name = 'plan') WHERE i < 200000))
            WHERE name = 'plan'"
    ));
    let with_plan = [&READERS[..2], &READERS[5..]].concat();
    folder.expect(&with_plan, "engine: expected 1 to 1000");
    let folder = Folder::with_store();
    folder.change(&format!(
        "{NUMBERS} INSERT INTO seats SELECT 1, i, 0, 1, NULL, 'ended', 0, 0, 0, 0, 0, 0, 0, 0, 0 FROM n"
    ));
    folder.expect(&READERS, "game 1: expected at most 6 seats");
    let folder = Folder::with_store();
    folder.change(
        "UPDATE settings SET value = json_set(value, '$.concurrency', 1000000) WHERE name = 'plan'",
    );
    folder.expect(&with_plan, "concurrency: expected a whole number from 1 to 1000");
}

#[test]
fn a_table_that_leads_back_to_itself_ends() {
    let folder = Folder::with_store();
    folder.change(
        "WITH RECURSIVE n(i) AS (SELECT 9 UNION ALL SELECT i + 1 FROM n LIMIT 3000)
            INSERT INTO games SELECT i, 1, 'x', '', printf('%.*c', 100, 'x'), '', NULL, NULL, NULL, NULL, NULL FROM n",
    );
    let path = folder.path("match.db");
    let root: u64 = Connection::open(&path)
        .unwrap()
        .query_row("SELECT rootpage FROM sqlite_schema WHERE name = 'games'", [], |row| row.get(0))
        .unwrap();
    // Source: SQLite's file format, "B-tree pages": each cell of an interior page begins with the page of a child, and
    // the last child is at byte 8.
    let file = File::options().read(true).write(true).open(path).unwrap();
    let page = (root - 1) * 4096;
    let mut bytes = [0; 4096];
    file.read_exact_at(&mut bytes, page).unwrap();
    assert_eq!(bytes[0], 5, "the root is no interior page");
    let cell = usize::from(u16::from_be_bytes([bytes[12], bytes[13]]));
    file.write_all_at(&bytes[cell..cell + 4], page + 8).unwrap();
    drop(file);
    folder.expect(&["replay match.db", "export match.db"], "games: a row comes twice");
}

fn line(seats: &[String]) -> String {
    let list = |value: &str| vec![value; seats.len()].join(",");
    let (places, endings) = (list("1"), list("\"ended\""));
    let game = r#""game":1,"block":1,"variant":"hase-und-igel","start":"""#;
    let rest = format!(r#""moves":"","places":[{places}],"endings":[{endings}],"turns":[]"#);
    format!(r#"{{{game},"seats":{seats:?},"seed":1,{rest}}}"#)
}

#[test]
fn a_record_holds_no_more_than_a_match() {
    let folder = Folder::new();
    let write = |text: &str| fs::write(folder.path("games.jsonl"), text).unwrap();
    let readers = [
        "report games.jsonl --format text", "report games.jsonl --format html",
        "export games.jsonl",
    ];
    let names: Vec<String> =
        (0..10_000).map(|number| line(&[format!("a{number}"), format!("b{number}")])).collect();
    write(&names.join("\n"));
    folder.expect(&readers, "engines: expected at most 1000");
    // A hole of 64 GiB without a line end.
    File::create(folder.path("games.jsonl")).unwrap().set_len(1 << 36).unwrap();
    folder.expect(&readers, "a line has more than 16777216 bytes");
    let seats: Vec<String> = (0..300_000).map(|number| format!("a{number}")).collect();
    let long = vec!["n".repeat(70_000), "b".to_string()];
    let deep = format!("{}{}", "[".repeat(1_000_000), "]".repeat(1_000_000));
    for (text, words) in [
        (line(&seats), "300000 seats, expected at most 6"),
        (line(&long), "expected names of at most 200 characters"),
        (deep, "not a game record"),
    ] {
        write(&text);
        let (code, text) = folder.run(&["replay", "games.jsonl"]);
        assert!(code == Some(1) && text.contains(words), "{code:?} {text}");
    }
}

#[test]
fn a_crafted_journal_removes_no_file() {
    let folder = Folder::with_store();
    fs::write(folder.path("precious"), "no journal").unwrap();
    let name = folder.path("precious").display().to_string();
    // Source: SQLite's file format, "The Rollback Journal", and `writeSuperJournal` in its pager.
    let magic = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];
    let number = |number: u32| number.to_be_bytes();
    let mut journal =
        [&magic[..], &number(0), &number(0), &number(1), &number(512), &number(4096)].concat();
    journal.resize(512, 0);
    journal.extend(number((1 << 30) / 4096 + 1));
    journal.extend(name.bytes());
    journal.extend(number(name.len() as u32));
    journal.extend(number(name.bytes().map(u32::from).sum()));
    journal.extend(magic);
    fs::write(folder.path("match.db-journal"), journal).unwrap();
    folder.expect(&READERS, "match.db-journal is no journal of this store");
    assert!(folder.path("precious").exists());
}
