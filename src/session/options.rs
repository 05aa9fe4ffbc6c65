//! The options that a client can set: one table with the name, effect and values of each.

use std::path::PathBuf;

use super::go::MemorySize;
use crate::articles::strategy::Strategy;
use crate::articles::{self, ArticleSettings};
use crate::protocol::{Excerpt, OptionKind, OptionOffer, OptionValue};
use crate::rules::{MAX_MOVES, VARIANTS, Variant};
use crate::search::{Aim, LEVELS, Level, Preset, Strength};

pub const HASH: &str = "Hash";
pub const DEBUG_LOG_FILE: &str = "Debug Log File";
pub const EVAL_FILE: &str = "EvalFile";

/// An option: its name, the effect of setting it, and its value.
type Setting = (&'static str, Effect, fn(&mut Options) -> OptionValue<'_>);

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
    ("UCI_Variant", Effect::NewGame, |options| {
        let kind = combo(&Variant::names(), options.variant.name);
        OptionValue::new(kind, |name| {
            options.variant = Variant::by_name(name).map_err(|error| error.to_string())?;
            Ok(())
        })
    }),
    (HASH, Effect::ReplaceMemory, |options| OptionValue::spin(&mut options.hash, 1, 65536)),
    ("Clear Hash", Effect::Forget, |_| OptionValue::new(OptionKind::Button, |_| Ok(()))),
    ("Threads", Effect::ReplaceMemory, |options| OptionValue::spin(&mut options.threads, 1, 64)),
    ("MultiPV", Effect::None, |options| {
        OptionValue::spin(&mut options.multi_pv, 1, MAX_MOVES as i64)
    }),
    ("Move Overhead", Effect::None, |options| {
        OptionValue::spin(&mut options.move_overhead, 0, 5000)
    }),
    // Has no further use: the client asks for pondering with each `go ponder`.
    ("Ponder", Effect::None, |options| OptionValue::check(&mut options.ponder)),
    ("UCI_ShowWDL", Effect::None, |options| OptionValue::check(&mut options.show_wdl)),
    (DEBUG_LOG_FILE, Effect::OpenLog, |options| file(&mut options.debug_log, "<empty>")),
    // Without a file, the shipped weights.
    (EVAL_FILE, Effect::LoadWeights, |options| file(&mut options.eval_file, "<shipped>")),
    ("Aim", Effect::Forget, |options| OptionValue::combo(&mut options.aim, AIMS)),
    ("Level", Effect::Forget, |options| {
        OptionValue::spin(&mut options.level, 1, LEVELS.len() as i64)
    }),
    ("UCI_LimitStrength", Effect::Forget, |options| {
        OptionValue::check(&mut options.limit_strength)
    }),
    ("UCI_Elo", Effect::Forget, |options| {
        OptionValue::spin(&mut options.elo, WEAKEST.elo.into(), STRONGEST.elo.into())
    }),
    // Replaces the memory at once, so that the first move of the other search need not spend time on freeing it.
    ("Preset", Effect::ReplaceMemory, |options| {
        let kind = combo(&PRESETS.map(|(name, _)| name), PRESETS[options.preset].0);
        OptionValue::new(kind, |value| {
            let named = PRESETS.iter().position(|(name, _)| *name == value);
            options.preset = named.unwrap_or(options.preset);
            if let Preset::Article(settings) = PRESETS[options.preset].1() {
                options.article = settings;
            }
            Ok(())
        })
    }),
];

const AIMS: &[(&str, Aim)] = &[("placement", Aim::Placement), ("win", Aim::Win)];

const WEAKEST: Level = LEVELS[0];
const STRONGEST: Level = LEVELS[LEVELS.len() - 1];

/// Creates a preset with its own settings.
type PresetMaker = fn() -> Preset;

/// Presets by name; the first is the default.
const PRESETS: [(&str, PresetMaker); 7] = [
    ("best", || Preset::Best),
    ("tree", || Preset::Tree),
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
    pub fn offers() -> Vec<OptionOffer> {
        let offer = |name: &&str, kind| OptionOffer { name: (*name).into(), kind };
        let mut defaults = Options::default();
        let common = SETTINGS.iter().map(|(name, _, value)| offer(name, value(&mut defaults).kind));
        let mut offers: Vec<OptionOffer> = common.collect();
        let article = articles::OPTIONS.iter();
        offers.extend(article.map(|(name, value)| offer(name, value(&mut defaults.article).kind)));
        offers
    }

    fn names() -> Vec<&'static str> {
        let common = SETTINGS.iter().map(|(name, ..)| *name);
        common.chain(articles::OPTIONS.iter().map(|(name, _)| *name)).collect()
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
    /// A message that names the accepted values; then nothing is changed.
    pub fn set(&mut self, name: &str, value: Option<&str>) -> Result<Effect, String> {
        let text = value.unwrap_or_default();
        let is_named = |known: &str| known.eq_ignore_ascii_case(name);
        let own = SETTINGS.iter().find(|(known, ..)| is_named(known));
        let of_article = articles::OPTIONS.iter().find(|(known, _)| is_named(known));
        let (name, effect, value) = match (own, of_article) {
            (Some((name, effect, value)), _) => (name, *effect, value(self)),
            (None, Some((name, value))) => (name, Effect::Forget, value(&mut self.article)),
            (None, None) => {
                let (name, known) = (Excerpt::new(name), Options::names().join(", "));
                return Err(format!("unknown option {name}: expected one of {known}"));
            }
        };
        let set = value.set(text).map(|()| effect);
        set.map_err(|expected| {
            format!("option {name}: {} is refused, expected {expected}", Excerpt::new(text))
        })
    }
}

fn combo(names: &[&str], default: &str) -> OptionKind {
    OptionKind::Combo {
        default: default.into(),
        vars: names.iter().map(|name| (*name).into()).collect(),
    }
}

/// A file, or none for an empty value and for the text that stands for no file.
fn file<'a>(slot: &'a mut Option<PathBuf>, none: &'static str) -> OptionValue<'a> {
    OptionValue::new(OptionKind::String { default: none.into() }, move |value| {
        let is_file = !value.is_empty() && value != none;
        *slot = is_file.then(|| value.into());
        Ok(())
    })
}
