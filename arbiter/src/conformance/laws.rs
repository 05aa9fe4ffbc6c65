//! Laws of an answer, for what patterns of lines cannot say; a script states them in lines that begin with `=`.
//!
//! A law concerns the lines that came since the last line was sent, and the position of the last `position`.
//! `docs/arbiter.md` lists all laws.

use std::collections::BTreeSet;
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

use buxtehude::protocol::{BestMove, Info, OptionKind, OptionOffer, Reply, Score};
use buxtehude::rules::Turn;
use matches::plan::rules::Position;
use matches::play::engine::Offers;

use super::program::{Fault, Program, ensure, first_word, is_best_move, wrong};
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
    let (pattern, _) = rest.split_once(" of ").unwrap_or((rest, ""));
    // The last line does not matter if it says nothing else.
    let mut answer = program.answer.clone();
    answer.retain(|line| !matches!(line.trim_end(), "uciok" | "ugiok" | "readyok"));
    match first {
        "some" if answer.iter().any(|line| is_like_any(rest, line)) => {}
        "some" | "remember" | "same" | "again" | "changed"
            if lines_like(&answer, "").is_empty() =>
        {
            return wrong(format!("no answer to `{}`", first_word(&program.asked)));
        }
        "some" => return wrong(format!("no line {rest:?} in {answer:?}")),
        "only" => {
            let is_other = |line: &&String| !line.trim().is_empty() && !is_like_any(rest, line);
            let other = answer.iter().find(is_other);
            ensure!(other.is_none(), "{other:?} is something else");
        }
        "no" => match (answer.iter().find(|line| is_like(rest, line)), next) {
            (Some(line), Some(next)) => return wrong(format!("{line:?} before `{next}`")),
            (Some(line), None) => return wrong(format!("{line:?} came")),
            (None, _) => {}
        },
        "one" => {
            let number = answer.iter().filter(|line| is_like(rest, line)).count();
            ensure!(number == 1, "expected one line {rest:?}, got {answer:?}");
        }
        "each" => each(&answer, rest)?,
        "remember" => drop(program.remembered.insert(rest.into(), lines_like(&answer, pattern))),
        "same" | "again" | "changed" | "more" => {
            let now = lines_like(&answer, pattern);
            if first == "same" {
                program.remembered.entry(rest.into()).or_insert_with(|| now.clone());
            }
            let before = program.remembered.get(rest).map_or(&[][..], Vec::as_slice);
            let holds = match first {
                "changed" => before != now,
                "more" => first_number(&now) > first_number(before),
                _ => before == now,
            };
            ensure!(holds, "first {before:?}, then {now:?}");
        }
        "within" if program.elapsed > Duration::from_millis(number) => {
            let elapsed = program.elapsed.as_millis();
            return Err(Fault::Late(format!("answered after {elapsed} ms")));
        }
        "within" => {}
        "after" => {
            let elapsed = program.elapsed;
            let is_known = Search::new(&answer)?.is_known();
            ensure!(is_known || elapsed >= Duration::from_millis(number), "after {elapsed:?}");
        }
        "skipped" => {
            let (_, reason) = rest.split_once(": ").unwrap_or(("", rest));
            let has_value = |line: &String| {
                line.strip_prefix("response").is_some_and(|value| !value.trim().is_empty())
            };
            if !answer.iter().any(has_value) {
                return Err(Fault::Skipped(reason.into()));
            }
        }
        _ => match law {
            "the program ends" => ends(program)?,
            "the option lines can be read" => {
                if let Some(offer) = offers_of(&answer).unreadable.first() {
                    return wrong(offer.to_string());
                }
            }
            "the option lines follow the grammar" => {
                for line in &answer {
                    if let Ok(reply @ Reply::Option(_)) = line.parse() {
                        let spelt = reply.to_string();
                        ensure!(spelt == *line, "{line:?} instead of {spelt:?}");
                    }
                }
            }
            "the options are unique" => {
                let mut names = BTreeSet::new();
                let mut offers = offers_of(&answer).readable.into_iter();
                let twice = offers.find(|offer| !names.insert(offer.name.to_lowercase()));
                ensure!(twice.is_none(), "twice: {twice:?}");
            }
            "the defaults are values" => {
                let is_value = |offer: &OptionOffer| match &offer.kind {
                    OptionKind::Spin { default, min, max } => (min..=max).contains(&default),
                    OptionKind::Combo { default, vars } => vars.contains(default),
                    _ => true,
                };
                let bad = offers_of(&answer).readable.into_iter().find(|offer| !is_value(offer));
                ensure!(bad.is_none(), "{bad:?}");
            }
            _ => of_search(program, law, number, &Search::new(&answer)?)?,
        },
    }
    Ok(())
}

/// `true` if a line is like one of several patterns.
fn is_like_any(patterns: &str, line: &str) -> bool {
    patterns.split(" | ").any(|pattern| is_like(pattern, line))
}

/// Fails unless some lines but `info string` are like the first of two patterns, and all of these like the second.
fn each(answer: &[String], patterns: &str) -> Result<(), Fault> {
    let (pattern, whole) = patterns.split_once(" is ").unwrap_or((patterns, "*"));
    let is_meant = |line: &&String| !line.starts_with("info string") && is_like(pattern, line);
    let mut lines = answer.iter().filter(is_meant).peekable();
    ensure!(lines.peek().is_some(), "no line {pattern:?} in {answer:?}");
    // A client skips unreadable values: they are not printed again.
    let is_whole = |line: &str| {
        let read = line.parse::<Reply>().map_or(String::new(), |reply| reply.to_string());
        is_like(whole, line) && is_like(whole, &read)
    };
    let bad = lines.find(|line| !is_whole(line));
    ensure!(bad.is_none(), "{bad:?} is not like {whole:?}");
    Ok(())
}

/// The lines of a pattern, or, if it is empty, all but `info` lines.
fn lines_like(answer: &[String], pattern: &str) -> Vec<String> {
    let is_meant = |line: &&String| match pattern {
        "" => !line.starts_with("info "),
        _ => is_like(pattern, line),
    };
    answer.iter().filter(is_meant).map(|line| mask(line)).collect()
}

fn first_number(lines: &[String]) -> Option<u64> {
    let mut words = lines.iter().flat_map(|line| line.split([' ', ':']));
    words.find_map(|word| word.parse().ok())
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

/// The options in the answer to `uci`.
pub fn offers_of(answer: &[String]) -> Offers {
    let mut offers = Offers::default();
    for line in answer {
        offers.add(line);
    }
    offers
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

    /// `true` if the value is exact, since the game is solved or ends soon. The search may then end before its limit,
    /// and report a greater depth.
    fn is_known(&self) -> bool {
        self.infos.iter().any(|info| matches!(info.score, Some(Score::Mate(_))))
    }
}

/// Tests a law of the output of a search.
fn of_search(program: &Program, law: &str, number: u64, search: &Search) -> Result<(), Fault> {
    let unknown = || Fault::Wrong(format!("`= {law}` is unknown, or needs a position before it"));
    let position = || program.position.as_ref().ok_or_else(unknown);
    match law.trim_end_matches(|c: char| c.is_ascii_digit()) {
        "depth at most " => {
            let deepest = search.infos.iter().filter_map(|info| info.depth).max();
            let is_kept = deepest.is_none_or(|deepest| u64::from(deepest) <= number);
            ensure!(search.is_known() || is_kept, "depth {deepest:?}");
        }
        "nodes at most " => {
            let visited = search.infos.iter().filter_map(|info| info.nodes).max();
            ensure!(visited <= Some(number + NODES_MARGIN), "{visited:?} positions");
        }
        "a line for each depth to " => {
            let depths: Vec<u64> =
                search.first_lines().filter_map(|info| info.depth).map(u64::from).collect();
            let is_whole = depths.iter().copied().eq(1..=number);
            ensure!(search.is_known() || is_whole, "depths {depths:?}");
        }
        "seldepth is at least depth" => {
            let bad = search.first_lines().find(|info| info.seldepth < info.depth);
            ensure!(bad.is_none(), "{bad:?}");
        }
        "wdl agrees" => {
            let bad = search.first_lines().find(|info| match info.estimate[..] {
                [first, second] => info.wdl != [first, 0, second] && info.wdl != [second, 0, first],
                _ => true,
            });
            ensure!(bad.is_none(), "{bad:?}");
        }
        "the numbers agree" => numbers_agree(search, program.elapsed)?,
        "two different lines" => {
            let last = search.infos.iter().filter_map(|info| info.depth).max();
            let lines: Vec<_> = search
                .infos
                .iter()
                .filter(|info| info.depth == last && !info.pv.is_empty())
                .map(|info| (info.multipv, info.pv.first()))
                .collect();
            let is_right =
                matches!(lines[..], [.., (Some(1), first), (Some(2), second)] if first != second);
            ensure!(is_right, "the lines of the last depth: {lines:?}");
        }
        "the move is legal" => {
            let (command, position) = position()?;
            match &search.best.best {
                Some(best) => {
                    ensure!(is_legal(position, best), "{best:?} is illegal after {command:?}");
                }
                None => {
                    let seat =
                        position.turn().seat().map_or("nobody".into(), |seat| seat.to_string());
                    return wrong(format!("seat {seat}: no move, but `bestmove (none)`"));
                }
            }
        }
        "the lines are legal" => lines_are_legal(search, &position()?.1)?,
        "the estimates add up" => {
            let seats = position()?.1.seats();
            let estimates = search.infos.iter().map(|info| &info.estimate);
            for estimate in estimates.chain([&search.best.estimate]) {
                let sum: u32 = estimate.iter().map(|share| u32::from(*share)).sum();
                let is_right = estimate.is_empty() || estimate.len() == seats && sum == 1000;
                ensure!(is_right, "{estimate:?} for {seats} seats adds up to {sum}");
            }
        }
        "the estimate is of the places" => estimate_is_exact(search, &position()?.1)?,
        "the score agrees" => scores_agree(search, &position()?.1)?,
        "the ponder move agrees" => best_line_is_answered(search, &position()?.1)?,
        _ => {
            if let Some(moves) = law.strip_prefix("the lines begin with ") {
                let firsts = search.infos.iter().filter_map(|info| info.pv.first());
                let firsts: BTreeSet<&str> = firsts.map(String::as_str).collect();
                let expected: BTreeSet<&str> = moves.split(' ').collect();
                ensure!(firsts == expected, "{firsts:?} instead of {expected:?}");
            } else if let Some(mv) = law.strip_prefix("the move is ") {
                let best = search.best.best.as_deref();
                ensure!(best == Some(mv), "{best:?} instead of {mv}");
            } else {
                return Err(unknown());
            }
        }
    }
    Ok(())
}

/// `true` if `word` is a legal move of the seat to move.
pub fn is_legal(position: &Position, word: &str) -> bool {
    is_move(position.turn()) && position.legal_actions().iter().any(|mv| mv == word)
}

pub fn is_move(turn: Turn) -> bool {
    matches!(turn, Turn::Seat(_))
}

fn lines_are_legal(search: &Search, position: &Position) -> Result<(), Fault> {
    for info in &search.infos {
        let mut position = position.clone();
        for mv in &info.pv {
            // After a card, which is unknown, legal moves are unknown, too.
            if !is_move(position.turn()) {
                break;
            }
            ensure!(is_legal(&position, mv), "{mv:?} is illegal in the pv {:?}", info.pv);
            position.play(mv)?;
        }
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
    ensure!(is_right, "estimate {exact:?} of places {places:?}");
    Ok(())
}

fn numbers_agree(search: &Search, elapsed: Duration) -> Result<(), Fault> {
    let (mut nodes, mut time) = (0, 0);
    let elapsed = (elapsed + Duration::from_millis(2)).as_millis() as u64;
    for info in search.first_lines() {
        ensure!(info.hashfull.is_some_and(|full| full <= 1000), "{info:?}");
        let (now, at) = (info.nodes.unwrap_or(nodes), info.time.unwrap_or(time));
        ensure!(
            now >= nodes && at >= time && at <= elapsed,
            "{now} nodes after {at} ms, {nodes} after {time} before, {elapsed} ms in all"
        );
        (nodes, time) = (now, at);
        let speed = info.nps.unwrap_or_default();
        // Times are in whole milliseconds, so short ones are imprecise.
        let nodes_in = |by: u64| u128::from(speed) * u128::from(by) / 1000;
        let is_near = nodes_in(at) * 10 <= u128::from(nodes) * 11;
        let is_far = nodes_in(at + 1) * 11 >= u128::from(nodes) * 10;
        ensure!(at < 20 || (is_near && is_far), "{speed} a second, but {nodes} in {at} ms");
    }
    Ok(())
}

fn scores_agree(search: &Search, position: &Position) -> Result<(), Fault> {
    let Turn::Seat(mover) = position.turn() else {
        return Ok(());
    };
    let has_estimates = search.first_lines().any(|info| !info.estimate.is_empty());
    for info in search.first_lines().filter(|_| has_estimates) {
        let is_right = match (&info.score, info.estimate.get(mover.index())) {
            (Some(Score::Centipawns(score)), Some(&share)) => {
                *score == rating(share, info.estimate.len())
            }
            (Some(Score::Mate(moves)), Some(&share)) if info.estimate.len() == 2 => {
                (*moves > 0 && share == 1000) || (*moves < 0 && share == 0)
            }
            (Some(Score::Mate(moves)), Some(_)) => *moves != 0,
            _ => false,
        };
        ensure!(is_right, "{:?}, but the estimate is {:?}", info.score, info.estimate);
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
    let (best, pv) = (&search.best, &info.pv);
    ensure!(best.best.as_ref() == pv.first(), "{:?}, but the line is {pv:?}", best.best);
    let mut position = position.clone();
    let mut expected = None;
    if let [first, second, ..] = pv.as_slice()
        && position.seats() == 2
        && is_legal(&position, first)
    {
        position.play(first)?;
        expected = Some(second).filter(|second| is_legal(&position, second));
    }
    ensure!(best.ponder.as_ref() == expected, "ponder {:?}, but the line is {pv:?}", best.ponder);
    Ok(())
}
