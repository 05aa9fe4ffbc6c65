//! Games and positions of the checked engine.

use buxtehude::protocol::{OptionKind, OptionOffer, PositionCommand, Start};
use buxtehude::rules::{MAX_SEATS, Turn, VARIANTS, Variant};
use matches::plan::rules::program::RulesError;
use matches::plan::rules::{Position, PositionError, Rules};
use matches::play::engine::Offers;

use super::{Fault, Profile, Talk, is_best_move, is_refusal, nothing, wrong};
use crate::conformance::check::Table;

/// Maximum number of moves and cards until a seat has a choice.
const MAX_WORDS: usize = 1000;

impl Talk {
    /// Introduces the engine, if it is not yet.
    pub fn introduce(&mut self) -> Result<(), Fault> {
        if self.offers.is_empty() {
            let mut offers = Offers::default();
            for line in self.introduction()? {
                offers.add(&line);
            }
            self.has_unreadable_choice = offers.unreadable("UCI_Variant").is_some();
            self.offers = offers.readable;
        }
        Ok(())
    }

    /// Prepares for the next check: the engine is introduced, idle and at the start, and the transcript is empty.
    /// Clients of less than the whole protocol skip what an idle engine says, except for a move.
    pub fn begin(&mut self) -> Result<(), Fault> {
        self.transcript.clear();
        self.introduce()?;
        let mut lines = self.fence()?;
        if self.scope.profile != Profile::Full {
            lines.retain(|line| is_best_move(line));
        }
        nothing(&lines)?;
        self.transcript.clear();
        if !self.is_home {
            self.choose(&self.home()?.0)?;
            self.is_home = true;
        }
        self.set_beginning()
    }

    /// The command for the first position where a seat has a choice; dice may be due before.
    pub fn beginning(&self) -> Result<String, Fault> {
        self.after_moves(0)
    }

    /// The game and number of seats where checks begin.
    pub fn home(&self) -> Result<Table, Fault> {
        let skipped = || Fault::Skipped("it plays no game that is checked".into());
        self.scope.home().ok_or_else(skipped)
    }

    /// The command for the position after the first `count` moves of a game, with the cards drawn; avoids cards if the
    /// game has moves that draw none.
    pub fn after_moves(&self, count: usize) -> Result<String, Fault> {
        let home = self.home()?;
        let (words, _) = first_words(&home, count)?;
        let players = (home.1 != 2).then_some(home.1);
        Ok(position_command(players, &words))
    }

    pub fn set_beginning(&mut self) -> Result<(), Fault> {
        self.set(&[self.beginning()?])
    }

    /// Returns the position that a command sets, if it is valid.
    ///
    /// # Errors
    /// [`RulesError`] if a rules program fails.
    pub(super) fn position_of(
        &self,
        set: &PositionCommand,
    ) -> Result<Option<Position>, RulesError> {
        let usual = Rules::from(&VARIANTS[0]);
        let rules = self.rules.as_ref().unwrap_or(&usual);
        let start = match (&set.start, rules.built_in()) {
            (Start::Startpos { players }, _) => match players.unwrap_or(2) as usize {
                seats if seats <= MAX_SEATS => rules.start(seats),
                _ => return Ok(None),
            },
            // Checks set no position of a rules program by its text.
            (_, None) => return Ok(None),
            (Start::Fen(text), _) => rules.parse(text),
        };
        let walked = start.and_then(|start| {
            let (mut after, error) = start.walk(set.moves.iter().map(String::as_str));
            error.map_or_else(|| Ok(after.pop().unwrap_or(start)), Err)
        });
        match walked {
            Ok(position) => Ok(Some(position)),
            Err(PositionError::Rules(fault)) => Err(fault),
            Err(_) => Ok(None),
        }
    }

    /// `true` if the engine offers a choice of games.
    pub fn has_choice(&self) -> bool {
        let is_choice = |offer: &OptionOffer| offer.name == "UCI_Variant";
        self.has_unreadable_choice || self.offers.iter().any(is_choice)
    }

    /// `true` if the engine offers the game, or no choice of games.
    pub fn plays(&self, rules: &Rules) -> bool {
        let excludes = |offer: &OptionOffer| match &offer.kind {
            OptionKind::Combo { default, vars } => {
                !vars.iter().chain([default]).any(|name| name == rules.told())
            }
            _ => false,
        };
        let mut choices = self.offers.iter().filter(|offer| offer.name == "UCI_Variant");
        !choices.any(excludes)
    }

    /// Returns `true` if the engine does not refuse this number of seats.
    ///
    /// # Errors
    /// [`RulesError`] if a rules program fails.
    pub fn takes_seats(&mut self, rules: &Rules, seats: usize) -> Result<bool, RulesError> {
        let answer = self.choose(rules).and_then(|()| {
            self.transcript.clear();
            self.ask(&format!("position startpos players {seats}"))
        });
        self.is_open &= answer.is_ok();
        match answer {
            Ok(lines) => Ok(!lines.iter().any(|line| is_refusal(line))),
            Err(Fault::Rules(fault)) => Err(fault),
            Err(_) => Ok(false),
        }
    }

    /// Skips the check unless it is about a game of this variant.
    pub fn need_variant(&self, variant: &Variant) -> Result<(), Fault> {
        let mut tables = self.scope.tables.iter();
        if tables.any(|(checked, _)| checked.name() == variant.name) {
            Ok(())
        } else {
            Err(Fault::Skipped(format!("{} is not checked", variant.name)))
        }
    }

    /// Selects a game, if the engine offers a choice.
    pub fn choose(&mut self, rules: &Rules) -> Result<(), Fault> {
        self.is_home = false;
        self.rules = Some(rules.clone());
        if self.has_choice() {
            self.set(&[format!("setoption name UCI_Variant value {}", rules.told())])
        } else {
            Ok(())
        }
    }

    /// The command for a position reached from the start by moves and cards.
    pub fn position(&self, seats: usize, actions: &[String]) -> String {
        let is_plain = match self.scope.profile {
            Profile::Full => false,
            Profile::Match => seats == 2,
            Profile::Uci => true,
        };
        position_command((!is_plain).then_some(seats), actions)
    }
}

fn position_command(players: Option<usize>, actions: &[String]) -> String {
    let players = players.map_or(String::new(), |players| format!(" players {players}"));
    let moves = match actions {
        [] => String::new(),
        actions => format!(" moves {}", actions.join(" ")),
    };
    format!("position startpos{players}{moves}")
}

/// Returns the variant of a built-in game; other games skip the check.
pub fn built_in(rules: &Rules) -> Result<&'static Variant, Fault> {
    let skipped = || Fault::Skipped("only built-in games have this check".into());
    rules.built_in().ok_or_else(skipped)
}

/// The first `count` moves of a game, with cards, and further ones until a seat has a choice; and the position reached.
/// If no seat ever has a choice, the first position with a seat to move.
pub fn first_words((rules, seats): &Table, count: usize) -> Result<(Vec<String>, Position), Fault> {
    let mut position = match rules.start(*seats) {
        Err(PositionError::Setup(error)) => return Err(Fault::Skipped(error.to_string())),
        start => start?,
    };
    let mut words = Vec::new();
    let mut moves = 0;
    let mut first_turn = None;
    let has_choice = |position: &Position| {
        matches!(position.turn(), Turn::Seat(_)) && position.legal_actions().len() > 1
    };
    while moves < count || !has_choice(&position) {
        let (word, next) = match position.turn() {
            Turn::Card(_) if words.len() < MAX_WORDS => {
                // Rotate through the cards: the same roll for every seat could repeat for ever.
                let mut cards = position.legal_actions();
                let word = cards.swap_remove(words.len() % cards.len());
                let mut next = position.clone();
                next.play(&word)?;
                (word, next)
            }
            Turn::Seat(_) if words.len() < MAX_WORDS => {
                first_turn.get_or_insert_with(|| (words.clone(), position.clone()));
                let draws = |next: &Position| matches!(next.turn(), Turn::Card(_));
                let children = position.children()?.into_iter();
                let Some(child) = children.min_by_key(|(_, next)| draws(next)) else {
                    return wrong("no move is legal");
                };
                moves += 1;
                child
            }
            _ => {
                let skipped = || Fault::Skipped("its game has no move".into());
                return first_turn.ok_or_else(skipped);
            }
        };
        words.push(word);
        position = next;
    }
    Ok((words, position))
}

/// `true` if `word` is a legal move of the seat to move.
pub fn is_legal(position: &Position, word: &str) -> bool {
    matches!(position.turn(), Turn::Seat(_)) && position.legal_actions().iter().any(|mv| mv == word)
}
