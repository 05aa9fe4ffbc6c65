//! The options that a client can set: one table with the name, effect and values of each.

use std::fmt::Display;
use std::io;
use std::path::PathBuf;
use std::str::FromStr;

use thiserror::Error;

use super::search_thread::MemorySize;
use crate::eval::{self, EvalFileError, ModelOption};
use crate::protocol::{Excerpt, OptionKind, OptionOffer};
use crate::rules::{MAX_MOVES, VARIANTS, Variant};
use crate::search::article::vectors::Prune;
use crate::search::{Aim, ArticleSettings, LEVELS, Level, MAX_AI_LEVEL, Preset, Strength};

const HASH: &str = "Hash";
const DEBUG_LOG_FILE: &str = "Debug Log File";
const EVAL_FILE: &str = "EvalFile";

/// Value of `Debug Log File` for no file.
const EMPTY: &str = "<empty>";

/// Value of `EvalFile` for the shipped weights.
const SHIPPED: &str = "<shipped>";

#[derive(Clone, Copy)]
struct Setting {
    name: &'static str,
    effect: Effect,
    values: Values,
}

/// Effect of setting an option on the rest of the session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// None; the search memory stays valid, since the values of positions do not depend on the option.
    None,
    /// Clears the search memory.
    Forget,
    /// Replaces the search memory by an empty one of the new size.
    ReplaceMemory,
    /// Loads the weights file and clears the search memory.
    LoadWeights,
    /// Starts a new debug log file, or ends the log.
    OpenLog,
    /// Starts a game of the variant and clears the search memory.
    NewGame,
}

/// Accepted values of an option, and access to its value.
#[derive(Clone, Copy)]
enum Values {
    Button,
    Check(fn(&mut Options) -> &mut bool),
    /// Smallest and largest value.
    Spin(u32, u32, fn(&mut Options) -> &mut u32),
    /// The value is an index among the names.
    Combo {
        names: fn() -> Vec<&'static str>,
        get: fn(&Options) -> usize,
        set: fn(&mut Options, usize),
    },
    /// The text that stands for no file.
    File(&'static str, fn(&mut Options) -> &mut Option<PathBuf>),
    /// `set` returns the accepted texts if it refuses one.
    Text {
        get: fn(&Options) -> String,
        set: fn(&mut Options, &str) -> Result<(), String>,
    },
    /// A setting of an article's model, which its game defines.
    Model(&'static ModelOption),
}

/// Options common to all games, in the order where `uci` lists them; the options of the models follow.
const SETTINGS: &[Setting] = &[
    Setting {
        name: "UCI_Variant",
        effect: Effect::NewGame,
        values: Values::Combo {
            names: Variant::names,
            get: |options| index_of(options.variant.name, &Variant::names()).unwrap_or_default(),
            set: |options, index| {
                let named = Variant::by_name(Variant::names()[index]);
                options.variant = named.unwrap_or(options.variant);
            },
        },
    },
    Setting {
        name: HASH,
        effect: Effect::ReplaceMemory,
        values: Values::Spin(1, 65536, |options| &mut options.hash),
    },
    Setting { name: "Clear Hash", effect: Effect::Forget, values: Values::Button },
    Setting {
        name: "Threads",
        effect: Effect::ReplaceMemory,
        values: Values::Spin(1, 64, |options| &mut options.threads),
    },
    Setting {
        name: "MultiPV",
        effect: Effect::None,
        values: Values::Spin(1, MAX_MOVES as u32, |options| &mut options.multi_pv),
    },
    Setting {
        name: "Move Overhead",
        effect: Effect::None,
        values: Values::Spin(0, 5000, |options| &mut options.move_overhead),
    },
    Setting {
        // Has no further use: the client asks for pondering with each `go ponder`.
        name: "Ponder",
        effect: Effect::None,
        values: Values::Check(|options| &mut options.ponder),
    },
    Setting {
        name: "UCI_ShowWDL",
        effect: Effect::None,
        values: Values::Check(|options| &mut options.show_wdl),
    },
    Setting {
        name: DEBUG_LOG_FILE,
        effect: Effect::OpenLog,
        values: Values::File(EMPTY, |options| &mut options.debug_log),
    },
    Setting {
        name: EVAL_FILE,
        effect: Effect::LoadWeights,
        values: Values::File(SHIPPED, |options| &mut options.eval_file),
    },
    Setting {
        name: "Aim",
        effect: Effect::Forget,
        values: Values::Combo {
            names: || vec!["placement", "win"],
            get: |options| options.aim as usize,
            set: |options, index| options.aim = [Aim::Placement, Aim::Win][index],
        },
    },
    Setting {
        name: "Level",
        effect: Effect::Forget,
        values: Values::Spin(1, LEVELS.len() as u32, |options| &mut options.level),
    },
    Setting {
        name: "UCI_LimitStrength",
        effect: Effect::Forget,
        values: Values::Check(|options| &mut options.limit_strength),
    },
    Setting {
        name: "UCI_Elo",
        effect: Effect::Forget,
        values: Values::Spin(WEAKEST.elo, STRONGEST.elo, |options| &mut options.elo),
    },
    Setting {
        // Replaces the memory at once, so that the first move of the other search need not spend time on freeing it.
        name: "Preset",
        effect: Effect::ReplaceMemory,
        values: Values::Combo {
            names: || PRESETS.iter().map(|(name, _)| *name).collect(),
            get: |options| options.preset,
            set: |options, index| {
                options.preset = index;
                if let Preset::Article(settings) = PRESETS[index].1() {
                    options.article = settings;
                }
            },
        },
    },
    Setting {
        name: "Strategy",
        effect: Effect::Forget,
        values: Values::Text {
            get: |options| options.article.search.strategy.to_string(),
            set: |options, value| parse_into(&mut options.article.search.strategy, value),
        },
    },
    Setting {
        name: "Prune",
        effect: Effect::Forget,
        values: Values::Combo {
            names: || vec!["exact", "article"],
            get: |options| usize::from(options.article.search.prune == Prune::Article),
            set: |options, index| {
                options.article.search.prune = [Prune::Exact, Prune::Article][index];
            },
        },
    },
    Setting {
        name: "Caps",
        effect: Effect::Forget,
        values: Values::Text {
            get: |options| options.article.search.caps.to_string(),
            set: |options, value| parse_into(&mut options.article.search.caps, value),
        },
    },
    Setting {
        name: "AILevel",
        effect: Effect::Forget,
        values: Values::Spin(1, MAX_AI_LEVEL, |options| &mut options.article.ai_level),
    },
];

const WEAKEST: Level = LEVELS[0];
const STRONGEST: Level = LEVELS[LEVELS.len() - 1];

/// Creates a preset with its own settings.
type PresetMaker = fn() -> Preset;

/// Presets by name; the first is the default.
const PRESETS: [(&str, PresetMaker); 4] = [
    ("best", || Preset::Default),
    ("search", || Preset::Search),
    ("article", || Preset::Article(ArticleSettings::article())),
    ("article-best", || Preset::Article(ArticleSettings::best())),
];

/// Values of all options.
#[derive(Clone, Debug)]
pub struct Options {
    pub variant: &'static Variant,
    /// Size of the search memory in MiB.
    hash: u32,
    /// Number of search threads.
    threads: u32,
    /// Number of best moves reported.
    pub multi_pv: u32,
    /// Milliseconds of each move reserved for communication between client and search.
    pub move_overhead: u32,
    ponder: bool,
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
    /// Index in [`PRESETS`].
    preset: usize,
    /// Settings of the articles' presets, used only if one of them is chosen.
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
        Options {
            variant: &VARIANTS[0],
            hash: 16,
            threads: 1,
            multi_pv: 1,
            move_overhead: 1,
            ponder: false,
            eval_file: None,
            show_wdl: false,
            debug_log: None,
            aim: Aim::default(),
            level: LEVELS.len() as u32,
            limit_strength: false,
            elo: STRONGEST.elo,
            preset: 0,
            article: ArticleSettings::article(),
        }
    }
}

impl Options {
    /// Options listed in the answer to `uci`.
    pub fn offers() -> impl Iterator<Item = OptionOffer> {
        let mut defaults = Options::default();
        settings().map(move |setting| OptionOffer {
            name: setting.name.into(),
            kind: setting.values.kind(&mut defaults),
        })
    }

    fn names() -> Vec<&'static str> {
        settings().map(|setting| setting.name).collect()
    }

    /// Requested size of the search memory.
    pub fn memory_size(&self) -> MemorySize {
        MemorySize { mebibytes: self.hash as usize, threads: self.threads as usize }
    }

    /// Playing strength: by the rating if that is switched on, otherwise by the level. Neither applies to the articles'
    /// presets.
    pub fn strength(&self) -> Strength {
        match self.preset() {
            Preset::Article(_) => Strength::FULL,
            _ if self.limit_strength => Strength::of_elo(self.elo),
            _ => Strength::of_level(self.level),
        }
    }

    /// Preset with its settings.
    pub fn preset(&self) -> Preset {
        match PRESETS[self.preset].1() {
            Preset::Article(_) => Preset::Article(self.article.clone()),
            preset => preset,
        }
    }

    /// Sets an option, whose name is case-insensitive; returns the effect that this must have.
    ///
    /// # Errors
    /// [`OptionError`]; then nothing is changed.
    pub fn set(&mut self, name: &str, value: Option<&str>) -> Result<Effect, OptionError> {
        let mut settings = settings();
        let found = settings.find(|setting| setting.name.eq_ignore_ascii_case(name));
        let setting = found.ok_or_else(|| OptionError::Unknown { name: Excerpt::new(name) })?;
        let value = value.unwrap_or_default();
        let refused = |expected| OptionError::Value {
            name: setting.name,
            value: Excerpt::new(value),
            expected,
        };
        setting.values.set(self, value).map_err(refused)?;
        Ok(setting.effect)
    }
}

/// All options, in the order where `uci` lists them.
fn settings() -> impl Iterator<Item = Setting> {
    let models = ModelOption::all().map(|option| Setting {
        name: option.name,
        effect: Effect::Forget,
        values: Values::Model(option),
    });
    SETTINGS.iter().copied().chain(models)
}

impl Values {
    /// Kind of the option, with its value in `defaults` as the default.
    fn kind(&self, defaults: &mut Options) -> OptionKind {
        let spin = |default: u32, min: u32, max: u32| OptionKind::Spin {
            default: default.into(),
            min: min.into(),
            max: max.into(),
        };
        let combo = |names: &[&str], default: usize| OptionKind::Combo {
            default: names[default].into(),
            vars: names.iter().map(|name| (*name).into()).collect(),
        };
        match self {
            Values::Button => OptionKind::Button,
            Values::Check(field) => OptionKind::Check { default: *field(defaults) },
            Values::Spin(min, max, field) => spin(*field(defaults), *min, *max),
            Values::Combo { names, get, .. } => combo(&names(), get(defaults)),
            Values::File(none, _) => OptionKind::String { default: (*none).into() },
            Values::Text { get, .. } => OptionKind::String { default: get(defaults) },
            Values::Model(option) => {
                let default = (option.get)(&defaults.article.model);
                match option.values {
                    eval::Values::UpTo(most) => spin(default, 0, most),
                    eval::Values::Names(names) => combo(names, default as usize),
                }
            }
        }
    }

    /// Sets the value, or returns the accepted values.
    fn set(&self, options: &mut Options, value: &str) -> Result<(), String> {
        match self {
            Values::Button if value.is_empty() => {}
            Values::Button => return Err("no value".into()),
            Values::Check(field) => {
                *field(options) = value.parse().map_err(|_| "true or false")?;
            }
            Values::Spin(min, max, field) => *field(options) = number(value, *min, *max)?,
            Values::Combo { names, set, .. } => set(options, choice(value, &names())?),
            Values::File(none, field) => {
                let is_file = !["", *none].contains(&value);
                *field(options) = is_file.then(|| value.into());
            }
            Values::Text { set, .. } => set(options, value)?,
            Values::Model(option) => {
                let number = match option.values {
                    eval::Values::UpTo(most) => number(value, 0, most)?,
                    eval::Values::Names(names) => choice(value, names)? as u32,
                };
                (option.set)(&mut options.article.model, number);
            }
        }
        Ok(())
    }
}

fn parse_into<T: FromStr<Err: Display>>(slot: &mut T, value: &str) -> Result<(), String> {
    *slot = value.parse().map_err(|error: T::Err| error.to_string())?;
    Ok(())
}

fn number(value: &str, min: u32, max: u32) -> Result<u32, String> {
    let is_plain = value.bytes().all(|byte| byte.is_ascii_digit());
    let number = value.parse().ok().filter(|_| is_plain);
    number
        .filter(|number| (min..=max).contains(number))
        .ok_or_else(|| format!("a whole number from {min} to {max}"))
}

fn choice(value: &str, names: &[&str]) -> Result<usize, String> {
    index_of(value, names).ok_or_else(|| names.join(" or "))
}

fn index_of(value: &str, names: &[&str]) -> Option<usize> {
    names.iter().position(|name| *name == value)
}
