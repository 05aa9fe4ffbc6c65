//! What a net has learned, and how a file of it is laid out.
//!
//! A file is the header `buxtehude net 1 VARIANT SEATS`, a line feed, and numbers, all little-endian: the rows of each
//! table of [`PART_ROWS`] as i16 behind the f32 that they are multiples of, then as f32 the rows of the drawn
//! cards, and `slots`, `bias`, `mixing`, `mixing_bias`, `strength` and `strength_bias` of [`Weights`].

use thiserror::Error;

use super::features::{DECK_KINDS, PART_ROWS, PARTS};
use crate::rules::MAX_SEATS;

/// Numbers in a row, and units of each hidden layer.
pub const WIDTH: usize = 32;

/// A row of numbers.
pub type Row = [f32; WIDTH];

/// The first words of a file.
const MAGIC: &str = "buxtehude net 1";

/// The numbers of a net, as they are learned.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    /// The variant that it was learned for.
    pub variant: String,
    /// Number of seats, 2 to 6.
    pub seats: usize,
    /// The rows that make up a look: their sum is what a hare is.
    pub parts: [Vec<Row>; PARTS],
    /// By kind of card and how many are drawn: what that adds to the first layer.
    pub deck: [[Row; 3]; DECK_KINDS],
    /// By slot, the seats counted from the one to move: what a hare's numbers add to the first layer, a row for each.
    pub slots: Vec<[Row; WIDTH]>,
    /// What the first layer has without a hare.
    pub bias: Row,
    /// What each unit of the first layer adds to the second.
    pub mixing: [Row; WIDTH],
    /// What the second layer has without the first.
    pub mixing_bias: Row,
    /// By slot, what each unit of the second layer adds to its strength.
    pub strength: Vec<Row>,
    /// By slot, the strength without the second layer.
    pub strength_bias: Vec<f32>,
}

/// Why bytes are not the weights of a net.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum WeightsError {
    /// The first line is another.
    #[error("expected a first line `{MAGIC} VARIANT SEATS`, found {found:?}")]
    Header {
        /// What it begins with.
        found: String,
    },
    /// There are more or fewer numbers than the header asks for.
    #[error("expected {expected} bytes after the first line, found {found}")]
    Length {
        /// Bytes that belong there.
        expected: usize,
        /// Bytes that are there.
        found: usize,
    },
    /// A number is infinite or none at all.
    #[error("a weight is not a finite number")]
    NotFinite,
}

impl Weights {
    /// Weights that are all zero.
    ///
    /// # Panics
    /// Unless `seats` is 2 to 6.
    pub fn zero(variant: &str, seats: usize) -> Weights {
        assert!((2..=MAX_SEATS).contains(&seats), "{seats} seats");
        Weights {
            variant: variant.into(),
            seats,
            parts: PART_ROWS.map(|rows| vec![[0.0; WIDTH]; rows]),
            deck: [[[0.0; WIDTH]; 3]; DECK_KINDS],
            slots: vec![[[0.0; WIDTH]; WIDTH]; seats],
            bias: [0.0; WIDTH],
            mixing: [[0.0; WIDTH]; WIDTH],
            mixing_bias: [0.0; WIDTH],
            strength: vec![[0.0; WIDTH]; seats],
            strength_bias: vec![0.0; seats],
        }
    }

    /// The numbers behind the tables of parts, in the order of the file.
    fn dense(&mut self) -> impl Iterator<Item = &mut f32> {
        self.numbers().skip(WIDTH * PART_ROWS.iter().sum::<usize>())
    }

    /// All numbers, those of the tables of parts first.
    pub fn numbers(&mut self) -> impl Iterator<Item = &mut f32> {
        let Weights {
            parts,
            deck,
            slots,
            bias,
            mixing,
            mixing_bias,
            strength,
            strength_bias,
            ..
        } = self;
        let parts = parts.iter_mut().flatten().flatten();
        let deck = deck.iter_mut().flatten().flatten();
        let slots = slots.iter_mut().flatten().flatten();
        parts
            .chain(deck)
            .chain(slots)
            .chain(bias)
            .chain(mixing.iter_mut().flatten())
            .chain(mixing_bias)
            .chain(strength.iter_mut().flatten())
            .chain(strength_bias)
    }

    /// The bytes of a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = format!("{MAGIC} {} {}\n", self.variant, self.seats).into_bytes();
        for table in &self.parts {
            let largest = table
                .iter()
                .flatten()
                .fold(0f32, |most, x| most.max(x.abs()));
            let unit = (largest / f32::from(i16::MAX)).max(f32::MIN_POSITIVE);
            bytes.extend(unit.to_le_bytes());
            let rounded = table.iter().flatten().map(|x| (x / unit).round() as i16);
            bytes.extend(rounded.flat_map(i16::to_le_bytes));
        }
        let mut copy = self.clone();
        bytes.extend(copy.dense().flat_map(|x| x.to_le_bytes()));
        bytes
    }

    /// Reads the bytes of a file.
    ///
    /// # Errors
    /// [`WeightsError`] says what is not as it should be.
    pub fn from_bytes(bytes: &[u8]) -> Result<Weights, WeightsError> {
        let end = bytes.iter().take(100).position(|&byte| byte == b'\n');
        let line = &bytes[..end.unwrap_or(bytes.len().min(40))];
        let line = String::from_utf8_lossy(line).into_owned();
        let header = line.strip_prefix(MAGIC).map(str::split_whitespace);
        let words: Vec<&str> = header.into_iter().flatten().collect();
        let (Some(end), &[variant, seats]) = (end, words.as_slice()) else {
            return Err(WeightsError::Header { found: line });
        };
        let Some(seats) = (2..=MAX_SEATS).find(|number| number.to_string() == seats) else {
            return Err(WeightsError::Header { found: line });
        };
        let mut weights = Weights::zero(variant, seats);
        let mut rest = &bytes[end + 1..];
        let expected = weights.file_length();
        if rest.len() != expected {
            return Err(WeightsError::Length {
                expected,
                found: rest.len(),
            });
        }
        for table in &mut weights.parts {
            let unit = f32::from_le_bytes(take(&mut rest));
            for x in table.iter_mut().flatten() {
                *x = unit * f32::from(i16::from_le_bytes(take(&mut rest)));
            }
        }
        for x in weights.dense() {
            *x = f32::from_le_bytes(take(&mut rest));
        }
        if weights.is_finite() {
            Ok(weights)
        } else {
            Err(WeightsError::NotFinite)
        }
    }

    /// Bytes of the numbers in a file.
    fn file_length(&mut self) -> usize {
        let rows: usize = PART_ROWS.iter().sum();
        size_of::<f32>() * (PARTS + self.dense().count()) + size_of::<i16>() * WIDTH * rows
    }

    fn is_finite(&mut self) -> bool {
        let parts_are = self.parts.iter().flatten().flatten().all(|x| x.is_finite());
        parts_are && self.dense().all(|x| x.is_finite())
    }
}

/// The first bytes of `rest`, which has enough, and takes them away.
fn take<const N: usize>(rest: &mut &[u8]) -> [u8; N] {
    let mut bytes = [0; N];
    let (first, behind) = rest.split_at(N);
    bytes.copy_from_slice(first);
    *rest = behind;
    bytes
}
