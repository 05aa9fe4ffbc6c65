//! Conversion of the text of `--rules` to a rules program.

use buxtehude::rules::Variant;
use matches::plan::Limit;
use matches::plan::deck::Draws;
use matches::plan::rules::program::RulesPlan;

use super::engine_text::EngineText;
use super::engines::{default, program, spec};

/// Keys of a rules program; the other keys of an engine are about its play.
const KEYS: [&str; 8] = [
    "cmd",
    "args",
    "name",
    "dir",
    "memory",
    "cpu",
    "processes",
    "filesize",
];

/// Parses the program that gives a game's rules, from the keys of an engine's program and two more: `variant`, the
/// game's name for engines with the option `UCI_Variant`, and `draws`. The program's name is the game's.
///
/// # Errors
/// The key or word at fault, and the accepted ones.
pub fn rules(text: &str) -> Result<RulesPlan, String> {
    let (mut told, mut draws) = (None, Draws::Seat);
    let mut words = Vec::new();
    for word in shlex::split(text).ok_or("a quotation mark is not closed")? {
        match word.split_once('=') {
            Some(("variant", name)) => told = Some(name.to_string()),
            Some(("draws", choice)) => {
                draws = choice
                    .parse()
                    .map_err(|expected| format!("{word}: {expected}"))?;
            }
            _ => words.push(word),
        }
    }
    let words = shlex::try_join(words.iter().map(String::as_str));
    let typed = EngineText::parse(&words.map_err(|error| error.to_string())?)?;
    if let Some(key) = typed.keys().find(|key| !KEYS.contains(key)) {
        let keys = KEYS.join(", ");
        return Err(format!(
            "{key}= does not apply to rules; the keys are {keys}, variant, draws"
        ));
    }
    if typed.get("cmd").is_none() {
        return Err("cmd= is missing".to_string());
    }
    let name = typed
        .get("name")
        .map_or_else(|| program(&typed), String::from);
    if Variant::by_name(&name).is_ok() {
        return Err(format!(
            "name={name} is a built-in game; expected another name="
        ));
    }
    let told = told.unwrap_or_else(|| name.clone());
    let program = spec(text, &typed, name, &default(Limit::default()));
    Ok(RulesPlan {
        program: program.map_err(|error| error.message)?,
        told,
        draws,
    })
}
