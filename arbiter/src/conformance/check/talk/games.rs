//! Games and positions of the checked engine.

use buxtehude::protocol::{OptionOffer, PositionCommand, Reply, Start};
use buxtehude::rules::{AnyPosition, Turn, VARIANTS, Variant};

use super::{Fault, Profile, Talk, is_refusal, nothing, wrong};

impl Talk {
    /// Introduces the engine, if it is not yet.
    pub fn introduce(&mut self) -> Result<(), Fault> {
        if self.offers.is_empty() {
            for line in self.introduction()? {
                if let Ok(Reply::Option(offer)) = line.parse() {
                    self.offers.push(offer);
                }
            }
        }
        Ok(())
    }

    /// Prepares for the next check: the engine is introduced, idle and at the start, and the transcript is empty.
    pub fn begin(&mut self) -> Result<(), Fault> {
        self.transcript.clear();
        self.introduce()?;
        nothing(&self.fence()?)?;
        self.transcript.clear();
        if !self.is_home {
            self.choose(self.home()?)?;
            self.is_home = true;
        }
        self.set_beginning()
    }

    /// The command for the first position of a game for two where a seat has a choice; dice may be due before.
    pub fn beginning(&self) -> Result<String, Fault> {
        let words = self.first_moves(0)?;
        Ok(match words.is_empty() {
            true => "position startpos".into(),
            false => format!("position startpos moves {words}"),
        })
    }

    /// The default variant of checks.
    fn home(&self) -> Result<&'static Variant, Fault> {
        let first = self.scope.tables.first().map(|(variant, _)| *variant);
        first.ok_or_else(|| Fault::Skipped("it plays no game that is checked".into()))
    }

    /// The first `count` moves of a game for two, with the cards drawn; avoids cards if the game has moves that draw
    /// none.
    pub fn first_moves(&self, count: usize) -> Result<String, Fault> {
        Ok(first_words(self.home()?, count)?.0.join(" "))
    }

    /// Sets the position where checks begin.
    pub fn set_beginning(&mut self) -> Result<(), Fault> {
        self.set(&[self.beginning()?])
    }

    pub(super) fn position_of(&self, set: &PositionCommand) -> Option<AnyPosition> {
        let variant = self.variant.unwrap_or(&VARIANTS[0]);
        let mut position = match &set.start {
            Start::Startpos { players } => variant.start(players.unwrap_or(2) as usize).ok()?,
            Start::Fen(text) => variant.parse(text).ok()?,
            Start::Etude(line) => variant.parse_etude(line).ok()?,
        };
        set.moves
            .iter()
            .try_for_each(|word| position.play(word))
            .ok()?;
        Some(position)
    }

    /// `true` if the engine offers a choice of games.
    pub fn has_choice(&self) -> bool {
        self.offers.iter().any(|offer| offer.name == "UCI_Variant")
    }

    /// `true` if the engine offers the variant, or no choice of games.
    pub fn plays(&self, variant: &Variant) -> bool {
        let is_offered = |offer: &OptionOffer| {
            offer.name == "UCI_Variant" && offer.kind.to_string().contains(variant.name)
        };
        !self.has_choice() || self.offers.iter().any(is_offered)
    }

    /// `true` if the engine does not refuse this number of seats.
    pub fn takes_seats(&mut self, variant: &'static Variant, seats: usize) -> bool {
        let answer = self.choose(variant).and_then(|()| {
            self.transcript.clear();
            self.ask(&format!("position startpos players {seats}"))
        });
        self.is_open &= answer.is_ok();
        answer.is_ok_and(|lines| !lines.iter().any(|line| is_refusal(line)))
    }

    /// Skips the check unless it is about a game of this variant.
    pub fn need_variant(&self, variant: &Variant) -> Result<(), Fault> {
        let mut tables = self.scope.tables.iter();
        match tables.any(|(checked, _)| checked.name == variant.name) {
            true => Ok(()),
            false => Err(Fault::Skipped(format!("{} is not checked", variant.name))),
        }
    }

    /// Selects a variant, if the engine offers a choice.
    pub fn choose(&mut self, variant: &'static Variant) -> Result<(), Fault> {
        self.is_home = false;
        self.variant = Some(variant);
        match self.has_choice() {
            true => self.set(&[format!("setoption name UCI_Variant value {}", variant.name)]),
            false => Ok(()),
        }
    }

    /// The command for a position reached from the start by moves and cards.
    pub fn position(&self, seats: usize, actions: &[String]) -> String {
        let players = match self.profile() {
            Profile::Match if seats == 2 => String::new(),
            Profile::Full | Profile::Match => format!(" players {seats}"),
            Profile::Uci => String::new(),
        };
        let moves = match actions {
            [] => String::new(),
            actions => format!(" moves {}", actions.join(" ")),
        };
        format!("position startpos{players}{moves}")
    }
}

/// The first `count` moves of a game for two, with cards, and further ones until a seat has a choice; and the position
/// reached.
pub fn first_words(
    variant: &'static Variant,
    count: usize,
) -> Result<(Vec<String>, AnyPosition), Fault> {
    let start = variant.start(2);
    let mut position = start.map_err(|error| Fault::Skipped(error.to_string()))?;
    let mut words = Vec::new();
    let mut moves = 0;
    let has_choice = |position: &AnyPosition| {
        matches!(position.turn(), Turn::Seat(_)) && position.legal_actions().len() > 1
    };
    while moves < count || !has_choice(&position) {
        let after = |word: String| {
            let mut next = position;
            next.play(&word).ok()?;
            Some((word, next))
        };
        let mut children: Vec<_> = position
            .legal_actions()
            .into_iter()
            .filter_map(after)
            .collect();
        let is_card_due = |next: &AnyPosition| matches!(next.turn(), Turn::Card(_));
        if is_card_due(&position) {
            // Rotate through the cards: the same roll for every seat could repeat for ever.
            let number = children.len().max(1);
            children.rotate_left(words.len() % number);
        } else {
            children.sort_by_key(|(_, next)| is_card_due(next));
        }
        let Some((word, next)) = children.into_iter().next() else {
            return wrong("the game is over already");
        };
        moves += usize::from(!is_card_due(&position));
        words.push(word);
        position = next;
    }
    Ok((words, position))
}

/// `true` if `word` is a legal move of the seat to move.
pub fn is_legal(position: &AnyPosition, word: &str) -> bool {
    matches!(position.turn(), Turn::Seat(_)) && position.legal_actions().iter().any(|mv| mv == word)
}
