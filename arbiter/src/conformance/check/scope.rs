//! The part of the protocol to check: the games and numbers of seats that the user asks for and the engine plays.

use buxtehude::rules::{MAX_SEATS, VARIANTS};
use matches::plan::rules::{PositionError, Rules};
use matches::run::exit::ExitError;

use super::talk::{Fault, Talk, is_refusal};
use super::{Profile, Settings};

/// A game with a number of seats.
pub type Table = (Rules, usize);

/// Groups tables by game; the tables of a game must be adjacent.
pub fn by_game(tables: &[Table]) -> impl Iterator<Item = (&Rules, &[Table])> {
    let games = tables.chunk_by(|one, other| one.0.name() == other.0.name());
    games.map(|tables| (&tables[0].0, tables))
}

/// Settings of a stage of the check.
#[derive(Clone, Debug)]
pub struct Scope {
    pub settings: Settings,
    pub profile: Profile,
    pub tables: Vec<Table>,
    /// Whether the engine has the option `Ponder`.
    pub offers_pondering: bool,
}

impl Scope {
    /// Creates the scope of an unknown engine, which has no tables.
    pub fn new(settings: &Settings) -> Scope {
        Scope {
            settings: settings.clone(),
            profile: settings.profile.unwrap_or(Profile::Full),
            tables: Vec::new(),
            offers_pondering: false,
        }
    }

    /// Games and numbers of seats that the user asks for.
    ///
    /// # Errors
    /// [`ExitError`] if a rules program fails, or allows no number of seats.
    fn asked(&self) -> Result<Vec<Table>, ExitError> {
        let all = || VARIANTS.iter().map(Rules::from).collect();
        let games = self.settings.rules.as_ref();
        let games: Vec<Rules> = games.map_or_else(all, |rules| vec![rules.clone()]);
        let mut asked = Vec::new();
        for rules in games {
            let mut refusal = None;
            for seats in 2..=MAX_SEATS {
                if self.settings.players.is_some_and(|only| only != seats) {
                    continue;
                }
                match rules.start(seats) {
                    Ok(start) => {
                        // Plain UCI knows two seats and no cards; a rules program does not say whether it has cards.
                        let is_plain = !start.has_cards() || rules.program().is_some();
                        if self.profile != Profile::Uci || seats == 2 && is_plain {
                            asked.push((rules.clone(), seats));
                        }
                    }
                    Err(PositionError::Rules(fault)) => return Err(fault.into()),
                    Err(error) => refusal = Some(error),
                }
            }
            if let (Some(error), [], Some(_)) = (refusal, &asked[..], rules.program()) {
                return Err(ExitError::usage(format!("--rules: {error}")));
            }
        }
        Ok(asked)
    }

    /// The game and number of seats where checks begin: two seats of a built-in game, the fewest of another.
    pub fn home(&self) -> Option<Table> {
        let (rules, seats) = self.tables.first()?.clone();
        let seats = rules.built_in().map_or(seats, |_| 2);
        Some((rules, seats))
    }

    /// Adds the games and numbers of seats that the engine plays; returns a remark on each game that is left out, in
    /// part or as a whole.
    ///
    /// An engine names its games in `UCI_Variant`, and refuses the numbers of seats that it does not play. Without that
    /// option it plays the first of the built-in games asked for, with two seats, or the game of a rules program.
    ///
    /// # Errors
    /// [`ExitError`] if the program cannot be started again after it ended, or a rules program fails.
    pub fn find_tables(&mut self, mut talk: Talk) -> Result<Vec<String>, ExitError> {
        self.offers_pondering = talk.offers.iter().any(|offer| offer.name == "Ponder");
        let asked = self.asked()?;
        let is_asked_for = self.settings.players.is_some();
        let rules = self.settings.rules.as_ref();
        let is_external = rules.is_some_and(|rules| rules.program().is_some());
        if !talk.has_choice() && !self.settings.legal && !is_external {
            let first = asked.first().map(|(rules, _)| rules.name().to_string());
            let is_played = |(rules, seats): &Table| {
                Some(rules.name()) == first.as_deref() && (*seats == 2 || is_asked_for)
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
        for (rules, tables) in by_game(&asked) {
            if !talk.plays(rules) {
                let hint = match rules.program() {
                    Some(_) => "; variant=NAME in --rules gives its name for engines",
                    None => "",
                };
                remarks.push(format!("{}: not offered{hint}", rules.told()));
                continue;
            }
            let mut refused = Vec::new();
            for &(_, seats) in tables {
                if seats == 2 || is_asked_for || talk.takes_seats(rules, seats)? {
                    self.tables.push((rules.clone(), seats));
                } else {
                    refused.push(seats.to_string());
                    if !talk.is_open {
                        talk = Talk::start(self, None)?;
                        // The first check shows a failure.
                        let _ = talk.introduce();
                    }
                }
            }
            if !refused.is_empty() {
                let seats = refused.join(", ");
                remarks.push(format!("{} with {seats} seats: refused", rules.name()));
            }
        }
        Ok(remarks)
    }

    /// `true` if the engine is small: it answers neither `d` nor `query`, through which most checks of the whole
    /// protocol see its position.
    ///
    /// # Errors
    /// [`ExitError`] if the program cannot be started, or a rules program fails.
    pub fn is_small(&self) -> Result<bool, ExitError> {
        let mut talk = Talk::start(self, None)?;
        for line in ["d", "query turn"] {
            match talk.begin().and_then(|()| talk.ask(line)) {
                Err(Fault::Rules(fault)) => return Err(fault.into()),
                Ok(lines) if !lines.iter().all(|line| is_refusal(line)) => return Ok(false),
                _ => {}
            }
        }
        Ok(true)
    }
}
