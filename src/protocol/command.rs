//! Reads and writes a [`Command`] as text.

use std::fmt;
use std::str::FromStr;

use super::error::{ArgumentError, CommandError, Excerpt};
use super::go;
use super::position::position;
use super::words::{Words, without_line_end, write_text};
use super::{Command, Query};

const END: &str = "the end of the line";

/// Commands of one word.
static BARE: &[(&str, Command)] = &[
    ("uci", Command::Uci),
    ("ugi", Command::Ugi),
    ("isready", Command::IsReady),
    ("ucinewgame", Command::UciNewGame),
    ("uginewgame", Command::UgiNewGame),
    ("stop", Command::Stop),
    ("ponderhit", Command::PonderHit),
    ("quit", Command::Quit),
    ("d", Command::Display),
    ("eval", Command::Eval),
    ("compiler", Command::Compiler),
    ("solve", Command::Solve),
    ("help", Command::Help),
];

const QUERIES: [(&str, Query); 6] = [
    ("p1turn", Query::P1Turn),
    ("turn", Query::Turn),
    ("gameover", Query::GameOver),
    ("result", Query::Result),
    ("legal", Query::Legal),
    ("players", Query::Players),
];

impl FromStr for Command {
    type Err = CommandError;

    /// Reads one line, with or without its line end. Words are separated by any number of spaces and tabs. Case
    /// matters.
    ///
    /// # Errors
    /// [`CommandError`] names the first error in the line; an empty line is [`CommandError::Empty`].
    fn from_str(line: &str) -> Result<Self, CommandError> {
        let mut words = Words::of(without_line_end(line));
        let name = words.next().ok_or(CommandError::Empty)?;
        if let Some((name, command)) = BARE.iter().find(|(bare, _)| *bare == name) {
            words.end(name, END)?;
            return Ok(command.clone());
        }
        Ok(match name {
            "debug" => debug(words)?,
            "setoption" => set_option(words)?,
            "position" => Command::Position(position(words)?),
            "go" => go::go(words)?,
            "query" => query(words)?,
            "bench" => bench(words)?,
            _ => {
                let found = Excerpt::new(name);
                return Err(CommandError::Unknown { found });
            }
        })
    }
}

impl fmt::Display for Command {
    /// Writes the line without its end.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((name, _)) = BARE.iter().find(|(_, command)| command == self) {
            return f.write_str(name);
        }
        match self {
            Command::Debug(on) => write!(f, "debug {}", if *on { "on" } else { "off" }),
            Command::SetOption { name, value: None } => write!(f, "setoption name {name}"),
            Command::SetOption {
                name,
                value: Some(value),
            } => write_text(f, &format!("setoption name {name} value"), value),
            Command::Position(position) => write!(f, "position {position}"),
            Command::Go(go) => write!(f, "go{go}"),
            Command::Perft(depth) => write!(f, "go perft {depth}"),
            Command::Query(query) => write!(f, "query {query}"),
            Command::Bench(Some(depth)) => write!(f, "bench {depth}"),
            // The table has all other commands.
            _ => f.write_str("bench"),
        }
    }
}

impl fmt::Display for Query {
    /// Writes the argument, without the word `query`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let found = QUERIES.iter().find(|(_, query)| query == self);
        f.write_str(found.map_or("", |(name, _)| name))
    }
}

fn debug(mut words: Words<'_>) -> Result<Command, ArgumentError> {
    let on = words.expect("debug", "on or off", |word| match word {
        "on" => Some(true),
        "off" => Some(false),
        _ => None,
    })?;
    words.end("debug", END)?;
    Ok(Command::Debug(on))
}

fn set_option(mut words: Words<'_>) -> Result<Command, ArgumentError> {
    words.expect("setoption", "name and an option's name", |word| {
        (word == "name").then_some(())
    })?;
    let name = words.text("setoption name", "an option's name", &["value"])?;
    let has_value = words.keyword("value");
    let value = has_value.then(|| words.words_until(&[]).join(" "));
    Ok(Command::SetOption { name, value })
}

fn query(mut words: Words<'_>) -> Result<Command, ArgumentError> {
    let names = "p1turn, turn, gameover, result, legal or players";
    let (_, query) = words.expect("query", names, |word| {
        QUERIES.into_iter().find(|(name, _)| *name == word)
    })?;
    words.end("query", END)?;
    Ok(Command::Query(query))
}

fn bench(mut words: Words<'_>) -> Result<Command, ArgumentError> {
    let depth = match words.peek() {
        Some(_) => Some(words.number("bench", 1..=u32::MAX)?),
        None => None,
    };
    words.end("bench", END)?;
    Ok(Command::Bench(depth))
}

#[cfg(test)]
mod tests {
    use super::super::vocabulary::COMMAND_WORDS;
    use super::*;

    #[test]
    fn every_command_word_is_known() {
        for name in COMMAND_WORDS {
            let parsed = name.parse::<Command>();
            assert!(
                !matches!(parsed, Err(CommandError::Unknown { .. })),
                "{name}: {parsed:?}"
            );
        }
    }
}
