//! Searches with several threads, and the memory kept between searches.

use std::sync::mpsc::channel;
use std::thread;

use crate::common::{client, positions};
use buxtehude::eval::{CERTAIN, Evaluators, shares};
use buxtehude::rules::hase::{HASE_UND_IGEL, Position};
use buxtehude::rules::{AnyPosition, Game, Seat, Turn};
use buxtehude::search::{Answer, Control, Memory, Past, Preset, Report, Request, search};
use client::{DEADLINE, Engine};
use positions::{late_positions, random_positions};

fn memory_for(threads: usize) -> Memory {
    Memory::for_threads(threads, 4, Evaluators::default())
}

/// A request for a tree search.
fn request(position: &Position, depth: u32) -> Request {
    Request { preset: Preset::Tree, ..Request::new(AnyPosition::Hase(*position), depth) }
}

/// A request for alpha-beta.
fn alpha_beta_request(position: &Position, depth: u32) -> Request {
    Request { preset: Preset::AlphaBeta, ..request(position, depth) }
}

/// A request for each search.
fn requests(position: &Position, depth: u32) -> Vec<Request> {
    vec![request(position, depth), alpha_beta_request(position, depth)]
}

/// Makes a request for a position and a depth.
type Ask = fn(&Position, u32) -> Request;

fn run(request: &Request, memory: &mut Memory) -> (Vec<Report>, Answer) {
    let mut reports = Vec::new();
    let observe = &mut |report| reports.push(report);
    let answer = search(request, memory, &Control::new(None), observe).expect("a seat moves");
    (reports, answer)
}

/// Asserts that an answer is legal and its reports are valid.
fn assert_sound(position: &Position, reports: &[Report], answer: &Answer) {
    let legal: Vec<String> = position.legal_moves().map(|mv| mv.to_string()).collect();
    assert!(legal.contains(&answer.best), "{answer:?}\n{position:?}");
    for report in reports {
        assert!(legal.contains(&report.pv[0]), "{report:?}\n{position:?}");
        assert!(report.nodes <= answer.nodes, "{reports:?}\n{answer:?}");
    }
    assert!(reports.iter().map(|report| report.nodes).is_sorted());
    let seats = position.seats();
    let leads = &answer.value.leads[..seats];
    let most = (seats as i32 - 1) * CERTAIN;
    assert!(leads.iter().all(|lead| lead.abs() <= most), "{leads:?}");
    let sum: i32 = leads.iter().sum();
    assert!(sum.abs() <= CERTAIN / 100, "{leads:?}\n{position:?}");
    assert_eq!(shares(leads).iter().sum::<u16>(), 1000);
}

#[test]
fn one_thread_repeats_its_search_after_forgetting() {
    let mut used = memory_for(1);
    for seats in [2, 3, 5] {
        for position in random_positions(seats, 12) {
            for mut request in requests(&position, 5) {
                request.multipv = 2;
                let first = run(&request, &mut memory_for(1));
                used.forget();
                assert_eq!(run(&request, &mut used), first, "{position:?}");
            }
        }
    }
}

#[test]
fn threads_keep_to_the_limit_of_positions_and_answer_soundly() {
    for threads in [2, 4] {
        let mut memory = memory_for(threads);
        for seats in 2..=6 {
            for (index, position) in random_positions(seats, 20).iter().enumerate() {
                for mut request in requests(position, 96) {
                    request.nodes = [1, 2, 7, 300, 5000][index % 5];
                    let (reports, answer) = run(&request, &mut memory);
                    assert!(answer.nodes <= request.nodes, "{answer:?}\n{position:?}");
                    assert_sound(position, &reports, &answer);
                }
            }
        }
    }
}

#[test]
fn a_limit_of_positions_is_used_up_by_threads_of_alpha_beta() {
    let start = Position::start(&HASE_UND_IGEL, 2).unwrap();
    for threads in [2, 4] {
        for nodes in [1000, 40_000] {
            let mut request = alpha_beta_request(&start, 96);
            request.nodes = nodes;
            let (_, answer) = run(&request, &mut memory_for(threads));
            // Nodes reserved by helper threads at the end stay unused.
            assert!((nodes * 9 / 10..=nodes).contains(&answer.nodes), "{answer:?}");
        }
    }
}

#[test]
fn threads_of_alpha_beta_find_the_value_of_one() {
    let late = late_positions(2, 10).into_iter();
    for position in random_positions(2, 20).into_iter().chain(late) {
        let request = alpha_beta_request(&position, 8);
        let (_, alone) = run(&request, &mut memory_for(1));
        for threads in [2, 4] {
            let (_, answer) = run(&request, &mut memory_for(threads));
            let found = (&answer.best, answer.value);
            assert_eq!(found, (&alone.best, alone.value), "{threads}\n{position:?}");
        }
    }
}

#[test]
fn threads_can_be_stopped() {
    let asks: [(usize, Ask); 3] = [(2, request), (2, alpha_beta_request), (4, request)];
    for (seats, request) in asks {
        let start = Position::start(&HASE_UND_IGEL, seats).unwrap();
        let control = Control::new(None);
        let reins = control.clone();
        let (sender, reports) = channel();
        let (done, ended) = channel();
        thread::spawn(move || {
            let mut memory = memory_for(4);
            let observe = &mut |report| drop(sender.send(report));
            let answer = search(&request(&start, 96), &mut memory, &control, observe);
            done.send(answer)
        });
        reports.recv_timeout(DEADLINE).expect("a report");
        reins.stop();
        let answer = ended.recv_timeout(DEADLINE).expect("an end");
        assert!(answer.is_some());
    }
}

/// The first `plies` moves of a game where all seats play the search's move and draw the first card: each position
/// with the ones before it.
fn game(seats: usize, depth: u32, plies: usize) -> Vec<(Position, Vec<Past>)> {
    let mut position = Position::start(&HASE_UND_IGEL, seats).unwrap();
    let mut past = Vec::new();
    let mut game = Vec::new();
    let mut memory = memory_for(1);
    while game.len() < plies {
        match position.turn() {
            Turn::Over => break,
            Turn::Card(_) => {
                let (card, _) = position.outcomes().next().unwrap();
                position = position.draw_unchecked(card);
            }
            Turn::Seat(_) => {
                game.push((position, past.clone()));
                memory.forget();
                let (_, answer) = run(&request(&position, depth), &mut memory);
                past.extend(Past::of(&AnyPosition::Hase(position)));
                position = position.play_unchecked(answer.best.parse().unwrap());
            }
        }
    }
    game
}

/// Nodes and answers of one seat's searches in a game: with a memory that is kept, and with one that is cleared.
fn kept_and_fresh(seats: usize, ask: Ask, depth: u32, threads: usize) -> [Vec<(u64, Answer)>; 2] {
    let game = game(seats, 4, 40);
    [true, false].map(|is_kept| {
        let mut memory = memory_for(threads);
        let own = game.iter().filter(|(position, _)| position.turn() == Turn::Seat(Seat(0)));
        own.map(|(position, past)| {
            if !is_kept {
                memory.forget();
            }
            let mut request = ask(position, depth);
            request.past = past.clone();
            let (reports, answer) = run(&request, &mut memory);
            assert_sound(position, &reports, &answer);
            (answer.nodes, answer)
        })
        .collect()
    })
}

#[test]
fn the_table_is_kept_and_changes_no_value() {
    let [kept, fresh] = kept_and_fresh(2, alpha_beta_request, 6, 1);
    assert_eq!(kept.len(), fresh.len());
    for ((_, kept), (_, fresh)) in kept.iter().zip(&fresh) {
        assert_eq!((&kept.best, kept.value), (&fresh.best, fresh.value));
    }
    let sum = |searches: &[(u64, Answer)]| searches.iter().map(|(nodes, _)| nodes).sum::<u64>();
    // Only the last two iterations, which have few positions, are new.
    assert!(sum(&kept) < sum(&fresh), "{} {}", sum(&kept), sum(&fresh));
}

#[test]
fn the_tree_below_the_position_on_the_board_is_kept() {
    for (seats, threads) in [(2, 1), (3, 1), (3, 3)] {
        let [kept, fresh] = kept_and_fresh(seats, request, 9, threads);
        let sum = |searches: &[(u64, Answer)]| searches.iter().map(|(nodes, _)| nodes).sum::<u64>();
        assert!(sum(&kept) < sum(&fresh), "{} {}", sum(&kept), sum(&fresh));
        // The kept root already has visits, so far fewer walks remain.
        let is_kept = |(kept, fresh): &(&(u64, Answer), &(u64, Answer))| 10 * kept.0 < 9 * fresh.0;
        let times = kept.iter().zip(&fresh).filter(is_kept).count();
        assert!(times > 0, "{threads}: {kept:?}\n{fresh:?}");
    }
}

#[test]
fn a_kept_root_considers_what_is_asked_for() {
    let positions = random_positions(2, 15).into_iter();
    for position in positions.chain(random_positions(3, 30)) {
        let mut memory = memory_for(1);
        let (_, free) = run(&request(&position, 8), &mut memory);
        for mv in position.legal_moves().take(4) {
            let mut request = request(&position, 6);
            request.searchmoves = vec![mv.to_string()];
            let (reports, answer) = run(&request, &mut memory);
            assert_eq!(answer.best, mv.to_string(), "{position:?}");
            assert_sound(&position, &reports, &answer);
        }
        let (_, again) = run(&request(&position, 8), &mut memory);
        assert_eq!(again.value.mate.signum(), free.value.mate.signum(), "{position:?}");
    }
}

/// Output of a search, without the fields that depend on the machine.
fn said(engine: &mut Engine, go: &str) -> Vec<String> {
    engine.send(go);
    let unmasked = engine.lines_to("bestmove");
    let mask = |line: &String| {
        let words: Vec<&str> = line.split(' ').collect();
        let is_of_machine = |index: usize| index > 0 && ["nps", "time"].contains(&words[index - 1]);
        let kept = words.iter().enumerate().filter(|(index, _)| !is_of_machine(*index));
        kept.map(|(_, word)| *word).collect::<Vec<_>>().join(" ")
    };
    unmasked.iter().map(mask).collect()
}

#[test]
fn a_new_game_and_a_cleared_hash_forget() {
    for start in ["position startpos", "position startpos players 3"] {
        for forget in [
            "ucinewgame",
            "uginewgame",
            "setoption name Clear Hash",
            "setoption name Hash value 4",
            "setoption name Preset value search\nsetoption name Preset value best",
        ] {
            let mut engine = Engine::start();
            engine.send("setoption name Hash value 4");
            engine.send(start);
            let first = said(&mut engine, "go depth 6");
            engine.send("setoption name MultiPV value 1");
            assert_ne!(said(&mut engine, "go depth 6"), first, "{start}");
            engine.send(forget);
            engine.send(start);
            let hashfull = |lines: &[String]| -> Vec<String> {
                let without = |line: &String| match line.split_once(" hashfull ") {
                    Some((before, behind)) => {
                        format!("{before} {}", behind.split_once(' ').unwrap().1)
                    }
                    None => line.clone(),
                };
                lines.iter().map(without).collect()
            };
            let again = said(&mut engine, "go depth 6");
            assert_eq!(hashfull(&again), hashfull(&first), "{start}: {forget}");
        }
    }
}

#[test]
fn threads_come_and_go_and_the_bench_is_that_of_one() {
    let mut engine = Engine::start();
    let nodes = |lines: Vec<String>| lines.into_iter().find(|line| line.starts_with("Nodes s"));
    engine.send("bench 2");
    let alone = nodes(engine.lines_to("Nodes/second"));
    for threads in [4, 64, 1, 2] {
        engine.send(&format!("setoption name Threads value {threads}"));
        for start in ["position startpos", "position startpos players 3"] {
            engine.send(start);
            said(&mut engine, "go movetime 20");
            engine.send("go infinite");
            engine.send("stop");
            engine.line_of("bestmove");
        }
        engine.send("bench 2");
        assert_eq!(nodes(engine.lines_to("Nodes/second")), alone);
    }
}
