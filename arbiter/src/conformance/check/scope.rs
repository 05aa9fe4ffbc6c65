//! The part of the protocol to check: the games and numbers of seats that the user asks for and the engine plays.

use buxtehude::rules::{MAX_SEATS, VARIANTS, Variant};

use super::talk::{Talk, is_refusal};
use super::{Profile, Settings};
use crate::conformance::transcript::ProgramError;

/// A variant with a number of seats.
pub type Table = (&'static Variant, usize);

/// Groups tables by variant; the tables of a variant must be adjacent.
pub fn by_variant(tables: &[Table]) -> impl Iterator<Item = (&'static Variant, &[Table])> {
    let games = tables.chunk_by(|one, other| one.0.name == other.0.name);
    games.map(|tables| (tables[0].0, tables))
}

/// Settings of a stage of the check.
#[derive(Clone, Debug)]
pub struct Scope {
    /// Settings of the user.
    pub settings: Settings,
    /// Profile of the stage.
    pub profile: Profile,
    /// Games and numbers of seats to check.
    pub tables: Vec<Table>,
}

impl Scope {
    /// Creates the scope of an unknown engine, which has no tables.
    pub fn new(settings: &Settings) -> Scope {
        Scope {
            settings: settings.clone(),
            profile: settings.profile.unwrap_or(Profile::Full),
            tables: Vec::new(),
        }
    }

    /// Games and numbers of seats that the user asks for.
    fn asked(&self) -> Vec<Table> {
        let Settings {
            variant, players, ..
        } = self.settings;
        let is_asked = |&(of, seats): &Table| {
            let is_plain = |seats| of.start(seats).is_ok_and(|start| !start.has_cards());
            of.start(seats).is_ok()
                && variant.is_none_or(|only| only.name == of.name)
                && players.is_none_or(|only| only == seats)
                // Plain UCI knows two seats and no cards.
                && (self.profile != Profile::Uci || seats == 2 && is_plain(seats))
        };
        let seats = |variant| (2..=MAX_SEATS).map(move |seats| (variant, seats));
        VARIANTS.iter().flat_map(seats).filter(is_asked).collect()
    }

    /// Adds the games and numbers of seats that the engine plays; returns a remark on each game that is left out, in
    /// part or as a whole.
    ///
    /// An engine names its games in `UCI_Variant`, and refuses the numbers of seats that it does not play. Without that
    /// option it plays the first game of those asked for, with two seats.
    ///
    /// # Errors
    /// [`ProgramError`] if the program cannot be started again after it ended.
    pub fn find_tables(&mut self, mut talk: Talk) -> Result<Vec<String>, ProgramError> {
        let asked = self.asked();
        let is_asked_for = self.settings.players.is_some();
        if !talk.has_choice() && !self.settings.legal {
            let first = asked.first().map(|(variant, _)| variant.name);
            let is_played = |&(variant, seats): &Table| {
                Some(variant.name) == first && (seats == 2 || is_asked_for)
            };
            self.tables = asked.into_iter().filter(is_played).collect();
            let (Some(game), false) = (first, is_asked_for) else {
                return Ok(Vec::new());
            };
            return Ok(vec![format!(
                "it has no option UCI_Variant: checked as {game} with 2 seats (--variant and --players say otherwise)"
            )]);
        }
        let mut remarks = Vec::new();
        for (variant, tables) in by_variant(&asked) {
            if !talk.plays(variant) {
                remarks.push(format!("{}: not offered", variant.name));
                continue;
            }
            let mut refused = Vec::new();
            for &(variant, seats) in tables {
                if seats == 2 || is_asked_for || talk.takes_seats(variant, seats) {
                    self.tables.push((variant, seats));
                } else {
                    refused.push(seats.to_string());
                    if !talk.is_open() {
                        talk = Talk::start(self, None)?;
                        // The first check shows a failure.
                        let _ = talk.introduce();
                    }
                }
            }
            if !refused.is_empty() {
                let seats = refused.join(", ");
                remarks.push(format!("{} with {seats} seats: refused", variant.name));
            }
        }
        Ok(remarks)
    }

    /// `true` if the engine is small: it answers neither `d` nor `query`, through which most checks of the whole
    /// protocol see its position.
    ///
    /// # Errors
    /// [`ProgramError`] if the program cannot be started.
    pub fn is_small(&self) -> Result<bool, ProgramError> {
        let mut talk = Talk::start(self, None)?;
        let is_unknown = |line: &&str| {
            let answer = talk.begin().and_then(|()| talk.ask(line));
            answer.map_or(true, |lines| lines.iter().all(|line| is_refusal(line)))
        };
        Ok(["d", "query turn"].iter().all(is_unknown))
    }
}
