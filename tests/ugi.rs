//! The Universal Game Interface and queries: answers agree with the rules and with `d`, and clients without rules play
//! whole games.

use crate::common::positions::near_the_end;
use crate::common::{answers, client};
use answers::{QUERIES, response};
use buxtehude::rules::{AnyPosition, Turn, VARIANTS, Variant};
use client::Engine;
use rand::rngs::StdRng;
use rand::seq::{IndexedRandom, IteratorRandom};
use rand::{RngExt, SeedableRng};

/// Random games from each start, and the maximum number of moves and cards of each.
const GAMES: u64 = 10;
const PLIES: usize = 250;

/// Share of the positions of a game to query.
const ASKED: f64 = 0.2;

/// Maximum number of moves and cards in a game between engines.
const MAX_GAME_LENGTH: usize = 2000;

#[test]
fn queries_agree_with_the_rules_and_with_the_display() {
    for variant in VARIANTS {
        let mut engine = Engine::start();
        let name = variant.name;
        engine.ask(&format!("setoption name UCI_Variant value {name}"));
        for seats in 2..=6 {
            let Ok(start) = variant.start(seats) else {
                continue;
            };
            let late = near_the_end(variant, seats);
            let mut ended = 0;
            for seed in 0..GAMES {
                walk(&mut engine, start, seed);
                ended += usize::from(walk(&mut engine, late, seed).turn() == Turn::Over);
            }
            assert!(ended > 0, "no game of {seats} ended: {name}");
        }
    }
}

/// Plays at random, with queries about some positions and the last one; returns the last position.
fn walk(engine: &mut Engine, start: AnyPosition, seed: u64) -> AnyPosition {
    let mut rng = StdRng::seed_from_u64(seed);
    let mut position = start;
    for _ in 0..PLIES {
        if rng.random_bool(ASKED) {
            check(engine, &position);
        }
        let Some(action) = position.legal_actions().into_iter().choose(&mut rng) else {
            break;
        };
        position.play(&action).unwrap();
    }
    check(engine, &position);
    position
}

fn check(engine: &mut Engine, position: &AnyPosition) {
    engine.send(&format!("position fen {position}"));
    for query in QUERIES {
        engine.send(&format!("query {query}"));
    }
    let lines = engine.ask("d");
    let (answers, display) = lines.split_at(QUERIES.len());
    let answer = |query: &str| {
        let index = QUERIES.iter().position(|known| *known == query).unwrap();
        answers[index].as_str()
    };
    for query in QUERIES {
        assert_eq!(answer(query), response(query, position), "{query}\n{position:?}");
    }
    let shown = |name: &str| display.iter().find_map(|line| line.strip_prefix(name));
    let legal = shown("Legal:").expect("moves or cards");
    assert_eq!(answer("legal"), format!("response{legal}"), "{position:?}");
    let result = match shown("Result: ") {
        None => "response none".to_string(),
        Some("places 1 2") => "response p1win".to_string(),
        Some("places 2 1") => "response p2win".to_string(),
        Some(places) => format!("response {places}"),
    };
    assert_eq!(answer("result"), result, "{position:?}");
}

#[test]
fn a_query_during_a_search_is_about_the_position_last_set() {
    let mut engine = Engine::start();
    let answers = |engine: &mut Engine, query: &str| {
        let mut lines = engine.ask(&format!("query {query}"));
        lines.retain(|line| !line.starts_with("info depth"));
        lines
    };
    for busy in ["go infinite", "go perft 200", "bench 90"] {
        engine.send("position startpos");
        engine.send(busy);
        assert_eq!(answers(&mut engine, "players"), ["response 2"], "{busy}");
        engine.send("position startpos players 3 moves 6");
        for (query, expected) in [
            ("players", "response 3"),
            ("turn", "response card 1"),
            ("p1turn", "response true"),
            ("gameover", "response false"),
            ("result", "response none"),
        ] {
            assert_eq!(answers(&mut engine, query), [expected], "{busy}, {query}");
        }
        engine.ask("stop");
    }
}

#[test]
fn a_refused_query_changes_nothing() {
    let mut engine = Engine::start();
    engine.send("position startpos players 4 moves 6");
    let before = engine.ask("d");
    for line in ["query", "query p4turn", "query legal moves", "query Turn"] {
        let answer = engine.ask(line);
        assert_eq!(answer.len(), 1, "{line}: {answer:?}");
        let begins = "info string error: query: ";
        assert!(answer[0].starts_with(begins), "{line}: {answer:?}");
    }
    assert_eq!(engine.ask("d"), before);
}

/// A seat's engine as seen by a UGI client, which waits for lines of exactly two words and skips all others.
struct UgiEngine(Engine);

impl UgiEngine {
    fn start(variant: &str) -> UgiEngine {
        let mut engine = Engine::start();
        engine.send("ugi");
        engine.lines_to("ugiok");
        engine.send(&format!("setoption name UCI_Variant value {variant}"));
        let mut engine = UgiEngine(engine);
        engine.wait_until_ready();
        engine.0.send("uginewgame");
        engine.wait_until_ready();
        engine
    }

    fn wait_until_ready(&mut self) {
        self.0.fence();
    }

    fn two_words(&mut self, first: &str) -> String {
        loop {
            let line = self.0.line().expect("an answer");
            assert!(!line.contains("error"), "{line}");
            match line.split(' ').collect::<Vec<_>>()[..] {
                [word, second] if word == first => return second.to_string(),
                _ => {}
            }
        }
    }

    fn query(&mut self, fact: &str) -> String {
        self.0.send(&format!("query {fact}"));
        self.two_words("response")
    }

    fn go(&mut self, limits: &str) -> String {
        self.0.send(&format!("go {limits}"));
        self.two_words("bestmove")
    }
}

/// Like the match runner of UGI's author, with one engine for each player.
#[test]
fn a_client_that_knows_nothing_but_ugi_plays_a_game() {
    const VARIANT: &str = "fox-and-hounds";
    let mut engines = [UgiEngine::start(VARIANT), UgiEngine::start(VARIANT)];
    let mut moves = Vec::new();
    loop {
        assert!(moves.len() < MAX_GAME_LENGTH, "no end: {moves:?}");
        let list = if moves.is_empty() { "" } else { " moves " };
        for engine in &mut engines {
            engine.wait_until_ready();
            let moves = moves.join(" ");
            engine.0.send(&format!("position startpos{list}{moves}"));
        }
        let turn = engines.each_mut().map(|engine| engine.query("p1turn"));
        let over = engines.each_mut().map(|engine| engine.query("gameover"));
        assert_eq!(turn[0], turn[1], "{moves:?}");
        assert_eq!(over[0], over[1], "{moves:?}");
        if over[0] == "true" {
            break;
        }
        let mover = usize::from(turn[0] == "false");
        moves.push(engines[mover].go("p1time 200 p2time 200 p1inc 1 p2inc 1"));
    }
    let results = engines.each_mut().map(|engine| engine.query("result"));
    let mut position = Variant::by_name(VARIANT).unwrap().start(2).unwrap();
    for mv in &moves {
        position.play(mv).unwrap();
    }
    let expected = response("result", &position);
    for result in results {
        assert_eq!(format!("response {result}"), expected, "{moves:?}");
    }
}

/// An arbiter that sends all queries to each engine and compares the answers, draws the cards, and lets the seat to
/// move play.
#[test]
fn an_arbiter_without_rules_referees_a_race_of_three() {
    let mut engines: Vec<UgiEngine> = (0..3).map(|_| UgiEngine::start("hase-und-igel")).collect();
    let mut rng = StdRng::seed_from_u64(3);
    let mut moves = String::new();
    let mut position = VARIANTS[0].start(3).unwrap();
    loop {
        assert!(moves.split(' ').count() < MAX_GAME_LENGTH, "no end: {moves}");
        let list = if moves.is_empty() { "" } else { " moves" };
        let mut said: Vec<Vec<String>> = Vec::new();
        for UgiEngine(engine) in &mut engines {
            engine.send(&format!("position startpos players 3{list}{moves}"));
            let answers = QUERIES.iter().map(|query| {
                let mut answer = engine.ask(&format!("query {query}"));
                answer.pop().unwrap_or_default()
            });
            said.push(answers.collect());
        }
        assert!(said.iter().all(|one| *one == said[0]), "{said:?}");
        let expected: Vec<String> =
            QUERIES.iter().map(|query| response(query, &position)).collect();
        assert_eq!(said[0], expected, "{position:?}");
        let words = |index: usize| said[0][index].split(' ').skip(1).collect::<Vec<_>>();
        let (turn, legal) = (words(1), words(4));
        let action = match turn[..] {
            ["over"] => break,
            ["card", _] => legal.choose(&mut rng).unwrap().to_string(),
            [seat] => {
                let seat: usize = seat.parse().unwrap();
                engines[seat - 1].go("nodes 200 p1time 900 p2time 900 p3time 900")
            }
            _ => panic!("{turn:?}"),
        };
        assert!(legal.contains(&action.as_str()), "{action}: {legal:?}");
        position.play(&action).unwrap();
        moves += &format!(" {action}");
    }
}
