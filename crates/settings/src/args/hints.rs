//! Tips in the parser's errors about unknown words; its own suggestions mislead those who come from fastchess and
//! cutechess-cli. The flags and keys of these, with what to write here instead, are tables that docs/arbiter.md prints.

use std::ffi::OsString;

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command};
use matches::spelling::nearest;

use crate::args::EngineText;

/// A flag as typed, with one dash or two.
struct Flag<'a> {
    typed: &'a str,
    name: &'a str,
}

impl<'a> Flag<'a> {
    /// The flag in a word; `None` for a value and for a flag of one letter.
    fn of(word: &'a str) -> Option<Flag<'a>> {
        let name = word.strip_prefix("--").or_else(|| word.strip_prefix('-'))?;
        let (name, _) = name.split_once('=').unwrap_or((name, ""));
        let typed = &word[..word.len() - word.trim_start_matches('-').len() + name.len()];
        let is_name = name.len() > 1 && name.starts_with(|c: char| c.is_ascii_alphabetic());
        is_name.then_some(Flag { typed, name })
    }

    fn has_two_dashes(&self) -> bool {
        self.typed.starts_with("--")
    }

    fn is_flag_of(&self, command: &Command) -> bool {
        has_flag(command, self.name)
    }

    /// Suggestion of the words to write instead for this command.
    fn replacement(&self, command: &Command) -> Option<String> {
        let name = self.name;
        if let Some(command) = place_of(name, command) {
            return Some(format!("`--{name}` is a flag of `{command}`"));
        }
        // A flag of the same name in another command is not about a match.
        let is_of_match = has_flag(command, "max-plies") || !self.is_flag_of(command);
        if let Some(replacement) = replacement_of_flag(name).filter(|_| is_of_match) {
            return Some(replacement.to_string());
        }
        if self.is_flag_of(command) {
            return Some(format!("`--{name}`, with two dashes"));
        }
        if EngineText::has_key(name) && has_flag(command, "engine") {
            return Some(format!("`{name}=VALUE` after `--engine`"));
        }
        let known = command.get_arguments().filter_map(Arg::get_long);
        nearest(name, known).map(|near| format!("did you mean `--{near}`?"))
    }
}

fn has_flag(command: &Command, name: &str) -> bool {
    command.get_arguments().any(|arg| arg.get_long() == Some(name))
}

/// The first subcommand that has a flag, as typed; `None` for a command without subcommands.
fn place_of(name: &str, command: &Command) -> Option<String> {
    command.get_subcommands().find_map(|inner| {
        if has_flag(inner, name) {
            Some(inner.get_bin_name().unwrap_or(inner.get_name()).to_string())
        } else {
            place_of(name, inner)
        }
    })
}

/// Says in an error about the `typed` words of a command what to write instead of each unknown flag.
pub fn add_tips(mut error: clap::Error, command: &Command, typed: &[OsString]) -> clap::Error {
    let (ErrorKind::UnknownArgument, Some(ContextValue::String(word))) =
        (error.kind(), error.get(ContextKind::InvalidArg))
    else {
        return error;
    };
    let word = word.clone();
    let typed: Vec<&str> =
        typed.iter().filter_map(|word| word.to_str()).take_while(|word| *word != "--").collect();
    let flags = typed.iter().filter_map(|word| Flag::of(word));
    let unknown: Vec<Flag> =
        flags.filter(|flag| !(flag.has_two_dashes() && flag.is_flag_of(command))).collect();
    let mut tips: Vec<(Vec<&str>, String)> = Vec::new();
    for flag in &unknown {
        let Some(replacement) = flag.replacement(command) else {
            continue;
        };
        match tips.iter_mut().find(|(_, known)| *known == replacement) {
            Some((flags, _)) if flags.contains(&flag.typed) => {}
            Some((flags, _)) => flags.push(flag.typed),
            None => tips.push((vec![flag.typed], replacement)),
        }
    }
    if let Some(index) = typed.iter().position(|typed| *typed == word)
        && let Some(flag) = typed[..index].iter().rev().find_map(|word| Flag::of(word))
        && !word.starts_with('-')
    {
        let replacement = replacement_of_flag(flag.name);
        tips.extend(replacement.map(|replacement| (vec![flag.typed], replacement.to_string())));
    }
    // The parser takes `-engine` for the short flag `-e`.
    if let Some(flag) = unknown.iter().find(|flag| flag.typed.starts_with(&word)) {
        error.insert(ContextKind::InvalidArg, ContextValue::String(flag.typed.to_string()));
    }
    error.remove(ContextKind::SuggestedArg);
    if !tips.is_empty() {
        error.remove(ContextKind::Usage);
        let tip = |(flags, replacement): (Vec<&str>, String)| {
            StyledStr::from(format!("{}: {replacement}", flags.join(", ")))
        };
        let tips = tips.into_iter().map(tip).collect();
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(tips));
    }
    error
}

/// Refuses `--log file=x`, which fastchess understands and which would name a file `file=x` here.
///
/// # Errors
/// An error that names the value.
pub fn refuse_file_key(command: &Command, typed: &[OsString]) -> Result<(), clap::Error> {
    let words: Vec<&str> = typed
        .iter()
        .map(|word| word.to_str().unwrap_or_default())
        .take_while(|word| *word != "--")
        .collect();
    for pair in words.windows(2) {
        let Some(file) = pair[1].strip_prefix("file=") else {
            continue;
        };
        let takes_file = |arg: &Arg| {
            let is_file = |names: &[_]| names.iter().any(|name| name == "FILE");
            arg.get_long().is_some_and(|long| pair[0].strip_prefix("--") == Some(long))
                && arg.get_value_names().is_some_and(is_file)
        };
        if command.get_arguments().any(takes_file) {
            let (flag, value) = (pair[0], pair[1]);
            let message = format!("invalid value '{value}' for '{flag}': expected {flag} {file}\n");
            return Err(clap::Error::raw(ErrorKind::ValueValidation, message));
        }
    }
    Ok(())
}

/// A row: names that mean the same, and what replaces them.
type Row = (&'static [&'static str], &'static str);

/// Flags of fastchess and cutechess-cli, without the dash.
const FLAGS: &[Row] = &[
    (&["engine"], "`--engine`, with the same words"),
    (&["each"], "`--each`, with the same words"),
    (
        &["rounds", "games"],
        "`--games`, which counts all games: `-rounds N -games 2` is `--games 2N`; in a tournament, `--rounds`",
    ),
    (
        &["repeat", "noswap", "reverse"],
        "leave it out: each opening is played in all rotations of the seats",
    ),
    (&["tournament"], "`arbiter tournament round-robin` or `arbiter tournament gauntlet`"),
    (&["seeds"], "`arbiter tournament gauntlet --challengers N`"),
    (
        &["sprt"],
        "`--sprt`, with the same words; the model of fastchess without `model=` is `model=normalized`",
    ),
    (
        &["openings"],
        "`--openings FILE`, with `--openings-order`, `--openings-plies` and `--openings-start`",
    ),
    (&["srand"], "`--seed N` or `--seed-file FILE`"),
    (&["resign"], "`--resign moves=N permille=N`, by the estimates of both engines"),
    (&["draw"], "leave it out: no game is drawn by its score; `--max-plies N` ends long games"),
    (
        &["maxmoves"],
        "`--max-plies`, which counts the moves of each seat: 2N for N moves of two seats",
    ),
    (
        &["tb", "tbpieces", "tbignore50", "tbadjudicate"],
        "`--solved`, which ends a game once the rules know its result",
    ),
    (&["concurrency", "force-concurrency"], "`--concurrency N`"),
    (&["use-affinity"], "`--pin`"),
    (&["wait"], "`--wait MS`"),
    (&["ponder"], "`ponder=on` after `--engine` or `--each`"),
    (&["recover"], "leave it out: a crash loses one game; `--retire K` says how many in a row"),
    (&["startup-ms", "ucinewgame-ms", "ping-ms"], "`--ready MS`"),
    (&["variant"], "`--variant NAME`, or `--rules` for a game of your own"),
    (
        &["pgnout", "epdout"],
        "`--store FILE`, then `arbiter export FILE --format text`; or `--record FILE`",
    ),
    (&["ratinginterval", "scoreinterval", "outcomeinterval"], "`--report-every N`"),
    (
        &["report", "resultformat", "show-latency"],
        "`--store FILE`, then `arbiter report FILE --format text` or `json`",
    ),
    (&["output", "testEnv"], "`--events FILE`, for other programs"),
    (&["autosaveinterval"], "`--store FILE`, which keeps each game at once"),
    (
        &["config", "resume"],
        "`--store FILE`, then `arbiter resume FILE`; `--config FILE` has the settings of a new match",
    ),
    (&["log", "debug"], "`--log FILE`"),
    (&["crc32"], "`--store FILE`, then `arbiter export FILE --without-clock | sha256sum`"),
    (
        &["compliance", "check-mate-pvs"],
        "`arbiter check PROGRAM`, for a plain UCI engine with `--profile uci`",
    ),
    (&["strict"], "leave it out: after an engine's fault the exit code is 4"),
    (&["quick"], "`--engine cmd=A --engine cmd=B --openings FILE`"),
    (&["event", "site", "bookmode", "engines", "protocols"], "leave it out: it has no counterpart"),
    (&["help", "version"], "`--help`, `--version`"),
];

/// Keys of an engine there that differ here; all others are the same.
const RENAMED_KEYS: &[Row] = &[
    (&["st"], "`movetime=`, in milliseconds instead of seconds"),
    (&["plies"], "`depth=`"),
    (&["timemargin"], "`margin=`"),
    (&["arg"], "`args='A B'`, with all arguments"),
    (&["ponder"], "`ponder=on`"),
    (&["initstr"], "`option.NAME=VALUE`"),
    (&["conf"], "`cmd=PROGRAM`"),
    (&["book"], "`--openings FILE`, for all engines"),
    (&["bookdepth"], "`--openings-plies K`, for all engines"),
    (&["tscale"], "`movetime=` or `tc=` with the time itself"),
    (&["stderr"], "leave it out: `arbiter explain` shows standard error"),
    (&["debug"], "leave it out: `--log FILE` has every line"),
    (&["proto", "trust", "whitepov"], "leave it out: it has no counterpart"),
];

/// The replacement of a flag, whose name is given without dashes.
fn replacement_of_flag(name: &str) -> Option<&'static str> {
    replacement(FLAGS, name)
}

/// The replacement of an engine's key.
pub fn replacement_of_key(name: &str) -> Option<&'static str> {
    replacement(RENAMED_KEYS, name)
}

fn replacement(rows: &'static [Row], name: &str) -> Option<&'static str> {
    let found = rows.iter().find(|(names, _)| names.contains(&name));
    found.map(|(_, replacement)| *replacement)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A table of the document.
    fn table(head: &str, rows: &[Row], sign: fn(&str) -> String) -> String {
        let mut text = format!("| {head} | here |\n|---|---|\n");
        for (names, replacement) in rows {
            let names: Vec<String> = names.iter().map(|name| sign(name)).collect();
            text += &format!("| {} | {} |\n", names.join(", "), replacement.replace('|', "\\|"));
        }
        text
    }

    #[test]
    fn the_document_has_both_tables() {
        let document = include_str!("../../../../docs/arbiter.md");
        let flags = table("flag there", FLAGS, |name| format!("`-{name}`"));
        let keys = table("key there", RENAMED_KEYS, |name| format!("`{name}`"));
        assert!(document.contains(&flags), "expected in docs/arbiter.md:\n{flags}");
        assert!(document.contains(&keys), "expected in docs/arbiter.md:\n{keys}");
    }
}
