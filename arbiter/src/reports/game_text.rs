//! Recorded games as text.
//!
//! A game has three forms: one similar to PGN but for any number of seats, which docs/formats.md specifies; a table,
//! move by move; and an explanation of its fault.

use std::collections::BTreeMap;
use std::fmt::Write;

use matches::archive::replay::{Flaw, Replay, Step};
use matches::plan::rules::Position;
use matches::record::printable::{ends_of, printable};
use matches::record::{Evidence, GameRecord, Speaker, TurnRecord};
use matches::report::{Column, ordinal, table, what_was_legal};

/// Maximum width of a line of moves, unless a single word is longer.
const LINE_WIDTH: usize = 79;

/// Formats a game: tags, an empty line, the moves, and another empty line.
pub fn game_text(record: &GameRecord) -> String {
    let movetext = movetext(record);
    format!("{}\n{}\n", tags(record), wrap(&printable(&movetext)))
}

fn tags(record: &GameRecord) -> String {
    let mut tags = vec![
        ("Game".to_string(), record.game.to_string()),
        ("Block".to_string(), record.block.to_string()),
        ("Variant".to_string(), record.variant.clone()),
        ("Seed".to_string(), record.seed.to_string()),
        ("Start".to_string(), record.start.clone()),
    ];
    let numbered = |name: &str, index: usize| format!("{name}{}", index + 1);
    let seats = record.seats.iter().enumerate();
    tags.extend(seats.map(|(index, name)| (numbered("Seat", index), name.clone())));
    let endings = record.endings.iter().enumerate();
    tags.extend(endings.map(|(index, ending)| (numbered("Ending", index), ending.to_string())));
    tags.push(("Places".to_string(), places(record, " ")));
    if let Some(fault) = &record.fault {
        let reason = format!("seat {}: {}", fault.seat, fault.reason);
        tags.push(("Fault".to_string(), reason));
        tags.extend(fault.stderr.iter().map(|line| ("Stderr".to_string(), line.clone())));
    }
    let mut text = String::new();
    // Quotation marks, backslashes and invisible characters are escaped, so that a value stays on one line.
    for (name, value) in tags {
        // Writing to a string never fails.
        let value = value.replace('\\', r"\\").replace('"', "\\\"");
        let _ = writeln!(text, "[{name} \"{}\"]", printable(&value));
    }
    text
}

/// The moves with their numbers, seats, cards and comments, then the places, separated by single spaces.
fn movetext(record: &GameRecord) -> String {
    let words: Vec<&str> = record.moves.split_whitespace().collect();
    let mut parts: Vec<String> = Vec::new();
    match Replay::of(record) {
        Ok(walk) => {
            let plies = (1..).zip(&walk.steps).zip(record.answers());
            parts.extend(plies.map(|((number, step), turn)| ply(number, step, turn)));
            parts.extend(walk.rolled);
            if let Some(Flaw::Action { number, .. }) = &walk.flaw {
                parts.push(unplayable(&words[number - 1..]));
            }
        }
        Err(_) => parts.push(unplayable(&words)),
    }
    parts.push(places(record, "-"));
    parts.join(" ")
}

/// One ply; `turn` is `None` in the opening.
fn ply(number: usize, step: &Step, turn: Option<&TurnRecord>) -> String {
    let mut text = format!("{number}. {}:{}", step.seat, step.mv);
    if let Some(roll) = &step.rolled {
        text.insert_str(0, &format!("{roll} "));
    }
    if let Some(card) = &step.card {
        text += &format!(" {card}");
    }
    let comment = turn.map_or("opening".to_string(), opinion);
    if !comment.is_empty() {
        text += &format!(" {}", in_braces(&comment));
    }
    text
}

/// The engine's report on its move: depth, estimate, score, nodes, principal variation and time.
fn opinion(turn: &TurnRecord) -> String {
    let mut parts = said(turn);
    parts.extend(turn.nodes.map(|nodes| format!("nodes {nodes}")));
    let pv = (!turn.pv.is_empty()).then(|| turn.pv.join(" "));
    parts.extend(pv.map(|line| format!("line {line}")));
    let milliseconds = |micros| format!("{:.1} ms", micros as f64 / 1000.0);
    parts.extend(turn.micros.map(milliseconds));
    parts.join(", ")
}

fn unplayable(words: &[&str]) -> String {
    in_braces(&format!("unplayable: {}", words.join(" ")))
}

/// A comment in braces; a closing brace in it is replaced, since it would end the comment.
fn in_braces(comment: &str) -> String {
    format!("{{{}}}", printable(comment).replace(['{', '}'], "?"))
}

fn places(record: &GameRecord, separator: &str) -> String {
    let places: Vec<String> = record.places.iter().map(u32::to_string).collect();
    places.join(separator)
}

/// Wraps a text at spaces; each line ends with a newline.
fn wrap(text: &str) -> String {
    let mut wrapped = String::new();
    let mut column = 0;
    for word in text.split(' ') {
        let length = word.chars().count();
        if column > 0 && column + 1 + length > LINE_WIDTH {
            wrapped.push('\n');
            column = 0;
        } else if column > 0 {
            wrapped.push(' ');
            column += 1;
        }
        wrapped.push_str(word);
        column += length;
    }
    wrapped.push('\n');
    wrapped
}

/// Columns to the left of the position.
const COLUMNS_OF_MOVE: [Column; 4] =
    [Column::right("ply"), Column::right("seat"), Column::left("engine"), Column::left("move")];

/// Columns to the right of the position.
const COLUMNS_OF_OPINION: [Column; 3] =
    [Column::right("depth"), Column::right("ms"), Column::left("estimate or score")];

/// Shows a game move by move: mover and card, the position after the move in a few columns, and the engine's report;
/// then places and endings. A game with an illegal move is shown up to it. The text ends with a newline.
pub fn show(record: &GameRecord) -> String {
    // Writing to a string never fails.
    let mut text = String::new();
    let _ = writeln!(
        text,
        "Game {}, block {}: {}, {} seats, seed {}",
        record.game,
        record.block,
        printable(&record.variant),
        record.seats.len(),
        record.seed
    );
    if let Ok(walk) = Replay::of(record) {
        text += &moves(record, &walk);
    }
    for (index, name) in record.seats.iter().enumerate() {
        let place = record.places.get(index).map_or(0, |&place| place as usize);
        let ending = record.endings.get(index).map_or("?", |ending| ending.name());
        let _ =
            writeln!(text, "seat {} {}: {}, {ending}", index + 1, printable(name), ordinal(place));
    }
    if let Some(fault) = &record.fault {
        let _ = writeln!(text, "seat {}: {}", fault.seat, printable(&fault.reason));
        for line in &fault.stderr {
            let _ = writeln!(text, "  stderr: {}", printable(line));
        }
    }
    text
}

/// The start, every move, and the position after the last one.
fn moves(record: &GameRecord, walk: &Replay) -> String {
    let plies = (1..).zip(&walk.steps).zip(record.answers());
    let rows = plies.map(|((number, step), turn)| row(number, step, turn, record));
    let position = walk.first.columns().into_iter().map(|(heading, _)| Column::left(heading));
    let columns: Vec<Column> =
        COLUMNS_OF_MOVE.into_iter().chain(position).chain(COLUMNS_OF_OPINION).collect();
    let table = table(&columns, rows);
    let picture = picture(&walk.last).map_or_else(String::new, |picture| picture + "\n\n");
    let [first, last] = [&walk.first, &walk.last].map(Position::to_string);
    format!("start {}\n\n{table}\nend   {}\n\n{picture}", ends_of(&first), ends_of(&last))
}

/// The picture that a rules program draws; the columns show other positions.
fn picture(position: &Position) -> Option<String> {
    match position {
        Position::BuiltIn(_) => None,
        Position::External(_) => Position::pictures(&[position]).ok()?.pop()?,
    }
}

fn row(number: usize, step: &Step, turn: Option<&TurnRecord>, record: &GameRecord) -> Vec<String> {
    let name = record.seats.get(step.seat.index());
    let words: Vec<&str> = [step.rolled.as_ref(), Some(&step.mv), step.card.as_ref()]
        .into_iter()
        .flatten()
        .map(String::as_str)
        .collect();
    let mut row = vec![
        number.to_string(),
        step.seat.to_string(),
        name.cloned().unwrap_or_default(),
        words.join(" "),
    ];
    row.extend(step.after.columns().into_iter().map(|(_, cell)| cell));
    row.extend(match turn {
        None => ["".to_string(), "".to_string(), "opening".to_string()],
        Some(turn) => [
            turn.depth.map_or(String::new(), |depth| depth.to_string()),
            turn.micros.map_or(String::new(), |micros| format!("{:.1}", micros as f64 / 1000.0)),
            estimate_or_score(turn),
        ],
    });
    row
}

/// The engine's estimate, or else its score, and the flaw of its answer.
fn estimate_or_score(turn: &TurnRecord) -> String {
    let flaw = turn.flaw.as_ref().map(|flaw| format!("flaw: {flaw}"));
    let value = Some(value(turn)).filter(|value| !value.is_empty());
    let said: Vec<String> = value.into_iter().chain(flaw).collect();
    said.join("; ")
}

fn value(turn: &TurnRecord) -> String {
    if turn.estimate.is_empty() {
        return turn.score.clone().unwrap_or_default();
    }
    let shares: Vec<String> = turn.estimate.iter().map(|share| format!("{share:>4}")).collect();
    shares.join(" ").trim_start().to_string()
}

const LAST_MOVES: usize = 6;

/// Explains a game in several lines, with a newline at the end.
pub fn explain(record: &GameRecord) -> String {
    let mut text =
        format!("game {} of block {}, {}\n", record.game, record.block, printable(&record.variant));
    let results = record.seats.iter().zip(&record.places).zip(&record.endings);
    for (seat, ((name, place), ending)) in (1..).zip(results) {
        let name = printable(name);
        // Writing to a string never fails.
        let _ = writeln!(text, "  seat {seat}  {name}: place {place}, {ending}");
    }
    text += &last_moves(record);
    text += &flaws(record);
    let Some((fault, name, ending)) = record.named_fault() else {
        text += "no engine was at fault\n";
        return text;
    };
    let _ = writeln!(
        text,
        "{}, seat {}: {ending}: {}",
        printable(name),
        fault.seat,
        printable(&fault.reason)
    );
    for line in what_was_legal(record) {
        let _ = writeln!(text, "  {line}");
    }
    match &fault.evidence {
        Some(evidence) => text += &evidence_text(evidence),
        None => {
            text += "no details: the record was written without the clock\n";
        }
    }
    if fault.stderr.is_empty() {
        text += "its standard error is empty\n";
    } else {
        text += "its standard error ends with\n";
        for line in &fault.stderr {
            let _ = writeln!(text, "  {}", printable(line));
        }
    }
    text
}

/// The last moves with the engines' reports on them.
fn last_moves(record: &GameRecord) -> String {
    let first = record.turns.len().saturating_sub(LAST_MOVES);
    let mut text = match record.turns.len() {
        0 => return "no moves were played\n".to_string(),
        1 => "its one move\n".to_string(),
        number if number <= LAST_MOVES => "its moves\n".to_string(),
        number => format!("the last {LAST_MOVES} of {number} moves\n"),
    };
    for turn in &record.turns[first..] {
        let _ = write!(text, "  seat {}  {}", turn.seat, printable(&turn.mv));
        if let Some(micros) = turn.micros {
            let _ = write!(text, "  {:.1} ms", micros as f64 / 1000.0);
        }
        if let Some(overrun) = turn.overrun {
            let _ = write!(text, ", {:.1} over the limit", overrun as f64 / 1000.0);
        }
        for words in said(turn) {
            let _ = write!(text, "  {}", printable(&words));
        }
        text.push('\n');
    }
    text
}

pub fn has_flaw(record: &GameRecord) -> bool {
    record.turns.iter().any(|turn| turn.flaw.is_some())
}

/// The flaws of each seat, with the number of moves that have them and the first of these.
fn flaws(record: &GameRecord) -> String {
    let mut flaws: BTreeMap<(u32, &str), (usize, usize)> = BTreeMap::new();
    for (index, turn) in record.turns.iter().enumerate() {
        if let Some(flaw) = &turn.flaw {
            let first = record.opening_plies() + index + 1;
            flaws.entry((turn.seat, flaw)).or_insert((first, 0)).1 += 1;
        }
    }
    let mut text = String::new();
    for ((seat, flaw), (first, number)) in flaws {
        let place = (seat as usize).checked_sub(1).and_then(|index| record.seats.get(index));
        let name = printable(place.map_or("?", String::as_str));
        let more = match number {
            1 => String::new(),
            _ => format!(", and {} more", number - 1),
        };
        let flaw = printable(flaw);
        let _ = writeln!(text, "flaw of {name}, seat {seat}, ply {first}{more}: {flaw}");
    }
    text
}

/// The evidence collected from the engine at fault.
fn evidence_text(evidence: &Evidence) -> String {
    let mut text = String::new();
    if let Some(exit) = &evidence.exit {
        let _ = writeln!(text, "its process: {}", printable(exit));
    }
    if let Some(kib) = evidence.memory_kib {
        let _ = writeln!(text, "peak memory: {:.1} MiB", kib as f64 / 1024.0);
    }
    if let Some(micros) = evidence.cpu_micros {
        let _ = writeln!(text, "CPU time: {:.3} s", micros as f64 / 1e6);
    }
    if !evidence.lines.is_empty() {
        text += "the last lines, in seconds since its start\n";
    }
    for line in &evidence.lines {
        let seconds = line.micros as f64 / 1e6;
        let arrow = match line.from {
            Speaker::Arbiter => '>',
            Speaker::Engine => '<',
        };
        let _ = writeln!(text, "  {seconds:10.6} {arrow} {}", printable(&line.text));
    }
    text
}

/// The depth, estimate and score that an engine sent with its move, in the words of the protocol.
pub fn said(turn: &TurnRecord) -> Vec<String> {
    let depth = turn.depth.map(|depth| format!("depth {depth}"));
    let shares: Vec<String> = turn.estimate.iter().map(u16::to_string).collect();
    let estimate = (!shares.is_empty()).then(|| format!("estimate {}", shares.join(" ")));
    let score = turn.score.as_ref().map(|score| format!("score {score}"));
    [depth, estimate, score].into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use matches::record::Fault;
    use matches::record::Seed;
    use matches::record::ending::Ending;

    /// A game of three seats whose second ply has an estimate.
    fn record() -> GameRecord {
        GameRecord {
            game: 4,
            block: 2,
            variant: "hase-und-igel".to_string(),
            start: "0,68,3/0,68,3/0,68,3 1 - -".to_string(),
            seats: ["alpha", "\"beta\"\n", "c:\\gamma"].map(String::from).to_vec(),
            seed: Seed::Number(7),
            moves: "1 +half 4 5".to_string(),
            places: vec![1, 1, 3],
            endings: vec![Ending::Ended, Ending::Ended, Ending::Crash],
            fault: Some(Fault {
                seat: 3,
                reason: "its process ended".to_string(),
                stderr: vec!["out of carrots".to_string()],
                ..Fault::default()
            }),
            turns: vec![
                TurnRecord {
                    seat: 2,
                    mv: "4".to_string(),
                    micros: Some(12_345),
                    depth: Some(7),
                    estimate: vec![300, 400, 300],
                    nodes: Some(1500),
                    pv: ["4", "5"].map(String::from).to_vec(),
                    ..TurnRecord::default()
                },
                TurnRecord {
                    seat: 3,
                    mv: "5".to_string(),
                    score: Some("cp -31".to_string()),
                    ..TurnRecord::default()
                },
            ],
            ..GameRecord::default()
        }
    }

    #[test]
    fn a_game_of_three() {
        insta::assert_snapshot!(game_text(&record()));
    }

    #[test]
    fn a_card_that_is_due_at_the_start_stands_first() {
        let record = GameRecord {
            start: "12,60,3/3,62,3/0,68,3 2?6 - -".to_string(),
            moves: "+show 4".to_string(),
            turns: Vec::new(),
            ..record()
        };
        let text = game_text(&record);
        assert!(text.contains("\n\n+show 1. 3:4 {opening} 1-1-3\n\n"), "{text}");
    }

    #[test]
    fn unplayable_moves_become_a_comment() {
        let record =
            GameRecord { moves: "1 +half 64} 3".to_string(), turns: Vec::new(), ..record() };
        let text = game_text(&record);
        let expected = "\n\n1. 1:1 +half {opening} {unplayable: 64? 3} 1-1-3\n\n";
        assert!(text.contains(expected), "{text}");
    }

    #[test]
    fn long_movetext_is_wrapped() {
        let text = wrap(&["word"; 100].join(" "));
        let longest = text.lines().map(str::len).max();
        assert_eq!(longest, Some(79), "{text}");
        assert_eq!(text.split_whitespace().count(), 100, "{text}");
    }
}
