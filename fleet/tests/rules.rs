//! Matches by the rules of another program.

use crate::common::fleet::engine;
use preconditions::needs;
use std::fs;
use std::path::Path;

use fleet::message::{GameResult, Message, Outcome};
use fleet::signature::Signer;
use matches::spelling::{engine_text, quote, quote_path};

use crate::common::engines::{Small, script};
use crate::common::one_machine::played_by;
use crate::common::{Fleet, lines_of};
use crate::messages::send;

const PIG: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/rules/pig.py");
const HOLD_AT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/hold_at.py");
/// Passes on the answers of another rules program, until it has given some number of them.
const BAD_PIG: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../arbiter/tests/engines/bad_pig.py");

/// Arguments of two engines for Pig.
fn engines() -> String {
    let hold_at = |(name, limit)| engine("python3", &[HOLD_AT, limit], &format!("name={name}"));
    [("patient", "20"), ("hasty", "12")].map(hold_at).join(" ")
}

/// The rules of Pig from a program with these arguments, as the value of a flag.
fn pig(arguments: &[&str], dir: &Path) -> String {
    let dir = quote_path(dir);
    quote(&format!("{} name=pig dir={dir}", engine_text("python3", arguments)))
}

/// Flags of a local worker for Pig.
fn local(rules: &str) -> String {
    let engines = engines();
    format!("work {engines} --engine {rules}")
}

#[needs(nats_server, python3)]
#[test]
fn a_game_by_another_program_is_played_as_on_one_machine() {
    let mut fleet = Fleet::new();
    let rules = pig(&[PIG], fleet.folder.path());
    let of_game = format!("{} --rules {rules}", engines());
    let words = "--games 12 --seed 3 --random-plies 3";
    let store = fleet.store();
    let mut coordinator = fleet.begin_in(&store, &format!("{of_game} {words}"));
    let without = fleet.start(&format!("work --name without {}", engines()));
    without.await_words("engine pig: not on this machine");
    // A failure that the coordinator cannot reproduce does not end the match.
    let (names, liar) = (fleet.await_names(&store), Signer::default());
    for position in ["", "startpos players 2 moves roll", "startpos players 2 moves x", "fen x"] {
        let result = GameResult::Fault {
            position: position.to_string(),
            reason: "rules program pig: failed".to_string(),
        };
        let fault = Outcome { label: "liar".to_string(), result };
        send(&fleet, vec![fault.encode(&liar, &names.result(liar.key())).unwrap()]);
    }
    coordinator.await_words("rules program pig: failed; it does not fail so here");
    coordinator.await_words("is set aside: the rules program failed 3 times there, but not here");
    let flags = local(&rules);
    let _workers = [
        fleet.start(&format!("{flags} --name one --concurrency 2")),
        fleet.start(&format!("{flags} --name two")),
    ];
    let output = coordinator.ends(0, &[]);
    assert_eq!(lines_of(&store), played_by(&of_game, words), "{output}");
    let same = of_game.replace("name=hasty", "name=pig");
    let second = fleet.path("second.db");
    let mut coordinator = fleet.begin_in(&second, &same);
    coordinator.ends(2, &["name=pig is also the name of an engine"]);
}

/// A game of six moves; the last one decides.
const SHORT: &str = r#"#!/bin/bash
while read -r line; do
    case $line in
    ugi) echo ugiok ;;
    position*moves*) words=(${line#*moves}) ;;
    position*) words=() ;;
    "query state")
        case ${#words[@]}${words[5]} in
        6x) echo response over places 1 2 ;;
        6y) echo response over places 2 1 ;;
        *) echo "response $((${#words[@]} % 2 + 1)) legal x y" ;;
        esac ;;
    query*) echo response ;;
    quit) exit ;;
    esac
done
"#;

#[needs(nats_server)]
#[test]
fn a_rules_program_is_fetched_like_an_engine_and_matches_may_differ_in_it() {
    let mut fleet = Fleet::new();
    let small = Small::new(&fleet, "");
    let words = "--games 4 --nodes 1 --seed 3";
    let shared = "--share-engine a --share-engine b --share-engine short";
    let program = script(&fleet.path("rules"), "short", SHORT);
    let rules = format!(
        "--rules {}",
        quote(&format!("{} name=short", engine_text(program.to_str().unwrap(), &[])))
    );
    let store = fleet.store();
    let mut coordinator = small.begin(&mut fleet, &store, &format!("{rules} {words} {shared}"));
    let worker = Small::worker(&mut fleet, "one");
    coordinator.ends(0, &[]);
    let first = lines_of(&store);
    let of_game = format!("{} {rules}", small.engines());
    assert_eq!(first, played_by(&of_game, words), "{}", worker.output());
    // The engines' program, a file for each, and the rules.
    assert_eq!(worker.output().matches(": fetched ").count(), 4);
    // A game of this worker by the first rules would be refused.
    let swapped = SHORT.replace("6x", "6z").replace("6y", "6x").replace("6z", "6y");
    fs::write(&program, swapped).unwrap();
    let second = fleet.path("second.db");
    let mut coordinator = small.begin(&mut fleet, &second, &format!("{rules} {words} {shared}"));
    let output = coordinator.ends(0, &[]);
    assert!(!output.contains("set aside"), "{output}");
    assert_ne!(lines_of(&second), first, "{output}");
}

#[needs(nats_server)]
#[test]
fn a_rules_program_that_fails_at_the_same_position_here_ends_the_match() {
    let mut fleet = Fleet::new();
    let small = Small::new(&fleet, "");
    let failing = SHORT
        .replace("        6x)", "        4*) echo 'no fifth move' >&2; exit 3 ;;\n        6x)");
    let program = script(&fleet.path("rules"), "short", &failing);
    let rules = format!("{} name=short", engine_text(program.to_str().unwrap(), &[]));
    let store = fleet.store();
    let words = format!("--rules '{rules}' --games 4 --nodes 1 --seed 3 --isolate off");
    let mut coordinator = small.begin(&mut fleet, &store, &words);
    let engines = small.engines().replace(" legal=on", "");
    let _worker = fleet.start(&format!("work --name one {engines} --engine '{rules}'"));
    coordinator.ends(5, &["error: rules program short: ", "no fifth move"]);
}

#[needs(nats_server, python3)]
#[test]
fn a_rules_program_that_fails_loses_no_game_and_ends_the_match_if_it_fails_here() {
    for is_on_worker in [true, false] {
        let mut fleet = Fleet::new();
        // The program fails after 900 answers where this is missing.
        let mended = |machine: &str| fleet.path(machine).join("mended");
        let (failing, sound) = if is_on_worker {
            (mended("worker"), mended("coordinator"))
        } else {
            (mended("coordinator"), mended("worker"))
        };
        fs::create_dir_all(&sound).unwrap();
        fs::create_dir(failing.parent().unwrap()).unwrap();
        let arguments = [BAD_PIG, PIG, "crash", "900", "mended"];
        let of_worker = local(&pig(&arguments, &fleet.path("worker")));
        let rules = pig(&arguments, &fleet.path("coordinator"));
        let words = format!("{} --rules {rules} --games 20 --isolate off", engines());
        let store = fleet.store();
        let mut coordinator = fleet.begin_in(&store, &words);
        let _worker = fleet.start(&format!("{of_worker} --name one"));
        if is_on_worker {
            coordinator.await_words("out of dice; it does not fail so here");
        } else {
            coordinator.ends(5, &["error: rules program pig: ", "out of dice"]);
        }
        let before = lines_of(&store);
        assert!((1..20).contains(&before.len()), "{before:?}");
        fs::create_dir(&failing).unwrap();
        if !is_on_worker {
            coordinator = fleet.resume();
        }
        let output = coordinator.ends(0, &[]);
        let after = lines_of(&store);
        assert_eq!(after.len(), 20, "{output}");
        assert!(before.iter().all(|game| after.contains(game)), "{output}");
    }
}
