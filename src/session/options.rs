//! The options that a client can set: one table with the name, kind and bounds of each.

mod kinds;
mod models;

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use super::worker::MemorySize;
use crate::eval::{EvalFileError, ModelOption};
use crate::protocol::{Excerpt, OptionKind, OptionOffer};
use crate::rules::{MAX_MOVES, VARIANTS, Variant};
use crate::search::article::vectors::{CapsError, Prune, Strategy};
use crate::search::{Aim, ArticleSettings, LEVELS, Preset, Strength};
use kinds::{Choices, check, combo, expected_of, is_taken, spin};

const UCI_VARIANT: &str = "UCI_Variant";
const HASH: &str = "Hash";
const CAPS: &str = "Caps";
const DEBUG_LOG_FILE: &str = "Debug Log File";
const EVAL_FILE: &str = "EvalFile";
const MULTI_PV: &str = "MultiPV";
const MOVE_OVERHEAD: &str = "Move Overhead";
const PONDER: &str = "Ponder";
const PRESET: &str = "Preset";
const SHOW_WDL: &str = "UCI_ShowWDL";

/// Former names of values that are still accepted: option, old name, new name.
const OLD_NAMES: [(&str, &str, &str); 1] = [(PRESET, "default", "best")];

/// Value of `Debug Log File` for no file.
const EMPTY: &str = "<empty>";

/// Value of `EvalFile` for the shipped weights.
const SHIPPED: &str = "<shipped>";

/// Options that keep the search memory valid, since they do not affect the value of positions.
const OF_NO_MATTER_TO_MEMORY: [&str; 5] =
    [MULTI_PV, MOVE_OVERHEAD, PONDER, SHOW_WDL, DEBUG_LOG_FILE];

struct Setting {
    name: &'static str,
    /// Accepted values and default.
    kind: fn() -> OptionKind,
    /// Sets it to a value that its kind accepts.
    set: fn(&mut Options, &str) -> Result<(), OptionError>,
}

/// Options common to all games, in the order in which `uci` lists them; the options of the models follow.
const SETTINGS: &[Setting] = &[
    Setting {
        name: UCI_VARIANT,
        kind: || OptionKind::Combo {
            default: VARIANTS[0].name.into(),
            vars: Variant::names().into_iter().map(String::from).collect(),
        },
        set: |options, value| {
            options.variant = Variant::by_name(value).unwrap_or(options.variant);
            Ok(())
        },
    },
    Setting {
        name: HASH,
        kind: || spin(16, 1, 65536),
        set: |options, value| {
            let mebibytes = number(value) as usize;
            if Vec::<u8>::new().try_reserve_exact(mebibytes << 20).is_err() {
                return Err(OptionError::Memory { mebibytes });
            }
            options.hash = mebibytes;
            Ok(())
        },
    },
    Setting {
        // Setting any option except a few clears the search memory; this one does nothing else.
        name: "Clear Hash",
        kind: || OptionKind::Button,
        set: |_, _| Ok(()),
    },
    Setting {
        name: "Threads",
        kind: || spin(1, 1, 64),
        set: |options, value| {
            options.threads = number(value) as usize;
            Ok(())
        },
    },
    Setting {
        name: MULTI_PV,
        kind: || spin(1, 1, MAX_MOVES as u32),
        set: |options, value| {
            options.multi_pv = number(value) as usize;
            Ok(())
        },
    },
    Setting {
        name: MOVE_OVERHEAD,
        kind: || spin(1, 0, 5000),
        set: |options, value| {
            options.move_overhead = number(value).into();
            Ok(())
        },
    },
    Setting {
        // Without effect: the client asks for pondering with each `go ponder`.
        name: PONDER,
        kind: || check(false),
        set: |_, _| Ok(()),
    },
    Setting {
        name: SHOW_WDL,
        kind: || check(false),
        set: |options, value| {
            options.show_wdl = value == "true";
            Ok(())
        },
    },
    Setting {
        name: DEBUG_LOG_FILE,
        kind: || OptionKind::String {
            default: EMPTY.into(),
        },
        set: |options, value| {
            let is_file = !value.is_empty() && value != EMPTY;
            options.debug_log = is_file.then(|| value.into());
            Ok(())
        },
    },
    Setting {
        name: EVAL_FILE,
        kind: || OptionKind::String {
            default: SHIPPED.into(),
        },
        set: |options, value| {
            let is_file = !["", SHIPPED].contains(&value);
            options.eval_file = is_file.then(|| value.into());
            Ok(())
        },
    },
    Setting {
        name: "Aim",
        kind: || combo(&AIMS, Aim::default()),
        set: |options, value| {
            options.aim = AIMS.named(value);
            Ok(())
        },
    },
    Setting {
        name: "Level",
        kind: || spin(LEVELS.len() as u32, 1, LEVELS.len() as u32),
        set: |options, value| {
            options.level = number(value);
            Ok(())
        },
    },
    Setting {
        name: "UCI_LimitStrength",
        kind: || check(false),
        set: |options, value| {
            options.limit_strength = value == "true";
            Ok(())
        },
    },
    Setting {
        name: "UCI_Elo",
        kind: || {
            let [weakest, .., strongest] = LEVELS.map(|level| level.elo);
            spin(strongest, weakest, strongest)
        },
        set: |options, value| {
            options.elo = number(value);
            Ok(())
        },
    },
    Setting {
        name: PRESET,
        kind: || combo(&PRESETS, PresetName::Best),
        set: |options, value| {
            options.preset = PRESETS.named(value);
            options.article = ArticleSettings::default();
            Ok(())
        },
    },
    Setting {
        name: "Strategy",
        kind: || combo(&STRATEGIES, article().search.strategy),
        set: |options, value| {
            options.article.search.strategy = STRATEGIES.named(value);
            Ok(())
        },
    },
    Setting {
        name: "Prune",
        kind: || combo(&PRUNES, article().search.prune),
        set: |options, value| {
            options.article.search.prune = PRUNES.named(value);
            Ok(())
        },
    },
    Setting {
        name: "Sort",
        kind: || check(article().search.sort),
        set: |options, value| {
            options.article.search.sort = value == "true";
            Ok(())
        },
    },
    Setting {
        name: CAPS,
        kind: || OptionKind::String {
            default: article().search.caps.to_string(),
        },
        set: |options, value| {
            let refused = |error: CapsError| OptionError::Value {
                name: CAPS,
                value: Excerpt::new(value),
                expected: error.to_string(),
            };
            options.article.search.caps = value.parse().map_err(refused)?;
            Ok(())
        },
    },
    Setting {
        name: "AILevel",
        kind: || spin(article().ai_level, 1, 12),
        set: |options, value| {
            options.article.ai_level = number(value);
            Ok(())
        },
    },
];

const AIMS: Choices<Aim> = Choices(&[("placement", Aim::Placement), ("win", Aim::Win)]);
const PRESETS: Choices<PresetName> = Choices(&[
    ("best", PresetName::Best),
    ("search", PresetName::Search),
    ("article", PresetName::Article),
]);
const STRATEGIES: Choices<Strategy> = Choices(&[
    ("absolute", Strategy::Absolute),
    ("relative", Strategy::Relative),
    ("hybrid", Strategy::Hybrid),
]);
const PRUNES: Choices<Prune> = Choices(&[
    ("off", Prune::Off),
    ("exact", Prune::Exact),
    ("article", Prune::Article),
]);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PresetName {
    Best,
    Search,
    Article,
}

/// Values of all options.
#[derive(Clone, Debug)]
pub struct Options {
    pub variant: &'static Variant,
    /// Size of the search memory in MiB.
    hash: usize,
    /// Number of search threads.
    threads: usize,
    /// Number of best moves reported.
    pub multi_pv: usize,
    /// Milliseconds of each move reserved for communication between client and search.
    pub move_overhead: u64,
    /// Weights file to use instead of the shipped weights.
    pub eval_file: Option<PathBuf>,
    /// Whether to report the chances to win and to lose, with two seats.
    pub show_wdl: bool,
    /// File that gets a copy of all lines.
    pub debug_log: Option<PathBuf>,
    /// Aim of the engine's seat.
    pub aim: Aim,
    level: u32,
    limit_strength: bool,
    elo: u32,
    preset: PresetName,
    /// Settings of the preset `article`, used only if it is chosen.
    article: ArticleSettings,
}

/// Errors of `setoption`.
#[derive(Debug, Error)]
pub enum OptionError {
    #[error("unknown option {name}: expected one of {}", Options::names().join(", "))]
    Unknown { name: Excerpt },
    /// The option does not accept the value.
    #[error("option {name}: {value} is refused, expected {expected}")]
    Value {
        name: &'static str,
        value: Excerpt,
        /// Values that the option accepts.
        expected: String,
    },
    /// The machine does not have enough memory.
    #[error("option {HASH}: not enough memory for {mebibytes} MiB, expected a smaller size")]
    Memory {
        /// Requested size.
        mebibytes: usize,
    },
    /// The debug log file cannot be created.
    #[error("option {DEBUG_LOG_FILE}: {}: {error}, expected a writable file", path.display())]
    DebugLog { path: PathBuf, error: io::Error },
    /// The weights file is invalid.
    #[error("option {EVAL_FILE}: {0}")]
    EvalFile(#[from] EvalFileError),
}

impl Default for Options {
    fn default() -> Options {
        let mut options = Options {
            variant: &VARIANTS[0],
            hash: 0,
            threads: 0,
            multi_pv: 0,
            move_overhead: 0,
            eval_file: None,
            show_wdl: false,
            debug_log: None,
            aim: Aim::default(),
            level: 0,
            limit_strength: false,
            elo: 0,
            preset: PresetName::Best,
            article: article(),
        };
        for setting in SETTINGS {
            // Every option accepts its own default.
            let _ = (setting.set)(&mut options, &kinds::default_of(&(setting.kind)()));
        }
        options
    }
}

impl Options {
    /// Options listed in the answer to `uci`.
    pub fn offers() -> Vec<OptionOffer> {
        let offer = |setting: &Setting| OptionOffer {
            name: setting.name.into(),
            kind: (setting.kind)(),
        };
        let models = ModelOption::all().map(|option| OptionOffer {
            name: option.name.into(),
            kind: models::kind_of(option),
        });
        SETTINGS.iter().map(offer).chain(models).collect()
    }

    fn names() -> Vec<&'static str> {
        let models = ModelOption::all().map(|option| option.name);
        let own = SETTINGS.iter().map(|setting| setting.name);
        own.chain(models).collect()
    }

    /// Requested size of the search memory.
    pub fn memory_size(&self) -> MemorySize {
        MemorySize {
            mebibytes: self.hash,
            threads: self.threads,
        }
    }

    /// `true` if setting the option keeps the search memory valid. The name is case-insensitive.
    pub fn is_of_no_matter_to_memory(name: &str) -> bool {
        let mut harmless = OF_NO_MATTER_TO_MEMORY.iter();
        harmless.any(|known| known.eq_ignore_ascii_case(name))
    }

    /// `true` if `name`, in any case, is `UCI_Variant`.
    pub fn is_variant(name: &str) -> bool {
        name.eq_ignore_ascii_case(UCI_VARIANT)
    }

    /// `true` if `name`, in any case, is `EvalFile`.
    pub fn is_eval_file(name: &str) -> bool {
        name.eq_ignore_ascii_case(EVAL_FILE)
    }

    /// Playing strength: by the rating if that is switched on, otherwise by the level. Neither applies to the preset
    /// `article`.
    pub fn strength(&self) -> Strength {
        match self.preset {
            PresetName::Article => Strength::FULL,
            _ if self.limit_strength => Strength::of_elo(self.elo),
            _ => Strength::of_level(self.level),
        }
    }

    /// `true` if `name`, in any case, is `Debug Log File`.
    pub fn is_debug_log(name: &str) -> bool {
        name.eq_ignore_ascii_case(DEBUG_LOG_FILE)
    }

    /// Preset with its settings.
    pub fn preset(&self) -> Preset {
        match self.preset {
            PresetName::Best => Preset::Default,
            PresetName::Search => Preset::Search,
            PresetName::Article => Preset::Article(self.article.clone()),
        }
    }

    /// Sets an option; its name is case-insensitive.
    ///
    /// # Errors
    /// [`OptionError`]; then nothing is changed.
    pub fn set(&mut self, name: &str, value: Option<&str>) -> Result<(), OptionError> {
        let value = value.unwrap_or_default();
        let is_named = |known: &str| known.eq_ignore_ascii_case(name);
        if let Some(setting) = SETTINGS.iter().find(|setting| is_named(setting.name)) {
            let renamed = OLD_NAMES
                .iter()
                .find(|(name, old, _)| *name == setting.name && *old == value);
            let value = renamed.map_or(value, |(_, _, new)| new);
            check_value(setting.name, &(setting.kind)(), value)?;
            (setting.set)(self, value)
        } else if let Some(option) = ModelOption::all().find(|option| is_named(option.name)) {
            check_value(option.name, &models::kind_of(option), value)?;
            models::set(option, &mut self.article.model, value);
            Ok(())
        } else {
            Err(OptionError::Unknown {
                name: Excerpt::new(name),
            })
        }
    }
}

fn check_value(name: &'static str, kind: &OptionKind, value: &str) -> Result<(), OptionError> {
    if is_taken(kind, value) {
        return Ok(());
    }
    Err(OptionError::Value {
        name,
        value: Excerpt::new(value),
        expected: expected_of(kind),
    })
}

fn article() -> ArticleSettings {
    ArticleSettings::default()
}

/// Parses the value of a spin, which was checked to be a number.
fn number(value: &str) -> u32 {
    value.parse().unwrap_or_default()
}
