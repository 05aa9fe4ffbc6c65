//! Real programs, good and bad.
#![cfg(target_os = "linux")]

use std::fs;
use std::path::Path;
use std::thread;

use super::*;
use crate::plan::deck::Draws;
use crate::plan::rules::PositionError;
use crate::plan::rules::external::ExternalPosition;
use crate::plan::rules::external::RulesPlan;
use crate::plan::{EngineSpec, Limit};

/// Longer than any answer on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(60);
/// Timeout of programs that do not answer.
const SHORT: Duration = Duration::from_secs(2);
/// Time beyond the timeout until the error is there.
const GRACE: Duration = Duration::from_secs(20);

/// Counts to six words, the second of them a coin. `$1` is a file for the process IDs and the ends by `quit`.
const COUNT: &str = r#"
[ -z "$1" ] || echo "$$" >> "$1"
while read -r line; do
  case $line in
    ugi) echo "id name count"; echo ugiok ;;
    position\ startpos\ players\ 2*) set -- "$1" $line; words=$# ;;
    position*) echo "info string error: two players only" ;;
    "query state") case $words in
        12) echo "response over places 1 2" ;;
        7) echo "response card 1 weights +a 1 +b 2" ;;
        *) echo "response 1 legal a b" ;;
      esac ;;
    query*) echo response ;;
    quit) [ -z "$1" ] || echo quit >> "$1"; exit ;;
  esac
done
"#;

fn game(command: &str, args: &[&str]) -> Arc<External> {
    let mut program = EngineSpec::new("count", command, Limit::default());
    program.args = args.iter().map(ToString::to_string).collect();
    let told = program.name.clone();
    Arc::new(External::new(RulesPlan { program, uci_variant: told, draws: Draws::Seat }))
}

fn shell(script: &str, argument: &Path) -> Arc<External> {
    game("/bin/sh", &["-c", script, "sh", &argument.display().to_string()])
}

fn run(game: &External, timeout: Duration) -> Result<(), RulesError> {
    connect(game, None, timeout, &Log::none(), &Interrupt::new())
}

#[test]
fn a_drawing_may_begin_with_blanks() {
    let script = COUNT.replace(
        r#""query state")"#,
        r#""query picture") printf '%s\n' 'response   o\n x  ' ;; "query state")"#,
    );
    let game = shell(&script, Path::new(""));
    run(&game, TIMEOUT).unwrap();
    let start = game.start(2).unwrap();
    let pictures = ExternalPosition::pictures(&[&start]).unwrap();
    assert_eq!(pictures, [Some("  o\n x".to_string())]);
}

/// Returns a program that does `on_state` on the query for the state of the start.
fn program(on_state: &str) -> String {
    format!(
        "while read -r line; do case $line in ugi) echo ugiok ;; 'query state') {on_state} ;; query*) echo response ;; \
         quit) exit ;; esac; done"
    )
}

fn broken(error: PositionError) -> String {
    match error {
        PositionError::Rules(error @ RulesError::Broken { .. }) => error.to_string(),
        error => panic!("{error:?}"),
    }
}

fn play_to_the_end(game: &Arc<External>) {
    let start = game.start(2).unwrap();
    let (all, error) = start.walk(["a", "+b", "b", "a", "b", "b"]);
    assert!(error.is_none(), "{error:?}");
    let places = all.last().map(|last| last.facts().places.clone());
    assert_eq!(places, Some(vec![Some(1), Some(2)]));
}

#[test]
fn a_program_answers_what_it_is_asked() {
    let game = shell(COUNT, Path::new(""));
    run(&game, TIMEOUT).unwrap();
    play_to_the_end(&game);
    let start = game.start(2).unwrap();
    let coin = start.after("a").unwrap();
    assert_eq!(coin.outcomes(), [("+a".to_string(), 1), ("+b".to_string(), 2)]);
    let children = coin.children().unwrap();
    let words: Vec<&str> = children.iter().map(|(word, _)| word.as_str()).collect();
    assert_eq!(words, ["+a", "+b"]);
    let refused = game.start(3).unwrap_err();
    assert!(matches!(refused, PositionError::Setup(_)), "{refused:?}");
    assert!(refused.to_string().contains("two players only"), "{refused}");
    // A refusal is no fault.
    play_to_the_end(&game);
}

#[test]
fn each_thread_has_its_own_process_that_ends_with_it() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("processes");
    let game = shell(COUNT, &file);
    thread::scope(|scope| {
        scope.spawn(|| run(&game, TIMEOUT).unwrap());
    });
    for _ in 0..2 {
        thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    play_to_the_end(&game);
                    play_to_the_end(&game);
                });
            }
        });
    }
    let read = || fs::read_to_string(&file).unwrap();
    let begun = Instant::now();
    while read().lines().filter(|line| *line == "quit").count() < 7 && begun.elapsed() < GRACE {
        thread::sleep(Duration::from_millis(5));
    }
    let text = read();
    let (quits, processes): (Vec<&str>, Vec<&str>) = text.lines().partition(|line| *line == "quit");
    assert_eq!((processes.len(), quits.len()), (7, 7), "{text}");
    // A scope does not wait for the ends of its threads.
    let deadline = Instant::now() + GRACE;
    let lives = |process: &&str| Path::new("/proc").join(process).exists();
    while processes.iter().any(lives) {
        assert!(Instant::now() < deadline, "{processes:?}");
        thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn another_connection_ends_the_process_of_the_first() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("processes");
    let game = shell(COUNT, &file);
    run(&game, TIMEOUT).unwrap();
    run(&game, TIMEOUT).unwrap();
    let text = fs::read_to_string(&file).unwrap();
    assert_eq!(text.lines().filter(|line| *line == "quit").count(), 1, "{text}");
    play_to_the_end(&game);
}

#[test]
fn a_program_that_does_not_start_is_named() {
    let cases = [
        ("", SHORT, "no ugiok: its process ended with exit status: 0"),
        (
            "echo 'no module pig' >&2; exit 1",
            SHORT,
            "exit status: 1; its standard error ends with: no module pig",
        ),
        ("exec sleep 1000", SHORT, "no ugiok: it did not answer in time; no output after `ugi`"),
        ("exec yes", SHORT, "no ugiok: it did not answer in time"),
        ("exec cat /dev/zero", TIMEOUT, "no ugiok: it sent a line of more than 1048576 bytes"),
        ("exec >&-; sleep 1000", TIMEOUT, "no ugiok: it closed its output or input"),
    ];
    for (script, timeout, words) in cases {
        let begun = Instant::now();
        let error = run(&game("/bin/sh", &["-c", script]), timeout).unwrap_err().to_string();
        assert!(error.starts_with("rules program count: no ugiok: "), "{script}: {error}");
        assert!(error.contains(words), "{script}: {error}");
        assert!(begun.elapsed() < SHORT + GRACE, "{script}: {:?}", begun.elapsed());
    }
    let error = run(&game("/nowhere/rules", &[]), TIMEOUT).unwrap_err().to_string();
    let words = "rules program count: cannot start /nowhere/rules: No such file or directory";
    assert!(error.starts_with(words), "{error}");
}

#[test]
fn a_program_that_fails_is_named_with_the_question_and_its_last_words() {
    let asked = "; asked `position startpos players 2; query players, state, text, stake`";
    let cases = [
        (
            "echo 'no dice left' >&2; exit 3",
            TIMEOUT,
            "its process ended with exit status: 3",
            "; its standard error ends with: no dice left",
        ),
        ("kill -9 $$", TIMEOUT, "its process ended with signal: 9 (SIGKILL)", ""),
        (
            "echo thinking >&2; exec sleep 1000",
            SHORT,
            "it did not answer in time",
            "; its standard error ends with: thinking",
        ),
        (":", SHORT, "it did not answer in time", ""),
        (
            "echo rubbish",
            SHORT,
            "it did not answer in time; it sent \"rubbish\", which is not a response",
            "",
        ),
        (
            "echo responses",
            SHORT,
            "it did not answer in time; it sent \"responses\", which is not a response",
            "",
        ),
        (
            "printf 'response 1 legal'; exec sleep 1000",
            SHORT,
            "it did not answer in time; received \"response 1 legal\" without a newline",
            "",
        ),
        (
            "exec yes",
            SHORT,
            "it did not answer in time; it sent \"y\", which is not a response",
            "",
        ),
        ("exec cat /dev/zero", TIMEOUT, "it sent a line of more than 1048576 bytes", ""),
        ("exec >&-; sleep 1000", TIMEOUT, "it closed its output or input", ""),
        ("printf 'response \\377\\376\\n'", TIMEOUT, "its answer is not UTF-8: \"\\xff\\xfe\"", ""),
        ("echo 'info string error: no idea'", TIMEOUT, "it reports an error: no idea", ""),
        (
            "echo 'unsure' >&2; echo 'response 1 legal a a'",
            TIMEOUT,
            "its answer to `query state` has \"a\": expected each move once",
            "; its standard error ends with: unsure",
        ),
        (
            "echo 'response 3 legal a'",
            TIMEOUT,
            "its answer to `query state` has \"3\": expected a seat from 1 to 2, card or over",
            "",
        ),
    ];
    for (on_state, timeout, what, said) in cases {
        let game = game("/bin/sh", &["-c", &program(on_state)]);
        run(&game, timeout).unwrap();
        let begun = Instant::now();
        let error = broken(game.start(2).unwrap_err());
        assert_eq!(error, format!("rules program count: {what}{asked}{said}"), "{on_state}");
        assert!(begun.elapsed() < SHORT + GRACE, "{on_state}: {:?}", begun.elapsed());
    }
}

#[test]
fn an_answer_too_many_is_noticed() {
    let twice = program("echo 'response 1 legal a'; echo 'response'");
    let game = game("/bin/sh", &["-c", &twice]);
    run(&game, TIMEOUT).unwrap();
    // The surplus answer is read at once, before the next question or in place of its answer.
    let error = match game.start(2) {
        Ok(start) => broken(start.after("a").unwrap_err()),
        Err(error) => broken(error),
    };
    let known = [
        "it answers without a question: \"\"",
        // The surplus answer was taken for that to the next question.
        "it answers without a question: \"1 legal a\"",
        "its answer has \"\"",
    ];
    assert!(known.iter().any(|words| error.contains(words)), "{error}");
}

#[test]
fn a_result_that_is_corrected_is_no_result() {
    let wrong_first = [
        "printf 'response over places 1 2\\nresponse over places 2 1\\n'",
        "echo 'response over places 1 2'; sleep 0.2; echo 'response over places 2 1'",
    ];
    for over in wrong_first {
        let corrected = program(r#"echo "response 1 legal a""#).replace(
            "case $line in",
            &format!(
                "case $line in *moves*) over=1 ;; 'query state') if [ $over ]; then {over}; else \
                 echo 'response 1 legal a'; fi; continue ;; esac; case $line in"
            ),
        );
        let game = game("/bin/sh", &["-c", &corrected]);
        run(&game, TIMEOUT).unwrap();
        let error = broken(game.start(2).unwrap().after("a").unwrap_err());
        let known = [
            "it answers without a question: \"over places",
            "its second answer is \"over places 2 1\"",
        ];
        assert!(known.iter().any(|words| error.contains(words)), "{error}");
    }
}

#[test]
fn a_program_that_changes_its_mind_is_broken() {
    let fickle = program(r#"echo "response 1 legal a""#).replace(
        "case $line in",
        "case $line in *moves*) echo 'info string error: never heard of it' ;;",
    );
    let game = game("/bin/sh", &["-c", &fickle]);
    run(&game, TIMEOUT).unwrap();
    let error = broken(game.start(2).unwrap().after("a").unwrap_err());
    let words = "rules program count: it listed a, but refuses it: never heard of it; asked `position startpos \
                 players 2 moves a; query state`";
    assert_eq!(error, words);
}

#[test]
fn no_process_starts_after_a_change_of_the_program() {
    let directory = tempfile::tempdir().unwrap();
    let script = directory.path().join("rules.sh");
    fs::write(&script, "while read line; do echo ugiok; done").unwrap();
    let game = game("/bin/sh", &[script.to_str().unwrap()]);
    run(&game, TIMEOUT).unwrap();
    fs::write(&script, "while read line; do echo 'ugiok'; done").unwrap();
    let error = thread::scope(|scope| {
        let start = || game.start(2).unwrap_err().to_string();
        scope.spawn(start).join().unwrap()
    });
    let expected = format!("{} has changed since the match began", script.display());
    assert!(error.ends_with(&expected), "{error}");
}

#[test]
fn another_process_follows_a_broken_one() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("processes");
    let once =
        COUNT.replace("ugi) ", r#"*moves\ b) [ "$(wc -l < "$1")" -gt 1 ] || exit 1 ;; ugi) "#);
    let game = shell(&once, &file);
    run(&game, TIMEOUT).unwrap();
    let start = game.start(2).unwrap();
    let error = broken(start.after("b").unwrap_err());
    assert!(
        error.contains("exit status: 1; asked `position startpos players 2 moves b"),
        "{error}"
    );
    play_to_the_end(&game);
    let text = fs::read_to_string(&file).unwrap();
    assert_eq!(text.lines().count(), 2, "{text}");
}

#[test]
fn full_pipes_in_both_directions_block_nobody() {
    // Answers at once, in long lines, to questions of more bytes than a pipe holds.
    let wordy = r#"
import sys
word = "x" * 200
state = "response 1 legal " + word + " " + " ".join("%0200d" % number for number in range(400))
for line in sys.stdin:
    if line == "ugi\n": print("ugiok", flush=True)
    elif line == "query state\n": print(state, flush=True)
    elif line.startswith("query"): print("response", flush=True)
"#;
    let game = game("python3", &["-c", wordy]);
    run(&game, TIMEOUT).unwrap();
    let start = game.start(2).unwrap();
    let word = "x".repeat(200);
    let (all, error) = start.walk([word.as_str(); 32]);
    assert!(error.is_none(), "{error:?}");
    let moves = |position: &ExternalPosition| position.facts().actions.len();
    assert_eq!(all.iter().map(moves).collect::<Vec<_>>(), [401; 32]);
}

#[test]
fn an_interrupt_ends_the_wait() {
    let game = game("/bin/sh", &["-c", &program("exec sleep 1000")]);
    let interrupt = Interrupt::new();
    connect(&game, None, TIMEOUT, &Log::none(), &interrupt).unwrap();
    let begun = Instant::now();
    thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(Duration::from_millis(300));
            interrupt.set();
        });
        let error = game.start(2).unwrap_err();
        assert!(matches!(error, PositionError::Rules(RulesError::Interrupted)), "{error:?}");
    });
    assert!(begun.elapsed() < GRACE, "{:?}", begun.elapsed());
}

#[test]
fn a_program_that_only_draws_is_refused() {
    let game = shell(&program("echo response card 1 weights +a 1"), Path::new(""));
    run(&game, TIMEOUT).unwrap();
    let (all, error) = game.start(2).unwrap().walk(["+a"; 1001]);
    let error = broken(error.unwrap());
    assert_eq!(all.len(), 1000);
    assert!(error.contains("1001 outcomes follow each other"), "{error}");
}
