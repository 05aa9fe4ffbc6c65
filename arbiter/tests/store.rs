//! Matches in a store: created, exported, reported, resumed; and disks that are full.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::{processes, program, stored};
use matches::archive::store::Store;
use matches::spelling::{engine_text, quote};
use processes::{await_death, children};
use program::{arbiter, content, crashing, directory, run, scattered};
use stored::{export, export_with_digest, numbers, tables};

/// Plays a match of two small engines into a new store and a record.
fn match_of(directory: &Path, arguments: &[&str]) -> (String, String, String) {
    let store = directory.join("match.db").to_str().unwrap().to_string();
    let record = directory.join("games.jsonl").to_str().unwrap().to_string();
    let engines = [("alpha", 1), ("beta", 2)].map(|(name, seed)| scattered(directory, name, seed));
    let mut all = vec!["match", "--nodes", "1", "--games", "6", "--max-plies", "30"];
    all.extend(["--seed", "5", "--random-plies", "3"]);
    all.extend(["--store", &store, "--record", &record]);
    engines.iter().for_each(|engine| all.extend(["--engine", engine]));
    all.extend(arguments);
    (content(&all), store, record)
}

#[test]
fn a_store_holds_what_a_record_holds() {
    let directory = directory("store_and_record");
    let (output, store, record) = match_of(&directory, &[]);
    assert!(output.contains(&format!("stored in {store}\n")), "{output}");
    let recorded = std::fs::read_to_string(&record).unwrap();
    assert_eq!(recorded.lines().count(), 6, "{recorded}");
    assert_eq!(export(&store, &[]), recorded);
    assert_eq!(export(&record, &[]), recorded);
    let reported = content(&["report", &store, "--format", "text"]);
    assert!(output.contains(&reported), "{reported}\n{output}");
    assert_eq!(content(&["report", &record, "--format", "text"]), reported);
    assert_eq!(content(&["replay", &store]), format!("{store}: 6 games, all in order\n"));
    let shown = content(&["replay", &store, "--game", "3"]);
    assert_eq!(content(&["replay", &record, "--game", "3"]), shown);
    let text = export(&store, &["--format", "text"]);
    assert_eq!(text.matches("\n[Seat2 ").count(), 6, "{text}");
    assert_eq!(export(&record, &["--format", "text"]), text);
    // No other file is left: neither a log of SQLite nor the store under a temporary name.
    let files = std::fs::read_dir(&directory).unwrap();
    let files: BTreeSet<String> =
        files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    let expected = ["alpha.sh", "beta.sh", "games.jsonl", "match.db"].map(String::from);
    assert_eq!(files, BTreeSet::from(expected));
}

#[test]
fn a_record_catches_up_with_its_store() {
    let directory = directory("record_behind");
    let (_, store, record) = match_of(&directory, &[]);
    let whole = std::fs::read(&record).unwrap();
    let ends: Vec<usize> = (0..whole.len()).filter(|&at| whole[at] == b'\n').collect();
    let other = b"{\"a\":1}\n".as_slice();
    // As after kill -9: some games are missing, and the last line is cut off anywhere.
    for length in [0, 1, ends[1] + 1, ends[1], ends[2] - 1, ends[2] + 5, ends[4] + 1000] {
        std::fs::write(&record, [other, &whole[..length]].concat()).unwrap();
        content(&["resume", &store, "--record", &record]);
        let found = std::fs::read(&record).unwrap();
        assert!(found == [other, &whole].concat(), "{length}: {}", String::from_utf8_lossy(&found));
    }
    std::fs::remove_file(&record).unwrap();
    content(&["resume", &store, "--record", &record]);
    assert!(std::fs::read(&record).unwrap() == whole);
    let wrong = directory.to_str().unwrap();
    let (code, _, stderr) = run(&["resume", &store, "--record", wrong]);
    assert!(code == 2 && stderr.contains(&format!("--record: {wrong}: ")), "{code} {stderr}");
    // A device has no games to compare with, so it receives none of those that are stored.
    content(&["resume", &store, "--record", "/dev/full"]);
}

#[test]
fn the_printed_command_completes_all_outputs_of_an_interrupted_match() {
    let directory = directory("it's interrupted");
    let path = |name: &str| directory.join(name).to_str().unwrap().to_string();
    let [store, record, events, log] = ["k.db", "k.jsonl", "events", "log"].map(path);
    let mut command = arbiter(&["match", "--nodes", "1", "--max-plies", "10", "--games", "60"]);
    for (name, seed) in [("alpha", 1), ("beta", 2)] {
        scattered(&directory, name, seed);
        let words = format!("cmd=/bin/sh args='{name}.sh {seed}' name={name} legal=on");
        command.args(["--engine", &words]);
    }
    command.args(["--store", &store, "--record", &record, "--events", &events, "--log", &log]);
    command.current_dir(&directory).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let (mut text, mut stdout) = (String::new(), BufReader::new(child.stdout.take().unwrap()));
    while stored::printed(&text).len() < 3 && stdout.read_line(&mut text).unwrap() > 0 {}
    let id = rustix::process::Pid::from_raw(child.id() as i32).unwrap();
    rustix::process::kill_process(id, rustix::process::Signal::TERM).unwrap();
    stdout.read_to_string(&mut text).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130), "{text}");
    let games = |path: &str| std::fs::read_to_string(path).unwrap().lines().count();
    assert!((3..60).contains(&games(&record)), "{text}");

    let (_, command) = text.split_once("; `").unwrap();
    let (command, _) = command.split_once("` continues it").unwrap();
    let output = Command::new("sh").args(["-c", command]).current_dir("/").output().unwrap();
    assert!(output.status.success(), "{command}: {output:?}");
    assert_eq!(games(&record), 60);
    assert_eq!(numbers(&store), (1..=60).collect());
    let of = |path: &str, word: &str| std::fs::read_to_string(path).unwrap().matches(word).count();
    assert_eq!(of(&events, r#""event":"start""#), 2);
    assert_eq!(of(&events, r#""event":"end""#), 60);
    assert_eq!(of(&log, "log started at"), 2);
}

#[test]
fn faults_are_stored_with_their_last_lines() {
    let directory = directory("stored_faults");
    let bad = crashing(&directory, "bad");
    let [store, record] = ["match.db", "games.jsonl"].map(|name| directory.join(name));
    let [store, record] = [store.to_str().unwrap(), record.to_str().unwrap()];
    let good = scattered(&directory, "good", 1);
    let mut all =
        vec!["match", "--engine", &good, "--engine", &bad, "--nodes", "1", "--games", "6"];
    all.extend(["--retire", "0", "--store", store, "--record", record]);
    let (code, output, _) = run(&all);
    assert_eq!(code, 4, "{output}");
    assert!(output.contains("stderr: out of carrots"), "{output}");
    assert_eq!(export(store, &[]), export(record, &[]));
    assert_eq!(
        content(&["report", store, "--format", "text"]),
        content(&["report", record, "--format", "text"])
    );
}

#[test]
fn an_export_without_the_clock_is_the_same_at_any_concurrency() {
    let directory = directory("concurrencies");
    let exported = ["1", "2", "8"].map(|concurrency| {
        let store = directory.join(format!("match-{concurrency}.db"));
        let store = store.to_str().unwrap();
        let mut arguments = vec!["match", "--players", "3", "--games", "24", "--depth", "2"];
        arguments.extend(["--random-plies", "4", "--max-plies", "40", "--seed", "9"]);
        arguments.extend(["--concurrency", concurrency, "--store", store]);
        let output = content(&arguments);
        let (lines, digest) = export_with_digest(store, &["--without-clock"]);
        let text = export_with_digest(store, &["--without-clock", "--format", "text"]);
        assert_eq!(text.1, digest);
        assert_eq!(export_with_digest(store, &[]).1, digest);
        let record = directory.join("exported.jsonl");
        std::fs::write(&record, &lines).unwrap();
        let report = content(&["report", record.to_str().unwrap(), "--format", "text"]);
        assert!(lines.lines().count() == 24 && !lines.contains("micros"), "{lines}");
        assert_eq!(tables(&report), tables(&output));
        (lines, text, report)
    });
    assert!(exported[0] == exported[1] && exported[1] == exported[2], "{exported:#?}");
}

#[test]
fn a_store_is_never_overwritten() {
    let directory = directory("overwritten");
    let (_, store, _) = match_of(&directory, &[]);
    let spaced = directory.join("a match.db").display().to_string();
    std::fs::rename(store, &spaced).unwrap();
    let store = spaced;
    let before = std::fs::read(&store).unwrap();
    let (code, stdout, stderr) = run(&["match", "--depth", "1", "--store", &store]);
    assert_eq!((code, stdout.as_str()), (2, ""), "{stderr}");
    assert!(stderr.contains(&format!("`arbiter resume '{store}'`")), "{stderr}");
    assert!(before == std::fs::read(&store).unwrap(), "the file has changed");
}

#[test]
fn names_that_mean_something_to_sqlite_are_files_like_others() {
    let directory = directory("odd_names");
    for name in [":memory:", "file:x", "file:x?mode=memory", "a%20b"] {
        let in_directory = |arguments: &[&str]| {
            let output = arbiter(arguments).current_dir(&directory).output().unwrap();
            assert!(output.status.success(), "{name}: {output:?}");
            String::from_utf8(output.stdout).unwrap()
        };
        in_directory(&["match", "--depth", "1", "--max-plies", "4", "--store", name]);
        assert!(directory.join(name).is_file(), "{name}");
        let resumed = in_directory(&["resume", name]);
        assert!(resumed.ends_with(&format!("2 games, all stored in {name}\n")), "{resumed}");
        assert_eq!(in_directory(&["export", name]).lines().count(), 2, "{name}");
        in_directory(&["report", name, "--format", "text"]);
    }
    let files = std::fs::read_dir(&directory).unwrap().count();
    assert_eq!(files, 4, "{directory:?}");
}

#[test]
fn a_match_that_cannot_begin_leaves_no_store() {
    let directory = directory("no_beginning");
    let store = directory.join("match.db");
    let (code, stdout, stderr) =
        run(&["match", "--engine", "cmd=/nonexistent/engine", "--store", store.to_str().unwrap()]);
    assert_eq!(code, 2, "{stdout}{stderr}");
    assert!(!store.exists());
}

#[test]
fn a_finished_match_is_resumed_to_its_table_at_once() {
    let directory = directory("finished");
    let (output, store, _) = match_of(&directory, &[]);
    let resumed = content(&["resume", &store]);
    assert_eq!(tables(&resumed), tables(&output));
    assert!(resumed.ends_with(&format!("6 games, all stored in {store}\n")), "{resumed}");
}

#[test]
fn one_arbiter_at_a_time_plays_a_match() {
    let directory = directory("two_arbiters");
    let (_, store, _) = match_of(&directory, &[]);
    let playing = Store::resume(Path::new(&store)).unwrap();
    let (code, _, stderr) = run(&["resume", &store]);
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.contains("another arbiter is playing this match"), "{stderr}");
    // A reader is not affected.
    content(&["report", &store, "--format", "text"]);
    drop(playing);
    content(&["resume", &store]);
}

#[test]
fn a_game_is_stored_once() {
    let directory = directory("once");
    let (_, store, _) = match_of(&directory, &[]);
    let mut opened = Store::resume(Path::new(&store)).unwrap();
    let mut game = opened.game(2).unwrap().unwrap().record;
    let error = opened.add(&[&game]).unwrap_err();
    assert!(error.to_string().contains("UNIQUE constraint failed: games.number"), "{error}");
    game.game = 7;
    opened.add(&[&game]).unwrap();
    drop(opened);
    assert_eq!(numbers(&store), BTreeSet::from([1, 2, 3, 4, 5, 6, 7]));
}

/// A match with one of four games stored, and its engine's program.
fn begun(test: &str) -> (String, std::path::PathBuf) {
    let directory = directory(test);
    let program = directory.join("engine.sh");
    let script = "#!/bin/sh\nwhile read -r line; do case $line in uci) echo uciok ;; isready) echo readyok ;; \
                  go*) set -- ${line#*searchmoves }; echo \"bestmove $1\" ;; quit) exit ;; esac; done\n";
    std::fs::write(&program, script).unwrap();
    let status = Command::new("chmod").arg("+x").arg(&program).status().unwrap();
    assert!(status.success(), "{status}");
    let store = directory.join("match.db").to_str().unwrap().to_string();
    let engine = format!("{} legal=on", engine_text(program.to_str().unwrap(), &[]));
    let mut arguments = vec!["match", "--engine", &engine, "--nodes", "1", "--games", "4"];
    arguments.extend(["--max-plies", "10", "--store", &store]);
    content(&arguments);
    let forget = "DELETE FROM turns WHERE game > 1; DELETE FROM seats WHERE game > 1; DELETE FROM games WHERE \
        number > 1;";
    let connection = rusqlite::Connection::open(&store).unwrap();
    connection.execute_batch(forget).unwrap();
    (store, program)
}

#[test]
fn a_match_continues_with_its_original_programs() {
    let (store, program) = begun("changed_engine");
    let script = std::fs::read_to_string(&program).unwrap();
    std::fs::write(&program, format!("{script}# changed\n")).unwrap();
    let (code, stdout, stderr) = run(&["resume", &store]);
    assert_eq!((code, stdout.as_str()), (2, ""), "{stderr}");
    for words in ["engine engine.sh: ", "has changed since the match began", "--changed-engines"] {
        assert!(stderr.contains(words), "no {words:?} in {stderr}");
    }
    let output = content(&["resume", &store, "--changed-engines", "--concurrency", "2"]);
    assert!(output.contains("note: 1 of 4 games stored in earlier runs\n"), "{output}");
    assert!(output.contains("\n4 games in "), "{output}");
    assert_eq!(numbers(&store), BTreeSet::from([1, 2, 3, 4]));
}

#[test]
fn settings_that_make_no_sense_are_named() {
    let (store, _) = begun("senseless");
    let connection = rusqlite::Connection::open(&store).unwrap();
    let select = "SELECT value FROM settings WHERE name = 'plan'";
    let plan: String = connection.query_row(select, [], |row| row.get(0)).unwrap();
    let wrong_format = "expected at least 1 challenger and 1 other engine";
    for (path, value, words) in [
        ("format", "'gauntlet 1'", wrong_format),
        ("format", "'gauntlet 5'", wrong_format),
        ("format", "'gauntlet 0'", wrong_format),
        ("format", "'gauntlet'", "expected round-robin, or gauntlet and a number"),
        ("players", "0", "players: expected a whole number from 2 to 6"),
        ("variant", "'chess'", "variant: unknown variant"),
        ("players", "9", "players: "),
        ("engine[0].tc", "'0'", "tc=0: expected seconds"),
        ("openings", "json('[]')", "openings: there are none"),
        ("concurrency", "0", "concurrency: expected a whole number from 1 to 1000"),
        (
            "sprt",
            r#"json('{"elo0":9,"elo1":5,"alpha":0.05,"beta":0.05,"model":"logistic","luck":false}')"#,
            "sprt: elo0=9 and elo1=5: expected elo0 below elo1",
        ),
        ("stall", "'soon'", "expected u64"),
    ] {
        let change = format!(
            "UPDATE settings SET value = json_set(?1, '$.{path}', {value}) WHERE name = 'plan'"
        );
        connection.execute(&change, [&plan]).unwrap();
        let (code, stdout, stderr) = run(&["resume", &store]);
        assert_eq!((code, stdout.as_str()), (2, ""), "{change}: {stderr}");
        assert!(stderr.contains(words), "{change}: {stderr}");
    }
    connection.execute("UPDATE settings SET value = ?1 WHERE name = 'plan'", [&plan]).unwrap();
    for (change, words) in [
        ("UPDATE engines SET name = 'other'", "engines: expected the engines of the plan"),
        (
            "UPDATE settings SET value = json_remove(value, '$.stall') WHERE name = 'plan'",
            "missing field `stall`",
        ),
        ("DELETE FROM settings WHERE name = 'plan'", "setting plan: it is missing"),
        ("PRAGMA user_version = 99", "store format 99 is unknown; expected 1"),
        ("PRAGMA application_id = 99", "not a store"),
    ] {
        connection.execute_batch(change).unwrap();
        let (code, stdout, stderr) = run(&["resume", &store]);
        assert_eq!((code, stdout.as_str()), (2, ""), "{change}: {stderr}");
        assert!(stderr.contains(words), "{change}: {stderr}");
    }
}

#[test]
fn games_outside_the_match_are_refused() {
    let (store, _) = begun("outside");
    let connection = rusqlite::Connection::open(&store).unwrap();
    for number in [0, 5, 4_000_000_000_000_000_000_i64] {
        let change = format!(
            "PRAGMA foreign_keys = OFF; UPDATE games SET number = {number};
             UPDATE seats SET game = {number}; UPDATE turns SET game = {number}"
        );
        connection.execute_batch(&change).unwrap();
        let (code, stdout, stderr) = run(&["resume", &store]);
        assert_eq!((code, stdout.as_str()), (2, ""), "{number}: {stderr}");
        let words = format!("match.db: game {number}: expected a number from 1 to 4\n");
        assert!(stderr.contains(&words), "{number}: {stderr}");
    }
}

#[test]
fn a_full_disk_stops_the_match() {
    let directory = directory("no_space");
    let store = directory.join("match.db").to_str().unwrap().to_string();
    // Limits files to about 100 kB, and ignores the signal that a larger one raises.
    let limited = "trap '' XFSZ; ulimit -f 200; exec \"$0\" \"$@\"";
    let mut command = Command::new("/bin/sh");
    command.args(["-c", limited, env!("CARGO_BIN_EXE_arbiter"), "match", "--store", &store]);
    command.args(["--games", "1000", "--depth", "2", "--max-plies", "20", "--seed", "3"]);
    command.args(["--random-plies", "4", "--concurrency", "2"]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let deadline = Instant::now() + Duration::from_secs(60);
    let mut groups = BTreeSet::new();
    while child.try_wait().unwrap().is_none() {
        groups.extend(children(child.id()).into_keys());
        assert!(Instant::now() < deadline, "the match continues");
        std::thread::sleep(Duration::from_millis(2));
    }
    let output = child.wait_with_output().unwrap();
    let (stdout, stderr) =
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert_eq!(output.status.code(), Some(3), "{stdout}{stderr}");
    assert!(!groups.is_empty(), "{stdout}");
    groups.into_iter().for_each(await_death);
    let printed = stored::printed(&stdout);
    assert_eq!(numbers(&store), printed, "{stdout}{stderr}");
    let (_, named) = stderr.split_once("error: game ").unwrap();
    let (named, rest) = named.split_once(' ').unwrap();
    assert!(rest.starts_with("and later games cannot be stored: "), "{stderr}");
    assert!(!printed.contains(&named.parse().unwrap()), "{stdout}{stderr}");
    let program = quote(env!("CARGO_BIN_EXE_arbiter"));
    let resume = format!("`{program} resume {}` continues it", quote(&store));
    assert!(stdout.contains(&resume), "{stdout}");
}

#[test]
fn a_report_is_of_one_match() {
    let directory = directory("one_match");
    let (_, _, record) = match_of(&directory, &[]);
    let twice = directory.join("twice.jsonl");
    let lines = std::fs::read_to_string(&record).unwrap();
    std::fs::write(&twice, format!("{lines}{lines}")).unwrap();
    let (code, stdout, stderr) = run(&["report", twice.to_str().unwrap(), "--format", "text"]);
    assert_eq!((code, stdout.as_str()), (2, ""), "{stderr}");
    let expected = "occurs twice; expected each game of one match once\n";
    assert!(stderr.contains(":7: game ") && stderr.ends_with(expected), "{stderr}");
}

#[test]
fn an_interrupted_match_is_resumed() {
    let directory = directory("interrupted");
    let store = directory.join("match.db").to_str().unwrap().to_string();
    let mut command = arbiter(&["match", "--depth", "1", "--max-plies", "20", "--games", "200"]);
    command.args(["--seed", "1", "--random-plies", "4", "--store", &store]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut text = String::new();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    while stored::printed(&text).len() < 3 && stdout.read_line(&mut text).unwrap() > 0 {}
    let id = child.id().to_string();
    let status = Command::new("kill").args(["-TERM", &id]).status().unwrap();
    assert!(status.success(), "{status}");
    stdout.read_to_string(&mut text).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130), "{text}");
    let played = stored::printed(&text);
    assert_eq!(numbers(&store), played, "{text}");
    let resumed = content(&["resume", &store]);
    let rest = stored::printed(&resumed);
    assert!(played.is_disjoint(&rest) && played.len() + rest.len() == 200, "{text}{resumed}");
}
