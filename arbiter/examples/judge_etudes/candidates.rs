//! Positions of recorded games, as an etude can say them.

use std::collections::{BTreeMap, HashSet};
use std::error::Error;
use std::path::PathBuf;

use buxtehude::rules::hase::{HASE_UND_IGEL, Hare, Position};
use buxtehude::rules::{Game, Seat, Turn, VARIANTS, is_card};
use matches::archive::{record_file, replay};
use matches::record::GameRecord;
use rand::SeedableRng;
use rand::seq::{IndexedRandom, SliceRandom};
use rand_chacha::ChaCha8Rng;

/// Quarters of the track: squares 0 to 15, 16 to 31, 32 to 47, 48 to 63.
pub const QUARTERS: usize = 4;

/// What the set is spread over evenly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cell {
    /// Number of seats, 2 or 3.
    pub seats: usize,
    /// The quarter of the leading hare, from 0.
    pub quarter: usize,
}

impl Cell {
    /// All cells, in order.
    pub const ALL: [Cell; 2 * QUARTERS] = {
        let mut cells = [Cell {
            seats: 2,
            quarter: 0,
        }; 2 * QUARTERS];
        let mut index = 0;
        while index < cells.len() {
            cells[index] = Cell {
                seats: 2 + index / QUARTERS,
                quarter: index % QUARTERS,
            };
            index += 1;
        }
        cells
    };
}

/// The most carrots that a hare of a candidate holds: with more it has long been at a standstill.
const MOST_CARROTS: u16 = 150;

/// The games of one opening: a record file and the number of a block in it.
pub type Block = (usize, u64);

/// A position that may become an etude: the mover is the first seat, nobody has finished, and no card
/// was drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Each hare with whether it misses its next turn, the mover's first.
    pub hares: Vec<(Hare, bool)>,
    /// Where it comes from.
    pub block: Block,
    /// Its number among all candidates, from 0: what its games are seeded by.
    pub number: u64,
}

impl Candidate {
    /// The candidate of a position, or `None` where no seat is to move, a hare has finished, or one holds
    /// more than [`MOST_CARROTS`].
    fn of(position: &Position, block: Block) -> Option<Candidate> {
        let Turn::Seat(mover) = position.turn() else {
            return None;
        };
        let hoards = position
            .hares()
            .iter()
            .any(|hare| hare.carrots > MOST_CARROTS);
        if position.finished().len() > 0 || hoards {
            return None;
        }
        let seats = (0..position.seats() as u8).map(Seat);
        let mut hares: Vec<(Hare, bool)> = seats
            .map(|seat| (position.hare(seat), position.misses_turn(seat)))
            .collect();
        hares.rotate_left(mover.index());
        Some(Candidate {
            hares,
            block,
            number: 0,
        })
    }

    /// The etude line, with the index of the seat judged to be winning.
    pub fn line(&self, winner: Option<usize>) -> String {
        let mut line = String::new();
        for (hare, misses) in &self.hares {
            let Hare {
                square,
                carrots,
                lettuces,
            } = hare;
            let mark = if *misses { 't' } else { 'f' };
            line += &format!("{square};{carrots};{lettuces};{mark};");
        }
        match winner {
            Some(seat) => line + &(seat + 1).to_string(),
            None => line + "-",
        }
    }

    /// The text of the position with every hare `rotation` seats further on, the mover's too.
    pub fn rotated_text(&self, rotation: usize) -> String {
        let hares = self.hares.iter().map(|(hare, misses)| {
            let mark = if *misses { "!" } else { "" };
            format!("{},{},{}{mark}", hare.square, hare.carrots, hare.lettuces)
        });
        let mut hares: Vec<String> = hares.collect();
        hares.rotate_right(rotation);
        format!("{} {} - -", hares.join("/"), rotation + 1)
    }

    /// The cell that it counts for.
    pub fn cell(&self) -> Cell {
        Cell {
            seats: self.hares.len(),
            quarter: quarter(self.leading_square()),
        }
    }

    /// Whether the hare of a seat, given by its index, is in the lead, perhaps beside others at the start.
    pub fn is_leader(&self, seat: usize) -> bool {
        self.hares[seat].0.square == self.leading_square()
    }

    /// The square of the leading hare.
    pub fn leading_square(&self) -> u8 {
        let squares = self.hares.iter().map(|(hare, _)| hare.square);
        squares.max().unwrap_or(0)
    }
}

/// The quarter of a square before the finish, from 0.
pub fn quarter(square: u8) -> usize {
    usize::from(square) / 16
}

/// The candidates of recorded games in random order: of each block one for each quarter of the track, none twice.
///
/// # Errors
/// Names the file and the line that cannot be read or played.
pub fn read(paths: &[PathBuf], seed: u64) -> Result<Vec<Candidate>, Box<dyn Error>> {
    let mut by_block: BTreeMap<(Block, usize), Vec<Candidate>> = BTreeMap::new();
    for (file, path) in paths.iter().enumerate() {
        for (index, line) in record_file::lines(path)?.enumerate() {
            let at = |reason: Box<dyn Error>| {
                format!("{}, line {}: {reason}", path.display(), index + 1)
            };
            let record = replay::read(line?).map_err(|flaw| at(flaw.into()))?;
            for candidate in positions(&record, file).map_err(at)? {
                let key = (candidate.block, candidate.cell().quarter);
                by_block.entry(key).or_default().push(candidate);
            }
        }
    }
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut seen = HashSet::new();
    let mut chosen = Vec::new();
    for candidates in by_block.values() {
        let candidate = candidates.choose(&mut random);
        chosen.extend(candidate.filter(|candidate| seen.insert(candidate.line(None))));
    }
    let mut chosen: Vec<Candidate> = chosen.into_iter().cloned().collect();
    chosen.shuffle(&mut random);
    for (number, candidate) in chosen.iter_mut().enumerate() {
        candidate.number = number as u64;
    }
    Ok(chosen)
}

/// All candidates of one game.
fn positions(record: &GameRecord, file: usize) -> Result<Vec<Candidate>, Box<dyn Error>> {
    let variant = VARIANTS[0].name;
    if record.variant != variant {
        return Err(format!("expected games of {variant}, found {}", record.variant).into());
    }
    let block = (file, record.block);
    let mut position = Position::parse(&HASE_UND_IGEL, &record.start)?;
    let mut candidates = Vec::from_iter(Candidate::of(&position, block));
    for word in record.moves.split_whitespace() {
        if is_card(word) {
            position.draw(word.parse()?)?;
        } else {
            position.play(word.parse()?)?;
        }
        candidates.extend(Candidate::of(&position, block));
    }
    Ok(candidates)
}

/// The candidate of an etude line.
#[cfg(test)]
pub fn candidate_of_line(line: &str) -> Candidate {
    let etude = buxtehude::rules::hase::Etude::parse(&HASE_UND_IGEL, line).unwrap();
    Candidate::of(&etude.position, (0, 1)).unwrap()
}

#[cfg(test)]
mod tests {
    use buxtehude::rules::hase::Etude;

    use super::*;

    fn candidate(text: &str) -> Option<Candidate> {
        Candidate::of(&Position::parse(&HASE_UND_IGEL, text).unwrap(), (0, 1))
    }

    #[test]
    fn the_mover_becomes_the_first_seat_and_the_order_stays() {
        for (text, line) in [
            ("45,26,2/29,19,0 1 - BDD", "45;26;2;f;29;19;0;f;-"),
            ("45,26,2/29,19,0 2 - -", "29;19;0;f;45;26;2;f;-"),
            (
                "21,34,3/17,52,2/22,20,2! 2 - FS",
                "17;52;2;f;22;20;2;t;21;34;3;f;-",
            ),
            (
                "21,34,3/17,52,2/22,20,2! 3 - -",
                "22;20;2;t;21;34;3;f;17;52;2;f;-",
            ),
        ] {
            let candidate = candidate(text).unwrap();
            assert_eq!(candidate.line(None), line, "{text}");
            let etude = Etude::parse(&HASE_UND_IGEL, line).unwrap();
            assert_eq!(
                candidate.rotated_text(0),
                etude.position.to_string(),
                "{text}"
            );
        }
    }

    #[test]
    fn where_nobody_moves_or_somebody_has_finished_or_hoards_there_is_no_candidate() {
        for text in [
            "12,60,3/3,62,3 2?6 - -",
            "64,5,0/61,22,0/40,30,0 2 1 -",
            "12,60,3/3,151,3 1 - -",
        ] {
            assert_eq!(candidate(text), None, "{text}");
        }
    }

    #[test]
    fn a_rotation_moves_hares_and_turn_alike() {
        let candidate = candidate("21,34,3/17,52,2/22,20,2! 1 - -").unwrap();
        let texts = [0, 1, 2].map(|rotation| candidate.rotated_text(rotation));
        assert_eq!(
            texts,
            [
                "21,34,3/17,52,2/22,20,2! 1 - -",
                "22,20,2!/21,34,3/17,52,2 2 - -",
                "17,52,2/22,20,2!/21,34,3 3 - -",
            ]
        );
    }

    #[test]
    fn the_leading_hare_names_the_cell() {
        for (text, seats, quarter) in [
            ("0,68,3/0,68,3 1 - -", 2, 0),
            ("15,26,2/9,19,0 1 - -", 2, 0),
            ("15,26,2/16,19,0 1 - -", 2, 1),
            ("31,26,2/32,19,0/4,60,3 1 - -", 3, 2),
            ("63,1,0/32,19,0/4,60,3 3 - -", 3, 3),
        ] {
            let cell = candidate(text).unwrap().cell();
            assert_eq!(cell, Cell { seats, quarter }, "{text}");
            assert!(Cell::ALL.contains(&cell), "{cell:?}");
        }
    }

    #[test]
    fn a_game_gives_the_positions_in_which_a_seat_moves() {
        let text = r#"{"game":1,"block":7,"variant":"hase-und-igel","start":"0,68,3/0,68,3 1 - -",
            "seats":["a","b"],"seed":1,"moves":"1 +half 4 4","places":[1,1],
            "endings":["max plies","max plies"],"turns":[]}"#;
        let record: GameRecord = serde_json::from_str(text).unwrap();
        let candidates = positions(&record, 2).unwrap();
        let lines: Vec<String> = candidates.iter().map(|found| found.line(None)).collect();
        assert_eq!(
            lines,
            [
                "0;68;3;f;0;68;3;f;-",
                "0;68;3;f;1;34;3;f;-",
                "1;34;3;f;4;58;3;f;-",
                "4;58;3;f;5;24;3;f;-",
            ]
        );
        assert!(
            candidates.iter().all(|found| found.block == (2, 7)),
            "{candidates:?}"
        );
    }
}
