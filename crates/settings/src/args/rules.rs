//! The game to play: a built-in game, or the game of a rules program.

use std::path::Path;

use buxtehude::rules::{VARIANTS, Variant};
use clap::Args;
use matches::plan::Limit;
use matches::plan::deck::Draws;
use matches::plan::rules::Rules;
use matches::plan::rules::external::RulesPlan;
use serde::Deserialize;

use super::engines::{EngineText, UNCLOSED, default, no_value, program, spec, unknown_key};
use super::{no_flags, some_rules};
use matches::run::exit::ExitError;
use matches::spelling::join;

/// Arguments that choose the game.
#[derive(Debug, Args, Deserialize)]
#[serde(default)]
pub struct RulesArgs {
    /// Variant to play
    #[arg(long, value_name = "NAME", default_value = VARIANTS[0].name)]
    pub variant: String,

    /// Program that gives the rules of another game, with the keys cmd, args, name (of the game), dir and limits of
    /// --engine, and with variant and draws (docs/games.md)
    #[arg(long, value_name = "cmd=./x KEY=VALUE...", value_parser = rules, conflicts_with = "variant")]
    #[serde(deserialize_with = "some_rules")]
    pub rules: Option<RulesPlan>,
}

no_flags!(RulesArgs);

impl RulesArgs {
    /// Returns the rules of the game. A rules program does not run yet.
    ///
    /// # Errors
    /// [`ExitError`] about `--variant`.
    pub fn rules(&self) -> Result<Rules, ExitError> {
        let rules = match &self.rules {
            Some(plan) => Ok(Rules::external(plan.clone())),
            None => Rules::by_name(&self.variant),
        };
        rules.map_err(|error| ExitError::of_flag("variant", error))
    }
}

/// Name of the first argument that is a file with an ending, or else of the program, without the ending.
fn file_name(typed: &EngineText) -> String {
    let arguments =
        shlex::split(typed.get("args").unwrap_or_default()).unwrap_or_default().into_iter();
    let scripts =
        arguments.filter(|word| Path::new(word).extension().is_some() && Path::new(word).is_file());
    let mut files = scripts.chain([program(typed)]);
    let file = files.next().unwrap_or_default();
    let stem = Path::new(&file).file_stem();
    stem.map_or_else(String::new, |stem| stem.to_string_lossy().into_owned())
}

/// Keys of a rules program; the other keys of an engine are about its play.
const KEYS: &str = "cmd, args, name, dir, memory, cpu, processes, filesize, variant, draws";

/// Parses the program that gives a game's rules, from the keys of an engine's program and two more: `variant`, the
/// game's name for engines with the option `UCI_Variant`, and `draws`. The program's name is the game's; without
/// `name`, the name of the script or program without its ending.
///
/// # Errors
/// The key or word at fault, and the accepted ones.
pub fn rules(text: &str) -> Result<RulesPlan, String> {
    let (mut uci_variant, mut draws) = (None, Draws::Seat);
    let mut words = Vec::new();
    for word in shlex::split(text).ok_or(UNCLOSED)? {
        let has_program = words.iter().any(|word: &String| word.starts_with("cmd="));
        match word.split_once('=') {
            Some(("variant", name)) => uci_variant = Some(name.to_string()),
            Some(("draws", choice)) => {
                draws = choice.parse().map_err(|expected| format!("{word}: {expected}"))?;
            }
            Some((key, _))
                if EngineText::has_key(key) && !KEYS.split(", ").any(|known| known == key) =>
            {
                return Err(format!("{key}= does not apply to rules; the keys are {KEYS}"));
            }
            Some((key, _)) if !EngineText::has_key(key) => return Err(unknown_key(key, KEYS)),
            Some(_) => words.push(word),
            None => return Err(no_value(&word, has_program, KEYS)),
        }
    }
    let typed = EngineText::parse(&join(words.iter().map(String::as_str)))?;
    if typed.get("cmd").is_none() {
        return Err("cmd= is missing".to_string());
    }
    let name = match typed.get("name") {
        Some(name) => name.to_string(),
        None => file_name(&typed),
    };
    if Variant::by_name(&name).is_ok() {
        return Err(format!("name={name} is a built-in game; expected another name="));
    }
    let uci_variant = uci_variant.unwrap_or_else(|| name.clone());
    let program = spec(&typed, name, &default(Limit::default()));
    Ok(RulesPlan { program: program?, uci_variant, draws })
}
