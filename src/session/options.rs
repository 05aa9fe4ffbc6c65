//! The options that a client can set: one table with the name, effect and values of each.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use super::go::MemorySize;
use crate::articles::strategy::Strategy;
use crate::articles::{self, ArticleSettings};
use crate::eval::EvalFileError;
use crate::protocol::{Excerpt, OptionKind, OptionOffer, parse_into};
use crate::rules::{MAX_MOVES, VARIANTS, Variant};
use crate::search::{Aim, LEVELS, Level, Preset, Strength};

const HASH: &str = "Hash";
const DEBUG_LOG_FILE: &str = "Debug Log File";
const EVAL_FILE: &str = "EvalFile";

/// Value of `Debug Log File` for no file.
const EMPTY: &str = "<empty>";

/// Value of `EvalFile` for the shipped weights.
const SHIPPED: &str = "<shipped>";

/// An option: its name, the effect of setting it, and access to its value.
struct Setting {
    name: &'static str,
    effect: Effect,
    /// Type and accepted values, with the current value as the default.
    kind: fn(&Options) -> OptionKind,
    /// Sets a value of that kind. A text may be refused, with the accepted texts.
    set: fn(&mut Options, &str) -> Result<(), String>,
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

/// Options common to all games, in the order where `uci` lists them; those of the articles follow.
const SETTINGS: &[Setting] = &[
    Setting {
        name: "UCI_Variant",
        effect: Effect::NewGame,
        kind: |options| combo(&Variant::names(), options.variant.name),
        set: |options, value| {
            options.variant = Variant::by_name(value).map_err(|error| error.to_string())?;
            Ok(())
        },
    },
    Setting {
        name: HASH,
        effect: Effect::ReplaceMemory,
        kind: |options| spin(options.hash, 1, 65536),
        set: |options, value| parse_into(&mut options.hash, value),
    },
    Setting {
        name: "Clear Hash",
        effect: Effect::Forget,
        kind: |_| OptionKind::Button,
        set: |_, _| Ok(()),
    },
    Setting {
        name: "Threads",
        effect: Effect::ReplaceMemory,
        kind: |options| spin(options.threads, 1, 64),
        set: |options, value| parse_into(&mut options.threads, value),
    },
    Setting {
        name: "MultiPV",
        effect: Effect::None,
        kind: |options| spin(options.multi_pv, 1, MAX_MOVES as u32),
        set: |options, value| parse_into(&mut options.multi_pv, value),
    },
    Setting {
        name: "Move Overhead",
        effect: Effect::None,
        kind: |options| spin(options.move_overhead, 0, 5000),
        set: |options, value| parse_into(&mut options.move_overhead, value),
    },
    Setting {
        // Has no further use: the client asks for pondering with each `go ponder`.
        name: "Ponder",
        effect: Effect::None,
        kind: |options| OptionKind::Check { default: options.ponder },
        set: |options, value| parse_into(&mut options.ponder, value),
    },
    Setting {
        name: "UCI_ShowWDL",
        effect: Effect::None,
        kind: |options| OptionKind::Check { default: options.show_wdl },
        set: |options, value| parse_into(&mut options.show_wdl, value),
    },
    Setting {
        name: DEBUG_LOG_FILE,
        effect: Effect::OpenLog,
        kind: |_| OptionKind::String { default: EMPTY.into() },
        set: |options, value| set_file(&mut options.debug_log, EMPTY, value),
    },
    Setting {
        name: EVAL_FILE,
        effect: Effect::LoadWeights,
        kind: |_| OptionKind::String { default: SHIPPED.into() },
        set: |options, value| set_file(&mut options.eval_file, SHIPPED, value),
    },
    Setting {
        name: "Aim",
        effect: Effect::Forget,
        kind: |options| {
            combo(&["placement", "win"], if options.aim == Aim::Win { "win" } else { "placement" })
        },
        set: |options, value| {
            options.aim = if value == "win" { Aim::Win } else { Aim::Placement };
            Ok(())
        },
    },
    Setting {
        name: "Level",
        effect: Effect::Forget,
        kind: |options| spin(options.level, 1, LEVELS.len() as u32),
        set: |options, value| parse_into(&mut options.level, value),
    },
    Setting {
        name: "UCI_LimitStrength",
        effect: Effect::Forget,
        kind: |options| OptionKind::Check { default: options.limit_strength },
        set: |options, value| parse_into(&mut options.limit_strength, value),
    },
    Setting {
        name: "UCI_Elo",
        effect: Effect::Forget,
        kind: |options| spin(options.elo, WEAKEST.elo, STRONGEST.elo),
        set: |options, value| parse_into(&mut options.elo, value),
    },
    Setting {
        // Replaces the memory at once, so that the first move of the other search need not spend time on freeing it.
        name: "Preset",
        effect: Effect::ReplaceMemory,
        kind: |options| combo(&PRESETS.map(|(name, _)| name), PRESETS[options.preset].0),
        set: |options, value| {
            let named = PRESETS.iter().position(|(name, _)| *name == value);
            options.preset = named.unwrap_or(options.preset);
            if let Preset::Article(settings) = PRESETS[options.preset].1() {
                options.article = settings;
            }
            Ok(())
        },
    },
];

const WEAKEST: Level = LEVELS[0];
const STRONGEST: Level = LEVELS[LEVELS.len() - 1];

/// Creates a preset with its own settings.
type PresetMaker = fn() -> Preset;

/// Presets by name; the first is the default.
const PRESETS: [(&str, PresetMaker); 6] = [
    ("best", || Preset::Default),
    ("search", || Preset::AlphaBeta),
    ("article", || Preset::Article(ArticleSettings::article())),
    ("article-best", || Preset::Article(ArticleSettings::best())),
    ("faith", || with_strategy(Strategy::RELATIVE)),
    ("hybrid", || with_strategy(Strategy::HYBRID)),
];

/// The article's program with another strategy, which makes it another player of the article.
fn with_strategy(strategy: Strategy) -> Preset {
    let mut settings = ArticleSettings::article();
    settings.search.strategy = strategy;
    Preset::Article(settings)
}

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
        let defaults = Options::default();
        let article = ArticleSettings::article();
        let common = SETTINGS.iter().map(move |setting| OptionOffer {
            name: setting.name.into(),
            kind: (setting.kind)(&defaults),
        });
        common.chain(articles::OPTIONS.iter().map(move |option| OptionOffer {
            name: option.name.into(),
            kind: (option.kind)(&article),
        }))
    }

    fn names() -> Vec<&'static str> {
        let common = SETTINGS.iter().map(|setting| setting.name);
        common.chain(articles::OPTIONS.iter().map(|option| option.name)).collect()
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
        let value = value.unwrap_or_default();
        let refused =
            |name, expected| OptionError::Value { name, value: Excerpt::new(value), expected };
        let is_named = |known: &str| known.eq_ignore_ascii_case(name);
        if let Some(setting) = SETTINGS.iter().find(|setting| is_named(setting.name)) {
            let accepted = (setting.kind)(self).accept(value);
            let set = accepted.and_then(|()| (setting.set)(self, value));
            return set
                .map(|()| setting.effect)
                .map_err(|expected| refused(setting.name, expected));
        }
        let option = articles::OPTIONS.iter().find(|option| is_named(option.name));
        let option = option.ok_or_else(|| OptionError::Unknown { name: Excerpt::new(name) })?;
        let accepted = (option.kind)(&self.article).accept(value);
        let set = accepted.and_then(|()| (option.set)(&mut self.article, value));
        set.map(|()| Effect::Forget).map_err(|expected| refused(option.name, expected))
    }
}

fn spin(default: u32, min: u32, max: u32) -> OptionKind {
    OptionKind::Spin { default: default.into(), min: min.into(), max: max.into() }
}

fn combo(names: &[&str], default: &str) -> OptionKind {
    OptionKind::Combo {
        default: default.into(),
        vars: names.iter().map(|name| (*name).into()).collect(),
    }
}

/// Sets a file, or none for an empty value and for the text that stands for no file.
fn set_file(slot: &mut Option<PathBuf>, none: &str, value: &str) -> Result<(), String> {
    let is_file = !value.is_empty() && value != none;
    *slot = is_file.then(|| value.into());
    Ok(())
}
