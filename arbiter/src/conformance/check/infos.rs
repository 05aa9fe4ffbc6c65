//! Checks that the fields of `info` lines are complete and consistent.

use std::time::Duration;

use buxtehude::protocol::{Info, Reply, Score};
use buxtehude::rules::{AnyPosition, Seat, Turn, Variant};
use rand::SeedableRng;
use rand::seq::IteratorRandom;
use rand_chacha::ChaCha8Rng;

use super::positions::{POSITIONS, Reached, for_positions};
use super::talk::{Fault, Search, Talk, expect, is_legal, is_mate, wrong};
use super::{Check, Scope};

/// Fields of an `info` line, in order.
const FACTS: [&str; 10] =
    ["depth", "seldepth", "multipv", "estimate", "score", "nodes", "nps", "hashfull", "time", "pv"];

pub fn checks(scope: &Scope) -> Vec<Check> {
    let mut checks = vec![
        Check::new(
            "info/facts",
            "an `info` line has all its fields, in the order of the grammar",
            |talk| {
                let search = talk.go("go depth 3")?;
                let is_of_facts =
                    |line: &&String| line.starts_with("info ") && !line.starts_with("info string");
                let mut lines = search.lines.iter().filter(is_of_facts).peekable();
                expect(lines.peek().is_some(), || "no `info` line with fields".into())?;
                for line in lines {
                    let words = line.split_whitespace();
                    let found: Vec<&str> = words.filter(|word| FACTS.contains(word)).collect();
                    expect(found == FACTS, || format!("{found:?} in {line:?}"))?;
                    let is_whole = matches!(line.parse(), Ok(Reply::Info(info)) if is_whole(&info));
                    expect(is_whole, || {
                        format!("a value is missing or cannot be parsed: {line:?}")
                    })?;
                }
                Ok(())
            },
        ),
        Check::new("info/depths", "there is one `info` line for each depth", |talk| {
            let search = talk.go("go depth 4")?;
            let depths: Vec<u32> = first_lines(&search).filter_map(|info| info.depth).collect();
            let is_known = first_lines(&search).any(is_mate);
            expect(is_known || depths == [1, 2, 3, 4], || format!("depths {depths:?}"))
        }),
        Check::new("info/seldepth", "`seldepth` is at least `depth`", |talk| {
            let search = talk.go("go depth 4")?;
            each(&search, |info| info.seldepth >= info.depth)
        }),
        Check::new(
            "info/wdl",
            "with `UCI_ShowWDL` and two seats, `wdl` is the mover's share, no draws, and the rest",
            |talk| {
                talk.need_option("UCI_ShowWDL")?;
                talk.set(&["setoption name UCI_ShowWDL value true".into()])?;
                let search = talk.go("go depth 2");
                talk.set(&["setoption name UCI_ShowWDL value false".into()])?;
                each(&search?, |info| match info.estimate[..] {
                    [first, second] => {
                        info.wdl == [first, 0, second] || info.wdl == [second, 0, first]
                    }
                    _ => false,
                })
            },
        ),
        Check::new(
            "info/numbers",
            "nodes and times grow, `nps` is nodes divided by time, and permille values are at most 1000",
            numbers_agree,
        ),
    ];
    for table in &scope.tables {
        checks.push(Check::of_table(
            table,
            "score",
            "`score` is the mover's estimate on the rating scale, or names the winner",
            |talk, rules, seats| for_positions(talk, rules, seats, POSITIONS, scores_agree),
        ));
        checks.push(Check::of_table(
            table,
            "ponder",
            "`bestmove` and its `ponder` are the first moves of the best line; only games of two seats have `ponder`",
            |talk, rules, seats| for_positions(talk, rules, seats, POSITIONS, best_line_is_answered),
        ));
        checks.push(Check::of_built_in(
            table,
            "over",
            "a finished game is shown with its result and has no move to play",
            over,
        ));
    }
    checks
}

fn is_whole(info: &Info) -> bool {
    info.depth.is_some()
        && info.seldepth.is_some()
        && info.multipv.is_some()
        && !info.estimate.is_empty()
        && info.score.is_some()
        && info.nodes.is_some()
        && info.nps.is_some()
        && info.hashfull.is_some()
        && info.time.is_some()
        && !info.pv.is_empty()
}

/// The `info` lines of the best move.
fn first_lines(search: &Search) -> impl Iterator<Item = &Info> {
    let is_first = |info: &&Info| info.depth.is_some() && info.multipv.is_none_or(|rank| rank == 1);
    search.infos.iter().filter(is_first)
}

fn each(search: &Search, holds: impl Fn(&Info) -> bool) -> Result<(), Fault> {
    match first_lines(search).find(|info| !holds(info)) {
        None => Ok(()),
        Some(info) => wrong(format!("{info:?}")),
    }
}

fn numbers_agree(talk: &mut Talk) -> Result<(), Fault> {
    let search = talk.go("go movetime 80")?;
    let (mut nodes, mut time) = (0, 0);
    let elapsed = (search.elapsed + Duration::from_millis(2)).as_millis() as u64;
    each(&search, |info| info.hashfull.is_some_and(|full| full <= 1000))?;
    for info in first_lines(&search) {
        let (now, at) = (info.nodes.unwrap_or(nodes), info.time.unwrap_or(time));
        expect(now >= nodes && at >= time && at <= elapsed, || {
            format!("{now} nodes after {at} ms, {nodes} after {time} before, {elapsed} ms in all")
        })?;
        (nodes, time) = (now, at);
        let speed = info.nps.unwrap_or_default();
        // Times are in whole milliseconds, so short ones are imprecise.
        let nodes_in = |by: u64| u128::from(speed) * u128::from(by) / 1000;
        let is_near = nodes_in(at) * 10 <= u128::from(nodes) * 11;
        let is_far = nodes_in(at + 1) * 11 >= u128::from(nodes) * 10;
        expect(at < 20 || (is_near && is_far), || {
            format!("{speed} a second, but {nodes} in {at} ms")
        })?;
    }
    Ok(())
}

fn scores_agree(talk: &mut Talk, reached: &Reached) -> Result<(), Fault> {
    let Turn::Seat(mover) = reached.position.turn() else {
        return Ok(());
    };
    let search = talk.go("go depth 2")?;
    if first_lines(&search).all(|info| info.estimate.is_empty()) {
        return Ok(());
    }
    for info in first_lines(&search) {
        let Some(&share) = info.estimate.get(mover.index()) else {
            return wrong(format!("no estimate for seat {mover}: {info:?}"));
        };
        let is_right = match info.score {
            Some(Score::Centipawns(score)) => score == rating(share, info.estimate.len()),
            Some(Score::Mate(moves)) if info.estimate.len() == 2 => {
                (moves > 0 && share == 1000) || (moves < 0 && share == 0)
            }
            Some(Score::Mate(moves)) => moves != 0,
            None => false,
        };
        expect(is_right, || format!("{:?}, but the estimate is {:?}", info.score, info.estimate))?;
    }
    Ok(())
}

/// A seat's share on the rating scale.
fn rating(share: u16, seats: usize) -> i32 {
    let most = 2000.0 / seats as f64;
    let share = f64::from(share).clamp(0.5, most - 0.5);
    (400.0 * (share / (most - share)).log10()).round() as i32
}

fn best_line_is_answered(talk: &mut Talk, reached: &Reached) -> Result<(), Fault> {
    let search = talk.go("go depth 3")?;
    let Some(info) = first_lines(&search).last() else {
        return Ok(());
    };
    let best = &search.best;
    expect(best.best.as_ref() == info.pv.first(), || {
        format!("{:?}, but the line is {:?}", best.best, info.pv)
    })?;
    let mut position = reached.position.clone();
    let mut expected = None;
    if let [first, second, ..] = info.pv.as_slice()
        && position.seats() == 2
        && is_legal(&position, first)
    {
        position.play(first)?;
        expected = Some(second).filter(|second| is_legal(&position, second));
    }
    expect(best.ponder.as_ref() == expected, || {
        format!("ponder {:?}, but the line is {:?}", best.ponder, info.pv)
    })
}

pub fn finished(variant: &Variant, seats: usize) -> Result<(AnyPosition, Vec<String>), Fault> {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut position = variant.start(seats)?;
    let mut actions = Vec::new();
    while position.turn() != Turn::Over && actions.len() < 100_000 {
        let action = position.legal_actions().into_iter().choose(&mut rng);
        let action = action.unwrap_or_default();
        position.play(&action)?;
        actions.push(action);
    }
    Ok((position, actions))
}

fn over(talk: &mut Talk, variant: &'static Variant, seats: usize) -> Result<(), Fault> {
    talk.choose(&variant.into())?;
    let (position, actions) = finished(variant, seats)?;
    talk.set(&[talk.position(seats, &actions)])?;
    let places = (0..seats as u8).filter_map(|seat| position.place(Seat(seat)));
    let places: Vec<usize> = places.collect();
    let list: Vec<String> = places.iter().map(usize::to_string).collect();
    let list = list.join(" ");
    let result = match places.as_slice() {
        [1, 2] => "p1win".to_string(),
        [2, 1] => "p2win".to_string(),
        [_, _] => "draw".to_string(),
        _ => format!("places {list}"),
    };
    for (query, expected) in [
        ("gameover", " true"),
        ("turn", " over"),
        ("result", &format!(" {result}")),
        ("p1turn", " false"),
        ("legal", ""),
    ] {
        talk.expect_answer(&format!("query {query}"), &[format!("response{expected}")])?;
    }
    talk.expect_shown(&[format!("Fen: {position}"), format!("Result: places {list}")])?;
    // In a finished game, a `go` without a limit is answered at once.
    let search = talk.go("go")?;
    expect(search.best.best.is_none(), || format!("{:?}", search.best))?;
    let exact = &search.best.estimate;
    let worth = places.iter().map(|place| 1000 * (seats - place) * 2 / (seats * (seats - 1)));
    let near =
        exact.iter().zip(worth).all(|(&share, worth)| usize::from(share).abs_diff(worth) <= 1);
    let is_right = exact.is_empty() || exact.len() == seats && near;
    expect(is_right, || format!("estimate {exact:?} of places {list}"))
}
