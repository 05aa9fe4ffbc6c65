//! Converts a client's search request to a question for an engine, and filters the engine's answers.

use std::collections::BTreeMap;

use buxtehude::protocol::{Go, Info, OptionKind, OptionOffer, PositionCommand};
use buxtehude::rules::{AnyPosition, Variant};
use matches::play::engine::option_commands;
use matches::record::is_estimate;

use super::App;
use super::limits::go;
use crate::access::{Refusal, quoted};
use crate::board::Played;
use crate::pool::{Entry, Question};

/// Option for the number of lines that an engine reports.
pub const MULTI_PV: &str = "MultiPV";
/// Option that is set by the game's variant.
const VARIANT: &str = "UCI_Variant";
/// Maximum number of options in a request.
const MOST_OPTIONS: usize = 64;
/// Maximum number of moves and cards of a reported line.
const MOST_WORDS_OF_A_LINE: usize = 64;

/// A client's search request.
#[derive(Clone, Copy, Debug)]
pub struct Wish<'a> {
    /// Name of the engine; `None` for the first one.
    pub engine: Option<&'a str>,
    /// Limit; `None` for the engine's default.
    pub limit: Option<&'a str>,
    /// Options by name.
    pub options: &'a BTreeMap<String, String>,
    /// Number of lines to report.
    pub lines: Option<usize>,
}

/// Returns the question to an engine about a game.
///
/// # Errors
/// [`Refusal`] if no seat is to move, there is no such engine, or a limit or an option is invalid.
pub fn question(app: &App, played: &Played, wish: Wish<'_>) -> Result<Question, Refusal> {
    if !played.is_to_move() {
        let due = if played.is_card_due() {
            "a card is due"
        } else {
            "the game is over"
        };
        return Err(Refusal::Wrong(format!(
            "{due}; expected a game where a seat is to move"
        )));
    }
    let terms = Terms::of(app, wish)?;
    Ok(terms.question(played.variant, played.command(), &played.position))
}

/// Validated settings of a search, independent of the position.
#[derive(Clone, Debug)]
pub struct Terms {
    engine: usize,
    go: Go,
    options: Vec<(String, String)>,
    /// Whether to send it the legal moves.
    tells_moves: bool,
}

impl Terms {
    /// Validates a request.
    ///
    /// # Errors
    /// [`Refusal`] if there is no such engine, or a limit or an option is invalid.
    pub fn of(app: &App, wish: Wish<'_>) -> Result<Terms, Refusal> {
        let (engine, entry) = named(app, wish.engine)?;
        Ok(Terms {
            engine,
            go: go(wish.limit, entry.spec.limit, app.bounds.longest)?,
            options: options(app, entry, wish)?,
            tells_moves: entry.spec.legal,
        })
    }

    /// Returns the question about a position with a seat to move.
    pub fn question(
        &self,
        variant: &'static Variant,
        command: PositionCommand,
        position: &AnyPosition,
    ) -> Question {
        let legal = position.legal_actions();
        let mut go = self.go.clone();
        if self.tells_moves {
            go.searchmoves.clone_from(&legal);
        }
        Question {
            engine: self.engine,
            variant,
            position: command,
            legal,
            go,
            options: self.options.clone(),
        }
    }
}

/// Finds an engine by name; returns it with its number.
fn named<'a>(app: &'a App, name: Option<&str>) -> Result<(usize, &'a Entry), Refusal> {
    let mut entries = app.pool.entries().iter().enumerate();
    let found = match name {
        Some(name) => entries.find(|(_, entry)| entry.spec.name == name),
        None => entries.next(),
    };
    found.ok_or_else(|| {
        let names = app
            .pool
            .entries()
            .iter()
            .map(|entry| entry.spec.name.as_str());
        Refusal::Wrong(format!(
            "there is no engine {}; expected one of {}",
            quoted(name.unwrap_or_default()),
            Vec::from_iter(names).join(", ")
        ))
    })
}

/// Whether a client may set an option. Strings may name files, and the effect of a button cannot be undone.
pub fn is_free(offer: &OptionOffer) -> bool {
    !offer.name.eq_ignore_ascii_case(VARIANT)
        && !matches!(offer.kind, OptionKind::String { .. } | OptionKind::Button)
}

/// Maximum for clients, if it is below the engine's.
pub fn most(app: &App, name: &str) -> Option<i64> {
    let bounds = [("Hash", app.bounds.hash), ("Threads", app.bounds.threads)];
    let mut bounds = bounds.into_iter();
    bounds
        .find(|(known, _)| known.eq_ignore_ascii_case(name))
        .map(|(_, most)| most)
}

/// Returns the requested options, with the engine's spelling of their names.
fn options(app: &App, entry: &Entry, wish: Wish<'_>) -> Result<Vec<(String, String)>, Refusal> {
    let offers = entry.introduction().offers;
    let find = |name: &str| {
        offers
            .iter()
            .find(|offer| offer.name.eq_ignore_ascii_case(name))
    };
    if wish.options.len() > MOST_OPTIONS {
        let found = wish.options.len();
        return Err(Refusal::Wrong(format!(
            "{found} options; expected at most {MOST_OPTIONS}"
        )));
    }
    let mut options: Vec<(String, String)> = Vec::new();
    for (name, value) in wish.options {
        let refused = |what: &str| Refusal::Wrong(format!("option {}: {what}", quoted(name)));
        let offer = find(name).ok_or_else(|| {
            refused("the engine does not offer it; expected one that GET /api/engines lists")
        })?;
        if !is_free(offer) {
            return Err(refused(
                "clients may not set it; expected one that GET /api/engines lists",
            ));
        }
        if options.iter().any(|(known, _)| *known == offer.name) {
            return Err(refused("it is given twice; expected each option once"));
        }
        if value.len() > 200 {
            return Err(refused("its value is too long; expected at most 200 bytes"));
        }
        if let Some(most) = most(app, name)
            && value.parse::<i64>().is_ok_and(|value| value > most)
        {
            return Err(refused(&format!("{value}; expected at most {most}")));
        }
        options.push((offer.name.clone(), value.clone()));
    }
    if let Some(lines) = wish.lines.filter(|&lines| lines > 1) {
        let offer = find(MULTI_PV).ok_or_else(|| {
            Refusal::Wrong(format!(
                "lines {lines}; expected 1, since the engine has no option {MULTI_PV}"
            ))
        })?;
        options.retain(|(name, _)| *name != offer.name);
        options.push((offer.name.clone(), lines.to_string()));
    }
    let checked = option_commands(&entry.spec.name, &options, &offers);
    checked.map_err(|error| Refusal::Wrong(error.to_string()))?;
    Ok(options)
}

/// Returns the first estimate that has a share for each seat and sums to a whole.
pub fn estimate<'a>(
    said: impl IntoIterator<Item = &'a Vec<u16>>,
    position: &AnyPosition,
) -> Option<Vec<u16>> {
    let mut said = said.into_iter();
    said.find(|shares| is_estimate(shares, position.seats()))
        .cloned()
}

/// Returns an engine's line up to its first illegal move or card.
pub fn legal_line(info: &Info, mut position: AnyPosition) -> Vec<String> {
    let words = info.pv.iter().take(MOST_WORDS_OF_A_LINE);
    words
        .take_while(|word| position.play(word).is_ok())
        .cloned()
        .collect()
}
