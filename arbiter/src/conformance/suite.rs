//! The suite: the checks of `arbiter check` that are transcripts, in `arbiter/conformance/`.
//!
//! A file has a block for each check. The block begins with `check NAME` and a few settings; the rest is a script as of
//! `arbiter transcript`, with placeholders in braces. The settings say when the check applies, and for which positions
//! the script is played. `docs/arbiter.md` describes the format.

use std::collections::{BTreeSet, HashMap};

use buxtehude::protocol::{Clock, ClockTimes, Command, Go, OptionKind, OptionOffer};
use buxtehude::rules::{Seat, Turn};
use matches::plan::rules::{Position, Rules};
use rand::seq::IteratorRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::check::{Check, Level, Severity};
use super::laws::{field, is_move};
use super::program::{Fault, wrong};
use super::talk::{Scope, Table, Talk, built_in, by_game};
use super::transcript::{Script, ScriptError};

/// The files, in the order of execution.
const FILES: [&str; 6] = [
    include_str!("../../conformance/introduction.transcript"),
    include_str!("../../conformance/positions.transcript"),
    include_str!("../../conformance/searches.transcript"),
    include_str!("../../conformance/commands.transcript"),
    include_str!("../../conformance/input.transcript"),
    include_str!("../../conformance/options.transcript"),
];

/// Number of attempts of a script with a time limit; only if all are late does the engine fail, since one may be the
/// machine's fault.
const TRIES: usize = 3;

/// Replacements of a number or another character in the text of a position.
const OTHERS: [&str; 19] = [
    "", "3!", "0", "1", "3", "6", "07", "50", "64", "65", "70000", "!", "/", "-", "1,2", "?3",
    "1?99", "BBB", "x",
];

/// Maximum number of random positions that are tried for a rare kind.
const MAX_TRIED: usize = 1000;

/// Maximum number of random moves that lead to a position.
const MAX_MOVES: usize = 40;

/// Clock of the seat to move, in milliseconds.
const LEFT: u64 = 20;

/// Clocks and increments of the other seats, so long that an engine that reads the wrong clock answers too late.
const LEFT_OF_OTHERS: u64 = 100_000_000;

/// A check as its file gives it.
#[derive(Clone, Debug)]
pub struct Block {
    pub check: Check,
    /// The game, or the number of seats too, if the check is for each.
    table: Option<Table>,
    needs: Vec<String>,
    pub positions: String,
    options: String,
    repeat: usize,
    /// `true` if the engine is restarted afterwards.
    pub ends: bool,
    /// Names of the columns of `with`, then their values, each of which makes a check of its own.
    rows: Vec<Vec<String>>,
    body: String,
}

/// The checks of the suite that apply to the games and options in the scope.
pub fn blocks_of(scope: &Scope) -> Vec<Block> {
    let blocks = FILES.iter().flat_map(|file| blocks(file));
    blocks.flat_map(|block| block.for_tables(scope)).collect()
}

/// The blocks of a file, one for each check or for each row of its values.
pub fn blocks(file: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    for line in file.lines() {
        if let Some(name) = line.strip_prefix("check ") {
            blocks.push(Block {
                check: Check::new(name, Level::Full, ""),
                table: None,
                needs: Vec::new(),
                positions: String::new(),
                options: String::new(),
                repeat: 1,
                ends: false,
                rows: Vec::new(),
                body: String::new(),
            });
            continue;
        }
        let Some(block) = blocks.last_mut() else {
            continue;
        };
        let list = |text: &str, separator: &str| -> Vec<String> {
            text.split(separator).map(|part| part.trim().to_string()).collect()
        };
        match line.split_once(": ").filter(|_| block.body.is_empty()) {
            Some(("expected", text)) => block.check.explanation = text.into(),
            Some(("profile", "needed")) => block.check.level = Level::Needed,
            Some(("profile", "match")) => block.check.level = Level::Match,
            Some(("profile", "uci")) => block.check.level = Level::Uci,
            Some(("profile", "only uci")) => block.check.level = Level::OnlyUci,
            Some(("severity", "warning")) => block.check.severity = Severity::Warning,
            Some(("needs", text)) => block.needs = list(text, ","),
            Some(("positions", text)) => block.positions = text.into(),
            Some(("options", text)) => block.options = text.into(),
            Some(("repeat", text)) => block.repeat = text.parse().unwrap_or(1),
            Some(("restart", text)) => block.ends = text == "afterwards",
            Some(("with", text)) => block.rows.push(list(text, " | ")),
            _ if line.is_empty() || line.starts_with('#') => {}
            _ => block.body.push_str(&format!("{line}\n")),
        }
    }
    blocks.into_iter().flat_map(Block::with_rows).collect()
}

impl Block {
    /// One block for each row, with its values in place of the names of the columns.
    fn with_rows(self) -> Vec<Block> {
        let Some((columns, rows)) = self.rows.split_first() else {
            return vec![self];
        };
        let of_row = |row: &Vec<String>| {
            self.with_values(&|name: &str| {
                let column = columns.iter().position(|column| column == name)?;
                row.get(column).cloned()
            })
        };
        rows.iter().map(of_row).collect()
    }

    /// The block with the placeholders that have a value replaced.
    fn with_values(&self, value: &dyn Fn(&str) -> Option<String>) -> Block {
        Block {
            check: Check {
                name: filled(&self.check.name, value),
                explanation: filled(&self.check.explanation, value),
                ..self.check
            },
            needs: self.needs.iter().map(|need| filled(need, value)).collect(),
            body: filled(&self.body, value),
            rows: Vec::new(),
            ..self.clone()
        }
    }

    /// The script of the check, with the values of its placeholders.
    pub fn script(
        &self,
        seats: usize,
        value: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Script, Fault> {
        let value = |name: &str| match name.split_once(" times ") {
            Some((count, text)) => Some(text.repeat(count.parse().ok()?)),
            None => value(name),
        };
        let body = filled(&self.body, &value);
        let lines: Vec<String> = body.lines().map(|line| spelled(line, seats)).collect();
        lines.join("\n").parse().map_err(|error: ScriptError| Fault::Wrong(error.to_string()))
    }

    /// The block, or one for each game or table if its name contains `{game}` or `{seats}`.
    fn for_tables(self, scope: &Scope) -> Vec<Block> {
        let tables: Vec<Table> = if self.check.name.contains("{seats}") {
            scope.tables.clone()
        } else if self.check.name.contains("{game}") {
            by_game(&scope.tables).map(|(rules, _)| (rules.clone(), 2)).collect()
        } else {
            return vec![self];
        };
        let has_all = |table: &Table| self.needs.iter().all(|need| may_have(table, need));
        let of_table = |table: Table| {
            let block = self.with_values(&|name: &str| match name {
                "game" => Some(table.0.name().to_string()),
                "seats" => Some(table.1.to_string()),
                _ => None,
            });
            Block { table: Some(table), ..block }
        };
        tables.into_iter().filter(has_all).map(of_table).collect()
    }

    /// Plays the script in each of its positions.
    ///
    /// # Errors
    /// [`Fault`] with the first difference, or the reason if the check does not apply.
    pub fn play(&self, talk: &mut Talk) -> Result<(), Fault> {
        for need in &self.needs {
            let reason = match need.split_once(' ') {
                Some(("option", name)) if !talk.offers(name) => "it does not offer this option",
                Some(("variant", name))
                    if !talk.scope.tables.iter().any(|(rules, _)| rules.name() == name) =>
                {
                    "its game is not checked"
                }
                _ => continue,
            };
            return Err(Fault::Skipped(reason.into()));
        }
        let table = self.table.clone().map_or_else(|| talk.home(), Ok);
        if self.needs.iter().any(|need| matches!(need.as_str(), "a built-in game" | "cards")) {
            built_in(&table.clone()?.0)?;
        }
        talk.is_open = !self.ends;
        if !self.options.is_empty() {
            let settings = settings(talk.options(), &self.options);
            return settings.iter().try_for_each(|setting| play_at(talk, self, None, setting));
        }
        if self.positions.is_empty() && self.table.is_none() {
            return (0..self.repeat).try_for_each(|_| play_at(talk, self, None, &Values::new()));
        }
        let table = table?;
        talk.choose(&table.0)?;
        let places = places(&table, &self.positions)?;
        places.iter().try_for_each(|place| play_at(talk, self, Some(place), &place.values))
    }
}

/// Replaces the placeholders that have a value.
fn filled(text: &str, value: &dyn Fn(&str) -> Option<String>) -> String {
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        filled.push_str(before);
        let known = after.split_once('}').and_then(|(name, after)| Some((value(name)?, after)));
        match known {
            Some((value, after)) => {
                filled.push_str(&value);
                rest = after;
            }
            None => {
                filled.push('{');
                rest = after;
            }
        }
    }
    filled + rest
}

/// `false` if the game is known not to have what a check needs.
fn may_have((rules, seats): &Table, need: &str) -> bool {
    let Some(variant) = rules.built_in() else {
        return need != "two seats" || *seats == 2;
    };
    match need {
        "two seats" => *seats == 2,
        "cards" => variant.start(*seats).is_ok_and(|start| start.has_cards()),
        _ => true,
    }
}

/// Plays a script once, or again while it is late.
fn play_at(
    talk: &mut Talk,
    block: &Block,
    place: Option<&Place>,
    values: &Values,
) -> Result<(), Fault> {
    let command = place.map(|place| talk.position(place.position.seats(), &place.actions));
    let value = |name: &str| match name {
        name if values.contains_key(name) => values.get(name).cloned(),
        "start" => talk.after_moves(0).ok(),
        "start with blanks" => Some(talk.after_moves(0).ok()?.replace(' ', " \\t ")),
        "later" => talk.after_moves(5).ok(),
        "position" => command.clone(),
        _ => place.and_then(|place| place.value(name)),
    };
    let seats = match place {
        Some(place) => place.position.seats(),
        None => talk.home()?.1,
    };
    let script = block.script(seats, &value)?;
    if let Some(place) = place {
        // Walking to the position again would take long.
        talk.program.position = command.map(|command| (command, place.position.clone()));
    }
    let mut result = Ok(());
    for _ in 0..TRIES {
        talk.program.remembered.clear();
        result = talk.program.play(&script);
        if !matches!(result, Err(Fault::Late(_))) {
            break;
        }
    }
    result
}

/// A line of a script as a match with this number of seats spells it: the clocks of two seats as a list, and no space
/// at the end, where an empty value may leave one.
fn spelled(line: &str, seats: usize) -> String {
    let line = line.trim_end_matches(' ');
    let clock = match line.strip_prefix("> ").map(str::parse) {
        Some(Ok(Command::Go(Go { clock: Some(clock), .. }))) if seats != 2 => clock,
        _ => return line.into(),
    };
    let ClockTimes::Uci { wtime, winc, .. } = clock.time else {
        return line.into();
    };
    let time = ClockTimes::Seats {
        time: vec![wtime.unwrap_or_default(); seats],
        inc: winc.map_or_else(Vec::new, |inc| vec![inc; seats]),
    };
    let clock = Some(Clock { time, ..clock });
    format!("> {}", Command::Go(Go { clock, ..Go::default() }))
}

/// A position where a script is played.
pub struct Place {
    pub position: Position,
    /// The moves and cards that lead to it.
    pub actions: Vec<String>,
    values: Values,
}

/// Values of placeholders.
type Values = HashMap<&'static str, String>;

impl Place {
    /// The value of a placeholder.
    fn value(&self, name: &str) -> Option<String> {
        let position = &self.position;
        let seats = position.seats();
        let legal = position.legal_actions();
        let clock = |seat: usize| {
            let is_mover = position.turn().seat().is_some_and(|mover| mover.index() == seat);
            if is_mover { (LEFT, 1) } else { (LEFT_OF_OTHERS, LEFT_OF_OTHERS) }
        };
        let of_seats = |text: &dyn Fn(usize) -> String| {
            (0..seats).map(text).collect::<Vec<String>>().join(" ")
        };
        Some(match name {
            "fen" => position.to_string(),
            "legal" => legal.join(" "),
            "first move" => legal.first()?.clone(),
            "last move" => legal.last()?.clone(),
            "two moves" => legal.iter().take(2).cloned().collect::<Vec<String>>().join(" "),
            "turn" => match position.turn() {
                Turn::Seat(seat) => seat.to_string(),
                Turn::Card(seat) => format!("card {seat}"),
                Turn::Over => "over".into(),
            },
            "is p1turn" => (position.turn().seat() == Some(Seat(0))).to_string(),
            "is over" => (position.turn() == Turn::Over).to_string(),
            "players" => seats.to_string(),
            "places" => places_of(position),
            "result" => match places_of(position).as_str() {
                _ if position.turn() != Turn::Over => "none".into(),
                "1 2" => "p1win".into(),
                "2 1" => "p2win".into(),
                _ if seats == 2 => "draw".into(),
                places => format!("places {places}"),
            },
            "state" => state(position),
            "times" => of_seats(&|seat| clock(seat).0.to_string()),
            "increments" => of_seats(&|seat| clock(seat).1.to_string()),
            "p-clocks" => of_seats(&|seat| {
                let ((left, gained), number) = (clock(seat), seat + 1);
                format!("p{number}time {left} p{number}inc {gained}")
            }),
            "time 1" => clock(0).0.to_string(),
            "time 2" => clock(1).0.to_string(),
            "increment 1" => clock(0).1.to_string(),
            "increment 2" => clock(1).1.to_string(),
            "perft 1" => perft(position, 1)?,
            "perft 2" => perft(position, 2)?,
            _ => return None,
        })
    }
}

fn places_of(position: &Position) -> String {
    let places: Vec<String> = position.places().flatten().map(|place| place.to_string()).collect();
    places.join(" ")
}

/// The answer to `query state` after `response`.
fn state(position: &Position) -> String {
    let mut words = match position.turn() {
        Turn::Seat(seat) => vec![seat.to_string(), "legal".into()],
        Turn::Card(seat) => vec!["card".into(), seat.to_string(), "weights".into()],
        Turn::Over => vec!["over".into()],
    };
    match position.turn() {
        Turn::Card(_) => {
            let cards = position.outcomes().into_iter();
            words.extend(cards.flat_map(|(card, number)| [card, number.to_string()]));
        }
        _ => words.extend(position.legal_actions()),
    }
    let places: Vec<Option<usize>> = position.places().collect();
    if places.iter().any(Option::is_some) {
        let spelt = places.iter().map(|place| place.map_or("-".into(), |place| place.to_string()));
        words.extend(["places".into()].into_iter().chain(spelt));
    }
    words.join(" ")
}

/// The answer to `go perft`, as expected lines.
fn perft(position: &Position, depth: u32) -> Option<String> {
    let counts = position.built_in()?.perft_by_action(depth, &mut || false)?;
    let sum: u64 = counts.iter().map(|(_, count)| count).sum();
    let lines = counts.iter().map(|(word, count)| format!("< {word}: {count}\n"));
    Some(format!("{}<\n< Nodes searched: {sum}", lines.collect::<String>()))
}

/// The positions of a kind, such as `8 moves`.
fn places(table: &Table, kind: &str) -> Result<Vec<Place>, Fault> {
    let (rules, seats) = table;
    let (count, of) = kind.split_once(' ').unwrap_or((kind, ""));
    let count: usize = count.parse().unwrap_or(1);
    let mut rng = ChaCha8Rng::seed_from_u64(*seats as u64);
    let mut places = Vec::new();
    match (kind, of) {
        ("start", _) => places.push(Place::new(rules.start(*seats)?, Vec::new())),
        ("home", _) => {
            let (actions, position) = super::talk::first_words(table, 0)?;
            places.push(Place::new(position, actions));
        }
        ("end", _) => places = game(rules, *seats, 0)?,
        ("names", _) => {
            let variant = built_in(rules)?;
            for name in [&[variant.name], variant.aliases].concat() {
                let size = variant.board.map_or(String::new(), |(files, ranks)| {
                    format!(" files {files} ranks {ranks} pocket 0 template fairy")
                });
                let mut start = Place::new(rules.start(*seats)?, Vec::new());
                start.values.insert("name", name.to_string());
                start.values.insert("size", size);
                places.push(start);
            }
        }
        ("each seat", _) => {
            for seat in 0..*seats {
                let is_wanted = |position: &Position| {
                    position.turn() == Turn::Seat(Seat(seat as u8))
                        && position.legal_actions().len() > 1
                };
                let mut rng = ChaCha8Rng::seed_from_u64(seat as u64);
                let found = random_places(table, &mut rng, MAX_TRIED, 1, &is_wanted)?;
                if found.is_empty() {
                    return wrong(format!("no position found with seat {} to move", seat + 1));
                }
                places.extend(found);
            }
        }
        (_, "changed texts") => {
            let mut texts = Vec::new();
            for _ in 0..count {
                let text = random_place(rules, *seats, &mut rng)?.position.to_string();
                texts.extend(changes(&text));
            }
            places = changed_texts(rules, *seats, texts)?;
        }
        (_, "of a game") => places = game(rules, *seats, count)?,
        (_, "drawn cards") => {
            let is_wanted = |position: &Position| matches!(position.turn(), Turn::Card(_));
            for place in random_places(table, &mut rng, MAX_TRIED, count, &is_wanted)? {
                for card in place.position.legal_actions() {
                    let mut position = place.position.clone();
                    position.play(&card)?;
                    let actions = [&place.actions[..], &[card]].concat();
                    places.push(Place::new(position, actions));
                }
            }
        }
        _ => {
            let is_wanted = |position: &Position| match of {
                "moves" => is_move(position.turn()),
                "without a move" => !is_move(position.turn()),
                _ => true,
            };
            places = random_places(table, &mut rng, MAX_MOVES, count, &is_wanted)?;
        }
    }
    Ok(places)
}

impl Place {
    fn new(position: Position, actions: Vec<String>) -> Place {
        Place { position, actions, values: Values::new() }
    }
}

/// Returns at most `count` random positions of a kind, after at most `tries` attempts.
fn random_places(
    (rules, seats): &Table,
    rng: &mut ChaCha8Rng,
    tries: usize,
    count: usize,
    is_wanted: &dyn Fn(&Position) -> bool,
) -> Result<Vec<Place>, Fault> {
    let mut places = Vec::new();
    for _ in 0..tries {
        if places.len() == count {
            break;
        }
        let place = random_place(rules, *seats, rng)?;
        if is_wanted(&place.position) {
            places.push(place);
        }
    }
    Ok(places)
}

/// A random position.
fn random_place(rules: &Rules, seats: usize, rng: &mut ChaCha8Rng) -> Result<Place, Fault> {
    let mut place = Place::new(rules.start(seats)?, Vec::new());
    for _ in 0..rng.random_range(0..MAX_MOVES) {
        let Some(action) = place.position.legal_actions().into_iter().choose(rng) else {
            break;
        };
        place.position.play(&action)?;
        place.actions.push(action);
    }
    Ok(place)
}

/// Up to `count` positions of a random game, at equal distances, and its end.
fn game(rules: &Rules, seats: usize, count: usize) -> Result<Vec<Place>, Fault> {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut positions = vec![rules.start(seats)?];
    let mut actions = Vec::new();
    while let Some(last) = positions.last()
        && let Some(action) = last.legal_actions().into_iter().choose(&mut rng)
    {
        let mut next = last.clone();
        next.play(&action)?;
        positions.push(next);
        actions.push(action);
    }
    let step = actions.len().div_ceil(count.max(1)).max(1);
    let kept = (0..actions.len()).step_by(step).take(count).chain([actions.len()]);
    let place = |length: usize| Place::new(positions[length].clone(), actions[..length].to_vec());
    Ok(kept.map(place).collect())
}

/// The start for each text, which the engine must read or refuse.
fn changed_texts(rules: &Rules, seats: usize, texts: Vec<String>) -> Result<Vec<Place>, Fault> {
    let errors = texts.iter().filter_map(|text| rules.parse(text).err());
    // If several fields are wrong, the engine may name any of them.
    let fields = errors.filter_map(|error| Some(field(&error.to_string())?.to_string()));
    let fields = Vec::from_iter(BTreeSet::from_iter(fields)).join(" | ");
    let start = rules.start(seats)?;
    let place = |text: String| {
        let answer = match rules.parse(&text) {
            Ok(position) => {
                format!("< readyok\n> d\n> isready\n< ...\n< readyok\n= some Fen: {position}")
            }
            Err(_) => format!("< info string error: *\n< readyok\n= names {fields}"),
        };
        let values = Values::from([("text", text), ("answer", answer)]);
        Place { values, ..Place::new(start.clone(), Vec::new()) }
    };
    Ok(texts.into_iter().map(place).collect())
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
        let [before, after] = [parts[..index].concat(), parts[index + 1..].concat()];
        // Trailing spaces are not part of a text.
        changes.push(before.trim_end().to_string());
        for other in OTHERS {
            changes.push(format!("{before}{other}{after}"));
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

/// The options to set: each to its default, or to each of the `values` that are safe to set, with the default last.
fn settings(offers: &[OptionOffer], kind: &str) -> Vec<Values> {
    let mut settings = Vec::new();
    for offer in offers {
        let (mut values, default) = match &offer.kind {
            // The largest table may exceed the machine's memory.
            OptionKind::Spin { default, .. } if offer.name == "Hash" => {
                (Vec::new(), default.to_string())
            }
            OptionKind::Spin { default, min, max } => {
                ([min, max].map(i64::to_string).to_vec(), default.to_string())
            }
            OptionKind::Check { default } => {
                (["true", "false"].map(String::from).to_vec(), default.to_string())
            }
            OptionKind::Combo { default, vars } => (vars.clone(), default.clone()),
            OptionKind::String { default } => (Vec::new(), default.clone()),
            OptionKind::Button => (Vec::new(), String::new()),
        };
        let is_left_out = if kind == "values" {
            matches!(offer.kind, OptionKind::String { .. } | OptionKind::Button)
        } else {
            values.clear();
            kind.ends_with(&format!(" but {}", offer.name))
        };
        if is_left_out {
            continue;
        }
        values.push(default);
        let setting = |value: &String| {
            let is_button = matches!(offer.kind, OptionKind::Button);
            Values::from([
                ("option", offer.name.clone()),
                ("option in lower case", offer.name.to_lowercase()),
                ("option in capitals", offer.name.to_uppercase()),
                ("to value", if is_button { String::new() } else { format!("value {value}") }),
            ])
        };
        settings.extend(values.iter().map(setting));
    }
    settings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_are_spelled_for_every_number_of_seats() {
        for (go, of_three) in [
            ("> go wtime 100 btime 100 winc 50 binc 50", "> go time 100 100 100 inc 50 50 50"),
            ("> go wtime -50 btime -50", "> go time -50 -50 -50"),
            ("> go wtime 100 btime 100 movestogo 1", "> go time 100 100 100 movestogo 1"),
            ("> go depth 90 movetime 50", "> go depth 90 movetime 50"),
        ] {
            assert_eq!(spelled(go, 3), of_three);
            assert_eq!(spelled(go, 2), go);
        }
    }
}
