//! Text from files and programs: a byte order mark is skipped, and for input that is not text the error names its kind.

use std::fs;
use std::path::Path;

use crate::common::program;
use matches::spelling::engine_text;
use program::{arbiter, content, directory, run, scattered};

const MARK: &str = "\u{feff}";
const PIG: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/rules/pig.py");
const MOVER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/engine.py");

fn write(directory: &Path, name: &str, text: &str) -> String {
    let path = directory.join(name);
    fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_string()
}

/// The text of the `--engine` of a program that writes a byte order mark before its first line.
fn marked(directory: &Path, name: &str) -> String {
    let engine = scattered(directory, name, 1);
    let script = directory.join(format!("{name}.sh"));
    let text = fs::read_to_string(&script).unwrap();
    fs::write(&script, format!("printf '\\357\\273\\277'\n{text}")).unwrap();
    engine
}

#[test]
fn settings_openings_seeds_records_and_engines_may_begin_with_a_byte_order_mark() {
    let directory = directory("byte_order_marks");
    let openings = write(&directory, "openings", &format!("{MARK}startpos moves 1\nstartpos\n"));
    let seed = write(&directory, "seed", &format!("{MARK}7\n"));
    let settings = format!("{MARK}games = 4\nopenings = {openings:?}\nseed-file = {seed:?}\n");
    let settings = write(&directory, "match.toml", &settings);
    let record = directory.join("games.jsonl").to_str().unwrap().to_string();
    let engines = ["alpha", "beta"].map(|name| marked(&directory, name));
    let mut all = vec!["match", "--config", &settings, "--nodes", "1", "--max-plies", "10"];
    engines.iter().for_each(|engine| all.extend(["--engine", engine]));
    all.extend(["--record", &record]);
    let output = content(&all);
    assert!(output.contains("seed 7") && output.contains("\n4 games in "), "{output}");

    let games = fs::read_to_string(&record).unwrap();
    assert_eq!(games.matches(r#""moves":"1 "#).count(), 2, "{games}");
    let with_mark = write(&directory, "marked.jsonl", &format!("{MARK}{games}"));
    assert_eq!(run(&["export", &with_mark]).1, games);
    let reported = content(&["report", &record, "--format", "text"]);
    assert_eq!(content(&["report", &with_mark, "--format", "text"]), reported);
    assert!(content(&["report", &with_mark]).contains("<svg"));
    assert_eq!(content(&["replay", &with_mark]), format!("{with_mark}: 4 games, all in order\n"));
    let shown = content(&["replay", &record, "--game", "1"]);
    assert_eq!(content(&["replay", &with_mark, "--game", "1"]), shown);

    let script = write(&directory, "script", &format!("{MARK}> isready\n< readyok\n"));
    let engine = directory.join("alpha.sh").to_str().unwrap().to_string();
    let arbiter_itself = env!("CARGO_BIN_EXE_arbiter");
    content(&["transcript", "--script", &script, "--", "sh", &engine]);
    content(&["transcript", "--script", &script, "--", arbiter_itself, "engine"]);
    let script = fs::read_to_string(&script).unwrap();
    let talk = format!("{MARK}uci\nisready\n");
    for (words, input, expected) in [
        (vec!["transcript", "--", arbiter_itself, "engine"], script, "< readyok\n"),
        (vec!["engine"], talk, "uciok\nreadyok\n"),
    ] {
        let file = write(&directory, "input", &input);
        let output = arbiter(&words).stdin(fs::File::open(file).unwrap()).output().unwrap();
        let stdout = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success() && stdout.ends_with(expected), "{words:?}: {stdout}");
        assert!(!stdout.contains("error"), "{words:?}: {stdout}");
    }
}

#[test]
fn a_rules_program_may_begin_with_a_byte_order_mark() {
    let directory = directory("marked_rules");
    let text = fs::read_to_string(PIG).unwrap();
    let marked = text.replace("import sys\n", "import sys\nsys.stdout.write('\\ufeff')\n");
    let rules = write(&directory, "pig.py", &marked);
    let rules = format!("{} name=pig", engine_text("env", &["PYTHONUTF8=1", "python3", &rules]));
    let engine = format!("{} legal=on", engine_text("python3", &[MOVER]));
    let output = content(&["match", "--rules", &rules, "--engine", &engine, "--max-plies", "20"]);
    assert!(output.contains("2 games in "), "{output}");
}

#[test]
fn other_encodings_and_compressed_files_are_named() {
    let directory = directory("no_text");
    let units = "\u{feff}startpos\n".encode_utf16();
    let utf16: Vec<u8> = units.clone().flat_map(u16::to_le_bytes).collect();
    let unmarked: Vec<u8> = units.skip(1).flat_map(u16::to_be_bytes).collect();
    let encoding = "it is in UTF-16 or UTF-32: expected UTF-8";
    let kinds: [(&str, Vec<u8>, &str); 4] = [
        ("utf16", utf16.clone(), encoding),
        ("utf16be", unmarked, encoding),
        (
            "gz",
            b"\x1f\x8b\x08\0\0\0\0\0".to_vec(),
            "it is compressed with gzip: decompress it first",
        ),
        (
            "zst",
            b"\x28\xb5\x2f\xfd\x24\0".to_vec(),
            "it is compressed with zstd: decompress it first",
        ),
    ];
    for (name, bytes, reason) in kinds {
        let path = directory.join(name);
        fs::write(&path, &bytes).unwrap();
        let file = path.to_str().unwrap();
        for words in [
            vec!["match", "--openings", file],
            vec!["match", "--seed-file", file],
            vec!["match", "--config", file],
            vec!["report", file],
            vec!["replay", file],
            vec!["export", file],
            vec!["explain", file],
            vec!["resume", file],
            vec!["transcript", "--script", file, "--", "cat"],
        ] {
            let (code, stdout, stderr) = run(&words);
            assert_eq!((code, stdout.as_str()), (2, ""), "{words:?}: {stderr}");
            assert!(stderr.contains(file) && stderr.contains(reason), "{words:?}: {stderr}");
            assert_eq!(fs::read(&path).unwrap(), bytes, "{words:?}");
        }
    }
    fs::write(directory.join("words"), utf16).unwrap();
    let script = write(&directory, "engine.sh", "cat \"$1\"; exec sleep 1000");
    let words = directory.join("words");
    let engine = engine_text("sh", &[&script, words.to_str().unwrap()]);
    let (code, _, stderr) = run(&["match", "--engine", &engine, "--ready", "500"]);
    assert!(code == 2 && stderr.contains(encoding), "{stderr}");
}
