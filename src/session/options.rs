//! The options that a client can set. Each has one line here for its name, default and bounds.

use thiserror::Error;

use crate::protocol::{Excerpt, OptionKind, OptionOffer};
use crate::rules::{VARIANTS, Variant};

const UCI_VARIANT: &str = "UCI_Variant";
const HASH: Spin = Spin {
    name: "Hash",
    default: 16,
    min: 1,
    max: 65536,
};
const MULTI_PV: Spin = Spin {
    name: "MultiPV",
    default: 1,
    min: 1,
    max: 72,
};
const MOVE_OVERHEAD: Spin = Spin {
    name: "Move Overhead",
    default: 1,
    min: 0,
    max: 5000,
};
const PONDER: &str = "Ponder";

/// The values of all options.
#[derive(Clone, Debug)]
pub struct Options {
    /// The variant played.
    pub variant: &'static Variant,
    /// Mebibytes of the transposition table.
    pub hash: usize,
    /// How many of the best moves are reported.
    pub multi_pv: usize,
    /// Milliseconds of each move that are set aside for the way between client and search.
    pub move_overhead: u64,
}

struct Spin {
    name: &'static str,
    default: u32,
    min: u32,
    max: u32,
}

/// Why an option is refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OptionError {
    /// There is no such option.
    #[error("unknown option {name}: expected one of {}", Options::names().join(", "))]
    Unknown {
        /// The name given.
        name: Excerpt,
    },
    /// The value is not one of those that the option takes.
    #[error("option {name}: {value} is refused, expected {expected}")]
    Value {
        /// The option.
        name: &'static str,
        /// The value given.
        value: Excerpt,
        /// What it takes.
        expected: String,
    },
    /// The machine does not have the memory.
    #[error("option {}: no memory for {mebibytes} MiB, expected less", HASH.name)]
    Memory {
        /// The size asked for.
        mebibytes: usize,
    },
}

impl Default for Options {
    fn default() -> Options {
        Options {
            variant: &VARIANTS[0],
            hash: HASH.default as usize,
            multi_pv: MULTI_PV.default as usize,
            move_overhead: MOVE_OVERHEAD.default.into(),
        }
    }
}

impl Options {
    /// What `uci` is told.
    pub fn offers() -> Vec<OptionOffer> {
        let vars: Vec<String> = Variant::names().into_iter().map(String::from).collect();
        let variant = OptionKind::Combo {
            default: VARIANTS[0].name.into(),
            vars,
        };
        vec![
            OptionOffer {
                name: UCI_VARIANT.into(),
                kind: variant,
            },
            HASH.offer(),
            MULTI_PV.offer(),
            MOVE_OVERHEAD.offer(),
            OptionOffer {
                name: PONDER.into(),
                kind: OptionKind::Check { default: false },
            },
        ]
    }

    fn names() -> Vec<String> {
        Options::offers()
            .into_iter()
            .map(|offer| offer.name)
            .collect()
    }

    /// Whether an option's name, in any case, is that of the variant.
    pub fn is_variant(name: &str) -> bool {
        name.eq_ignore_ascii_case(UCI_VARIANT)
    }

    /// Sets an option; its name may be in any case.
    ///
    /// # Errors
    /// [`OptionError`]; nothing is set then.
    pub fn set(&mut self, name: &str, value: Option<&str>) -> Result<(), OptionError> {
        let value = value.unwrap_or_default();
        if Options::is_variant(name) {
            self.variant = Variant::by_name(value).map_err(|_| OptionError::Value {
                name: UCI_VARIANT,
                value: Excerpt::new(value),
                expected: Variant::names().join(" or "),
            })?;
        } else if name.eq_ignore_ascii_case(HASH.name) {
            let mebibytes = HASH.read(value)? as usize;
            if Vec::<u8>::new().try_reserve_exact(mebibytes << 20).is_err() {
                return Err(OptionError::Memory { mebibytes });
            }
            self.hash = mebibytes;
        } else if name.eq_ignore_ascii_case(MULTI_PV.name) {
            self.multi_pv = MULTI_PV.read(value)? as usize;
        } else if name.eq_ignore_ascii_case(MOVE_OVERHEAD.name) {
            self.move_overhead = MOVE_OVERHEAD.read(value)?.into();
        } else if name.eq_ignore_ascii_case(PONDER) {
            // Whether to ponder is up to the client; its `go ponder` says so each time.
            if !matches!(value, "true" | "false") {
                let (value, expected) = (Excerpt::new(value), "true or false".into());
                return Err(OptionError::Value {
                    name: PONDER,
                    value,
                    expected,
                });
            }
        } else {
            return Err(OptionError::Unknown {
                name: Excerpt::new(name),
            });
        }
        Ok(())
    }
}

impl Spin {
    fn offer(&self) -> OptionOffer {
        let kind = OptionKind::Spin {
            default: self.default.into(),
            min: self.min.into(),
            max: self.max.into(),
        };
        OptionOffer {
            name: self.name.into(),
            kind,
        }
    }

    fn read(&self, value: &str) -> Result<u32, OptionError> {
        let plain = value.bytes().all(|byte| byte.is_ascii_digit());
        let number = value
            .parse()
            .ok()
            .filter(|number| plain && (self.min..=self.max).contains(number));
        number.ok_or_else(|| OptionError::Value {
            name: self.name,
            value: Excerpt::new(value),
            expected: format!("a whole number from {} to {}", self.min, self.max),
        })
    }
}
