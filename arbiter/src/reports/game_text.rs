//! Recorded games as text, similar to PGN but for any number of seats; docs/formats.md specifies the format.

use std::fmt::Write;

use super::said;
use matches::archive::replay::{Flaw, Replay, Step};
use matches::record::printable::printable;
use matches::record::{GameRecord, TurnRecord};

/// Maximum width of a line of moves, unless a single word is longer.
const WIDTH: usize = 79;

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
            let opening = walk.steps.len().saturating_sub(record.turns.len());
            for (index, step) in walk.steps.iter().enumerate() {
                let turn = index.checked_sub(opening);
                let turn = turn.map(|turn| record.turns.get(turn));
                parts.push(ply(index + 1, step, turn));
            }
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
fn ply(number: usize, step: &Step, turn: Option<Option<&TurnRecord>>) -> String {
    let mut text = format!("{number}. {}:{}", step.seat, step.mv);
    if let Some(roll) = &step.rolled {
        text.insert_str(0, &format!("{roll} "));
    }
    if let Some(card) = &step.card {
        text += &format!(" {card}");
    }
    let comment = match turn {
        None => "opening".to_string(),
        Some(turn) => turn.map_or(String::new(), opinion),
    };
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
        if column > 0 && column + 1 + length > WIDTH {
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

#[cfg(test)]
mod tests {
    use super::*;
    use matches::record::Fault;
    use matches::record::ending::Ending;
    use matches::record::seed::Seed;

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
