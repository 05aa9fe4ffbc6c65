//! Sessions of random commands, and a whole game by a client that knows only UCI.
//!
//! In any order of commands, each `go` is answered with exactly one legal `bestmove`, if it is accepted or if it is
//! rejected while no search runs. No other command gets one, and the process exits when told to.

use crate::common::{answers, client};
use answers::{QUERIES, response};
use buxtehude::rules::{AnyPosition, Turn, VARIANTS, Variant};
use client::Engine;
use rand::rngs::StdRng;
use rand::seq::{IndexedRandom, IteratorRandom};
use rand::{RngExt, SeedableRng};

/// Number of sessions, and of searches in each.
const SESSIONS: u64 = 40;
const SEARCHES: usize = 25;

/// Lines that change nothing, valid or not.
const IDLE_TALK: &[&str] = &[
    "isready", "d", "eval", "uci", "ugi", "help", "query", "query p2turn", "ugi now", "hop", "",
    " \t", "position", "position startpos players 9", "position startpos moves 1001",
    "position fen 1,2,3 4 - -", "bench 0", "ponderhit now", "stop it",
];

/// Options that are always rejected; the reason differs while a search runs.
const BAD_OPTIONS: &[&str] = &[
    "setoption name Hash value -1", "setoption name Nothing value 1",
    "setoption name UCI_Variant value chess",
];

/// Searches that end by themselves.
const FINITE: &[&str] = &[
    "go depth 1", "go depth 3", "go nodes 1", "go nodes 3000", "go movetime 1", "go movetime 15",
    "go depth 2 nodes 100 movetime 1000",
];

/// Malformed `go` commands.
const MALFORMED: &[&str] = &[
    "go depth 0", "go nodes x", "go fast", "go mate 2", "go movetime 5 movetime 6",
    "go wtime 5 btime 5 p1time 5", "go p6inc 1", "go perft",
];

/// `go` commands that suit no position; they are rejected while no search runs.
const UNFIT: &[&str] = &["go time 1", "go searchmoves 1003"];

/// Commands that are rejected while a search runs.
const DISTURBING: &[&str] = &[
    "go depth 1",
    "go",
    "go ponder",
    "go time 1",
    "go perft 2",
    "bench 1",
    "ucinewgame",
    "uginewgame",
    "setoption name Hash value 2",
    "setoption name UCI_Variant value hare-and-tortoise",
];

/// A session, with the state expected by the test.
struct Conversation {
    rng: StdRng,
    engine: Engine,
    variant: &'static Variant,
    position: AnyPosition,
    /// Position of the current search.
    searched: AnyPosition,
    /// Expected answers to the queries since the last search, in order.
    responses: Vec<String>,
    /// The greeting in force when the search began, and later ones.
    greetings: Vec<&'static str>,
}

#[test]
fn random_commands_get_their_answers() {
    for seed in 0..SESSIONS {
        let variant = &VARIANTS[0];
        let position = variant.start(2).unwrap();
        let mut conversation = Conversation {
            rng: StdRng::seed_from_u64(seed),
            engine: Engine::start(),
            variant,
            position,
            searched: position,
            responses: Vec::new(),
            greetings: vec!["uci"],
        };
        for _ in 0..SEARCHES {
            conversation.prepare();
            conversation.search();
        }
        conversation.end();
    }
}

impl Conversation {
    fn one_of(&mut self, lines: &[&'static str]) -> &'static str {
        lines.choose(&mut self.rng).unwrap()
    }

    fn send_idle_talk(&mut self) {
        for _ in 0..self.rng.random_range(0..3) {
            let line = self.one_of(IDLE_TALK);
            self.engine.send(line);
            if ["uci", "ugi"].contains(&line) {
                self.greetings.push(line);
            }
            let query = self.one_of(QUERIES);
            self.engine.send(&format!("query {query}"));
            self.responses.push(response(query, &self.position));
        }
    }

    fn prepare(&mut self) {
        self.send_idle_talk();
        match self.rng.random_range(0..8) {
            0 => {
                self.variant = VARIANTS.choose(&mut self.rng).unwrap();
                self.position = self.variant.start(2).unwrap();
                let name = self.variant.name;
                self.engine.send(&format!("setoption name UCI_Variant value {name}"));
            }
            1 => {
                let (hash, lines) = (self.rng.random_range(1..4), self.rng.random_range(1..9));
                self.engine.send(&format!("setoption name Hash value {hash}"));
                self.engine.send(&format!("setoption name MultiPV value {lines}"));
            }
            2 => {
                let line = self.one_of(&["ucinewgame", "uginewgame"]);
                self.engine.send(line);
            }
            3 => {
                let line = self.one_of(BAD_OPTIONS);
                self.engine.send(line);
                self.engine.send("stop");
            }
            _ => self.send_position(),
        }
        self.send_idle_talk();
    }

    /// Sends a random position.
    fn send_position(&mut self) {
        let starts = (2..=6).filter_map(|seats| Some((seats, self.variant.start(seats).ok()?)));
        let (seats, mut position) = starts.choose(&mut self.rng).unwrap();
        let mut words = format!("position startpos players {seats} moves");
        for _ in 0..self.rng.random_range(0..200) {
            let Some(action) = position.legal_actions().into_iter().choose(&mut self.rng) else {
                break;
            };
            position.play(&action).unwrap();
            words += &format!(" {action}");
        }
        if self.rng.random_bool(0.3) {
            words = format!("position fen {position}");
        }
        self.engine.send(&words);
        self.position = position;
    }

    /// Sends a random `go`, with other commands during the search, and checks its answer.
    fn search(&mut self) {
        self.searched = self.position;
        self.greetings.drain(..self.greetings.len() - 1);
        let seats = self.position.seats();
        let clocks = |time: i64| vec![time.to_string(); seats].join(" ");
        let (go, answers) = match self.rng.random_range(0..10) {
            0 => (self.one_of(&[MALFORMED, UNFIT].concat()).to_owned(), 1),
            1 => (format!("go time {} inc {}", clocks(300), clocks(2)), 1),
            2 => (format!("go time {}", clocks(-5)), 1),
            3 => {
                (self.one_of(&["go perft 1", "go perft 200", "bench 1", "bench 50"]).to_owned(), 0)
            }
            4 => (
                self.one_of(&["go ponder", "go ponder depth 2", "go ponder movetime 5"]).to_owned(),
                1,
            ),
            5 | 6 => (self.one_of(&["go", "go infinite", "go infinite depth 1"]).to_owned(), 1),
            _ => (self.one_of(FINITE).to_owned(), 1),
        };
        self.engine.send(&go);
        let is_endless = go.starts_with("go infinite");
        let mut refused = 0;
        for _ in 0..self.rng.random_range(0..6) {
            match self.rng.random_range(0..4) {
                0 if is_endless => {
                    let line = self.one_of(DISTURBING);
                    self.engine.send(line);
                    refused += 1;
                }
                1 if is_endless => {
                    let line = self.one_of(MALFORMED);
                    self.engine.send(line);
                }
                1 => self.engine.send("ponderhit"),
                2 => self.send_position(),
                _ => self.send_idle_talk(),
            }
        }
        // All earlier lines are answered by now, so the next `bestmove` answers `stop`.
        self.engine.send("stop");
        self.engine.send("fence");
        let lines = self.engine.lines_to("info string error: unknown command \"fence\"");
        self.check(&go, answers, refused, &lines);
        let mut responses = lines;
        responses.retain(|line| line.starts_with("response"));
        assert_eq!(responses, self.responses, "{}", self.engine.said());
        self.responses.clear();
    }

    fn check(&self, go: &str, answers: usize, refused: usize, lines: &[String]) {
        let best: Vec<&String> = lines.iter().filter(|line| line.starts_with("bestmove")).collect();
        assert_eq!(best.len(), answers, "{go}:\n{}", self.engine.said());
        let busy = lines.iter().filter(|line| line.contains("a search is running")).count();
        assert_eq!(busy, refused, "{go}:\n{}", self.engine.said());
        let Some(best) = best.first() else {
            return;
        };
        let mv = best.split(' ').nth(1).unwrap();
        let is_bare = best.split(' ').count() == 2;
        let is_refused = MALFORMED.contains(&go) || UNFIT.contains(&go);
        let can_be_bare = is_refused || self.greetings.contains(&"ugi");
        let can_be_long = !is_refused && self.greetings.contains(&"uci");
        let form = if is_bare { can_be_bare } else { can_be_long };
        assert!(form, "{best}, {:?}, {go}", self.greetings);
        let is_move = matches!(self.searched.turn(), Turn::Seat(_)) && !is_refused;
        if is_move {
            let legal = self.searched.legal_actions();
            assert!(legal.contains(&mv.to_owned()), "{}: {best}", self.searched);
        } else {
            assert_eq!(mv, "(none)", "{}, {go}:\n{}", self.searched, self.engine.said());
        }
    }

    /// Ends the session, usually during a search.
    fn end(&mut self) {
        let endless = ["go perft 200", "bench 50"];
        let waiting = ["go infinite", "go ponder depth 1"];
        let running = self.one_of(&[endless[0], endless[1], waiting[0], waiting[1], "d"]);
        self.engine.send(running);
        self.send_position();
        let quits = endless.contains(&running) || self.rng.random_bool(0.5);
        if quits {
            self.engine.send("quit");
        }
        let (lines, status) = self.engine.finish();
        let best = lines.iter().filter(|line| line.starts_with("bestmove"));
        // At the end of the input, a search that waits for a command is answered.
        let expected = usize::from(!quits && waiting.contains(&running));
        assert_eq!(best.count(), expected, "{running}");
        assert!(status.success(), "{running}: {status}");
    }
}

/// A client that knows `uci`, `isready`, `ucinewgame`, `position startpos moves` and two clocks. It regards cards as
/// moves of a third party.
#[test]
fn a_client_that_knows_nothing_but_uci_plays_a_game() {
    let mut engine = Engine::start();
    engine.send("uci");
    engine.lines_to("uciok");
    engine.send("ucinewgame");
    assert_eq!(engine.fence(), [""; 0]);
    let mut rng = StdRng::seed_from_u64(1);
    let mut position = VARIANTS[0].start(2).unwrap();
    let mut moves = String::new();
    for ply in 0.. {
        assert!(ply < 1000, "no end:{moves}");
        let action = match position.turn() {
            Turn::Over => break,
            Turn::Card(_) => {
                let cards = position.outcomes();
                let deck = cards.into_iter().flat_map(|(card, left)| vec![card; left as usize]);
                deck.choose(&mut rng).unwrap()
            }
            Turn::Seat(_) => {
                let list = if moves.is_empty() { "" } else { " moves" };
                engine.send(&format!("position startpos{list}{moves}"));
                engine.send("go wtime 500 btime 500 winc 1 binc 1");
                let lines = engine.lines_to("bestmove ");
                for line in &lines {
                    assert!(!line.contains("error"), "{line}");
                    let is_known = line.starts_with("info depth") || line.starts_with("bestmove");
                    assert!(is_known, "{line}");
                }
                let words = lines.last().unwrap();
                words.split(' ').nth(1).unwrap().to_owned()
            }
        };
        if let Err(reason) = position.play(&action) {
            panic!("{reason} in {position}");
        }
        moves += &format!(" {action}");
    }
    engine.send("quit");
    assert!(engine.finish().1.success());
}
