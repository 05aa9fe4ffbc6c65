//! Conversation with the checked engine: its introduction, its games, and the positions where checks begin.

use std::collections::HashMap;
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::Duration;

use buxtehude::protocol::{OptionKind, OptionOffer, Reply};
use buxtehude::rules::{MAX_SEATS, Turn, VARIANTS};
use matches::plan::rules::{Position, PositionError, Rules};
use matches::play::engine::Offers;
use matches::record::printable::shortened;
use matches::run::exit::ExitError;

use super::check::{Profile, Settings};
use super::laws::{is_move, offers_of};
use super::program::{Fault, Program, Timeouts, ensure, is_best_move, is_refusal, shown, wrong};
use super::suite::Place;

/// Maximum number of lines shown.
const SHOWN_LINES: usize = 60;

/// Maximum number of lines kept of the standard error during a check.
const KEPT_ERRORS: usize = 100;

/// Maximum number of characters shown of a line.
const MAX_SHOWN_LENGTH: usize = 1000;

/// Maximum number of moves and cards until a seat has a choice.
const MAX_WORDS: usize = 1000;

/// A running engine, with the facts that checks have found out about it.
pub struct Talk {
    pub program: Program,
    pub scope: Scope,
    /// Lines of its standard error.
    pub errors: Receiver<String>,
    /// The options that it offers; `None` before the introduction.
    offers: Option<Offers>,
    /// `true` if the engine can run another check, since it has neither ended nor received `quit`.
    pub is_open: bool,
    /// `true` if the engine plays the game where checks begin.
    is_home: bool,
    /// Note for the outcome of the check, passed or not.
    pub note: Option<String>,
}

pub fn nothing(lines: &[String]) -> Result<(), Fault> {
    ensure!(lines.is_empty(), "{:?} came", lines[0]);
    Ok(())
}

impl Talk {
    /// Starts the engine. `slowest` is the longest time to an answer in earlier checks.
    ///
    /// # Errors
    /// [`Fault`] if the program cannot be started.
    pub fn start(scope: &Scope, slowest: Option<Duration>) -> Result<Talk, Fault> {
        let settings = &scope.settings;
        let (sender, errors) = sync_channel(KEPT_ERRORS);
        let shorten = |line: &str| shortened(&shown(line), MAX_SHOWN_LENGTH).into_owned();
        let keep = move |line: &str| drop(sender.try_send(shorten(line)));
        let mut program = Program::start_with(&settings.program, settings.isolation, keep)?;
        program.timeouts = Timeouts { line: settings.timeout, ..Timeouts::default() };
        program.is_checked = true;
        program.slowest = slowest;
        program.sends_legal = settings.legal;
        Ok(Talk {
            program,
            scope: scope.clone(),
            errors,
            offers: None,
            is_open: true,
            is_home: false,
            note: None,
        })
    }

    /// Ends the engine; returns the rest of its standard error.
    pub fn end(self) -> Vec<String> {
        drop(self.program);
        self.errors.try_iter().collect()
    }

    /// The transcript; if it is long, without its middle.
    pub fn transcript(&self) -> String {
        let shorten = |line: &String| shortened(line, MAX_SHOWN_LENGTH).into_owned();
        let mut lines: Vec<String> = self.program.log.iter().map(shorten).collect();
        if lines.len() > SHOWN_LINES {
            let omitted = SHOWN_LINES / 2..lines.len() - SHOWN_LINES / 2;
            let remark = format!("# {} lines omitted", omitted.len());
            lines.splice(omitted, [remark]);
        }
        lines.join("\n")
    }

    /// Sends a line and reads up to and including a line like `last`.
    fn answer_up_to(&mut self, line: &str, last: &str) -> Result<Vec<String>, Fault> {
        self.program.send(line)?;
        self.program.expect(0, &["...".into(), last.into()])?;
        Ok(self.program.answer.clone())
    }

    /// Sends `isready` and returns the lines since the last one sent before, without `readyok`.
    fn fence(&mut self) -> Result<Vec<String>, Fault> {
        let mut lines = self.answer_up_to("isready", "readyok")?;
        lines.pop();
        Ok(lines)
    }

    /// Returns the answer to a line other than `go`.
    pub fn ask(&mut self, line: &str) -> Result<Vec<String>, Fault> {
        self.program.send(line)?;
        self.fence()
    }

    /// Sends a `go` and returns the move of the answer.
    pub fn best_move(&mut self, line: &str) -> Result<Option<String>, Fault> {
        let answer = self.answer_up_to(line, "bestmove *")?;
        match answer.last().map(|last| last.parse()) {
            Some(Ok(Reply::BestMove(best))) => Ok(best.best),
            _ => wrong(format!("malformed: {:?}", answer.last())),
        }
    }

    /// Introduces the engine, if it is not yet.
    pub fn introduce(&mut self) -> Result<(), Fault> {
        if self.offers.is_none() {
            self.offers = Some(offers_of(&self.answer_up_to("uci", "uciok")?));
        }
        Ok(())
    }

    /// Prepares for the next check: the engine is introduced, idle and at the start, and the transcript is empty.
    /// Clients of less than the whole protocol skip what an idle engine says, except for a move.
    pub fn begin(&mut self) -> Result<(), Fault> {
        self.program.forget();
        self.introduce()?;
        let mut lines = self.fence()?;
        if self.scope.profile != Profile::Full {
            lines.retain(|line| is_best_move(line));
        }
        nothing(&lines)?;
        self.program.forget();
        let home = self.home()?;
        if !self.is_home {
            self.choose(&home.table.0)?;
            self.is_home = true;
        }
        let places = [&home.start, &home.later];
        let known = places.map(|place| (place.command(), place.position.clone()));
        self.program.known = HashMap::from(known);
        self.ask(&home.start.command()).map(drop)
    }

    /// The positions where checks begin.
    pub fn home(&self) -> Result<Home, Fault> {
        let skipped = || Fault::Skipped("it plays no game that is checked".into());
        self.scope.home.clone().ok_or_else(skipped)
    }

    /// `true` if the engine offers a choice of games.
    fn has_choice(&self) -> bool {
        let offers = self.offers.as_ref();
        let is_unreadable = offers.is_some_and(|offers| offers.unreadable("UCI_Variant").is_some());
        is_unreadable || self.offers("UCI_Variant")
    }

    /// The readable options that the engine offers.
    pub fn options(&self) -> &[OptionOffer] {
        self.offers.as_ref().map_or(&[], |offers| &offers.readable)
    }

    pub fn offers(&self, option: &str) -> bool {
        self.options().iter().any(|offer| offer.name == option)
    }

    /// `true` if the engine offers the game, or no choice of games.
    fn plays(&self, rules: &Rules) -> bool {
        let includes = |offer: &OptionOffer| match &offer.kind {
            OptionKind::Combo { default, vars } => {
                vars.iter().chain([default]).any(|name| name == rules.uci_variant())
            }
            _ => true,
        };
        self.options().iter().filter(|offer| offer.name == "UCI_Variant").all(includes)
    }

    /// Returns `true` if the engine does not refuse this number of seats.
    fn takes_seats(&mut self, rules: &Rules, seats: usize) -> bool {
        let answer = self.choose(rules).and_then(|()| {
            self.program.forget();
            self.ask(&format!("position startpos players {seats}"))
        });
        self.is_open &= answer.is_ok();
        answer.is_ok_and(|lines| !lines.iter().any(|line| is_refusal(line)))
    }

    /// Selects a game, if the engine offers a choice.
    pub fn choose(&mut self, rules: &Rules) -> Result<(), Fault> {
        self.is_home = false;
        if self.has_choice() {
            self.ask(&format!("setoption name UCI_Variant value {}", rules.uci_variant()))?;
        }
        Ok(())
    }
}

/// The positions where checks begin.
#[derive(Clone, Debug)]
pub struct Home {
    /// Two seats of a built-in game, the fewest of another.
    pub table: Table,
    /// A seat has a choice.
    pub start: Place,
    /// A seat has a choice after some moves.
    pub later: Place,
}

impl Home {
    /// Finds positions of a game with a move to play.
    fn of((rules, seats): &Table) -> Result<Option<Home>, PositionError> {
        let table = (rules.clone(), rules.built_in().map_or(*seats, |_| 2));
        let places = [place_after(&table, 0)?, place_after(&table, 5)?];
        Ok(match places {
            [Some(start), Some(later)] => Some(Home { table, start, later }),
            _ => None,
        })
    }
}

/// The place after the first `count` moves of a game, with cards, and further ones until a seat has a choice; avoids
/// cards if the game has moves that draw none. If no seat ever has a choice, the first place with a seat to move.
fn place_after((rules, seats): &Table, count: usize) -> Result<Option<Place>, PositionError> {
    let mut place = Place::start(rules, *seats)?;
    let mut first = None;
    let mut moves = 0;
    loop {
        let actions = place.position.legal_actions();
        let is_move = is_move(place.position.turn());
        if is_move && actions.len() > 1 && moves >= count {
            return Ok(Some(place));
        }
        if actions.is_empty() || place.actions.len() == MAX_WORDS {
            return Ok(first);
        }
        // Rotate through the cards: the same roll for every seat could repeat for ever.
        let mut action = actions[place.actions.len() % actions.len()].clone();
        if is_move {
            first.get_or_insert_with(|| place.clone());
            moves += 1;
            let mut children = place.position.children()?.into_iter();
            let is_plain = |(_, next): &(_, Position)| !matches!(next.turn(), Turn::Card(_));
            let plain = children.find(is_plain).map(|(action, _)| action);
            action = plain.unwrap_or_else(|| actions[0].clone());
        }
        place = place.after(action)?;
    }
}

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
    /// `None` if the engine plays no game that is checked.
    pub home: Option<Home>,
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
            home: None,
            offers_pondering: false,
        }
    }

    /// Games and numbers of seats that the user asks for.
    ///
    /// # Errors
    /// [`ExitError`] if a rules program fails, or allows no number of seats.
    fn asked(&self) -> Result<Vec<Table>, ExitError> {
        let games = match &self.settings.rules {
            Some(rules) => vec![rules.clone()],
            None => VARIANTS.iter().map(Rules::from).collect(),
        };
        let only = self.settings.players;
        let mut asked = Vec::new();
        let mut refusal = None;
        for rules in games {
            let is_external = rules.program().is_some();
            for seats in (2..=MAX_SEATS).filter(|seats| only.is_none_or(|only| only == *seats)) {
                match rules.start(seats) {
                    Ok(start) => {
                        // Plain UCI knows two seats and no cards; a rules program does not say whether it has cards.
                        let is_plain = seats == 2 && (is_external || !start.has_cards());
                        if self.profile != Profile::Uci || is_plain {
                            asked.push((rules.clone(), seats));
                        }
                    }
                    Err(PositionError::Rules(fault)) => return Err(fault.into()),
                    Err(error) if is_external => refusal = Some(error),
                    Err(_) => {}
                }
            }
        }
        match refusal {
            Some(error) if asked.is_empty() => Err(ExitError::usage(format!("--rules: {error}"))),
            _ => Ok(asked),
        }
    }

    /// Finds the games and numbers of seats that the engine plays, and where checks begin; returns a remark on each
    /// game that is left out, in part or as a whole.
    ///
    /// An engine names its games in `UCI_Variant`, and refuses the numbers of seats that it does not play. Without that
    /// option it plays the first of the built-in games asked for, with two seats, or the game of a rules program.
    ///
    /// # Errors
    /// [`ExitError`] if the program cannot be started again after it ended, or a rules program fails.
    pub fn explore(&mut self, mut talk: Talk) -> Result<Vec<String>, ExitError> {
        self.offers_pondering = talk.offers("Ponder");
        let asked = self.asked()?;
        let is_asked_for = self.settings.players.is_some();
        let is_external =
            self.settings.rules.as_ref().is_some_and(|rules| rules.program().is_some());
        let mut remarks = Vec::new();
        if !talk.has_choice() && !self.settings.legal && !is_external {
            if let Some((rules, tables)) = by_game(&asked).next() {
                let tables = tables.iter().filter(|(_, seats)| *seats == 2 || is_asked_for);
                self.tables = tables.cloned().collect();
                remarks.push(format!(
                    "it has no option UCI_Variant: checked as {} with 2 seats (--variant and --players say otherwise)",
                    rules.name()
                ));
            }
            remarks.retain(|_| !is_asked_for);
        } else {
            for (rules, tables) in by_game(&asked) {
                if !talk.plays(rules) {
                    let hint = match rules.program() {
                        Some(_) => "; variant=NAME in --rules gives its name for engines",
                        None => "",
                    };
                    remarks.push(format!("{}: not offered{hint}", rules.uci_variant()));
                    continue;
                }
                let mut refused = Vec::new();
                for &(_, seats) in tables {
                    if seats == 2 || is_asked_for || talk.takes_seats(rules, seats) {
                        self.tables.push((rules.clone(), seats));
                        continue;
                    }
                    refused.push(seats.to_string());
                    if !talk.is_open {
                        talk = Talk::start(self, None)?;
                        // The first check shows a failure.
                        let _ = talk.introduce();
                    }
                }
                if !refused.is_empty() {
                    let seats = refused.join(", ");
                    remarks.push(format!("{} with {seats} seats: refused", rules.name()));
                }
            }
        }
        let home = self.tables.first().map(Home::of).transpose().map_err(Fault::from)?;
        self.home = home.flatten();
        Ok(remarks)
    }

    /// `true` if the engine is small: it answers neither `d` nor `query`, through which most checks of the whole
    /// protocol see its position.
    ///
    /// # Errors
    /// [`ExitError`] if the program cannot be started.
    pub fn is_small(&self) -> Result<bool, ExitError> {
        let mut talk = Talk::start(self, None)?;
        let mut answers = |line: &str| {
            let answer = talk.begin().and_then(|()| talk.ask(line));
            answer.is_ok_and(|lines| !lines.iter().all(|line| is_refusal(line)))
        };
        Ok(!answers("d") && !answers("query turn"))
    }
}
