//! Reads and writes a [`Command`] as text.

use std::fmt;
use std::str::FromStr;

use nom::Parser;
use nom::branch::alt;
use nom::combinator::{cut, opt, value, verify};
use nom::sequence::preceded;

use super::Command;
use super::error::CommandError;
use super::excerpt::Excerpt;
use super::go;
use super::position::position;
use super::query::query;
use super::words::{
    Parsed, end, expecting, keyword, number, text_until, without_line_end, word, write_text,
};

const END: &str = "the end of the line";

impl FromStr for Command {
    type Err = CommandError;

    /// Reads one line, with or without its line end. Words are separated by any number of spaces and tabs. Case
    /// matters.
    ///
    /// # Errors
    /// [`CommandError`] names the first error in the line; an empty line is [`CommandError::Empty`].
    fn from_str(line: &str) -> Result<Self, CommandError> {
        let (rest, name) = word(without_line_end(line)).map_err(|_| CommandError::Empty)?;
        let bare = |name, command| value(command, end(name, END)).parse(rest);
        let parsed = match name {
            "uci" => bare("uci", Command::Uci),
            "ugi" => bare("ugi", Command::Ugi),
            "isready" => bare("isready", Command::IsReady),
            "setoption" => set_option(rest),
            "ucinewgame" => bare("ucinewgame", Command::UciNewGame),
            "uginewgame" => bare("uginewgame", Command::UgiNewGame),
            "position" => position.map(Command::Position).parse(rest),
            "go" => return go::go(rest).map_err(CommandError::Go),
            "stop" => bare("stop", Command::Stop),
            "ponderhit" => bare("ponderhit", Command::PonderHit),
            "quit" => bare("quit", Command::Quit),
            "query" => query.map(Command::Query).parse(rest),
            "d" => bare("d", Command::Display),
            "eval" => bare("eval", Command::Eval),
            "bench" => bench(rest),
            "help" => bare("help", Command::Help),
            _ => {
                let found = Excerpt::new(name);
                return Err(CommandError::Unknown { found });
            }
        };
        match parsed {
            Ok((_, command)) => Ok(command),
            Err(mismatch) => Err(CommandError::Argument(mismatch.into())),
        }
    }
}

impl fmt::Display for Command {
    /// Writes the line without its end.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Command::Uci => f.write_str("uci"),
            Command::Ugi => f.write_str("ugi"),
            Command::IsReady => f.write_str("isready"),
            Command::SetOption { name, value: None } => write!(f, "setoption name {name}"),
            Command::SetOption { name, value: Some(value) } => {
                write_text(f, &format!("setoption name {name} value"), value)
            }
            Command::UciNewGame => f.write_str("ucinewgame"),
            Command::UgiNewGame => f.write_str("uginewgame"),
            Command::Position(position) => write!(f, "position {position}"),
            Command::Go(go) => write!(f, "go{go}"),
            Command::Perft(depth) => write!(f, "go perft {depth}"),
            Command::Stop => f.write_str("stop"),
            Command::PonderHit => f.write_str("ponderhit"),
            Command::Quit => f.write_str("quit"),
            Command::Query(query) => write!(f, "query {query}"),
            Command::Display => f.write_str("d"),
            Command::Eval => f.write_str("eval"),
            Command::Bench(None) => f.write_str("bench"),
            Command::Bench(Some(depth)) => write!(f, "bench {depth}"),
            Command::Help => f.write_str("help"),
        }
    }
}

fn set_option(input: &str) -> Parsed<'_, Command> {
    let (rest, _) =
        expecting("setoption", "name and an option's name", keyword("name")).parse(input)?;
    let name = verify(text_until(&["value"]), |name: &str| !name.is_empty());
    let (rest, name) = expecting("setoption name", "an option's name", name).parse(rest)?;
    let (rest, value) = opt(preceded(keyword("value"), text_until(&[]))).parse(rest)?;
    Ok((rest, Command::SetOption { name, value }))
}

fn bench(input: &str) -> Parsed<'_, Command> {
    let (rest, depth) =
        alt((value(None, end("bench", END)), cut(number("bench", 1..=u32::MAX)).map(Some)))
            .parse(input)?;
    end("bench", END).map(|_| Command::Bench(depth)).parse(rest)
}

#[cfg(test)]
mod tests {
    use super::super::vocabulary::COMMAND_WORDS;
    use super::*;

    #[test]
    fn every_command_word_is_known() {
        for name in COMMAND_WORDS {
            let parsed = name.parse::<Command>();
            assert!(!matches!(parsed, Err(CommandError::Unknown { .. })), "{name}: {parsed:?}");
        }
    }
}
