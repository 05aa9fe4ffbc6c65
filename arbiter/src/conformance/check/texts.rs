//! Checks of position texts: an invalid text is rejected with the name of its field, and a valid one is accepted.
//!
//! The texts come from positions of random games, with one character or number replaced. The rules decide which texts
//! are valid, and how they are spelled.

use std::collections::HashSet;

use buxtehude::rules::Variant;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::positions::random_position;
use super::talk::{Fault, Talk, expect, is_refusal};
use super::{Check, Scope};

/// Texts to modify for each variant and number of seats.
const TEXTS: usize = 2;

/// Replacements of a number or another character.
const OTHERS: [&str; 19] = [
    "", "3!", "0", "1", "3", "6", "07", "50", "64", "65", "70000", "!", "/", "-", "1,2", "?3",
    "1?99", "BBB", "x",
];

pub fn checks(scope: &Scope) -> Vec<Check> {
    let mut checks = Vec::new();
    for table in &scope.tables {
        checks.push(Check::of_built_in(
            table,
            "text-changed",
            "an invalid position text is rejected with the name of the wrong field, and changes nothing",
            changed_texts,
        ));
    }
    checks
}

fn changed_texts(talk: &mut Talk, variant: &'static Variant, seats: usize) -> Result<(), Fault> {
    talk.choose(&variant.into())?;
    let mut rng = ChaCha8Rng::seed_from_u64(seats as u64);
    let mut texts = Vec::new();
    for _ in 0..TEXTS {
        let (position, _) = random_position(&variant.into(), seats, &mut rng)?;
        texts.extend(changes(&position.to_string()));
    }
    let errors = texts.iter().filter_map(|text| variant.parse(text).err());
    // If several fields are wrong, the engine may name any of them.
    let fields: HashSet<String> = errors.filter_map(|error| field(&error.to_string())).collect();
    for text in texts {
        talk.send(&talk.position(seats, &[]))?;
        let answer = talk.ask(&format!("position fen {text}"))?;
        match variant.parse(&text) {
            Ok(position) => {
                expect(answer.is_empty(), || format!("{text:?} is accepted: {answer:?}"))?;
                talk.expect_shown(&[format!("Fen: {position}")])?;
            }
            Err(error) => {
                let error = error.to_string();
                let is_refused = match answer.as_slice() {
                    [line] if is_refusal(line) => {
                        field(line).is_some_and(|field| fields.contains(&field))
                    }
                    _ => false,
                };
                expect(is_refused, || format!("expected an error as {error:?}, got {answer:?}"))?;
            }
        }
    }
    Ok(())
}

/// The field that an error names.
fn field(error: &str) -> Option<String> {
    let (_, reason) = error.split_once("\" refused: ")?;
    let (field, _) = reason.split_once(": ")?;
    Some(field.to_string())
}

/// The text with each number or character replaced, and truncated before each.
fn changes(text: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    let mut was_digit = false;
    for c in text.chars() {
        match parts.last_mut().filter(|_| was_digit && c.is_ascii_digit()) {
            Some(number) => number.push(c),
            None => parts.push(c.to_string()),
        }
        was_digit = c.is_ascii_digit();
    }
    let mut changes = Vec::new();
    for index in 0..parts.len() {
        let [before, behind] = [parts[..index].concat(), parts[index + 1..].concat()];
        // Trailing spaces are not part of a text.
        changes.push(before.trim_end().to_string());
        for other in OTHERS {
            changes.push(format!("{before}{other}{behind}"));
        }
    }
    for index in 1..parts.len() {
        let mut swapped = parts.clone();
        swapped.swap(index - 1, index);
        changes.push(swapped.concat());
    }
    // The board with one part replaced by another, with a part added, and with a part repeated many times.
    if let Some((first, _)) = text.split_once(' ') {
        let pieces: Vec<&str> = first.split('/').collect();
        for (index, other) in (0..pieces.len()).flat_map(|index| {
            let others = pieces.iter().copied();
            others.map(move |other| (index, other))
        }) {
            let mut pieces = pieces.clone();
            pieces[index] = other;
            changes.push(text.replacen(first, &pieces.join("/"), 1));
        }
        changes.push(text.replacen(first, &format!("{first}/{first}"), 1));
        changes.push(text.replacen(first, &[first; 7].join("/"), 1));
    }
    let is_line = |text: &String| {
        !text.is_empty() && !text.starts_with(' ') && !text.ends_with(' ') && !text.contains("  ")
    };
    changes.retain(is_line);
    changes.dedup();
    changes
}
