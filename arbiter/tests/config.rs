//! Settings from a file, and the file that a stored match exports.

use std::ffi::OsString;
use std::path::Path;

use crate::common::program;
use arbiter::args::{Cli, Command};
use buxtehude::rules::Variant;
use clap::CommandFactory;
use matches::archive::store::Store;
use matches::run::NewMatch;
use program::{arbiter, built_in, directory, run};
use settings::config;

/// Writes settings to a file; returns its path.
fn file(directory: &Path, settings: &str) -> String {
    let path = directory.join("settings.toml");
    std::fs::write(&path, settings).unwrap();
    path.to_str().unwrap().to_string()
}

/// The complete plan of a match, or the error message.
fn planned(arguments: &[&str]) -> Result<String, String> {
    let words = ["arbiter", "match"].iter().chain(arguments);
    let parsed = config::parse::<Cli>(words.map(OsString::from));
    let (cli, typed) = parsed.map_err(|error| error.to_string())?;
    let Command::Match(mut args) = cli.command else {
        panic!("{arguments:?}: no match");
    };
    let NewMatch { plan, remarks, .. } =
        config::new_match(&mut args, &typed).map_err(|error| error.to_string())?;
    Ok(format!("{plan:#?} {remarks:?}"))
}

const ALL: &str = r#"
players = 3
games = 30
seed = 7
tc = "2+0.02"
random-plies = 4
concurrency = 2
margin = 100

[each]
dir = "/tmp"
option.Hash = 16

[[engine]]
cmd = "./a"
name = "first one"
args = ["-q", "it's two words"]
option."Move Overhead" = 5
option.Ponder = true
legal = true

[[engine]]
cmd = "./b"
depth = 3
legal = false
"#;

#[test]
fn a_file_means_what_its_flags_mean() {
    let directory = directory("config_meaning");
    let path = file(&directory, ALL);
    let typed = planned(&[
        "--players=3",
        "--games=30",
        "--seed=7",
        "--tc=2+0.02",
        "--random-plies=4",
        "--concurrency=2",
        "--margin=100",
        "--each=dir=/tmp option.Hash=16",
        "--engine",
        r#"cmd=./a name="first one" args="-q \"it's two words\"" "option.Move Overhead=5" option.Ponder=true legal=on"#,
        "--engine=cmd=./b depth=3 legal=off",
    ])
    .unwrap();
    assert_eq!(planned(&["--config", &path]), Ok(typed.clone()));
    assert_eq!(planned(&[&format!("--config={path}")]), Ok(typed));
}

#[test]
fn the_settings_of_an_engine_are_one_text_or_several_words() {
    let quoted = planned(&[
        "--seed=1",
        "--engine",
        "cmd=./a args='-q depth=3' 'name=first one' nodes=5",
        "--engine=cmd='./my engine' option.'Move Overhead'=7",
        "--each",
        "tc=90+0.5 option.Hash=16",
        "--games=4",
    ]);
    let words = planned(&[
        "--seed=1", "--engine", "cmd=./a", "args=-q depth=3", "name=first one", "nodes=5",
        "--engine=cmd=./my engine", "option.Move Overhead=7", "--each", "tc=1:30+0.5",
        "option.Hash=16", "--games=4",
    ]);
    assert!(quoted.is_ok(), "{quoted:?}");
    assert_eq!(words, quoted);
}

#[test]
fn words_that_are_no_settings_stay_arguments() {
    let words = "review --engine cmd=./a nodes=5 games.jsonl --game 3";
    let words = ["arbiter"].into_iter().chain(words.split(' ')).map(OsString::from);
    let Command::Review(args) = config::parse::<Cli>(words).unwrap().0.command else {
        panic!("no review");
    };
    assert_eq!(
        (args.engine.as_str(), args.input.file.to_str()),
        ("cmd=./a nodes=5", Some("games.jsonl"))
    );
}

#[test]
fn the_command_translated_from_fastchess_is_accepted() {
    let directory = directory("config_fastchess");
    let book = directory.join("book.txt");
    std::fs::write(&book, "startpos\nstartpos moves 5\n").unwrap();
    let document = include_str!("../../docs/arbiter.md");
    let (_, rest) = document.split_once("```text\narbiter match ").unwrap();
    let (command, _) = rest.split_once("\narbiter export").unwrap();
    let command = command.replace("\\\n", "");
    let words =
        command.split_whitespace().map(|word| word.replace("book.txt", book.to_str().unwrap()));
    let words: Vec<String> = words.collect();
    let plan = planned(&words.iter().map(String::as_str).collect::<Vec<_>>()).unwrap();
    for part in ["games: 1000,", "model: Normalized", r#"name: "old""#, "time: 8s"] {
        assert!(plan.contains(part), "{part}: {plan}");
    }
}

#[test]
fn the_file_in_the_documents_is_accepted() {
    let directory = directory("config_document");
    let document = include_str!("../../docs/arbiter.md");
    let (_, rest) = document.split_once("```toml\n").unwrap();
    let (settings, _) = rest.split_once("```").unwrap();
    let plan = planned(&["--config", &file(&directory, settings)]);
    assert!(plan.as_ref().is_ok_and(|plan| plan.contains("seats: 3,")), "{plan:?}");
}

#[test]
fn flags_replace_settings_of_the_file() {
    let directory = directory("config_replaced");
    let settings = "players = 3\nmovetime = 20\nseed = 1\n\
                    [[engine]]\ncmd = 'a'\n[[engine]]\ncmd = 'b'\n[[engine]]\ncmd = 'c'\n";
    let path = file(&directory, settings);
    for (typed, meant) in [
        (
            &["--players", "2", "--engine", "cmd=x"][..],
            &["--players=2", "--movetime=20", "--seed=1", "--engine=cmd=x"][..],
        ),
        (
            &["--depth=3", "--engine=cmd=x", "--engine=cmd=y"],
            &[
                "--players=3", "--movetime=20", "--depth=3", "--seed=1", "--engine=cmd=x",
                "--engine=cmd=y",
            ],
        ),
        (
            &["--tc", "5"],
            &[
                "--players=3", "--tc=5", "--seed=1", "--engine=cmd=a", "--engine=cmd=b",
                "--engine=cmd=c",
            ],
        ),
    ] {
        let expected = planned(meant);
        assert!(expected.is_ok(), "{expected:?}");
        assert_eq!(planned(&[&["--config", &path], typed].concat()), expected, "{typed:?}");
        assert_eq!(planned(&[typed, &["--config", &path]].concat()), expected, "{typed:?}");
    }
}

#[test]
fn a_test_is_a_table_or_a_switch() {
    let directory = directory("config_sprt");
    let engines = ["--seed=1", "--engine=cmd=a", "--engine=cmd=b"];
    let with = |words: &[&str]| planned(&[&engines[..], words].concat());
    for (settings, typed) in [
        ("sprt = { elo0 = -1.5, elo1 = 2 }", &["--sprt", "elo0=-1.5", "elo1=2"][..]),
        ("[sprt]\nelo1 = 10\nmodel = 'normalized'", &["--sprt", "elo1=10 model=normalized"]),
        ("sprt = true", &["--sprt"]),
        ("sprt = false", &[]),
    ] {
        let path = file(&directory, settings);
        let expected = with(typed);
        assert!(expected.is_ok(), "{expected:?}");
        assert_eq!(with(&["--config", &path]), expected, "{settings}");
    }
}

#[test]
fn openings_are_a_file_or_a_list_of_its_lines() {
    let directory = directory("config_openings");
    std::fs::write(directory.join("two.txt"), "startpos moves 5\nstartpos moves 6 +half 4\n")
        .unwrap();
    let list = "seed = 1\ngames = 4\ndepth = 1\nmax-plies = 2\nopenings = ['startpos moves 5', 'startpos moves \
        6 +half 4']";
    let named = "seed = 1\ngames = 4\ndepth = 1\nmax-plies = 2\nopenings = 'two.txt'";
    let exports = [list, named].map(|settings| {
        let path = file(&directory, &format!("{settings}\n[each]\nrestart = 'off'"));
        // The path is relative to the current directory.
        let mut command = arbiter(&["match", "--config", &path, "--record", "games.jsonl"]);
        let output = command.current_dir(&directory).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        let record = directory.join("games.jsonl");
        let (_, games, _) = run(&["export", record.to_str().unwrap(), "--without-clock"]);
        std::fs::remove_file(record).unwrap();
        games
    });
    assert!(exports[0].contains(r#""moves":"6 +half 4 "#), "{}", exports[0]);
    assert_eq!(exports[0], exports[1]);
}

#[test]
fn errors_name_the_file_the_key_and_what_is_accepted() {
    let directory = directory("config_errors");
    let mut text = String::new();
    for settings in [
        "player = 3",
        "config = 'x'",
        "players = 7",
        "players = true",
        "players = [2, 3]",
        "tc = 'ten'",
        "movetime = 20\ntc = '5'",
        "sprt = { elo0 = 1979-05-27 }",
        "openings = [1]",
        "openings = ['startpos', 'banana']",
        "variant = 'chess'",
        "sprt = { elo0 = 5, elo1 = 0 }",
        "engine = { name = 'x' }",
        "engine = { cmd = './a', deph = 5 }",
        "engine = { cmd = './a', movetime = 5, tc = '3' }",
        "[[engine]]\ncmd = 'a'\n[[engine]]\ncmd = 'b'\ndepth = 0",
        "[[engine]]\ncmd = 'a'\noption.Hash = [1]",
        "[each]\nlegal = 'yes'",
        "engine = [1979-05-27]",
        "players = ",
    ] {
        let path = file(&directory, settings);
        let (code, stdout, stderr) = run(&["match", "--config", &path]);
        assert_eq!((code, stdout.as_str()), (2, ""), "{settings}: {stderr}");
        text += &format!("{settings}\n{stderr}\n");
    }
    for arguments in [
        &["match", "--config", "/nonexistent/settings.toml"][..],
        &["match", "--config"],
        &["match", "--config", "x", "--config", "y"],
    ] {
        let (code, _, stderr) = run(arguments);
        assert_eq!(code, 2, "{stderr}");
        text += &format!("{}\n{stderr}\n", arguments.join(" "));
    }
    let text = text
        .replace(directory.to_str().unwrap(), "DIR")
        .replace(&Variant::names().join(", "), "VARIANTS");
    // The list of all flags changes too often for a snapshot.
    let without_flags = text.lines().map(|line| {
        let flags = line.find("; the keys are engine,");
        flags.map_or(line, |begin| &line[..begin])
    });
    insta::assert_snapshot!(without_flags.collect::<Vec<_>>().join("\n"));
}

#[test]
fn every_flag_is_a_key() {
    let directory = directory("config_keys");
    let path = file(&directory, "nonsense = 1");
    let (_, _, stderr) = run(&["match", "--config", &path]);
    let (_, keys) = stderr.trim_end().split_once("the keys are ").unwrap();
    let mut keys: Vec<&str> = keys.split(", ").collect();
    keys.sort_unstable();
    let program = Cli::command();
    let command = program.find_subcommand("match").unwrap();
    let mut longs: Vec<&str> = command
        .get_arguments()
        .filter_map(|arg| arg.get_long())
        .filter(|long| *long != "config")
        .collect();
    longs.sort_unstable();
    assert_eq!(keys, longs);
}

/// Plays a match into a store, exports its settings, and plays it again with them; returns the settings.
fn round_trip(directory: &Path, arguments: &[&str]) -> String {
    let [first, again] = ["first.db", "again.db"].map(|name| {
        let path = directory.join(name);
        path.to_str().unwrap().to_string()
    });
    let played = [&["match", "--store", &first], arguments].concat();
    let (code, stdout, stderr) = run(&played);
    assert_eq!((code, stderr.as_str()), (0, ""), "{stdout}");
    let (code, settings, stderr) = run(&["export", &first, "--format", "config"]);
    assert_eq!((code, stderr.as_str()), (0, ""), "{settings}");
    let path = file(directory, &settings);
    let (code, stdout, stderr) = run(&["match", "--config", &path, "--store", &again]);
    assert_eq!((code, stderr.as_str()), (0, ""), "{stdout}\n{settings}");
    let plan =
        |store: &str| format!("{:#?}", Store::open(Path::new(store)).unwrap().plan().unwrap());
    assert_eq!(plan(&again), plan(&first), "{settings}");
    let games = |store: &str| run(&["export", store, "--without-clock"]);
    assert_eq!(games(&again), games(&first), "{settings}");
    let (code, again_settings, _) = run(&["export", &again, "--format", "config"]);
    assert_eq!((code, again_settings), (0, settings.clone()));
    settings
}

#[test]
fn a_stored_match_prints_the_settings_that_play_it_again() {
    let three = directory("config_round_trip_three");
    let openings = three.join("openings.txt");
    std::fs::write(
        &openings,
        "startpos players 3 moves 5\nfen 0,68,3/5,53,3/0,68,3 3 - - moves 6 +half\n",
    )
    .unwrap();
    let engines = ["depth=2 option.Hash=2 option.Ponder=true", "nodes=300 legal=on"];
    let engines = [0, 1].map(|index| {
        format!("--engine={}", built_in(&format!("name='no. {index}' {}", engines[index])))
    });
    let openings = format!("--openings={}", openings.display());
    let seed = u64::MAX.to_string();
    let mut arguments = vec!["--players=3", "--games=12", "--seed", &seed, "--random-plies=2"];
    arguments.extend(["--max-plies=12", "--margin=70", "--stall=30", "--concurrency=2"]);
    arguments.extend([openings.as_str(), &engines[0], &engines[1]]);
    let settings = round_trip(&three, &arguments);
    assert!(settings.contains("players = 3\n"), "{settings}");
    assert!(settings.contains("\"startpos players 3 moves 5\""), "{settings}");

    let two = directory("config_round_trip_two");
    let engines = [2, 1]
        .map(|depth| format!("--engine={}", built_in(&format!("name=d{depth} depth={depth}"))));
    let mut arguments = vec!["--games=4", "--random-plies=3", "--max-plies=8", "--sprt"];
    arguments.extend(["elo0=-0.5", "elo1=2.25", "model=normalized", &engines[0], &engines[1]]);
    let settings = round_trip(&two, &arguments);
    assert!(settings.contains("elo1 = 2.25\n"), "{settings}");
}

#[test]
fn games_without_settings_print_none() {
    let directory = directory("config_of_a_record");
    let record = directory.join("games.jsonl");
    let record = record.to_str().unwrap();
    let (code, _, _) =
        run(&["match", "--depth=1", "--max-plies=2", "--record", record, "--store=none"]);
    assert_eq!(code, 0);
    let (code, stdout, stderr) = run(&["export", record, "--format", "config"]);
    assert_eq!((code, stdout.as_str()), (2, ""), "{stderr}");
    assert!(stderr.contains("expected a store"), "{stderr}");
}
