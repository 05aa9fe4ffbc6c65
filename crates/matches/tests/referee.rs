//! Games of engines that behave, or misbehave in tolerated ways.
#![cfg(target_os = "linux")]

use std::collections::BTreeSet;
use std::fs;
use std::time::{Duration, Instant};

use crate::common::{processes, table};
use buxtehude::rules::VARIANTS;
use matches::plan::EngineSpec;
use matches::play::engine::{Engine, Placement, StartError};
use matches::play::interrupt::Interrupt;
use matches::play::log::Log;
use matches::play::referee::Abandoned;
use matches::record::GameRecord;
use matches::record::ending::Ending;
use matches::spelling::quote_path;
use processes::{await_death, living_members};
use table::{Table, tiny};

const LAST_MOVE: &str = "for mv; do :; done; echo \"bestmove $mv\"";

fn start(spec: &EngineSpec) -> Result<Engine, StartError> {
    let timeout = Duration::from_secs(1);
    Engine::start(
        spec,
        VARIANTS[0].name,
        Placement::anywhere(None),
        timeout,
        &Log::none(),
        &Interrupt::new(),
    )
}

/// Plays to the maximum number of plies, and asserts that every seat reaches it.
fn play_to_max_plies(engines: Vec<EngineSpec>) -> GameRecord {
    let played = Table::new(engines).play();
    let record = played.record();
    assert!(record.endings.iter().all(|ending| *ending == Ending::MaxPlies), "{record:?}");
    assert!(record.places.iter().all(|place| *place == 1), "{record:?}");
    assert_eq!(record.turns.len(), 6, "{record:?}");
    assert_eq!(record.fault, None);
    record.clone()
}

#[test]
fn a_game_ends_by_the_rules() {
    let mut table = Table::new(vec![tiny(&[LAST_MOVE]); 3]);
    table.game.opening = "63,3,0/61,9,0/20,5,0 1 - -".parse().unwrap();
    let played = table.play();
    let record = played.record();
    assert_eq!(record.moves, "1 3");
    assert_eq!(record.places, [1, 2, 3], "{record:?}");
    assert_eq!(record.endings, [Ending::Finish, Ending::Finish, Ending::Last]);
    assert_eq!(record.start, "63,3,0/61,9,0/20,5,0 1 - -");
    let seats: Vec<u32> = record.turns.iter().map(|turn| turn.seat).collect();
    assert_eq!(seats, [1, 2]);
}

#[test]
fn a_line_is_kept_as_far_as_the_rules_allow_it() {
    let info = "echo \"info depth 3 score cp 5 nodes 77 pv $1 3 99 1\"; echo \"bestmove $1\"";
    let mut table = Table::new(vec![tiny(&[info]), tiny(&[])]);
    table.game.opening = "10,68,3/12,68,3 1 - -".parse().unwrap();
    let played = table.play();
    let turns = &played.record().turns;
    assert_eq!(turns[2].nodes, Some(77));
    assert_eq!(turns[2].pv, ["1", "3"], "{turns:?}");
    assert_eq!((turns[1].nodes, turns[1].pv.len()), (None, 0), "{turns:?}");
}

#[test]
fn a_game_that_ends_in_its_opening_asks_no_engine() {
    let mut table = Table::new(vec![tiny(&["exit 1"]); 2]);
    table.game.opening = "63,3,0/61,9,0 1 - -".parse().unwrap();
    table.game.opening.moves = vec!["1".to_string()];
    let played = table.play();
    let record = played.record();
    assert_eq!((record.moves.as_str(), record.turns.len()), ("1", 0));
    assert_eq!(record.endings, [Ending::Finish, Ending::Last]);
}

#[test]
fn the_same_seed_draws_the_same_cards() {
    let play = |deck_seed: u64| {
        let mut table = Table::new(vec![tiny(&[]), tiny(&[])]);
        table.game.deck_seed = deck_seed.into();
        table.plan.referee_limits.max_plies = 30;
        table.play().record().moves.clone()
    };
    let first = play(8);
    assert_eq!(first, play(8));
    let cards = |moves: &str| moves.split(' ').filter(|word| word.starts_with('+')).count();
    assert!(cards(&first) >= 3, "{first}");
    assert!((9..20).any(|seed| play(seed) != first), "{first}");
}

#[test]
fn the_opening_stands_in_the_moves_and_its_cards_are_drawn() {
    let mut table = Table::new(vec![tiny(&[]), tiny(&[])]);
    let long = table.play().record().clone();
    // The first hare square gets the same card as in the game where an engine made that move.
    table.game.opening.moves = long.moves.split(' ').map(str::to_string).collect();
    let moves = long.turns.len() as u32;
    table.plan.referee_limits.max_plies = 20;
    let after_opening = table.play().record().clone();
    assert_eq!(after_opening.turns.len(), 20);
    table.game.opening.moves.clear();
    table.plan.referee_limits.max_plies = 20 + moves;
    assert_eq!(table.play().record().moves, after_opening.moves);
}

#[test]
fn only_the_first_of_two_answers_counts() {
    let twice = "printf 'bestmove %s\\nbestmove 99\\n' \"$1\"";
    let record = play_to_max_plies(vec![tiny(&[twice]), tiny(&[])]);
    let flaw = "a second bestmove for one go: \"bestmove 99\"";
    assert_eq!(flaws(&record), ["", "", flaw, "", flaw, ""]);
}

#[test]
fn an_answer_before_the_question_is_none() {
    let early = "printf 'readyok\\nbestmove 99\\n'";
    let record = play_to_max_plies(vec![tiny(&["", early]), tiny(&[])]);
    let flaw = "a bestmove without a go: \"bestmove 99\"";
    assert_eq!(flaws(&record), [flaw, "", "", "", "", ""]);
}

fn flaws(record: &GameRecord) -> Vec<&str> {
    record.turns.iter().map(|turn| turn.flaw.as_deref().unwrap_or_default()).collect()
}

#[test]
fn what_is_said_on_the_way_is_recorded() {
    let go = "yes 'info depth 7 score cp -12 estimate 1 999' | head -n 50000
        echo info depth 8 currmove 5
        echo info string depth 9 score cp 1
        echo info depth 8 multipv 2 score cp 55
        printf 'bestmove %s ponder 3 estimate 400 600\\r\\n' \"$1\"";
    let record = play_to_max_plies(vec![tiny(&[go]), tiny(&[])]);
    let turn = &record.turns[0];
    assert_eq!(turn.depth, Some(7), "{turn:?}");
    assert_eq!(turn.score.as_deref(), Some("cp -12"), "{turn:?}");
    assert_eq!(turn.estimate, [400, 600], "{turn:?}");
    let plain = &record.turns[1];
    assert_eq!((plain.depth, plain.score.as_deref()), (None, None), "{plain:?}");
    assert!(plain.estimate.is_empty(), "{plain:?}");
}

#[test]
fn a_line_beyond_all_bounds_counts_as_nothing() {
    let go = "head -c 20000000 /dev/zero | tr '\\0' x; echo; echo \"bestmove $1\"";
    play_to_max_plies(vec![tiny(&[go]), tiny(&[])]);
}

#[test]
fn a_full_standard_error_blocks_no_engine() {
    let go = "yes 2>&1 | head -c 1000000 >&2; echo \"bestmove $1\"";
    play_to_max_plies(vec![tiny(&[go]), tiny(&[])]);
}

#[test]
fn a_last_answer_counts_although_the_process_ends() {
    let mut table = Table::new(vec![tiny(&["echo bestmove 1; exit 0"]), tiny(&[])]);
    table.game.opening = "63,3,0/40,30,1 1 - -".parse().unwrap();
    let played = table.play();
    let record = played.record();
    assert_eq!(record.endings, [Ending::Finish, Ending::Last], "{record:?}");
}

#[test]
fn an_interrupt_ends_the_wait() {
    let thinking = std::env::temp_dir().join(format!("arbiter-think-{}", std::process::id()));
    let go = format!("touch {}; sleep 1000", quote_path(&thinking));
    let table = Table::new(vec![tiny(&[&go]), tiny(&[])]);
    let interrupt = table.interrupt.clone();
    let setter = std::thread::spawn(move || {
        let deadline = Instant::now() + Duration::from_secs(50);
        while !thinking.exists() && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(5));
        }
        interrupt.set();
        fs::remove_file(thinking)
    });
    let played = table.play();
    assert!(setter.join().unwrap().is_ok(), "it was never asked");
    assert!(matches!(played.result, Err(Abandoned::Interrupted)), "{:?}", played.result);
    assert!(played.took < Duration::from_secs(40), "{:?}", played.took);
    assert!(!played.engines[0].is_usable());
}

#[test]
fn every_line_is_logged_both_ways() {
    let path = std::env::temp_dir().join(format!("arbiter-log-{}", std::process::id()));
    let mut table = Table::new(vec![tiny(&["echo thinking >&2; echo \"bestmove $1\""]), tiny(&[])]);
    table.log = Log::create(&path).unwrap();
    table.plan.referee_limits.max_plies = 2;
    let played = table.play();
    played.record();
    Engine::quit_all(played.engines);
    let text = fs::read_to_string(&path).unwrap();
    fs::remove_file(&path).unwrap();
    for expected in [
        "] > uci\n", "] < uciok\n", "] - game 1, seat 2\n", "] > ucinewgame\n", "] > isready\n",
        "] < readyok\n", "] > position startpos\n", "] > position startpos moves 1 +",
        "] > go nodes 1 searchmoves 1 ", "] < bestmove 1\n", "] ! thinking\n", "] > quit\n",
    ] {
        assert!(text.contains(expected), "{expected:?}? {text}");
    }
    let stamps: Vec<f64> =
        text.lines().map(|line| line.split(' ').next().unwrap().parse().expect(line)).collect();
    assert!(stamps.len() > 15, "{text}");
    assert_eq!(table.log.take_error().map(|error| error.to_string()), None);
}

#[test]
fn engines_that_cannot_start_are_named_with_the_reason() {
    let mut missing = tiny(&[]);
    missing.command = "./there/is/no/such/engine".into();
    let error = start(&missing).unwrap_err();
    assert!(matches!(error, StartError::NotStarted { .. }), "{error}");
    assert!(error.to_string().contains("./there/is/no/such/engine"), "{error}");

    let early = tiny(&["", "", "", "echo no weights >&2; exit 9"]);
    let error = start(&early).unwrap_err().to_string();
    assert!(error.contains("exit status: 9") && error.contains("no weights"), "{error}");

    let mut option = tiny(&[]);
    option.options = vec![("Hush".to_string(), "1".to_string())];
    let error = start(&option).unwrap_err().to_string();
    assert_eq!(
        error,
        "engine tiny has no option \"Hush\" (did you mean \"Hash\"?): it offers Hash"
    );
}

#[test]
fn what_an_engine_says_cannot_colour_the_terminal() {
    let red = "printf 'id name \\033[31mred\\n'; printf '\\033[2Jgone\\tbad\\n' >&2";
    let engine = start(&tiny(&["", "", "", red])).unwrap();
    assert_eq!(engine.id_name(), Some("tiny"));
    let early = tiny(&["", "", "", &format!("{red}; exit 9")]);
    let error = start(&early).unwrap_err().to_string();
    assert!(error.ends_with("\\u{1b}[2Jgone bad"), "{error}");
    let named = tiny(&["", "", "", "read uci; printf 'id name \\033[31mred\\nuciok\\n'"]);
    let engine = start(&named).unwrap();
    assert_eq!(engine.id_name(), Some("\\u{1b}[31mred"));
}

#[test]
fn an_engine_that_never_says_uciok_is_not_waited_for() {
    let begun = Instant::now();
    let error = start(&tiny(&["", "", "", "exec sleep 1000"])).unwrap_err();
    assert!(matches!(error, StartError::NoAnswer { .. }), "{error}");
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
}

#[test]
fn quit_ends_engines_and_their_children() {
    for quit in [
        "exit 0",
        "trap '' HUP INT TERM; while :; do sleep 1; done",
        "exec yes",
        "sleep 1000 & exit 0",
    ] {
        let engine = start(&tiny(&["", "", quit])).unwrap();
        let group = engine.process_id();
        assert_eq!(living_members(group).len(), 1);
        let begun = Instant::now();
        Engine::quit_all([engine]);
        assert!(begun.elapsed() < Duration::from_secs(5), "{quit}: {:?}", begun.elapsed());
        await_death(group);
    }
}

#[test]
fn an_engine_that_is_forgotten_dies_with_its_thread() {
    let starter = std::thread::spawn(|| {
        let engine = start(&tiny(&[])).unwrap();
        let group = engine.process_id();
        std::mem::forget(engine);
        group
    });
    await_death(starter.join().unwrap());
}

#[test]
fn no_descriptor_of_ours_leaks_into_an_engine() {
    let pipes = |directory: &str| -> BTreeSet<String> {
        let entries = fs::read_dir(directory).unwrap().flatten();
        let links = entries.filter_map(|entry| fs::read_link(entry.path()).ok());
        let names = links.map(|link| link.to_string_lossy().into_owned());
        names.filter(|name| name.starts_with("pipe:")).collect()
    };
    // Pipes inherited from the parent of the test.
    let inherited = pipes("/proc/self/fd");
    let engines = [start(&tiny(&[])).unwrap(), start(&tiny(&[])).unwrap()];
    for engine in &engines {
        let open = pipes(&format!("/proc/{}/fd", engine.process_id()));
        let own = open.difference(&inherited).count();
        assert_eq!(own, 3, "{open:?}, inherited {inherited:?}");
    }
}
