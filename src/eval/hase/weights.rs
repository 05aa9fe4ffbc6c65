//! Learned weights of a net: their file format, the shipped files, files supplied by a client, and the nets built from
//! either.
//!
//! A file has the header `buxtehude net 1 VARIANT SEATS`, a line feed, and numbers, all little-endian. For each table
//! of [`PART_ROWS`] there is an f32 scale and then the rows as i16 multiples of it. The rest is f32: the rows of the
//! drawn cards, and `slots`, `bias`, `mixing`, `mixing_bias`, `strength` and `strength_bias` of [`Weights`].

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use thiserror::Error;

use super::Net;
use super::features::{DECK_KINDS, PART_ROWS, PARTS};
use crate::eval::Evaluators;
use crate::rules::MAX_SEATS;
use crate::rules::hase::Ruleset;

/// Numbers in a row, and units in each hidden layer.
pub const WIDTH: usize = 32;

/// A row of numbers.
pub type Row = [f32; WIDTH];

/// First words of a file.
const MAGIC: &str = "buxtehude net 1";

/// Weights of a net, as learned.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    /// Variant that they were learned for.
    pub variant: String,
    /// Number of seats, 2 to 6.
    pub seats: usize,
    /// Rows whose sum represents a feature.
    pub parts: [Vec<Row>; PARTS],
    /// Input of the drawn cards to the first layer, by kind and number drawn.
    pub deck: [[Row; 3]; DECK_KINDS],
    /// Matrix from a feature's numbers to the first layer, one row per number; by slot, counted from the seat to move.
    pub slots: Vec<[Row; WIDTH]>,
    /// Bias of the first layer.
    pub bias: Row,
    /// Matrix from the first to the second layer, one row per unit of the first.
    pub mixing: [Row; WIDTH],
    /// Bias of the second layer.
    pub mixing_bias: Row,
    /// Matrix row from the second layer to the strength, by slot.
    pub strength: Vec<Row>,
    /// Bias of the strength, by slot.
    pub strength_bias: Vec<f32>,
}

/// The bytes are not valid weights.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum WeightsError {
    /// The first line is not a header of weights.
    #[error("expected a first line `{MAGIC} VARIANT SEATS`, found {found:?}")]
    Header {
        /// Beginning of the file.
        found: String,
    },
    /// The number of weights does not match the header.
    #[error("expected {expected} bytes after the first line, found {found}")]
    Length {
        /// Expected number of bytes.
        expected: usize,
        /// Number of bytes found.
        found: usize,
    },
    /// A weight is infinite or not a number.
    #[error("a weight is not a finite number")]
    NotFinite,
}

impl Weights {
    /// Weights that are all zero.
    ///
    /// # Panics
    /// If `seats` is not 2 to 6.
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

    /// Weights after the tables of parts, in the order of the file.
    fn dense(&mut self) -> impl Iterator<Item = &mut f32> {
        self.numbers().skip(WIDTH * PART_ROWS.iter().sum::<usize>())
    }

    /// All weights, starting with the tables of parts.
    pub fn numbers(&mut self) -> impl Iterator<Item = &mut f32> {
        let Weights {
            parts, deck, slots, bias, mixing, mixing_bias, strength, strength_bias, ..
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

    /// Encodes the weights as a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = format!("{MAGIC} {} {}\n", self.variant, self.seats).into_bytes();
        for table in &self.parts {
            let largest = table.iter().flatten().fold(0f32, |most, x| most.max(x.abs()));
            let unit = (largest / f32::from(i16::MAX)).max(f32::MIN_POSITIVE);
            bytes.extend(unit.to_le_bytes());
            let rounded = table.iter().flatten().map(|x| (x / unit).round() as i16);
            bytes.extend(rounded.flat_map(i16::to_le_bytes));
        }
        let mut copy = self.clone();
        bytes.extend(copy.dense().flat_map(|x| x.to_le_bytes()));
        bytes
    }

    /// Decodes a weights file.
    ///
    /// # Errors
    /// [`WeightsError`] if the bytes are invalid.
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
            return Err(WeightsError::Length { expected, found: rest.len() });
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
        if weights.numbers().all(|x| x.is_finite()) {
            Ok(weights)
        } else {
            Err(WeightsError::NotFinite)
        }
    }

    /// Size of the numbers in a file, in bytes.
    fn file_length(&mut self) -> usize {
        let rows: usize = PART_ROWS.iter().sum();
        size_of::<f32>() * (PARTS + self.dense().count()) + size_of::<i16>() * WIDTH * rows
    }
}

/// Removes the first `N` bytes from `rest`, which must be long enough.
fn take<const N: usize>(rest: &mut &[u8]) -> [u8; N] {
    let mut bytes = [0; N];
    let (first, after) = rest.split_at(N);
    bytes.copy_from_slice(first);
    *rest = after;
    bytes
}

/// The weights files of a variant, for two to six seats.
macro_rules! files {
    ($variant:literal) => {
        files!($variant, 2 3 4 5 6)
    };
    ($variant:literal, $($seats:literal)*) => {
        [$(include_bytes!(concat!("../../../data/nets/", $variant, "-", $seats, ".net"))),*]
    };
}

/// Weights files by variant.
const NETS: [(&str, [&[u8]; 5]); 2] = [
    ("hase-und-igel", files!("hase-und-igel")),
    ("hare-and-tortoise", files!("hare-and-tortoise")),
];

impl Weights {
    /// Shipped weights for a ruleset and 2 to 6 seats; `None` if there are none.
    pub fn shipped(ruleset: &Ruleset, seats: usize) -> Option<Weights> {
        let (_, files) = NETS.iter().find(|(name, _)| *name == ruleset.name)?;
        Weights::from_bytes(files.get(seats.checked_sub(2)?)?).ok()
    }
}

/// The net built last, and weights to use instead of the shipped ones.
#[derive(Debug, Default)]
pub struct Nets {
    own: Option<Weights>,
    last: Option<(&'static str, Arc<Net>)>,
}

impl Nets {
    /// Returns the net for a ruleset and a number of seats.
    ///
    /// # Panics
    /// If there are no shipped weights for them, which a test excludes.
    pub fn net(&mut self, ruleset: &'static Ruleset, seats: usize) -> Arc<Net> {
        if let Some((variant, net)) = &self.last
            && *variant == ruleset.name
            && net.seats() == seats
        {
            return Arc::clone(net);
        }
        // The new net reuses the memory of the old one, so that two never exist at the same time.
        let old = self.last.take().and_then(|(_, net)| Arc::into_inner(net));
        let own = self.own.as_ref();
        let own = own.filter(|own| own.variant == ruleset.name && own.seats == seats);
        let shipped = || Weights::shipped(ruleset, seats).expect("weights for every variant");
        let weights = own.map_or_else(|| Cow::Owned(shipped()), Cow::Borrowed);
        let net = Arc::new(Net::in_place_of(old, ruleset, &weights));
        self.last = Some((ruleset.name, Arc::clone(&net)));
        net
    }
}

impl Evaluators {
    /// Uses these weights for their variant and number of seats from now on; with `None`, the shipped weights for all.
    pub fn use_weights(&self, weights: Option<Weights>) {
        self.with(|nets: &mut Nets| {
            nets.last = None;
            nets.own = weights;
        });
    }

    /// Uses the weights in a file for its variant and number of seats from now on, and the shipped weights for all
    /// others; without a file, the shipped weights for all.
    ///
    /// # Errors
    /// [`EvalFileError`]; the weights stay as they were.
    pub fn load(&self, path: Option<&Path>) -> Result<(), EvalFileError> {
        self.use_weights(path.map(read).transpose()?);
        Ok(())
    }
}

/// Largest size of a weights file, in bytes.
const MAX_FILE_LENGTH: u64 = 1 << 24;

/// The weights file is refused.
#[derive(Debug, Error)]
#[error("{} {problem}", path.display())]
pub struct EvalFileError {
    path: PathBuf,
    problem: String,
}

fn read(path: &Path) -> Result<Weights, EvalFileError> {
    let refused = |problem| EvalFileError { path: path.into(), problem };
    let unreadable = |error: io::Error| refused(format!("cannot be read: {error}"));
    // Checked before opening the file, since opening a pipe would block.
    if !path.metadata().map_err(unreadable)?.is_file() {
        return Err(refused("is not a weights file: expected a regular file".into()));
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(unreadable)?;
    file.take(MAX_FILE_LENGTH + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > MAX_FILE_LENGTH {
        let problem = format!("is not a weights file: expected {MAX_FILE_LENGTH} bytes at most");
        return Err(refused(problem));
    }
    let weights = Weights::from_bytes(&bytes)
        .map_err(|error| refused(format!("is not a weights file: {error}")))?;
    let (found, known) = (&weights.variant, names());
    if !known.contains(&found.as_str()) {
        let expected = known.join(", ");
        return Err(refused(format!("has weights for {found:?}: expected one of {expected}")));
    }
    Ok(weights)
}

/// Names of the variants with learned weights.
fn names() -> [&'static str; 2] {
    NETS.map(|(variant, _)| variant)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_refused_with_its_reason() {
        let folder = tempfile::tempdir().unwrap();
        let written = |name: &str, bytes: &[u8]| {
            let path = folder.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            path
        };
        let good = Weights::zero(names()[0], 2).to_bytes();
        let mut strange = Weights::zero("halma", 2);
        strange.bias[0] = 1.0;
        let cases = [
            (folder.path().join("absent"), "cannot be read: "),
            (folder.path().to_path_buf(), "expected a regular file"),
            (written("empty", b""), "expected a first line"),
            (written("short", &good[..good.len() - 1]), "bytes after the first line"),
            (written("strange", &strange.to_bytes()), "weights for \"halma\""),
            (written("long", &vec![0; MAX_FILE_LENGTH as usize + 1]), "bytes at most"),
        ];
        for (path, expected) in cases {
            let error = Evaluators::default().load(Some(&path)).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
        Evaluators::default().load(Some(&written("good", &good))).unwrap();
    }
}
