//! Hidden text, which moves the cursor of a terminal, reverses a line or is invisible, from an evil engine and from
//! records, stores and settings. Every command must escape it.
#![cfg(target_os = "linux")]

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::program;
use matches::record::printable::is_hidden;
use matches::spelling::engine_text;
use program::{directory, run, scattered};
use serde_json::{Value, json};

/// Hidden text: an escape sequence, NUL, C1, DEL, marks for the direction of writing, zero-width characters and line
/// separators.
const EVIL: &str = "\u{1b}[2J\0\u{8}\r\u{7f}\u{85}\u{9b}31m\u{61c}\u{200b}\u{200e}\u{200f}\u{2028}\u{2029}\u{202a}\
                    \u{202e}\u{2066}\u{2069}\u{feff}evil";

/// The evil engine. Its argument is a file with `EVIL`, where `@` stands for NUL.
const ENGINE: &str = r#"
evil() { tr '@' '\000' < "$1"; }
say() { printf '%s' "$1"; evil "$file"; printf '%s\n' "$2"; }
file=$1
asked=0
say 'first ' >&2
while read -r line; do
  case $line in
    uci) say 'id name '
         say 'id author '
         say 'option name ' ' type check default false'
         say 'option name Style type combo default a var a var '
         say 'option name Book type string default '
         echo 'option name MultiPV type spin default 1 min 1 max 9'
         say 'info string '
         say ''
         echo uciok ;;
    isready) echo readyok ;;
    go*) asked=$(( asked + 1 ))
         set -- ${line#*searchmoves }
         say 'info string '
         say ''
         head -c 1000000 /dev/zero; echo
         say 'info depth 4294967295 score cp 5 nodes 18446744073709551615 pv '
         say "asked $asked " >&2
         if [ $asked = 4 ]; then say 'bestmove '; else say "bestmove $1 estimate "; fi ;;
    quit) exit ;;
  esac
done
"#;

/// A directory with the evil engine.
struct House {
    directory: PathBuf,
}

impl House {
    fn new(test: &str) -> House {
        let directory = directory(test);
        fs::write(directory.join("evil.txt"), EVIL.replace('\0', "@")).unwrap();
        fs::write(directory.join("evil.sh"), ENGINE).unwrap();
        House { directory }
    }

    fn path(&self, name: &str) -> String {
        self.directory.join(name).display().to_string()
    }

    /// The `--engine` string of the evil engine.
    fn engine(&self) -> String {
        let (script, text) = (self.path("evil.sh"), self.path("evil.txt"));
        format!("{} name=evil legal=on", engine_text("/bin/sh", &[&script, &text]))
    }

    fn command(&self) -> [String; 3] {
        ["/bin/sh".to_string(), self.path("evil.sh"), self.path("evil.txt")]
    }

    /// Plays a match with the evil engine, and checks that all files and output are clean.
    fn played(&self, command: &[&str]) -> String {
        let files =
            ["match.db", "games.jsonl", "log.txt", "events.jsonl"].map(|name| self.path(name));
        let [store, record, log, events] = &files;
        let good = scattered(&self.directory, "good", 3);
        let settings = ["--each", "nodes=1", "--seed", "1", "--max-plies", "30", "--retire", "0"];
        let outputs = ["--store", store, "--record", record, "--log", log, "--events", events];
        let engines = ["--engine", &self.engine(), "--engine", &good];
        let seen = clean(&[command, &settings, &outputs, &engines].concat());
        for file in [record, log, events] {
            is_clean(file, &fs::read_to_string(file).unwrap());
        }
        seen
    }
}

/// Asserts that a text has no hidden characters.
fn is_clean(what: &str, text: &str) {
    let hidden = |c: char| is_hidden(c) && !matches!(c, '\n' | '\t');
    if let Some(at) = text.find(hidden) {
        let around: String = text[at..].chars().take(40).collect();
        panic!("{what}: {around:?} in {} bytes", text.len());
    }
}

/// Runs a command, asserts that both output streams are clean, and returns them.
fn clean(arguments: &[&str]) -> String {
    let (code, stdout, stderr) = run(arguments);
    let seen = format!("{stdout}{stderr}");
    assert!((0..=4).contains(&code), "{arguments:?}: {code}: {seen}");
    is_clean(&arguments.join(" "), &seen);
    seen
}

/// Output of all commands that read games.
fn read_games(file: &str) -> String {
    let mut seen = String::new();
    for arguments in [
        &["report", file, "--format", "text"][..],
        &["report", file, "--format", "html"],
        &["explain", file],
        &["explain", file, "--game", "1"],
        &["replay", file],
        &["replay", file, "--game", "1"],
        &["export", file],
        &["export", file, "--format", "text"],
        &["export", file, "--format", "config"],
    ] {
        seen += &clean(arguments);
    }
    // Not even in the data of the page's script.
    let page = clean(&["report", file, "--format", "html"]);
    assert!(!page.contains("\\u202e") && !page.contains("\\u001b"), "{page}");
    seen
}

#[test]
fn output_of_an_evil_engine_is_escaped() {
    let house = House::new("hidden_engine");
    let seen = house.played(&["match", "--games", "2"]);
    assert!(seen.contains("\\u{1b}[2J"), "{seen}");
    assert!(seen.contains("flaws"), "{seen}");
    let store = house.path("match.db");
    let seen = read_games(&store) + &clean(&["verify", &store]) + &clean(&["resume", &store]);
    assert!(seen.contains("\\u{202e}"), "{seen}");
    let (store, record) = (house.path("match.db"), house.path("games.jsonl"));
    read_games(&record);
    let engines = [house.engine(), scattered(&house.directory, "good", 3)];
    let [evil, good] = engines.each_ref();
    clean(&["verify", &record, "--nodes", "1", "--engine", evil, "--engine", good]);

    // The evil engine as a judge.
    let seen = clean(&["review", &store, "--nodes", "1", "--engine", evil]);
    assert!(seen.contains("expected `estimate`"), "{seen}");
    let seen = clean(&["openings", "--nodes", "1", "--count", "1", "--engine", evil]);
    assert!(seen.contains("expected `estimate`"), "{seen}");
}

#[test]
fn output_of_an_evil_engine_in_a_tournament_is_escaped() {
    let house = House::new("hidden_tournament");
    let seen = house.played(&["tournament", "round-robin", "--rounds", "1"]);
    assert!(seen.contains("\\u{1b}[2J"), "{seen}");
}

#[test]
fn errors_at_the_start_are_escaped_and_short() {
    let house = House::new("hidden_start");
    for option in ["option.Hush=1", "option.Style=b", "option.MultiPV=10"] {
        let evil = format!("{} {option}", house.engine());
        let seen = clean(&["match", "--nodes", "1", "--engine", &evil]);
        assert!(seen.contains("engine evil"), "{seen}");
    }
    let many = house.path("many.sh");
    let offers = "seq -f 'option name o%.0f type check default true' 100000";
    fs::write(&many, format!("read -r line; {offers}; echo uciok; read -r line\n")).unwrap();
    let engine = format!("{} name=many option.Hush=1", engine_text("/bin/sh", &[&many]));
    let seen = clean(&["match", "--nodes", "1", "--engine", &engine]);
    assert!(seen.contains("it offers o1, o2, ") && seen.contains(" more"), "{seen}");
    assert!(seen.len() < 2000 && seen.lines().count() < 5, "{seen}");
}

#[test]
fn checks_and_transcripts_of_an_evil_engine_are_escaped() {
    let house = House::new("hidden_trials");
    let command = house.command();
    let command = command.each_ref().map(String::as_str);
    for format in ["text", "json", "junit"] {
        let only = ["--only", "uci/", "--only", "go/once", "--only", "options/"];
        let settings = ["check", "--timeout", "500", "--legal", "--format", format];
        let seen = clean(&[&settings, &only[..], &["--"], &command].concat());
        // JSON doubles the backslash.
        let errors = seen.replace(r"\\u", r"\u");
        assert!(errors.contains("first \\u{1b}[2J"), "its standard error: {seen}");
    }
    let script = house.path("script");
    let command = [&["--"], &command[..]].concat();
    for expected in ["", "< id name other\n", "< id name *\n< uciok\n"] {
        fs::write(&script, format!("> uci\n{expected}")).unwrap();
        let seen = clean(&[&["transcript", "--script", &script], &command[..]].concat());
        assert!(seen.contains("\\u{1b}[2J"), "{seen}");
    }
    clean(&[&["transcript", "--script", &script, "--update"], &command[..]].concat());
    let accepted = fs::read_to_string(&script).unwrap();
    is_clean("accepted", &accepted);
    let (code, stdout, _) = run(&[&["transcript", "--script", &script], &command[..]].concat());
    assert_eq!((code, stdout), (0, accepted), "what was accepted is as expected");
}

/// A game with evil text in every field that the rules do not parse.
fn evil_game(number: u64, moves: &str) -> Value {
    let said = json!([{ "micros": 1, "from": "engine", "text": EVIL }]);
    json!({
        "game": number, "block": 1, "variant": "hase-und-igel", "start": "0,68,3/0,68,3 1 - -",
        "seats": [EVIL, "b"], "seed": 1, "moves": moves, "places": [2, 1], "endings": ["crash", "ended"],
        "fault": { "seat": 1, "reason": EVIL, "stderr": [EVIL, "b"] },
        "turns": [{ "seat": 1, "mv": "5", "depth": 3, "score": EVIL, "pv": EVIL, "flaw": EVIL }],
        "clock": { "micros": [5], "evidence": { "lines": said, "exit": EVIL, "memory_kib": 1, "cpu_micros": 1 } },
    })
}

fn write_games(path: &str, games: &[Value]) {
    let lines: String = games.iter().map(|game| format!("{game}\n")).collect();
    fs::write(path, lines).unwrap();
}

#[test]
fn text_from_a_record_is_escaped() {
    let house = House::new("hidden_record");
    let record = house.path("games.jsonl");
    let of_variant = |name: &str| {
        let mut game = evil_game(3, "5");
        game["variant"] = name.into();
        game
    };
    let mut start = evil_game(4, "5");
    start["start"] = EVIL.into();
    let games = [evil_game(1, "5"), evil_game(2, EVIL), of_variant(EVIL), start];
    write_games(&record, &games);
    let judge = ["--nodes", "1", "--engine", "cmd=/bin/true"];
    let seen = read_games(&record);
    assert!(
        seen.contains("\\u{1b}[2J\\u{0}\\u{8}\\r\\u{7f}\\u{85}\\u{9b}31m\\u{61c}\\u{200b}"),
        "{seen}"
    );
    clean(&[&["review", &record], &judge[..]].concat());
    clean(&["verify", &record, "--nodes", "1", "--engine", "cmd=/bin/true name=b"]);
    // Lines that are not games.
    fs::write(&record, format!("{{\"game\":\"{EVIL}\"}}\n{EVIL}\n")).unwrap();
    read_games(&record);
    clean(&["verify", &record, "--nodes", "1", "--engine", "cmd=/bin/true name=b"]);
}

#[test]
fn text_from_a_store_is_escaped() {
    let house = House::new("hidden_store");
    house.played(&["match", "--games", "2"]);
    let store = house.path("match.db");
    let connection = rusqlite::Connection::open(&store).unwrap();
    let texts = [
        ("engines", "name", "number || ?1"),
        ("engines", "id_name", "?1"),
        ("turns", "score", "?1"),
        ("turns", "pv", "?1"),
        ("turns", "flaw", "?1"),
        ("games", "fault", "json_set(fault, '$.reason', ?1, '$.stderr', json_array(?1))"),
    ];
    for (table, column, value) in texts {
        let update = format!("UPDATE {table} SET {column} = {value}");
        connection.execute(&update, [EVIL.replace('\0', "")]).unwrap();
    }
    let plan = "UPDATE settings SET value = json_set(value, '$.engine[0].name', '0' || ?1,
        '$.engine[1].name', '1' || ?1, '$.engine[0].option', json_object(?1, ?1)) WHERE name = 'plan'";
    connection.execute(plan, [EVIL.replace('\0', "")]).unwrap();
    let machine = "UPDATE settings SET value = ?1 WHERE name IN ('machine', 'arbiter')";
    connection.execute(machine, [EVIL]).unwrap();
    read_games(&store);
    clean(&["verify", &store]);
    clean(&["resume", &store]);
    connection.execute("UPDATE games SET moves = ?1, variant = ?1", [EVIL]).unwrap();
    read_games(&store);
    connection.execute("UPDATE seats SET ending = ?1", [EVIL]).unwrap();
    read_games(&store);
}

#[test]
fn text_from_a_settings_file_is_escaped() {
    let house = House::new("hidden_settings");
    let file = house.path("match.toml");
    let evil = EVIL.replace(['\0', '\r'], "");
    let escaped = r"\u001b[2J\u0000\u0085\u202eevil";
    for text in [
        format!("games = {evil}\n"),
        format!("# {evil}\ngames = 2\n"),
        format!("\"{escaped}\" = 1\n"),
        format!("variant = \"{escaped}\"\n"),
        format!("games = \"{escaped}\"\n"),
        format!("openings = [\"{escaped}\"]\n[[engine]]\ncmd = \"true\"\n"),
        format!("[[engine]]\ncmd = \"{escaped}\"\n"),
        "[[engine]]\ncmd = \"true\"\nname = \"\\u202eevil\"\n".to_string(),
        format!("[[engine]]\ncmd = \"true\"\n\"{escaped}\" = 1\n"),
    ] {
        fs::write(&file, text).unwrap();
        let seen = clean(&["match", "--nodes", "1", "--config", &file]);
        assert!(seen.contains("error: "), "{seen}");
    }
    let typed = EVIL.replace('\0', "");
    for arguments in [
        &["match", &typed][..],
        &["match", "--games", &typed],
        &["match", "--engine", &format!("cmd=true name={typed}")],
        &["report", &typed],
        &[&typed],
    ] {
        clean(arguments);
    }
}

#[test]
fn hidden_settings_have_no_file() {
    let house = House::new("hidden_export");
    let (store, odd) = (house.path("match.db"), "b\u{202e}ok");
    let program = house.directory.join(odd);
    fs::write(&program, "").unwrap();
    let good = scattered(&house.directory, "good", 3);
    let engine = format!("{good} option.Book={odd}");
    let seen = clean(&["match", "--nodes", "1", "--engine", &engine]);
    assert!(seen.contains("expected one line of text"), "{seen}");
    let script = script_of(&house.directory);
    let arguments = format!("{} legal=on", engine_text("/bin/sh", &[&script, odd]));
    clean(&[
        "match", "--games", "2", "--max-plies", "4", "--nodes", "1", "--engine", &arguments,
        "--store", &store,
    ]);
    let (code, stdout, stderr) = run(&["export", &store, "--format", "config"]);
    assert_eq!((code, stdout.as_str()), (2, ""), "{stderr}");
    assert!(stderr.contains("b\\u{202e}ok"), "{stderr}");
}

/// Path of the script of a well-behaved engine.
fn script_of(directory: &Path) -> String {
    directory.join("good.sh").display().to_string()
}
