//! Luck-adjusted results: unbiased with any evaluator, and the same whenever and wherever they are measured.

use std::collections::hash_map::DefaultHasher;
use std::convert::Infallible;
use std::fs::Permissions;
use std::hash::{Hash, Hasher};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use buxtehude::rules::{AnyPosition, Turn, Variant};
use matches::judge::Question;
use matches::luck::{BuiltIn, luck};
use matches::review::{Appraisal, Appraise, PlayedGame};
use matches::score::shares;
use matches::spelling::{engine_text, quote, quote_path};
use serde_json::Value;

use crate::common::{program, stored};
use program::{arbiter, built_in, content, directory, run};
use stored::export;

enum Evaluator {
    Good(BuiltIn),
    /// The good one with its shares in reverse order.
    WrongSign(BuiltIn),
    Constant,
    Random,
}

impl Appraise for Evaluator {
    type Error = Infallible;

    fn appraise(&mut self, question: Question<'_>) -> Result<Appraisal, Infallible> {
        let seats = question.position.seats();
        let shares = match self {
            Evaluator::Good(engine) => return engine.appraise(question),
            Evaluator::WrongSign(engine) => {
                let mut appraisal = engine.appraise(question)?;
                appraisal.shares.reverse();
                return Ok(appraisal);
            }
            Evaluator::Constant => vec![1.0; seats],
            Evaluator::Random => (0..seats)
                .map(|seat| (hash(&(question.position.to_string(), seat)) % 1000 + 1) as f64)
                .collect(),
        };
        let best = String::new();
        Ok(Appraisal { shares, best })
    }
}

fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Means over all card orders.
struct Means {
    orders: u64,
    result: Vec<f64>,
    luck: Vec<f64>,
    /// Mean of the absolute luck of the first seat.
    size: f64,
}

/// Plays `plies` plies from the position in all card orders, and adds the results with their probabilities. The moves
/// depend on the position, and draw a card if they can.
fn play_all(
    game: &mut PlayedGame,
    position: AnyPosition,
    plies: u32,
    probability: f64,
    evaluator: &mut Evaluator,
    means: &mut Means,
) {
    if let Turn::Card(_) = position.turn() {
        let outcomes = position.outcomes();
        let cards: u32 = outcomes.iter().map(|(_, number)| number).sum();
        for (card, number) in outcomes {
            let mut next = position;
            next.play(&card).unwrap();
            game.words.push(card);
            let part = probability * f64::from(number) / f64::from(cards);
            play_all(game, next, plies, part, evaluator, means);
            game.words.pop();
        }
        return;
    }
    if plies == 0 || position.turn() == Turn::Over {
        // Any function of the last position is a result.
        let seats = position.seats();
        let places: Vec<u32> =
            (0..seats).map(|seat| 1 + (hash(&(position.to_string(), seat)) % 6) as u32).collect();
        let places: Vec<u32> = places
            .iter()
            .map(|place| 1 + places.iter().filter(|&other| other < place).count() as u32)
            .collect();
        let lucky = luck(game, evaluator).unwrap();
        means.orders += 1;
        means.size += probability * lucky[0].abs();
        for (seat, result) in shares(&places).into_iter().enumerate() {
            means.result[seat] += probability * result;
            means.luck[seat] += probability * lucky[seat];
        }
        return;
    }
    let mut moves = position.legal_actions();
    let start = hash(&position.to_string()) as usize % moves.len();
    moves.rotate_left(start);
    let next_to = |word: &String| {
        let mut next = position;
        next.play(word).unwrap();
        next
    };
    let draws = |word: &String| matches!(next_to(word).turn(), Turn::Card(_));
    let word = moves.iter().find(|word| draws(word)).unwrap_or(&moves[0]).clone();
    let next = next_to(&word);
    game.words.push(word);
    play_all(game, next, plies - 1, probability, evaluator, means);
    game.words.pop();
}

/// Has an engine, `judge`, measure the luck of a store's games.
fn measure(store: &str, nodes: u32) {
    let judge = built_in(&format!("name=judge nodes={nodes}"));
    let report = ["report", store, "--format", "text", "--luck-engine", &judge];
    content(&report);
}

#[test]
fn luck_has_mean_zero_whatever_the_values_are() {
    let variant = Variant::by_name("hase-und-igel").unwrap();
    for (seats, plies) in [(2, 5), (3, 6)] {
        for evaluator in [
            Evaluator::Good(BuiltIn::new(1)),
            Evaluator::WrongSign(BuiltIn::new(1)),
            Evaluator::Constant,
            Evaluator::Random,
        ] {
            let start = variant.start(seats).unwrap();
            let mut game = PlayedGame {
                rules: variant.into(),
                start: start.into(),
                words: Vec::new(),
                opening: 0,
                places: None,
            };
            let mut means =
                Means { orders: 0, result: vec![0.0; seats], luck: vec![0.0; seats], size: 0.0 };
            let is_constant = matches!(evaluator, Evaluator::Constant);
            play_all(&mut game, start, plies, 1.0, &mut { evaluator }, &mut means);
            assert!(means.orders > 100, "{} orders", means.orders);
            for (result, luck) in means.result.iter().zip(&means.luck) {
                let adjusted = result - luck;
                // In permille: a share to 1e-9.
                assert!((adjusted - result).abs() < 1e-6, "{adjusted}, not {result}");
            }
            assert!((means.size > 1.0) != is_constant, "mean size {}", means.size);
        }
    }
}

/// Arguments of a short match whose games only depend on the seed.
const MATCH: [&str; 11] = [
    "match", "--nodes", "20", "--seed", "7", "--random-plies", "4", "--games", "8", "--players",
    "2",
];

fn engines() -> Vec<String> {
    let engines = ["name=one", "name=two"].into_iter();
    engines.flat_map(|name| ["--engine".to_string(), built_in(name)]).collect()
}

/// Plays the match into a store of this name; returns its path.
fn play(folder: &Path, name: &str, arguments: &[&str]) -> String {
    let store = folder.join(name).display().to_string();
    let engines = engines();
    let engines = engines.iter().map(String::as_str);
    let all: Vec<&str> = MATCH
        .into_iter()
        .chain(engines)
        .chain(["--store", &store])
        .chain(arguments.iter().copied())
        .collect();
    let (code, stdout, stderr) = run(&all);
    assert_eq!(code, 0, "{stdout}{stderr}");
    store
}

fn lines(store: &str) -> String {
    export(store, &["--without-clock"])
}

#[test]
fn luck_is_the_same_during_a_match_after_it_and_in_a_report() {
    let folder = directory("luck_same");
    let during = play(&folder, "during.db", &[]);
    let expected = lines(&during);
    assert_eq!(expected.matches(r#""luck":{"by":"built-in "#).count(), 8, "{expected}");
    let concurrent = play(&folder, "concurrent.db", &["--concurrency", "3"]);
    assert_eq!(lines(&concurrent), expected);
    let after = play(&folder, "after.db", &["--luck", "after 20"]);
    assert_eq!(lines(&after), expected);
    let later = play(&folder, "later.db", &["--luck", "off"]);
    assert!(!lines(&later).contains("luck"), "{}", lines(&later));
    let text = content(&["report", &later, "--format", "text", "--luck", "20"]);
    assert!(text.contains("luck-adjusted"), "{text}");
    assert_eq!(lines(&later), expected);
    let (code, stdout, stderr) = run(&["replay", &later]);
    assert_eq!(code, 0, "{stdout}{stderr}");
    let json: Value =
        serde_json::from_str(&content(&["report", &during, "--format", "json"])).unwrap();
    let adjusted = json["engines"][0]["adjusted_share"].as_f64().unwrap();
    assert!((0.2..0.8).contains(&adjusted), "{json}");
}

#[test]
fn another_evaluator_measures_all_games_anew() {
    let folder = directory("luck_anew");
    let store = play(&folder, "match.db", &[]);
    let before = lines(&store);
    let failing = "cmd=/bin/false name=failing";
    let (code, _, _) = run(&["report", &store, "--format", "text", "--luck-engine", failing]);
    assert_ne!(code, 0);
    assert_eq!(lines(&store), before, "an error keeps the luck");
    content(&["report", &store, "--format", "text", "--luck", "50"]);
    let now = lines(&store);
    assert_eq!(now.matches(" nodes=50\"").count(), 8, "{now}");
    assert_ne!(now, before);
    measure(&store, 50);
    let now = lines(&store);
    assert_eq!(now.matches(r#""luck":{"by":"judge "#).count(), 8, "{now}");
    for command in ["replay", "verify"] {
        let found = content(&[command, &store]);
        assert!(found.contains("; luck of 8 games not checked"), "{command}: {found}");
    }
}

/// Writes a shell script that runs as an engine; returns its path.
fn script(folder: &Path, lines: &str) -> String {
    let path = folder.join(format!("engine-{}.sh", hash(&lines)));
    let engine = env!("CARGO_BIN_EXE_arbiter");
    let lines = lines.replace("ENGINE", &format!("{} engine", quote(engine)));
    std::fs::write(&path, format!("#!/bin/sh\n{lines}\n")).unwrap();
    std::fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
    path.display().to_string()
}

/// An engine that ends after 20 lines.
const SHORT_LIVED: &str = "i=0; while [ $i -lt 20 ] && read -r line; do printf '%s\\n' \"$line\"; \
                           i=$((i+1)); done | ENGINE";

#[test]
fn a_luck_engine_is_tried_before_the_first_game() {
    let folder = directory("luck_tried");
    let store = folder.join("match.db").display().to_string();
    let silent = "while read -r line; do case $line in uci) echo uciok;; isready) echo readyok;; \
                  go*) echo bestmove 1;; esac; done";
    let hangs = silent.replace("echo bestmove 1", "sleep 60");
    for (lines, expected) in [
        ("exit 1", "exit status: 1"),
        (silent, "expected `estimate` with 2 shares"),
        (&hangs, "did not answer"),
    ] {
        let engine = engine_text(&script(&folder, lines), &[]);
        let engines = engines();
        let engines: Vec<&str> = engines.iter().map(String::as_str).collect();
        let flags = ["--store", &store, "--luck-engine", &engine, "--stall", "1"];
        let (code, stdout, stderr) = run(&[&MATCH[..], &engines, &flags].concat());
        assert_eq!(code, 2, "{stdout}{stderr}");
        assert!(stderr.contains(expected), "{lines}: {stderr}");
        assert!(!Path::new(&store).exists(), "{lines}");
    }
}

#[test]
fn a_crash_of_a_luck_engine_costs_no_game() {
    let folder = directory("luck_crash");
    let engine =
        |lines: &str| format!("{} name=judge nodes=1", engine_text(&script(&folder, lines), &[]));
    let whole = engine("exec ENGINE");
    // This limit never applies, so the engine values enough positions to crash.
    let off = ["--luck", "engine 1000000%", "--isolate", "off", "--luck-engine"];
    let count = quote_path(&folder.join("starts"));
    let crashes_once =
        format!("echo >> {count}; [ $(wc -l < {count}) = 2 ] || exec ENGINE; {SHORT_LIVED}");
    let once = play(&folder, "once.db", &[&off[..], &[&engine(&crashes_once)]].concat());
    assert_eq!(lines(&once).matches(r#""luck":{"by":"judge "#).count(), 8);
    let store = folder.join("always.db").display().to_string();
    let engines = engines();
    let engines: Vec<&str> = engines.iter().map(String::as_str).collect();
    let crashes = engine(SHORT_LIVED);
    let flags = [&["--store", &store][..], &off, &[crashes.as_str()]].concat();
    let (code, stdout, stderr) = run(&[&MATCH[..], &engines, &flags].concat());
    assert_eq!(code, 2, "{stdout}{stderr}");
    assert!(stdout.contains("1 of 8 games"), "{stdout}");
    let flag = format!("--luck-engine {}` continues it", quote(&crashes));
    assert!(stdout.contains(&flag), "{stdout}");
    // The rest and the first game's luck.
    let (code, stdout, stderr) = run(&["resume", &store, "--luck-engine", &whole]);
    assert_eq!(code, 0, "{stdout}{stderr}");
    assert_eq!(lines(&store).matches(r#""luck":{"by":"judge "#).count(), 8);
}

/// An engine that notes each search in a file and delays it.
fn slow(count: &str) -> String {
    format!(
        "while read -r line; do case $line in go*) echo >> {count}; sleep 0.02;; esac; printf '%s\\n' \"$line\"; done \
         | ENGINE"
    )
}

#[test]
fn a_slow_luck_engine_takes_only_a_share_of_the_time_of_play() {
    let folder = directory("luck_slow");
    let count = folder.join("searches");
    let slow = slow(&quote_path(&count));
    let judge = format!("{} name=judge nodes=1", engine_text(&script(&folder, &slow), &[]));
    let flags = ["--luck", "engine 1%", "--luck-engine", &judge, "--isolate", "off"];
    let store = play(&folder, "match.db", &flags);
    let lines = lines(&store);
    assert_eq!(lines.matches(r#""luck":{"by":"judge "#).count(), 8, "{lines}");
    let cards = lines.matches(" +").count();
    let searches = std::fs::read_to_string(&count).unwrap().lines().count();
    // All outcomes would take about eight searches for each card.
    assert!(searches < cards && searches > 3, "{searches} searches, {cards} cards");
    let settings = content(&["export", &store, "--format", "config"]);
    assert!(settings.contains("luck = \"engine 1%\""), "{settings}");
}

#[test]
fn a_report_measures_luck_in_the_share_of_time_that_the_match_gives() {
    let folder = directory("luck_share");
    let count = folder.join("searches");
    let judges = ["exec ENGINE", &slow(&quote_path(&count))]
        .map(|lines| format!("{} name=judge nodes=1", engine_text(&script(&folder, lines), &[])));
    let store = folder.join("match.db").display().to_string();
    let engines = engines();
    let engines: Vec<&str> = engines.iter().map(String::as_str).collect();
    let mut played = vec!["match", "--nodes", "20", "--seed", "7", "--random-plies", "4"];
    played.extend(["--games", "2", "--players", "2", "--store", &store, "--isolate", "off"]);
    played.extend(["--luck", "engine 1000000%"]);
    content(&[&played[..], &engines, &["--luck-engine", &judges[0]]].concat());
    let report = ["report", &store, "--format", "text", "--isolate", "off"];
    content(&[&report[..], &["--luck-engine", &judges[1]]].concat());
    let cards = lines(&store).matches(" +").count();
    let searches = std::fs::read_to_string(&count).unwrap().lines().count();
    // In the time of play itself, there would be hardly any.
    assert!(cards > 0 && searches > 2 * cards, "{searches} searches, {cards} cards");
}

#[test]
fn values_that_never_depend_on_a_draw_are_told() {
    let folder = directory("luck_constant");
    let constant = "while read -r line; do case $line in uci) echo uciok;; isready) echo readyok;; \
                    go*) set -- ${line#*searchmoves }; echo bestmove $1 estimate 500 500;; quit) exit;; esac; done";
    let judge = format!("{} name=judge legal=on", engine_text(&script(&folder, constant), &[]));
    let store = folder.join("match.db").display().to_string();
    let engines = engines();
    let engines: Vec<&str> = engines.iter().map(String::as_str).collect();
    let flags = ["--store", &store, "--luck", "engine 1000%", "--luck-engine", &judge];
    let stdout = content(&[&MATCH[..], &engines, &flags].concat());
    assert!(
        stdout.contains("\nluck is 0 in all 8 games: the values never depend on what is drawn"),
        "{stdout}"
    );
    let forecast =
        stdout.lines().find(|line| line.starts_with("note: luck by judge: the first value took "));
    let expected = " outcomes; beyond 1000 % of the time of play, only some are valued: --luck \"engine 1000%\"";
    assert!(forecast.is_some_and(|line| line.contains(expected)), "{stdout}");
}

#[test]
fn a_luck_engine_with_other_arguments_or_another_script_is_another_one() {
    let folder = directory("luck_arguments");
    let store = play(&folder, "match.db", &["--luck", "off"]);
    let scripts = ["exec ENGINE", "# The same.\nexec ENGINE"].map(|lines| script(&folder, lines));
    let [one, other] = &scripts;
    let arguments: [&[&str]; 3] = [&[one], &[other], &[one, "x"]];
    let by = arguments.map(|arguments| {
        let judge = format!("{} name=judge nodes=1", engine_text("sh", arguments));
        let report = ["report", &store, "--format", "text", "--isolate", "off"];
        content(&[&report[..], &["--luck-engine", &judge]].concat());
        let first = lines(&store).lines().next().unwrap().to_string();
        let game: Value = serde_json::from_str(&first).unwrap();
        game["luck"]["by"].as_str().unwrap().to_string()
    });
    assert!(by[0] != by[1] && by[0] != by[2], "{by:?}");
}

#[test]
fn luck_due_after_the_last_game_is_measured_when_a_test_ends_the_match() {
    let folder = directory("luck_after_test");
    let store = folder.join("match.db").display().to_string();
    let engines = ["name=one nodes=100", "name=two nodes=100 option.Level=1"].map(built_in);
    let flags = "--random-plies 4 --seed 5 --games 400 --sprt elo0=0 elo1=200";
    let words: Vec<&str> = ["match"].into_iter().chain(flags.split(' ')).collect();
    let more =
        ["--luck", "after 1", "--store", &store, "--engine", &engines[0], "--engine", &engines[1]];
    let (code, stdout, stderr) = run(&[&words[..], &more].concat());
    assert_eq!(code, 10, "{stdout}{stderr}");
    assert!(stdout.contains("luck-adjusted: "), "{stdout}");
}

/// In blocks of three seats, an engine has one seat or two.
#[test]
fn shares_vary_less_without_luck_although_the_number_of_seats_varies() {
    let folder = directory("luck_seats");
    let three = ["--players", "3", "--games", "60"];
    let engines = engines();
    let engines: Vec<&str> = engines.iter().map(String::as_str).collect();
    let store = folder.join("match.db").display().to_string();
    let played =
        ["match", "--nodes", "20", "--seed", "7", "--random-plies", "4", "--store", &store];
    content(&[&played[..], &three, &engines].concat());
    let json: Value =
        serde_json::from_str(&content(&["report", &store, "--format", "json"])).unwrap();
    for engine in json["engines"].as_array().unwrap() {
        let [raw, adjusted] = ["error", "adjusted_error"].map(|key| engine[key].as_f64().unwrap());
        assert!(adjusted < raw, "{engine}");
    }
    assert!(json["equivalent_games"].as_u64().unwrap() > 60, "{json}");
}

#[test]
fn another_luck_engine_than_the_match_has_is_refused() {
    let folder = directory("luck_refused");
    let store = play(&folder, "match.db", &[]);
    let engine = built_in("");
    let (code, _, stderr) = run(&["resume", &store, "--luck-engine", &engine]);
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.contains("the match measures luck with the built-in engine"), "{stderr}");
    for luck in ["off", "10", "after 10"] {
        let flags = ["--luck", luck, "--luck-engine", &engine];
        let (code, _, stderr) = run(&[&MATCH[..], &flags].concat());
        assert_eq!(code, 2, "{stderr}");
        let expected = format!("--luck: {luck}: expected engine or after with --luck-engine");
        assert!(stderr.contains(&expected), "{stderr}");
    }
}

/// Games are read in lots, each with threads of its own.
#[test]
fn an_engine_measures_more_games_than_are_read_at_a_time() {
    let folder = directory("luck_many");
    let store = folder.join("many.db").display().to_string();
    let flags = "--nodes 1 --games 1010 --max-plies 1 --luck off --store";
    let words: Vec<&str> = ["match"].into_iter().chain(flags.split(' ')).collect();
    content(&[&words[..], &[&store]].concat());
    measure(&store, 1);
    let lines = lines(&store);
    assert_eq!(lines.matches(r#""luck":{"by":"judge "#).count(), 1010);
}

#[test]
fn a_changed_value_is_found() {
    let folder = directory("luck_changed");
    let store = play(&folder, "match.db", &[]);
    let games = folder.join("games.jsonl");
    let lines = lines(&store);
    let changed = lines.lines().enumerate().map(|(index, line)| {
        let mut game: Value = serde_json::from_str(line).unwrap();
        if index == 3 {
            game["luck"]["shares"] = serde_json::json!([1.5, -1.5]);
        }
        format!("{game}\n")
    });
    std::fs::write(&games, changed.collect::<String>()).unwrap();
    let games = games.display().to_string();
    let (code, stdout, stderr) = run(&["replay", &games]);
    assert_eq!(code, 1, "{stdout}{stderr}");
    assert!(stdout.contains("game 4: luck: found [1.5, -1.5], the cards gave ["), "{stdout}");
}

#[test]
fn a_test_uses_luck_only_if_it_is_measured() {
    let engines = engines();
    let engines: Vec<&str> = engines.iter().map(String::as_str).collect();
    let sprt = ["--sprt", "elo0=0", "elo1=200", "luck=on"];
    let refused = [&MATCH[..], &engines, &sprt, &["--luck", "off"]].concat();
    let (code, _, stderr) = run(&refused);
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.contains("--sprt: luck=on: expected luck to be measured"), "{stderr}");
    let played =
        [&["match", "--nodes", "20", "--seed", "7", "--games", "400"][..], &engines, &sprt]
            .concat();
    let output = arbiter(&played).output().unwrap();
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(11), "{stdout}");
    assert!(stdout.contains("H0 accepted"), "{stdout}");
}

#[test]
fn an_engine_that_measures_luck_is_asked_for() {
    let (code, _, stderr) = run(&[&MATCH[..], &["--luck", "engine"]].concat());
    assert_eq!(code, 2, "{stderr}");
    let expected = "luck: expected --luck-engine, the engine that measures it";
    assert!(stderr.contains(expected), "{stderr}");
}
