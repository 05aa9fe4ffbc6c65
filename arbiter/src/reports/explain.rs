//! Explanation of a game, above all of one with a fault: the engine at fault, the reason, the end of its process and
//! its last lines; and the flaws of answers.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::said;
use matches::record::printable::printable;
use matches::record::{Evidence, GameRecord, Speaker};
use matches::report::what_was_legal;

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
        Some(evidence) => text += &told(evidence),
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
fn told(evidence: &Evidence) -> String {
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
