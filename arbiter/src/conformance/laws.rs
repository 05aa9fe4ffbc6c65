//! Laws of an answer, for what patterns of lines cannot say; a script states them in lines that begin with `=`.
//!
//! A law concerns the lines that came since the last line was sent, and the position of the last `position`.
//! `docs/arbiter.md` lists all laws.

use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

use buxtehude::protocol::{BestMove, Info, OptionKind, OptionOffer, Reply, Score};
use buxtehude::rules::Turn;
use matches::plan::rules::Position;
use matches::play::engine::Offers;

use super::program::{Fault, Program, expect, is_best_move, is_refusal, wrong};
use super::transcript::{is_like, mask};

/// Time for a program to end.
const TIME_TO_END: Duration = Duration::from_secs(2);

/// Number of nodes beyond a limit that are allowed, since engines test the count only now and then.
const NODES_MARGIN: u64 = 2000;

/// Tests a law; `next` is the next line that the script sends.
///
/// # Errors
/// [`Fault`] with the reason if the law does not hold, or there is no such law.
pub fn check(program: &mut Program, law: &str, next: Option<&str>) -> Result<(), Fault> {
    let (first, rest) = law.split_once(' ').unwrap_or((law, ""));
    let number = rest.split(' ').find_map(|word| word.parse::<u64>().ok()).unwrap_or_default();
    let answer = answer_of(program);
    match first {
        "some" | "remember" | "again" | "changed" if lines_like(&answer, "").is_empty() => {
            wrong(format!("no answer to `{}`", program.command()))
        }
        "some" => some(&answer, rest),
        "no" => none(&answer, rest, next),
        "each" => each(&answer, rest),
        "remember" => remember(program, &answer, rest),
        "again" => compare(program, &answer, rest, |before, now| before == now),
        "changed" => compare(program, &answer, rest, |before, now| before != now),
        "more" => compare(program, &answer, rest, |before, now| count(now) > count(before)),
        "within" => within(program, number),
        "after" => after(program, &answer, number),
        "names" => names(&answer, rest),
        _ => match law {
            "the program ends" => ends(program),
            "one error" => one_error(&answer),
            "only id, option and info lines" => is_introduction(&answer),
            "the option lines can be read" => match offers_of(&answer).unreadable.first() {
                Some(offer) => wrong(offer.to_string()),
                None => Ok(()),
            },
            "the options are unique" => options_are_unique(&offers_of(&answer)),
            "the defaults are values" => defaults_are_values(&offers_of(&answer)),
            "the option lines follow the grammar" => options_are_spelt(&answer),
            _ => of_search(program, law, number, &Search::new(&answer)?),
        },
    }
}

/// The answer without its last line if that says nothing else.
fn answer_of(program: &Program) -> Vec<String> {
    let mut answer = program.answer.clone();
    answer.retain(|line| !matches!(line.trim_end(), "uciok" | "ugiok" | "readyok"));
    answer
}

fn some(answer: &[String], pattern: &str) -> Result<(), Fault> {
    let is_found = answer.iter().any(|line| is_like(pattern, line));
    expect(is_found, || format!("no line {pattern:?} in {answer:?}"))
}

fn none(answer: &[String], pattern: &str, next: Option<&str>) -> Result<(), Fault> {
    match (answer.iter().find(|line| is_like(pattern, line)), next) {
        (Some(line), Some(next)) => wrong(format!("{line:?} before `{next}`")),
        (Some(line), None) => wrong(format!("{line:?} came")),
        (None, _) => Ok(()),
    }
}

/// Fails unless some lines but `info string` are like the first of two patterns, and all of these like the second.
fn each(answer: &[String], patterns: &str) -> Result<(), Fault> {
    let (pattern, whole) = patterns.split_once(" is ").unwrap_or((patterns, "*"));
    let is_meant = |line: &&String| !line.starts_with("info string") && is_like(pattern, line);
    let mut lines = answer.iter().filter(is_meant).peekable();
    expect(lines.peek().is_some(), || format!("no line {pattern:?} in {answer:?}"))?;
    // A client skips unreadable values: they are not printed again.
    let is_whole = |line: &str| {
        let read = line.parse::<Reply>().map_or(String::new(), |reply| reply.to_string());
        is_like(whole, line) && is_like(whole, &read)
    };
    let bad = lines.find(|line| !is_whole(line));
    expect(bad.is_none(), || format!("{bad:?} is not like {whole:?}"))
}

/// The lines of a pattern, or, if it is empty, all but `info` lines.
fn lines_like(answer: &[String], pattern: &str) -> Vec<String> {
    let is_meant = |line: &&String| match pattern {
        "" => !line.starts_with("info "),
        _ => is_like(pattern, line),
    };
    answer.iter().filter(is_meant).map(|line| mask(line)).collect()
}

fn remember(program: &mut Program, answer: &[String], pattern: &str) -> Result<(), Fault> {
    let lines = lines_like(answer, pattern);
    program.remembered.insert(pattern.into(), lines);
    Ok(())
}

fn compare(
    program: &Program,
    answer: &[String],
    pattern: &str,
    holds: fn(&[String], &[String]) -> bool,
) -> Result<(), Fault> {
    let now = lines_like(answer, pattern);
    let before = program.remembered.get(pattern).map_or(&[][..], Vec::as_slice);
    expect(holds(before, &now), || format!("first {before:?}, then {now:?}"))
}

/// The first number in some lines.
fn count(lines: &[String]) -> Option<u64> {
    let mut words = lines.iter().flat_map(|line| line.split([' ', ':']));
    words.find_map(|word| word.parse().ok())
}

fn within(program: &Program, limit: u64) -> Result<(), Fault> {
    let elapsed = program.elapsed();
    if elapsed <= Duration::from_millis(limit) {
        return Ok(());
    }
    Err(Fault::Late(format!("answered after {} ms", elapsed.as_millis())))
}

fn after(program: &Program, answer: &[String], least: u64) -> Result<(), Fault> {
    let elapsed = program.elapsed();
    let is_known = Search::new(answer)?.is_known();
    expect(is_known || elapsed >= Duration::from_millis(least), || format!("after {elapsed:?}"))
}

fn ends(program: &mut Program) -> Result<(), Fault> {
    let deadline = Instant::now() + TIME_TO_END;
    loop {
        match program.next(deadline.saturating_duration_since(Instant::now()))? {
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
            Ok(_) if Instant::now() < deadline => {}
            _ => return wrong(format!("it still runs after {} ms", TIME_TO_END.as_millis())),
        }
    }
}

fn one_error(answer: &[String]) -> Result<(), Fault> {
    let errors = answer.iter().filter(|line| is_refusal(line)).count();
    expect(errors == 1, || format!("expected one error, got {answer:?}"))
}

/// Fails unless an error names one of some fields of a position's text.
fn names(answer: &[String], fields: &str) -> Result<(), Fault> {
    let is_named = |line: &String| {
        field(line).is_some_and(|named| fields.split(" | ").any(|field| field == named))
    };
    expect(answer.iter().any(is_named), || format!("expected one of {fields}, got {answer:?}"))
}

/// The field that an error names.
pub fn field(error: &str) -> Option<&str> {
    let (_, reason) = error.split_once("\" refused: ")?;
    Some(reason.split_once(": ")?.0)
}

/// The options in the answer to `uci`.
pub fn offers_of(answer: &[String]) -> Offers {
    let mut offers = Offers::default();
    for line in answer {
        offers.add(line);
    }
    offers
}

fn options_are_unique(offers: &Offers) -> Result<(), Fault> {
    let names = offers.readable.iter().map(|offer| offer.name.to_lowercase());
    let mut names: Vec<String> = names.collect();
    names.sort();
    let twice = names.windows(2).find(|pair| pair[0] == pair[1]);
    expect(twice.is_none(), || format!("{twice:?}"))
}

fn defaults_are_values(offers: &Offers) -> Result<(), Fault> {
    let is_value = |offer: &&OptionOffer| match &offer.kind {
        OptionKind::Spin { default, min, max } => (min..=max).contains(&default),
        OptionKind::Combo { default, vars } => vars.contains(default),
        OptionKind::Check { .. } | OptionKind::Button | OptionKind::String { .. } => true,
    };
    let bad = offers.readable.iter().find(|offer| !is_value(offer));
    expect(bad.is_none(), || format!("{bad:?}"))
}

fn options_are_spelt(answer: &[String]) -> Result<(), Fault> {
    for line in answer {
        if let Ok(reply @ Reply::Option(_)) = line.parse() {
            let spelt = reply.to_string();
            expect(spelt == *line, || format!("{line:?} instead of {spelt:?}"))?;
        }
    }
    Ok(())
}

fn is_introduction(answer: &[String]) -> Result<(), Fault> {
    let replies = answer.iter().filter_map(|line| line.parse().ok());
    let is_else = |reply: &Reply| matches!(reply, Reply::Text(text) if !text.trim().is_empty());
    match replies.into_iter().find(is_else) {
        Some(other) => wrong(format!("{other:?} is something else")),
        None => Ok(()),
    }
}

/// Output of a `go`.
struct Search {
    /// The `info` lines that have fields.
    infos: Vec<Info>,
    best: BestMove,
}

impl Search {
    fn new(answer: &[String]) -> Result<Search, Fault> {
        let infos = answer.iter().filter_map(|line| match line.parse() {
            Ok(Reply::Info(info)) => Some(info),
            _ => None,
        });
        let last = answer.iter().rev().find(|line| is_best_move(line));
        match last.map(|line| line.parse()) {
            Some(Ok(Reply::BestMove(best))) => Ok(Search { infos: infos.collect(), best }),
            _ => wrong(format!("no `bestmove` in {answer:?}")),
        }
    }

    /// The `info` lines of the best move.
    fn first_lines(&self) -> impl Iterator<Item = &Info> {
        let is_first =
            |info: &&Info| info.depth.is_some() && info.multipv.is_none_or(|rank| rank == 1);
        self.infos.iter().filter(is_first)
    }

    fn each(&self, holds: impl Fn(&Info) -> bool) -> Result<(), Fault> {
        match self.first_lines().find(|info| !holds(info)) {
            None => Ok(()),
            Some(info) => wrong(format!("{info:?}")),
        }
    }

    /// `true` if the value is exact, since the game is solved or ends soon. The search may then end before its limit,
    /// and report a greater depth.
    fn is_known(&self) -> bool {
        self.infos.iter().any(|info| matches!(info.score, Some(Score::Mate(_))))
    }
}

fn of_search(program: &Program, law: &str, number: u64, search: &Search) -> Result<(), Fault> {
    match law.split(' ').collect::<Vec<&str>>()[..] {
        ["depth", "at", "most", _] => {
            let deepest = search.infos.iter().filter_map(|info| info.depth).max();
            let is_kept = deepest.is_none_or(|deepest| u64::from(deepest) <= number);
            expect(search.is_known() || is_kept, || format!("depth {deepest:?}"))
        }
        ["nodes", "at", "most", _] => {
            let visited = search.infos.iter().filter_map(|info| info.nodes).max();
            let is_kept = visited.is_none_or(|visited| visited <= number + NODES_MARGIN);
            expect(is_kept, || format!("{visited:?} positions"))
        }
        ["a", "line", "for", "each", "depth", "to", _] => {
            let depths = search.first_lines().filter_map(|info| info.depth);
            let depths: Vec<u64> = depths.map(u64::from).collect();
            let is_whole = depths.iter().copied().eq(1..=number);
            expect(search.is_known() || is_whole, || format!("depths {depths:?}"))
        }
        ["seldepth", "is", "at", "least", "depth"] => {
            search.each(|info| info.seldepth >= info.depth)
        }
        ["wdl", "agrees"] => search.each(|info| match info.estimate[..] {
            [first, second] => info.wdl == [first, 0, second] || info.wdl == [second, 0, first],
            _ => false,
        }),
        ["the", "numbers", "agree"] => numbers_agree(search, program.elapsed()),
        ["two", "different", "lines"] => two_lines(search),
        ["the", "lines", "begin", "with", ref moves @ ..] => lines_begin_with(search, moves),
        _ => match &program.position {
            Some((command, position)) => of_position(law, search, position, command),
            None => wrong(format!("`= {law}` is unknown, or needs a position before it")),
        },
    }
}

/// Tests a law of a search in a known position.
fn of_position(
    law: &str,
    search: &Search,
    position: &Position,
    command: &str,
) -> Result<(), Fault> {
    match law {
        "the move is legal" => move_is_legal(search, position, command),
        "the lines are legal" => lines_are_legal(search, position),
        "the estimates add up" => estimates_add_up(search, position.seats()),
        "the estimate is of the places" => estimate_is_exact(search, position),
        "the score agrees" => scores_agree(search, position),
        "the ponder move agrees" => best_line_is_answered(search, position),
        _ => match law.strip_prefix("the move is ") {
            Some(mv) => expect(search.best.best.as_deref() == Some(mv), || {
                format!("{:?} instead of {mv}", search.best.best)
            }),
            None => wrong(format!("there is no law {law:?}")),
        },
    }
}

/// `true` if `word` is a legal move of the seat to move.
pub fn is_legal(position: &Position, word: &str) -> bool {
    is_move(position.turn()) && position.legal_actions().iter().any(|mv| mv == word)
}

pub fn is_move(turn: Turn) -> bool {
    matches!(turn, Turn::Seat(_))
}

fn move_is_legal(search: &Search, position: &Position, command: &str) -> Result<(), Fault> {
    let Some(best) = &search.best.best else {
        let seat = position.turn().seat().map_or("nobody".into(), |seat| seat.to_string());
        return wrong(format!("seat {seat}: no move, but `bestmove (none)`"));
    };
    expect(is_legal(position, best), || format!("{best:?} is illegal after {command:?}"))
}

fn lines_are_legal(search: &Search, position: &Position) -> Result<(), Fault> {
    for info in &search.infos {
        let mut position = position.clone();
        for mv in &info.pv {
            // After a card, which is unknown, legal moves are unknown, too.
            if !is_move(position.turn()) {
                break;
            }
            expect(is_legal(&position, mv), || {
                format!("{mv:?} is illegal in the pv {:?}", info.pv)
            })?;
            position.play(mv)?;
        }
    }
    Ok(())
}

fn lines_begin_with(search: &Search, moves: &[&str]) -> Result<(), Fault> {
    let mut firsts: Vec<&str> = Vec::new();
    for first in search.infos.iter().filter_map(|info| info.pv.first()) {
        if !firsts.contains(&first.as_str()) {
            firsts.push(first);
        }
    }
    firsts.sort_unstable();
    let mut expected = moves.to_vec();
    expected.sort_unstable();
    expect(firsts == expected, || format!("{firsts:?} instead of {expected:?}"))
}

fn estimates_add_up(search: &Search, seats: usize) -> Result<(), Fault> {
    let estimates = search.infos.iter().map(|info| &info.estimate).chain([&search.best.estimate]);
    for estimate in estimates.filter(|estimate| !estimate.is_empty()) {
        let sum: u32 = estimate.iter().map(|share| u32::from(*share)).sum();
        expect(estimate.len() == seats && sum == 1000, || {
            format!("{estimate:?} for {seats} seats adds up to {sum}")
        })?;
    }
    Ok(())
}

fn estimate_is_exact(search: &Search, position: &Position) -> Result<(), Fault> {
    let seats = position.seats();
    let exact = &search.best.estimate;
    let places: Vec<usize> = position.places().flatten().collect();
    let shares = places.iter().map(|place| 1000 * (seats - place) * 2 / (seats * (seats - 1)));
    let is_near =
        exact.iter().zip(shares).all(|(&share, exact)| usize::from(share).abs_diff(exact) <= 1);
    let is_right = exact.is_empty() || exact.len() == seats && is_near;
    expect(is_right, || format!("estimate {exact:?} of places {places:?}"))
}

fn numbers_agree(search: &Search, elapsed: Duration) -> Result<(), Fault> {
    let (mut nodes, mut time) = (0, 0);
    let elapsed = (elapsed + Duration::from_millis(2)).as_millis() as u64;
    search.each(|info| info.hashfull.is_some_and(|full| full <= 1000))?;
    for info in search.first_lines() {
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

fn scores_agree(search: &Search, position: &Position) -> Result<(), Fault> {
    let Turn::Seat(mover) = position.turn() else {
        return Ok(());
    };
    if search.first_lines().all(|info| info.estimate.is_empty()) {
        return Ok(());
    }
    for info in search.first_lines() {
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

fn best_line_is_answered(search: &Search, position: &Position) -> Result<(), Fault> {
    let Some(info) = search.first_lines().last() else {
        return Ok(());
    };
    let best = &search.best;
    expect(best.best.as_ref() == info.pv.first(), || {
        format!("{:?}, but the line is {:?}", best.best, info.pv)
    })?;
    let mut position = position.clone();
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

fn two_lines(search: &Search) -> Result<(), Fault> {
    let last = search.infos.iter().filter_map(|info| info.depth).max();
    let lines = search.infos.iter();
    let lines = lines.filter(|info| info.depth == last && !info.pv.is_empty());
    let lines: Vec<_> = lines.map(|info| (info.multipv, info.pv.first())).collect();
    match lines.as_slice() {
        [.., (Some(1), first), (Some(2), second)] if first != second => Ok(()),
        lines => wrong(format!("the lines of the last depth: {lines:?}")),
    }
}
