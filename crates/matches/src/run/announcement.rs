//! The header of a match: its settings, or with `--dry-run` its schedule.

use std::fmt::Write;

use crate::output::print;
use crate::plan::openings::OpeningError;
use crate::plan::schedule::Schedule;
use crate::plan::{EngineSpec, Plan};

/// Number of combinations of engines in a remark; the others are only counted.
const LISTED: usize = 5;
/// Bytes of a schedule to print at a time.
const PIECE: usize = 1 << 16;

/// Returns the header: the variant, the engines with their limits, the isolation and the remarks.
pub fn header(
    plan: &Plan,
    id_names: &[Option<String>],
    sandbox: &str,
    remarks: &[String],
) -> String {
    let block = plan.line_ups().games_per_block();
    let blocks = plan.games / block;
    let at_most = plan.sprt.map_or("", |_| "at most ");
    let mut text = format!(
        "{}, {} seats, {at_most}{} in {} of {block}, {}\n",
        plan.rules.name(),
        plan.seats,
        count(plan.games, "game"),
        count(blocks, "block"),
        if plan.seed.is_secret() {
            "secret seed".to_string()
        } else {
            format!("seed {}", plan.seed)
        },
    );
    if let Some(sprt) = plan.sprt {
        text += &format!("test: {sprt}\n");
    }
    text += &format!("{sandbox}\n");
    for remark in remarks {
        text += &format!("note: {remark}\n");
    }
    let widths = plan.engines.iter().map(|engine| engine.name.chars().count());
    let width = widths.max().unwrap_or(0);
    for (engine, id_name) in plan.engines.iter().zip(id_names) {
        text += &format!("  {:width$}  {}\n", engine.name, settings(engine, id_name.as_deref()));
    }
    text
}

/// Returns a remark on the combinations of engines that the number of games leaves out.
pub fn unplayed(plan: &Plan) -> Option<String> {
    let line_ups = plan.line_ups();
    let (all, block) = (line_ups.count(), line_ups.games_per_block());
    let missing = plan.games / block..all;
    let left_out = missing.end.saturating_sub(missing.start);
    let names = |line_up| {
        let seats = line_ups.seating(line_up, 0).into_iter();
        let names = seats.map(|seated| plan.engines[seated.engine].name.as_str());
        names.collect::<Vec<&str>>().join(" - ")
    };
    let listed: Vec<String> = missing.take(LISTED).map(names).collect();
    let more = match left_out.saturating_sub(LISTED as u64) {
        0 => String::new(),
        more => format!(" and {}", count(more, "other combination")),
    };
    let games = plan.games;
    (left_out > 0).then(|| {
        format!(
            "{} leave out {}{more}: a round of all combinations has {}",
            count(games, "game"),
            listed.join(", "),
            count(all * block, "game")
        )
    })
}

fn settings(engine: &EngineSpec, id_name: Option<&str>) -> String {
    let mut words = vec![engine.limit.in_words()];
    words.extend(engine.switches());
    words.extend(engine.options.iter().map(|(name, value)| format!("{name}={value}")));
    words.extend(id_name.map(|name| format!("({name})")));
    words.join("  ")
}

/// Formats a number with its noun, such as `1 game` or `2 games`.
pub fn count(number: u64, noun: &str) -> String {
    match number {
        1 => format!("1 {noun}"),
        _ => format!("{number} {noun}s"),
    }
}

/// Prints the games of the match, one per line, until standard output is closed: number and block, the engine of each
/// seat, the seed of the cards, and the opening as arguments of `position`.
///
/// # Errors
/// [`OpeningError`] if an opening of the plan cannot be played.
pub fn print_schedule(plan: &Plan) -> Result<(), OpeningError> {
    let schedule = Schedule::new(plan)?;
    let mut text = String::new();
    for number in 1..=plan.games {
        let game = schedule.game(number)?;
        let name = |engine: usize| plan.engines[engine].name.as_str();
        let seats: Vec<&str> = game.seats.iter().map(|seated| name(seated.engine)).collect();
        let start = match &game.start {
            Some(text) => format!("fen {text}"),
            None => format!("startpos players {}", plan.seats),
        };
        let moves = match game.opening.as_slice() {
            [] => String::new(),
            moves => format!(" moves {}", moves.join(" ")),
        };
        // Writing to a string never fails.
        let _ = writeln!(
            text,
            "game {number}  block {}  {}  cards {}  {start}{moves}",
            game.block,
            seats.join(", "),
            game.deck_seed,
        );
        if text.len() >= PIECE || number == plan.games {
            if print(&text).is_err() {
                break;
            }
            text.clear();
        }
    }
    Ok(())
}
