//! Conversation with the checked engine: its introduction, its games, and the positions where checks begin.

use std::collections::HashMap;
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::Duration;

use buxtehude::protocol::{OptionKind, OptionOffer};
use buxtehude::rules::{MAX_SEATS, VARIANTS};
use matches::plan::EngineSpec;
use matches::plan::rules::{PositionError, Rules};
use matches::play::engine::{Offers, VARIANT_OPTION};
use matches::play::sandbox::Isolation;
use matches::record::printable::shortened;
use matches::run::exit::ExitError;
use rand::SeedableRng;
use rand::seq::IteratorRandom;
use rand_chacha::ChaCha8Rng;

use super::check::{Profile, Soak};
use super::laws::{is_move, offers_of};
use super::program::{Fault, Program, is_refusal, shown};
use super::suite::Place;

/// Maximum number of lines shown.
const MAX_SHOWN_LINES: usize = 60;

/// Maximum number of lines kept of the standard error during a check.
const KEPT_ERRORS: usize = 100;

/// Maximum number of characters shown of a line.
const MAX_SHOWN_LENGTH: usize = 1000;

/// Maximum number of moves and cards until checks begin.
const MAX_FORCED_WORDS: usize = 1000;

/// Number of moves before the later of the positions where checks begin.
const MOVES_BEFORE_CHECKS: usize = 5;

/// A running engine, with the facts that checks have found out about it.
pub struct Talk {
    pub program: Program,
    pub scope: Scope,
    /// Lines of its standard error.
    pub errors: Receiver<String>,
    /// The options that it offers.
    offers: Offers,
    is_introduced: bool,
    /// `true` if the engine can run another check, since it has neither ended nor received `quit`.
    pub is_open: bool,
    /// Note for the outcome of the check, passed or not.
    pub note: Option<String>,
}

impl Talk {
    /// Starts the engine. `slowest` is the longest time to an answer in earlier checks.
    ///
    /// # Errors
    /// [`Fault`] if the program cannot be started.
    pub fn start(scope: &Scope, slowest: Option<Duration>) -> Result<Talk, Fault> {
        let (sender, errors) = sync_channel(KEPT_ERRORS);
        let shorten = |line: &str| shortened(&shown(line), MAX_SHOWN_LENGTH).into_owned();
        let keep = move |line: &str| drop(sender.try_send(shorten(line)));
        let mut program = Program::start_with(&scope.program, scope.isolation, keep)?;
        program.line_timeout = scope.timeout;
        program.is_checked = true;
        program.slowest = slowest;
        Ok(Talk {
            program,
            scope: scope.clone(),
            errors,
            offers: Offers::default(),
            is_introduced: false,
            is_open: true,
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
        if lines.len() > MAX_SHOWN_LINES {
            let omitted = MAX_SHOWN_LINES / 2..lines.len() - MAX_SHOWN_LINES / 2;
            let remark = format!("# {} lines omitted", omitted.len());
            lines.splice(omitted, [remark]);
        }
        lines.join("\n")
    }

    /// Sends a line other than `go`, and waits until it is answered.
    pub fn tell(&mut self, line: &str) -> Result<(), Fault> {
        self.program.run(&format!("> {line}\n> isready\n< ...\n< readyok"))
    }

    /// Introduces the engine, if it is not yet.
    pub fn introduce(&mut self) -> Result<(), Fault> {
        if !self.is_introduced {
            self.program.run("> uci\n< ...\n< uciok")?;
            self.offers = offers_of(&self.program.answer);
            self.is_introduced = true;
        }
        Ok(())
    }

    /// Prepares for the next check: the engine is introduced, idle and at the start, and the transcript is empty.
    /// Clients of less than the whole protocol skip what an idle engine says, except for a move.
    pub fn begin(&mut self) -> Result<(), Fault> {
        self.introduce()?;
        self.program.run(match self.scope.profile {
            Profile::Full => "> isready\n< readyok",
            _ => "> isready\n< ...\n< readyok\n= no bestmove*",
        })?;
        self.program.log.clear();
        let home = self.home()?;
        self.choose(&home.table.0)?;
        let places = [&home.start, &home.later];
        let known = places.map(|place| (place.command(), place.position.clone()));
        self.program.known = HashMap::from(known);
        self.tell(&home.start.command())
    }

    /// The positions where checks begin.
    pub fn home(&self) -> Result<Home, Fault> {
        let skipped = || Fault::Skipped("it plays no game that is checked".into());
        self.scope.home.clone().ok_or_else(skipped)
    }

    /// `true` if the engine offers a choice of games.
    fn has_choice(&self) -> bool {
        self.offers(VARIANT_OPTION) || self.offers.unreadable(VARIANT_OPTION).is_some()
    }

    /// The readable options that the engine offers.
    pub fn options(&self) -> &[OptionOffer] {
        &self.offers.readable
    }

    pub fn offers(&self, option: &str) -> bool {
        self.offers.find(option).is_some()
    }

    /// `true` if the engine offers the game, or no choice of games.
    fn plays(&self, rules: &Rules) -> bool {
        match self.offers.find(VARIANT_OPTION).map(|offer| &offer.kind) {
            Some(OptionKind::Combo { default, vars }) => {
                vars.iter().chain([default]).any(|name| name == rules.uci_variant())
            }
            _ => true,
        }
    }

    /// Returns `true` if the engine does not refuse this number of seats.
    fn takes_seats(&mut self, rules: &Rules, seats: usize) -> bool {
        let place = format!("position startpos players {seats}");
        let is_answered = self.choose(rules).and_then(|()| self.tell(&place)).is_ok();
        self.is_open &= is_answered;
        is_answered && !self.program.answer.iter().any(|line| is_refusal(line))
    }

    /// Selects a game, if the engine offers a choice.
    pub fn choose(&mut self, rules: &Rules) -> Result<(), Fault> {
        if self.has_choice() {
            self.tell(&format!("setoption name {VARIANT_OPTION} value {}", rules.uci_variant()))?;
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
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut place = Place::start(rules, table.1)?;
        // If no seat ever has a choice, the first place with a seat to move.
        let (mut start, mut later): (Option<Place>, Option<Place>) = (None, None);
        let mut moves = 0;
        while later.is_none() && place.actions.len() < MAX_FORCED_WORDS {
            let actions = place.position.legal_actions();
            if is_move(place.position.turn()) {
                let has_choice = actions.len() > 1;
                if start.as_ref().is_none_or(|start| has_choice && !start.has_choice()) {
                    start = Some(place.clone());
                }
                later =
                    Some(&place).filter(|_| has_choice && moves >= MOVES_BEFORE_CHECKS).cloned();
                moves += 1;
            }
            let Some(action) = actions.into_iter().choose(&mut rng) else {
                break;
            };
            place = place.after(action)?;
        }
        let home = |start: Place| Home { table, later: later.unwrap_or(start.clone()), start };
        Ok(start.map(home))
    }
}

/// A game with a number of seats.
pub type Table = (Rules, usize);

/// The program to check, and the checks that the user asks for.
#[derive(Clone, Debug)]
pub struct Scope {
    pub program: EngineSpec,
    /// Isolation of the program, if possible.
    pub isolation: Option<Isolation>,
    /// Longest timeout for an expected answer; an engine that answers fast has less.
    pub timeout: Duration,
    /// Run only checks whose names contain one of these, and all of them; every check if empty.
    pub only: Vec<String>,
    /// Selects the checks; `None` for the needs of a match, then the rest of protocol.md unless the engine is small.
    pub asked: Option<Profile>,
    /// The only game to check, or `None` for all built-in ones. The program of the rules, if any, is running.
    pub rules: Option<Rules>,
    /// The only number of seats to check, or `None` for all that the engine plays.
    pub players: Option<usize>,
    /// Length of the final check of memory, if wanted.
    pub soak: Option<Soak>,
    /// The checks of this stage.
    pub profile: Profile,
    pub tables: Vec<Table>,
    /// `None` if the engine plays no game that is checked.
    pub home: Option<Home>,
    /// Whether the engine has the option `Ponder`.
    pub offers_pondering: bool,
}

impl Scope {
    /// Creates the scope of all checks of an unknown program.
    pub fn new(program: EngineSpec, isolation: Option<Isolation>, timeout: Duration) -> Scope {
        Scope {
            program,
            isolation,
            timeout,
            only: Vec::new(),
            asked: None,
            rules: None,
            players: None,
            soak: None,
            profile: Profile::Full,
            tables: Vec::new(),
            home: None,
            offers_pondering: false,
        }
    }

    /// Finds the games and numbers of seats that the engine plays, and where checks begin; returns a remark on each
    /// game that is left out, in part or as a whole.
    ///
    /// An engine names its games in `UCI_Variant`, and refuses the numbers of seats that it does not play. Without that
    /// option it plays the first of the built-in games asked for, with two seats, or the game of a rules program.
    ///
    /// # Errors
    /// [`ExitError`] if the program cannot be started again after it ended, or a rules program fails or allows no
    /// number of seats.
    pub fn explore(&mut self, mut talk: Talk) -> Result<Vec<String>, ExitError> {
        self.offers_pondering = talk.offers("Ponder");
        let only = self.players;
        let games = match &self.rules {
            Some(rules) => vec![rules.clone()],
            None => VARIANTS.iter().map(Rules::from).collect(),
        };
        let mut remarks = Vec::new();
        for rules in games {
            let is_external = rules.program().is_some();
            let has_choice = talk.has_choice() || talk.program.sends_legal || is_external;
            let seats = self.allowed_seats(&rules)?;
            if seats.is_empty() {
                continue;
            }
            if !talk.plays(&rules) {
                let hint = if is_external {
                    "; variant=NAME in --rules gives its name for engines"
                } else {
                    ""
                };
                remarks.push(format!("{}: not offered{hint}", rules.uci_variant()));
                continue;
            }
            let mut refused = Vec::new();
            for seats in seats {
                if seats == 2 || only.is_some() || has_choice && talk.takes_seats(&rules, seats) {
                    self.tables.push((rules.clone(), seats));
                } else {
                    refused.push(seats.to_string());
                }
                if !talk.is_open {
                    talk = Talk::start(self, None)?;
                    // The first check shows a failure.
                    let _ = talk.introduce();
                }
            }
            if !has_choice {
                remarks.push(format!(
                    "it has no option UCI_Variant: checked as {} with 2 seats (--variant and --players say otherwise)",
                    rules.name()
                ));
                remarks.retain(|_| only.is_none());
                break;
            }
            if !refused.is_empty() {
                remarks.push(format!(
                    "{} with {} seats: refused",
                    rules.name(),
                    refused.join(", ")
                ));
            }
        }
        let home = self.tables.first().map(Home::of).transpose().map_err(Fault::from)?;
        self.home = home.flatten();
        Ok(remarks)
    }

    /// The numbers of seats that a game allows and the user asks for.
    ///
    /// # Errors
    /// [`ExitError`] if a rules program fails, or allows no number of seats.
    fn allowed_seats(&self, rules: &Rules) -> Result<Vec<usize>, ExitError> {
        let is_external = rules.program().is_some();
        let only = self.players;
        let mut allowed = Vec::new();
        let mut refusal = None;
        for seats in (2..=MAX_SEATS).filter(|seats| only.is_none_or(|only| only == *seats)) {
            match rules.start(seats) {
                Ok(start) => {
                    // Plain UCI knows two seats and no cards; a rules program does not say whether it has cards.
                    let is_plain = seats == 2 && (is_external || !start.has_cards());
                    if self.asked != Some(Profile::Uci) || is_plain {
                        allowed.push(seats);
                    }
                }
                Err(PositionError::Rules(fault)) => return Err(fault.into()),
                Err(error) => refusal = Some(error).filter(|_| is_external),
            }
        }
        match refusal {
            Some(error) if allowed.is_empty() => Err(ExitError::usage(format!("--rules: {error}"))),
            _ => Ok(allowed),
        }
    }

    /// `true` if the engine is small: it answers neither `d` nor `query`, through which most checks of the whole
    /// protocol see its position.
    ///
    /// # Errors
    /// [`ExitError`] if the program cannot be started.
    pub fn is_small(&self) -> Result<bool, ExitError> {
        let mut talk = Talk::start(self, None)?;
        let mut answers = |line: &str| {
            let is_answered = talk.begin().and_then(|()| talk.tell(line)).is_ok();
            let is_nothing = |line: &String| is_refusal(line) || line == "readyok";
            is_answered && !talk.program.answer.iter().all(is_nothing)
        };
        Ok(!answers("d") && !answers("query turn"))
    }
}
