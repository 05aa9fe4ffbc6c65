//! The options that a client can set: one table, in which each has its name, kind and bounds.

mod kinds;

use std::path::PathBuf;

use thiserror::Error;

use super::worker::MemorySize;
use crate::eval::lookahead::HareModel;
use crate::eval::{EvalFileError, Heuristic};
use crate::protocol::{Excerpt, OptionKind, OptionOffer};
use crate::rules::{VARIANTS, Variant};
use crate::search::vectors::{CapsError, Prune, Strategy};
use crate::search::{Aim, ArticleSettings, LEVELS, Preset, Strength};
use kinds::{Choices, check, combo, expected_of, is_taken, spin};

const UCI_VARIANT: &str = "UCI_Variant";
const HASH: &str = "Hash";
const CAPS: &str = "Caps";
const EVAL_FILE: &str = "EvalFile";
const MULTI_PV: &str = "MultiPV";
const MOVE_OVERHEAD: &str = "Move Overhead";
const PONDER: &str = "Ponder";

/// The value of `EvalFile` for what comes with the engine.
const SHIPPED: &str = "<shipped>";

/// The options that change nothing about what positions are worth: what was found out of these stays known.
const OF_NO_MATTER_TO_MEMORY: [&str; 3] = [MULTI_PV, MOVE_OVERHEAD, PONDER];

/// An option.
struct Setting {
    name: &'static str,
    /// What it takes, and its default.
    kind: fn() -> OptionKind,
    /// Sets it to a value of its kind.
    set: fn(&mut Options, &str) -> Result<(), OptionError>,
}

/// All options, in the order in which `uci` is told of them.
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
        // Whatever is set, but for a few options, has the search forget what it knows; this does nothing else.
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
        kind: || spin(1, 1, 72),
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
        // Whether to ponder is up to the client; its `go ponder` says so each time.
        name: PONDER,
        kind: || check(false),
        set: |_, _| Ok(()),
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
        name: "Preset",
        kind: || combo(&PRESETS, PresetName::Default),
        set: |options, value| {
            options.preset = PRESETS.named(value);
            options.article = ArticleSettings::default();
            Ok(())
        },
    },
    Setting {
        name: "Ks",
        kind: || spin(article().model.factors.lettuces, 0, 1000),
        set: |options, value| {
            options.article.model.factors.lettuces = number(value) as i32;
            Ok(())
        },
    },
    Setting {
        name: "Kc",
        kind: || spin(article().model.factors.carrots, 0, 1000),
        set: |options, value| {
            options.article.model.factors.carrots = number(value) as i32;
            Ok(())
        },
    },
    Setting {
        name: "Kp",
        kind: || spin(article().model.factors.path, 0, 1000),
        set: |options, value| {
            options.article.model.factors.path = number(value) as i32;
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
        name: "HareModel",
        kind: || combo(&HARE_MODELS, article().model.hare_model),
        set: |options, value| {
            options.article.model.hare_model = HARE_MODELS.named(value);
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
        name: "Heuristic",
        kind: || combo(&HEURISTICS, article().model.heuristic),
        set: |options, value| {
            options.article.model.heuristic = HEURISTICS.named(value);
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
    ("default", PresetName::Default),
    ("search", PresetName::Search),
    ("article", PresetName::Article),
]);
const STRATEGIES: Choices<Strategy> = Choices(&[
    ("absolute", Strategy::Absolute),
    ("relative", Strategy::Relative),
    ("hybrid", Strategy::Hybrid),
]);
const HARE_MODELS: Choices<HareModel> = Choices(&[
    ("article", HareModel::Article),
    ("article-penalty", HareModel::ArticlePenalty),
    ("chance", HareModel::Chance),
]);
const PRUNES: Choices<Prune> = Choices(&[
    ("off", Prune::Off),
    ("exact", Prune::Exact),
    ("article", Prune::Article),
]);

const HEURISTICS: Choices<Heuristic> = Choices(&[
    ("distance", Heuristic::Distance),
    ("height", Heuristic::Height),
]);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PresetName {
    Default,
    Search,
    Article,
}

/// The values of all options.
#[derive(Clone, Debug)]
pub struct Options {
    /// The variant played.
    pub variant: &'static Variant,
    /// Mebibytes of the memory of positions.
    hash: usize,
    /// Threads that search.
    threads: usize,
    /// How many of the best moves are reported.
    pub multi_pv: usize,
    /// Milliseconds of each move that are set aside for the way between client and search.
    pub move_overhead: u64,
    /// The file of weights to use instead of what comes with the engine.
    pub eval_file: Option<PathBuf>,
    /// What the engine's seat is after.
    pub aim: Aim,
    level: u32,
    limit_strength: bool,
    elo: u32,
    preset: PresetName,
    /// The choices of the article's way of playing, in effect if that is chosen.
    article: ArticleSettings,
}

/// Why an option is refused.
#[derive(Debug, Error)]
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
    #[error("option {HASH}: no memory for {mebibytes} MiB, expected less")]
    Memory {
        /// The size asked for.
        mebibytes: usize,
    },
    /// The file of weights is none.
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
            aim: Aim::default(),
            level: 0,
            limit_strength: false,
            elo: 0,
            preset: PresetName::Default,
            article: article(),
        };
        for setting in SETTINGS {
            // A default is a value that its option takes.
            let _ = (setting.set)(&mut options, &kinds::default_of(&(setting.kind)()));
        }
        options
    }
}

impl Options {
    /// What `uci` is told.
    pub fn offers() -> Vec<OptionOffer> {
        let offer = |setting: &Setting| OptionOffer {
            name: setting.name.into(),
            kind: (setting.kind)(),
        };
        SETTINGS.iter().map(offer).collect()
    }

    fn names() -> Vec<&'static str> {
        SETTINGS.iter().map(|setting| setting.name).collect()
    }

    /// The memory of positions that is wanted.
    pub fn memory_size(&self) -> MemorySize {
        MemorySize {
            mebibytes: self.hash,
            threads: self.threads,
        }
    }

    /// Whether what is known of positions stays so when an option is set, whose name may be in any case.
    pub fn is_of_no_matter_to_memory(name: &str) -> bool {
        let mut harmless = OF_NO_MATTER_TO_MEMORY.iter();
        harmless.any(|known| known.eq_ignore_ascii_case(name))
    }

    /// Whether an option's name, in any case, is that of the variant.
    pub fn is_variant(name: &str) -> bool {
        name.eq_ignore_ascii_case(UCI_VARIANT)
    }

    /// Whether an option's name, in any case, is that of the file of weights.
    pub fn is_eval_file(name: &str) -> bool {
        name.eq_ignore_ascii_case(EVAL_FILE)
    }

    /// How strong to play: by the rating where that is asked for, else by the level. The article's way of playing has
    /// nothing to do with either.
    pub fn strength(&self) -> Strength {
        match self.preset {
            PresetName::Article => Strength::FULL,
            _ if self.limit_strength => Strength::of_elo(self.elo),
            _ => Strength::of_level(self.level),
        }
    }

    /// The way of playing, with the choices made.
    pub fn preset(&self) -> Preset {
        match self.preset {
            PresetName::Default => Preset::Default,
            PresetName::Search => Preset::Search,
            PresetName::Article => Preset::Article(self.article.clone()),
        }
    }

    /// Sets an option; its name may be in any case.
    ///
    /// # Errors
    /// [`OptionError`]; nothing is set then.
    pub fn set(&mut self, name: &str, value: Option<&str>) -> Result<(), OptionError> {
        let value = value.unwrap_or_default();
        let setting = SETTINGS
            .iter()
            .find(|setting| setting.name.eq_ignore_ascii_case(name));
        let Some(setting) = setting else {
            return Err(OptionError::Unknown {
                name: Excerpt::new(name),
            });
        };
        let kind = (setting.kind)();
        if !is_taken(&kind, value) {
            return Err(OptionError::Value {
                name: setting.name,
                value: Excerpt::new(value),
                expected: expected_of(&kind),
            });
        }
        (setting.set)(self, value)
    }
}

fn article() -> ArticleSettings {
    ArticleSettings::default()
}

/// The number of a spin's value, which is one.
fn number(value: &str) -> u32 {
    value.parse().unwrap_or_default()
}
