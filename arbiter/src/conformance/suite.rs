//! The suite: the checks of `arbiter check` that are transcripts, in `arbiter/conformance/`.
//!
//! A file has a block for each check. The block begins with `check NAME` and a few settings; the rest is a script as of
//! `arbiter transcript`, with placeholders in braces. The settings say when the check applies, and how often or for
//! which positions the script is played. `docs/arbiter.md` describes the format.

use std::collections::{BTreeSet, HashMap};

use buxtehude::protocol::{ClockTimes, Command, OptionKind, OptionOffer, PositionCommand, Start};
use buxtehude::rules::{Seat, Turn};
use matches::plan::rules::{Position, PositionError, Rules};
use rand::seq::IteratorRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::check::{Check, Profile, Severity};
use super::laws::is_move;
use super::program::{Fault, Program, ensure};
use super::talk::{Table, Talk};

/// The places of the check of memory.
pub const MANY_GAMES: &str = "many games";

/// Number of attempts of a script with a time limit; only if all are late does the engine fail, since one may be the
/// machine's fault.
const TRIES: usize = 3;

/// Replacements of a number or another character in the text of a position.
const OTHERS: [&str; 21] = [
    "", "3!", "0", "1", "3", "6", "07", "50", "64", "65", "70000", "!", "/", "-", "1,2", "?3",
    "1?99", "BBB", "F", "h", "x",
];

/// Maximum number of random positions that are tried for a rare kind.
const MAX_TRIED: usize = 1000;

/// Maximum number of random moves that lead to a position.
const MAX_RANDOM_MOVES: usize = 40;

/// Clock of the seat to move, in milliseconds.
const LEFT: u64 = 20;

/// Clocks and increments of the other seats, so long that an engine that reads the wrong clock answers too late.
const LEFT_OF_OTHERS: u64 = 100_000_000;

/// A check as its file gives it.
#[derive(Clone, Debug, Default)]
pub struct Block {
    pub check: Check,
    needs: Vec<String>,
    /// The script is played for each of these: a number of times, positions, or options.
    pub places: String,
    /// `true` if the engine is restarted afterwards.
    pub ends: bool,
    body: String,
}

/// The checks of some files: of one with rows, a check for each row, with its values in place of the names of the
/// columns; of one with `{seats}` in its name, a check for each game and number of seats that fits its needs.
pub fn blocks(files: &[&str], tables: &[Table]) -> Vec<Block> {
    let mut blocks = Vec::new();
    for text in files.iter().flat_map(|file| file.split("\ncheck ").skip(1)) {
        let rows = text.lines().filter_map(|line| line.strip_prefix("with: "));
        let mut rows: Vec<Vec<&str>> = rows.map(|row| row.split(" | ").collect()).collect();
        let columns = if rows.is_empty() { Vec::new() } else { rows.remove(0) };
        if columns.is_empty() {
            rows.push(Vec::new());
        }
        let is_for_tables = text.lines().next().is_some_and(|name| name.contains("{seats}"));
        let tables = if is_for_tables { tables.iter().map(Some).collect() } else { vec![None] };
        for row in rows {
            for table in &tables {
                let text = filled(text, &|name| match (name, table) {
                    ("game", Some((rules, _))) => Some(rules.name().to_string()),
                    ("seats", Some((_, seats))) => Some(seats.to_string()),
                    _ => {
                        let index = columns.iter().position(|column| *column == name)?;
                        row.get(index).map(ToString::to_string)
                    }
                });
                blocks.push(Block::parse(&text, table.cloned()));
            }
        }
    }
    blocks.retain(|block| block.needs.iter().all(|need| block.may_have(need)));
    blocks
}

impl Block {
    fn parse(text: &str, table: Option<Table>) -> Block {
        let (name, lines) = text.split_once('\n').unwrap_or((text, ""));
        let mut block = Block {
            check: Check { name: name.into(), table, ..Check::default() },
            ..Block::default()
        };
        for line in lines.lines() {
            match line.split_once(": ") {
                Some(("expected", text)) => block.check.explanation = text.into(),
                Some(("profile", text)) => block.check.profile = text.into(),
                Some(("severity", "warning")) => block.check.severity = Severity::Warning,
                Some(("needs", text)) => block.needs = text.split(", ").map(String::from).collect(),
                Some(("for", text)) => block.places = text.into(),
                Some(("restart", "afterwards")) => block.ends = true,
                Some(("with", _)) => {}
                _ if line.is_empty() || line.starts_with('#') => {}
                _ => block.body.push_str(&format!("{line}\n")),
            }
        }
        block
    }

    /// `false` if the table of the check surely lacks what the check needs.
    fn may_have(&self, need: &str) -> bool {
        self.check.table.as_ref().is_none_or(|(rules, seats)| match need {
            "two seats" => *seats == 2,
            "cards" => rules.start(*seats).is_ok_and(|start| start.has_cards()),
            _ => true,
        })
    }

    /// Plays the script in each of its places.
    ///
    /// # Errors
    /// [`Fault`] with the first difference, or the reason if the check does not apply.
    pub fn play(&self, talk: &mut Talk) -> Result<(), Fault> {
        if let Some(soak) = talk.scope.soak
            && self.places == MANY_GAMES
        {
            return soak.play(talk);
        }
        let home = talk.home()?;
        let table = self.check.table.as_ref().unwrap_or(&home.table);
        for need in &self.needs {
            let is_checked =
                |name: &str| talk.scope.tables.iter().any(|(rules, _)| rules.name() == name);
            let reason = match need.split_once(' ').unwrap_or((need, "")) {
                ("option", name) if !talk.offers(name) => "it does not offer this option",
                ("variant", name) if !is_checked(name) => "its game is not checked",
                ("cards", _) | ("a", "built-in game") if table.0.built_in().is_none() => {
                    "only built-in games have this check"
                }
                _ => continue,
            };
            return Err(Fault::Skipped(reason.into()));
        }
        talk.is_open = !self.ends;
        if self.check.table.is_some() {
            talk.choose(&table.0)?;
        }
        let places = places(&self.places, table, &home.start, talk.options())?;
        places.iter().try_for_each(|place| self.play_at(talk, place))
    }

    fn play_at(&self, talk: &mut Talk, place: &Place) -> Result<(), Fault> {
        let home = talk.home()?;
        let command = place.command_of(talk.scope.profile);
        talk.program.known.insert(command.clone(), place.position.clone());
        self.play_with(&mut talk.program, place.position.seats(), &|name| match name {
            "start" => Some(home.start.command()),
            "start with blanks" => Some(home.start.command().replace(' ', " \\t ")),
            "later" => Some(home.later.command()),
            "position" => Some(command.clone()),
            _ => place.values.get(name).cloned().or_else(|| fact(&place.position, name)),
        })
    }

    /// Plays the script with the values of its placeholders once, or again while it is late.
    ///
    /// # Errors
    /// [`Fault`] with the first difference.
    pub fn play_with(
        &self,
        program: &mut Program,
        seats: usize,
        value: &dyn Fn(&str) -> Option<String>,
    ) -> Result<(), Fault> {
        let body = filled(&self.body, &|name| match name.split_once(" times ") {
            Some((count, text)) => Some(text.repeat(count.parse().ok()?)),
            None => value(name),
        });
        let lines: Vec<String> = body.lines().map(|line| spelled(line, seats)).collect();
        let script = lines.join("\n");
        let mut result = Ok(());
        for _ in 0..TRIES {
            result = program.run(&script);
            if !matches!(result, Err(Fault::Late(_))) {
                break;
            }
        }
        result
    }
}

/// Replaces the placeholders that have a value.
fn filled(text: &str, value: &dyn Fn(&str) -> Option<String>) -> String {
    let mut parts = text.split('{');
    let mut filled = parts.next().unwrap_or_default().to_string();
    for part in parts {
        let known = part.split_once('}').and_then(|(name, rest)| Some(value(name)? + rest));
        filled += &known.unwrap_or_else(|| format!("{{{part}"));
    }
    filled
}

/// A line of a script as a match with this number of seats spells it: the clocks of two seats as a list, and no space
/// at the end, where an empty value may leave one.
fn spelled(line: &str, seats: usize) -> String {
    let line = line.trim_end_matches(' ');
    if seats != 2
        && let Some(Ok(Command::Go(mut go))) = line.strip_prefix("> ").map(str::parse)
        && let Some(clock) = &mut go.clock
        && let ClockTimes::Uci { wtime, winc, .. } = clock.time
    {
        let inc = winc.map_or_else(Vec::new, |inc| vec![inc; seats]);
        clock.time = ClockTimes::Seats { time: vec![wtime.unwrap_or_default(); seats], inc };
        return format!("> {}", Command::Go(go));
    }
    line.into()
}

/// A position where a script is played.
#[derive(Clone, Debug)]
pub struct Place {
    pub position: Position,
    /// The moves and cards that lead to it.
    pub actions: Vec<String>,
    /// Values of placeholders that are no facts of the position.
    values: HashMap<&'static str, String>,
}

impl Place {
    /// The start of a game.
    pub fn start(rules: &Rules, seats: usize) -> Result<Place, PositionError> {
        Ok(Place { position: rules.start(seats)?, actions: Vec::new(), values: HashMap::new() })
    }

    /// `true` if there are several moves or cards.
    pub fn has_choice(&self) -> bool {
        self.position.legal_actions().len() > 1
    }

    pub fn after(&self, action: String) -> Result<Place, PositionError> {
        let mut next = self.clone();
        next.position.play(&action)?;
        next.actions.push(action);
        Ok(next)
    }

    /// The command that sets the position; two players are not named.
    pub fn command(&self) -> String {
        self.command_of(Profile::Match)
    }

    /// The same as a client of the profile sends it.
    pub fn command_of(&self, profile: Profile) -> String {
        let seats = self.position.seats();
        let is_plain = match profile {
            Profile::Full => false,
            Profile::Match => seats == 2,
            Profile::Uci => true,
        };
        let start = Start::Startpos { players: (!is_plain).then_some(seats as u32) };
        Command::Position(PositionCommand { start, moves: self.actions.clone() }).to_string()
    }
}

/// The value of a placeholder that is a fact of the position.
pub fn fact(position: &Position, name: &str) -> Option<String> {
    let legal = position.legal_actions();
    let turn = match position.turn() {
        Turn::Seat(seat) => seat.to_string(),
        Turn::Card(seat) => format!("card {seat}"),
        Turn::Over => "over".into(),
    };
    let place = |place: Option<usize>| place.map_or("-".into(), |place| place.to_string());
    let places = position.places().map(place).collect::<Vec<String>>().join(" ");
    let clocks = |text: &dyn Fn(usize, u64, u64) -> String| {
        let of_seat = |seat: usize| match position.turn().seat() {
            Some(mover) if mover.index() == seat => text(seat + 1, LEFT, 1),
            _ => text(seat + 1, LEFT_OF_OTHERS, LEFT_OF_OTHERS),
        };
        (0..position.seats()).map(of_seat).collect::<Vec<String>>().join(" ")
    };
    Some(match name {
        "fen" => position.to_string(),
        "legal" => legal.join(" "),
        "last move" => legal.last()?.clone(),
        "two moves" => legal[..legal.len().min(2)].join(" "),
        "turn" => turn,
        "is p1turn" => (position.turn().seat() == Some(Seat(0))).to_string(),
        "is over" => (turn == "over").to_string(),
        "players" => position.seats().to_string(),
        "places" => places,
        "result" => match places.as_str() {
            _ if turn != "over" => "none".into(),
            "1 2" => "p1win".into(),
            "2 1" => "p2win".into(),
            _ if position.seats() == 2 => "draw".into(),
            places => format!("places {places}"),
        },
        "state" => {
            let outcomes = position.outcomes().into_iter();
            let weights = outcomes.map(|(card, weight)| format!(" {card} {weight}"));
            let actions = match position.turn() {
                Turn::Seat(_) => format!(" legal {}", legal.join(" ")),
                Turn::Card(_) => format!(" weights{}", weights.collect::<String>()),
                Turn::Over => String::new(),
            };
            let is_decided = position.places().any(|place| place.is_some());
            turn + &actions + &if is_decided { format!(" places {places}") } else { String::new() }
        }
        "times" => clocks(&|_, time, _| time.to_string()),
        "increments" => clocks(&|_, _, gain| gain.to_string()),
        "ugi clocks" => clocks(&|seat, time, gain| format!("p{seat}time {time} p{seat}inc {gain}")),
        "uci clocks" => clocks(&|seat, time, gain| {
            let color = if seat == 1 { 'w' } else { 'b' };
            format!("{color}time {time} {color}inc {gain}")
        }),
        "perft 1" => perft(position, 1)?,
        "perft 2" => perft(position, 2)?,
        _ => return None,
    })
}

/// The answer to `go perft`, as expected lines.
fn perft(position: &Position, depth: u32) -> Option<String> {
    let counts = position.built_in()?.perft_by_action(depth, &mut || false)?;
    let sum: u64 = counts.iter().map(|(_, count)| count).sum();
    let lines = counts.iter().map(|(word, count)| format!("< {word}: {count}\n"));
    Some(format!("{}<\n< Nodes searched: {sum}", lines.collect::<String>()))
}

/// The places of a kind, such as `8 moves`; without a kind, the place where checks begin.
fn places(
    kind: &str,
    table: &Table,
    home: &Place,
    offers: &[OptionOffer],
) -> Result<Vec<Place>, Fault> {
    let (rules, seats) = table;
    let (first, rest) = kind.split_once(' ').unwrap_or((kind, ""));
    let count: usize = first.parse().unwrap_or(1);
    let mut rng = ChaCha8Rng::seed_from_u64(*seats as u64);
    Ok(match (first, rest) {
        ("", _) | (_, "times") => vec![home.clone(); count],
        ("option", kind) => settings(home, offers, kind),
        ("start", _) => vec![Place::start(rules, *seats)?],
        ("end", _) => game(rules, *seats, 0)?,
        ("each", "seat") => {
            let mut places = Vec::new();
            for seat in Seat::all(*seats) {
                let found = random_places(table, &mut rng, 1, &|place| {
                    place.position.turn() == Turn::Seat(seat) && place.has_choice()
                })?;
                ensure!(!found.is_empty(), "no position found with seat {seat} to move");
                places.extend(found);
            }
            places
        }
        (_, "changed texts") => {
            let places = random_places(table, &mut rng, count, &|_| true)?;
            let texts = places.iter().flat_map(|place| changes(&place.position.to_string()));
            changed_texts(rules, *seats, texts.collect())?
        }
        (_, "of a game") => game(rules, *seats, count)?,
        (_, "drawn cards") => {
            let mut drawn = Vec::new();
            for place in random_places(table, &mut rng, count, &|place| {
                matches!(place.position.turn(), Turn::Card(_))
            })? {
                for card in place.position.legal_actions() {
                    drawn.push(place.after(card)?);
                }
            }
            drawn
        }
        _ => random_places(table, &mut rng, count, &|place| match rest {
            "moves" => is_move(place.position.turn()),
            "without a move" => !is_move(place.position.turn()),
            _ => true,
        })?,
    })
}

/// Returns at most `count` random positions of a kind.
fn random_places(
    (rules, seats): &Table,
    rng: &mut ChaCha8Rng,
    count: usize,
    is_wanted: &dyn Fn(&Place) -> bool,
) -> Result<Vec<Place>, PositionError> {
    let mut places = Vec::new();
    for _ in 0..MAX_TRIED {
        if places.len() == count {
            break;
        }
        let mut place = Place::start(rules, *seats)?;
        for _ in 0..rng.random_range(0..MAX_RANDOM_MOVES) {
            let Some(action) = place.position.legal_actions().into_iter().choose(rng) else {
                break;
            };
            place = place.after(action)?;
        }
        if is_wanted(&place) {
            places.push(place);
        }
    }
    Ok(places)
}

/// Up to `count` positions of a random game, at equal distances, and its end.
fn game(rules: &Rules, seats: usize, count: usize) -> Result<Vec<Place>, PositionError> {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut last = Place::start(rules, seats)?;
    let mut places = Vec::new();
    while let Some(action) = last.position.legal_actions().into_iter().choose(&mut rng) {
        places.push(last.clone());
        last = last.after(action)?;
    }
    let step = places.len().div_ceil(count.max(1)).max(1);
    Ok(places.into_iter().step_by(step).take(count).chain([last]).collect())
}

/// The start for each text, which the engine must read or refuse.
fn changed_texts(
    rules: &Rules,
    seats: usize,
    texts: Vec<String>,
) -> Result<Vec<Place>, PositionError> {
    // If several fields are wrong, the engine may name any of them.
    let field = |text: &String| {
        let error = rules.parse(text).err()?.to_string();
        let (_, reason) = error.split_once("\" refused: ")?;
        Some(format!("*\" refused: {}: *", reason.split_once(": ")?.0))
    };
    let fields: BTreeSet<String> = texts.iter().filter_map(field).collect();
    let fields = Vec::from_iter(fields).join(" | ");
    let start = Place::start(rules, seats)?;
    let place = |text: String| {
        let answer = match rules.parse(&text) {
            Ok(position) => {
                format!("< readyok\n> d\n> isready\n< ...\n< readyok\n= some Fen: {position}")
            }
            Err(_) => format!("< info string error: *\n< readyok\n= some {fields}"),
        };
        let values = HashMap::from([("text", text), ("answer", answer)]);
        Place { values, ..start.clone() }
    };
    Ok(texts.into_iter().map(place).collect())
}

/// The text with each number or character replaced, truncated before each, and with each two neighbours exchanged; with
/// each row of its board replaced by another, and its board repeated.
fn changes(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let parts: Vec<String> = chars
        .chunk_by(|one, other| one.is_ascii_digit() && other.is_ascii_digit())
        .map(String::from_iter)
        .collect();
    let mut changes = Vec::new();
    for index in 0..parts.len() {
        let [before, after] = [parts[..index].concat(), parts[index + 1..].concat()];
        // Trailing spaces are not part of a text.
        changes.push(before.trim_end().to_string());
        changes.extend(OTHERS.map(|other| format!("{before}{other}{after}")));
    }
    for index in 1..parts.len() {
        let mut swapped = parts.clone();
        swapped.swap(index - 1, index);
        changes.push(swapped.concat());
    }
    if let Some((board, _)) = text.split_once(' ') {
        let rows: Vec<&str> = board.split('/').collect();
        for index in 0..rows.len() {
            for other in rows.iter().chain([&"8"]) {
                let changed = [&rows[..index], &[*other], &rows[index + 1..]].concat().join("/");
                changes.push(text.replacen(board, &changed, 1));
            }
        }
        changes.extend([2, 7].map(|times| text.replacen(board, &[board; 7][..times].join("/"), 1)));
    }
    // A position's text has single spaces between its parts.
    changes.retain(|text| !text.split(' ').any(str::is_empty));
    changes.dedup();
    changes
}

/// The options to set: each to its default, or to each of the `values` that are safe to set, with the default last.
fn settings(home: &Place, offers: &[OptionOffer], kind: &str) -> Vec<Place> {
    let mut settings = Vec::new();
    for OptionOffer { name, kind: offered } in offers {
        let (mut values, default) = match offered {
            OptionKind::Spin { default, min, max } => {
                (vec![min.to_string(), max.to_string()], default.to_string())
            }
            OptionKind::Check { default } => {
                (vec!["true".into(), "false".into()], default.to_string())
            }
            OptionKind::Combo { default, vars } => (vars.clone(), default.clone()),
            OptionKind::String { default } => (Vec::new(), default.clone()),
            OptionKind::Button => (Vec::new(), String::new()),
        };
        let has_no_list = matches!(offered, OptionKind::Button | OptionKind::String { .. });
        if kind == "values" && has_no_list || kind.ends_with(&format!(" but {name}")) {
            continue;
        }
        // The largest table may exceed the machine's memory.
        if kind != "values" || name == "Hash" {
            values.clear();
        }
        values.push(default);
        for value in values {
            let is_button = matches!(offered, OptionKind::Button);
            let values = HashMap::from([
                ("option", name.clone()),
                ("option in lower case", name.to_lowercase()),
                ("option in capitals", name.to_uppercase()),
                ("to value", if is_button { String::new() } else { format!("value {value}") }),
            ]);
            settings.push(Place { values, ..home.clone() });
        }
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
