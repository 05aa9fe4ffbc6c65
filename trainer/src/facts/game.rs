//! A recorded game played over again: every ply with the positions before and after it.

use buxtehude::rules::hase::{Card, Position};
use buxtehude::rules::{AnyPosition, Game as _, Seat, Turn, Variant};
use matches::archive::replay::{self, Flaw};
use matches::record::GameRecord;
use thiserror::Error;

use super::draw::Draw;

/// A game of a record that is in order.
#[derive(Clone, Debug)]
pub struct Game {
    /// As it was recorded.
    pub record: GameRecord,
    /// The position before the first word of the record.
    pub start: Position,
    /// The plies of the game, those of the opening first.
    pub plies: Vec<Ply>,
    /// The number of plies that were played before the engines were asked.
    pub opening: usize,
}

/// Why there are no facts about a game.
#[derive(Debug, Error)]
pub enum Unfit {
    /// The game is not in order.
    #[error(transparent)]
    Flaw(#[from] Flaw),
    /// It is another game.
    #[error("variant: {0} is no variant of Hase und Igel, the game that there are facts about")]
    OtherGame(String),
}

/// A move with the card it drew.
#[derive(Clone, Copy, Debug)]
pub struct Ply {
    /// Who moved.
    pub mover: Seat,
    /// The position in which it moved.
    pub before: Position,
    /// Whether it was a forced stay.
    pub is_forced_stay: bool,
    /// The card.
    pub draw: Option<Draw>,
    /// The position after move and card.
    pub after: Position,
}

impl Game {
    /// Reads a line of a record.
    ///
    /// # Errors
    /// The first flaw, where the game is not in order.
    pub fn read(line: &[u8]) -> Result<Game, Unfit> {
        Game::of(replay::read(line)?)
    }

    /// Plays a recorded game over again.
    ///
    /// # Errors
    /// The first flaw, where the game is not in order.
    pub fn of(record: GameRecord) -> Result<Game, Unfit> {
        if let Some(flaw) = replay::check(&record).into_iter().next() {
            return Err(flaw.into());
        }
        let variant = Variant::by_name(&record.variant).map_err(Flaw::from)?;
        let race = |position| match position {
            AnyPosition::Hase(race) => Ok(race),
            _ => Err(Unfit::OtherGame(record.variant.clone())),
        };
        let start = race(variant.parse(&record.start).map_err(Flaw::from)?)?;
        let mut plies: Vec<Ply> = Vec::new();
        let mut position = AnyPosition::Hase(start);
        for (index, word) in record.moves.split_whitespace().enumerate() {
            let before = race(position)?;
            position.play(word).map_err(|reason| Flaw::Action {
                number: index + 1,
                reason,
            })?;
            let after = race(position)?;
            match (before.turn(), word.parse::<Card>(), plies.last_mut()) {
                (Turn::Seat(mover), ..) => plies.push(Ply {
                    mover,
                    before,
                    is_forced_stay: word == "0",
                    draw: None,
                    after,
                }),
                (Turn::Card(drawer), Ok(card), Some(ply)) => {
                    ply.draw = Some(Draw {
                        drawer,
                        due: before,
                        card,
                        after,
                    });
                    ply.after = after;
                }
                // A card that is due at the start belongs to no ply.
                _ => {}
            }
        }
        Ok(Game {
            opening: plies.len().saturating_sub(record.turns.len()),
            record,
            start,
            plies,
        })
    }

    /// Number of seats.
    pub fn seats(&self) -> usize {
        self.start.seats()
    }

    /// The name of the engine in a seat.
    pub fn name(&self, seat: Seat) -> &str {
        // A record in order has a name for each seat.
        &self.record.seats[seat.index()]
    }

    /// The names of the engines with their seats.
    pub fn named_seats(&self) -> impl Iterator<Item = (&str, Seat)> {
        let seats = (0..self.seats() as u8).map(Seat);
        seats.map(|seat| (self.name(seat), seat))
    }

    /// The position after the last ply.
    pub fn last(&self) -> &Position {
        self.plies.last().map_or(&self.start, |ply| &ply.after)
    }

    /// Whether it was played to the end.
    pub fn is_over(&self) -> bool {
        self.last().turn() == Turn::Over
    }

    /// The cards drawn by the engines' own moves.
    pub fn draws_of_engines(&self) -> impl Iterator<Item = Draw> {
        self.plies[self.opening..].iter().filter_map(|ply| ply.draw)
    }
}

/// Games for tests.
#[cfg(test)]
pub mod examples {
    use matches::record::ending::Ending;
    use matches::record::seed::Seed;

    use super::*;

    /// A game that was stopped, in which the engines gave the moves behind the `|`.
    pub fn stopped(names: &[&str], start: &str, moves: &str) -> Game {
        let (opening, own) = moves.split_once("| ").unwrap_or(("", moves));
        let mut position = Variant::by_name("hase-und-igel")
            .unwrap()
            .parse(start)
            .unwrap();
        let mut turns = Vec::new();
        let opening = opening.split_whitespace().map(|word| (word, false));
        for (word, is_own) in opening.chain(own.split_whitespace().map(|word| (word, true))) {
            if let (Turn::Seat(seat), true) = (position.turn(), is_own) {
                turns.push(matches::record::TurnRecord {
                    seat: u32::from(seat.0) + 1,
                    mv: word.to_string(),
                    overrun: None,
                    micros: None,
                    depth: None,
                    estimate: Vec::new(),
                    score: None,
                    ..Default::default()
                });
            }
            position
                .play(word)
                .unwrap_or_else(|error| panic!("{error} in\n{}", position.picture()));
        }
        let seats = || (0..names.len() as u8).map(Seat);
        let finished = seats()
            .filter(|&seat| position.place(seat).is_some())
            .count();
        let place = |seat| position.place(seat).unwrap_or(finished + 1);
        let ending = |seat| match position.place(seat) {
            None => Ending::MaxPlies,
            Some(place) if place == names.len() => Ending::Last,
            Some(_) => Ending::Finish,
        };
        let record = GameRecord {
            game: 1,
            block: 1,
            variant: "hase-und-igel".to_string(),
            start: start.to_string(),
            seats: names.iter().map(|name| name.to_string()).collect(),
            seed: Seed::Number(1),
            moves: moves.replace("| ", ""),
            places: seats().map(|seat| place(seat) as u32).collect(),
            endings: seats().map(ending).collect(),
            fault: None,
            reruns: Vec::new(),
            machine: None,
            turns,
        };
        Game::of(record).unwrap_or_else(|flaw| panic!("{flaw}"))
    }
}

#[cfg(test)]
mod tests {
    use super::examples::stopped;
    use super::*;

    #[test]
    fn a_game_is_played_over_again_ply_by_ply() {
        let game = stopped(&["a", "b"], "0,68,3/0,68,3 1 - -", "1 +half | 4 6 1 0");
        assert_eq!((game.plies.len(), game.opening), (5, 1), "{game:?}");
        let first = &game.plies[0];
        assert_eq!(first.after.to_string(), "1,34,3/0,68,3 2 - H");
        let draw = first.draw.unwrap();
        assert_eq!((draw.drawer, draw.card), (Seat(0), Card::Half));
        assert_eq!(draw.due.to_string(), "1,67,3/0,68,3 1?1 - -");
        assert!(game.plies[4].is_forced_stay, "{:?}", game.plies[4]);
        assert!(!game.is_over());
        assert_eq!(game.last().to_string(), game.plies[4].after.to_string());
        assert_eq!(game.draws_of_engines().count(), 0, "drawn in the opening");
    }

    #[test]
    fn a_game_that_is_not_in_order_is_refused() {
        let game = stopped(&["a", "b"], "0,68,3/0,68,3 1 - -", "5");
        let mut record = game.record;
        record.places = vec![2, 1];
        let flaw = Game::of(record).unwrap_err().to_string();
        assert!(flaw.starts_with("places: "), "{flaw}");
    }
}
