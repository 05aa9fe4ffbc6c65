//! Reads and writes a [`Reply`] as text.

use std::fmt;
use std::str::FromStr;

use nom::Parser;
use nom::branch::alt;
use nom::combinator::{cut, opt};
use nom::sequence::preceded;

use super::error::{ArgumentError, ReplyError};
use super::info::info;
use super::option::option;
use super::words::{
    Parsed, all_words, end, expecting, keyword, numbers, without_line_end, word, word_but,
    write_fact, write_list, write_text,
};
use super::{BestMove, Reply};

/// Word that replaces the move when there is none.
const NO_MOVE: &str = "(none)";

impl FromStr for Reply {
    type Err = ReplyError;

    /// Reads one line, with or without its line end. A line that does not begin with a word of the protocol is
    /// [`Reply::Text`], so an engine may print other lines.
    ///
    /// # Errors
    /// [`ReplyError`] if a `bestmove`, an `option` or an `id` is malformed.
    fn from_str(line: &str) -> Result<Self, ReplyError> {
        let line = without_line_end(line);
        let text = || Reply::Text(line.to_owned());
        let Ok((rest, name)) = word(line) else {
            return Ok(text());
        };
        let reply = match name {
            "id" => whole(id(rest), ReplyError::Id)?,
            "option" => Reply::Option(whole(option(rest), ReplyError::Option)?),
            "uciok" if word(rest).is_err() => Reply::UciOk,
            "ugiok" if word(rest).is_err() => Reply::UgiOk,
            "readyok" if word(rest).is_err() => Reply::ReadyOk,
            "info" => match keyword("string").parse(rest) {
                Ok((said, _)) => {
                    Reply::Say(said.strip_prefix([' ', '\t']).unwrap_or(said).to_owned())
                }
                Err(_) => Reply::Info(info(rest)),
            },
            "response" => match all_words(rest) {
                Ok((_, words)) => Reply::Response(words),
                Err(_) => text(),
            },
            "bestmove" => Reply::BestMove(whole(best_move(rest), ReplyError::BestMove)?),
            _ => text(),
        };
        Ok(reply)
    }
}

impl fmt::Display for Reply {
    /// Writes the line without its end.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reply::IdName(name) => write_text(f, "id name", name),
            Reply::IdAuthor(author) => write_text(f, "id author", author),
            Reply::Option(offer) => write!(f, "option {offer}"),
            Reply::UciOk => f.write_str("uciok"),
            Reply::UgiOk => f.write_str("ugiok"),
            Reply::ReadyOk => f.write_str("readyok"),
            Reply::Response(words) => {
                f.write_str("response")?;
                words.iter().try_for_each(|word| write!(f, " {word}"))
            }
            Reply::Info(info) => write!(f, "info{info}"),
            Reply::Say(text) => write_text(f, "info string", text),
            Reply::BestMove(best_move) => write!(f, "bestmove {best_move}"),
            Reply::Text(text) => f.write_str(text),
        }
    }
}

impl fmt::Display for BestMove {
    /// Writes the answer without the word `bestmove`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.best.as_deref().unwrap_or(NO_MOVE))?;
        write_fact(f, "ponder", self.ponder.as_deref())?;
        write_list(f, "estimate", &self.estimate)
    }
}

/// Value of a line that is parsed to its end.
fn whole<T>(
    parsed: Parsed<'_, T>,
    error: fn(ArgumentError) -> ReplyError,
) -> Result<T, ReplyError> {
    let (_, value) = parsed.map_err(|mismatch| error(mismatch.into()))?;
    Ok(value)
}

fn id(input: &str) -> Parsed<'_, Reply> {
    let field = alt((
        keyword("name").map(|_| Reply::IdName as fn(String) -> Reply),
        keyword("author").map(|_| Reply::IdAuthor as fn(String) -> Reply),
    ));
    let (text, reply) = expecting("id", "name or author", field).parse(input)?;
    Ok(("", reply(text.trim_matches([' ', '\t']).to_owned())))
}

fn best_move(input: &str) -> Parsed<'_, BestMove> {
    let best = word_but(&["ponder", "estimate"]);
    let (rest, best) = expecting("bestmove", "a move or (none)", best).parse(input)?;
    let ponder = expecting("bestmove ponder", "a move", word_but(&["estimate"]));
    let (rest, ponder) = opt(preceded(keyword("ponder"), cut(ponder))).parse(rest)?;
    let estimate = numbers("bestmove estimate", 0..=u16::MAX);
    let (rest, estimate) = opt(preceded(keyword("estimate"), cut(estimate))).parse(rest)?;
    let due = match (ponder, &estimate) {
        (_, Some(_)) => "a number or the end of the line",
        (Some(_), None) => "estimate or the end of the line",
        (None, None) => "ponder, estimate or the end of the line",
    };
    let (rest, _) = end("bestmove", due).parse(rest)?;
    let a_move = |word: &str| (word != NO_MOVE).then(|| word.to_owned());
    let answer = BestMove {
        best: a_move(best),
        ponder: ponder.and_then(a_move),
        estimate: estimate.unwrap_or_default(),
    };
    Ok((rest, answer))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply(line: &str) -> Reply {
        line.parse().unwrap_or_else(|error| panic!("{line}: {error}"))
    }

    #[test]
    fn words_for_a_person_are_kept_word_for_word() {
        let say = |text: &str| Reply::Say(text.to_owned());
        assert_eq!(reply("info string  two  blanks \r\n"), say(" two  blanks "));
        assert_eq!(reply("info string"), say(""));
        let text = |text: &str| Reply::Text(text.to_owned());
        assert_eq!(reply("  Fen:  0,68,3 \r"), text("  Fen:  0,68,3 "));
        assert_eq!(reply("uciok then"), text("uciok then"));
        assert_eq!(reply("Bestmove 5"), text("Bestmove 5"));
        assert_eq!(reply(""), text(""));
    }

    #[test]
    fn a_line_ends_once_whatever_blanks_are_behind() {
        assert_eq!(reply("response \r \t"), Reply::Response(Vec::new()));
        assert_eq!(reply("id name A\r \t\n"), Reply::IdName("A".to_owned()));
        assert_eq!(reply("a\rb \r "), Reply::Text("a\rb ".to_owned()));
    }

    #[test]
    fn bestmove_is_read() {
        let answer = |best: Option<&str>, ponder: Option<&str>, estimate: &[u16]| {
            Reply::BestMove(BestMove {
                best: best.map(str::to_owned),
                ponder: ponder.map(str::to_owned),
                estimate: estimate.to_vec(),
            })
        };
        assert_eq!(reply("bestmove  e2e4 "), answer(Some("e2e4"), None, &[]));
        assert_eq!(reply("bestmove e2e4 ponder (none)"), answer(Some("e2e4"), None, &[]));
        assert_eq!(reply("bestmove (none)"), answer(None, None, &[]));
        let whole = answer(Some("5"), Some("-3"), &[520, 480]);
        assert_eq!(reply("bestmove 5 ponder -3 estimate 520\t480"), whole);
    }

    #[test]
    fn a_malformed_bestmove_is_refused() {
        let table = [
            ("bestmove", "bestmove: missing argument: expected a move or (none)"),
            ("bestmove ponder 5", r#"bestmove: unexpected "ponder": expected a move or (none)"#),
            (
                "bestmove 5 6",
                r#"bestmove: unexpected "6": expected ponder, estimate or the end of the line"#,
            ),
            ("bestmove 5 ponder", "bestmove ponder: missing argument: expected a move"),
            (
                "bestmove 5 ponder 6 7",
                r#"bestmove: unexpected "7": expected estimate or the end of the line"#,
            ),
            (
                "bestmove 5 estimate",
                "bestmove estimate: missing argument: expected a whole number from 0 to 65535",
            ),
            (
                "bestmove 5 estimate 9 -1",
                r#"bestmove estimate: "-1" is not a whole number from 0 to 65535"#,
            ),
            (
                "bestmove 5 estimate 9 x",
                r#"bestmove: unexpected "x": expected a number or the end of the line"#,
            ),
        ];
        for (line, expected) in table {
            let error = line.parse::<Reply>().expect_err(line);
            assert!(matches!(error, ReplyError::BestMove(_)), "{line}: {error:?}");
            assert_eq!(error.to_string(), expected, "{line}");
        }
    }

    #[test]
    fn an_id_is_a_name_or_an_author() {
        assert_eq!(reply("id author  A  B "), Reply::IdAuthor("A  B".to_owned()));
        assert_eq!(reply("id name"), Reply::IdName(String::new()));
        let refusal = |line: &str| line.parse::<Reply>().unwrap_err().to_string();
        assert_eq!(refusal("id"), "id: missing argument: expected name or author");
        assert_eq!(refusal("id number 5"), r#"id: unexpected "number": expected name or author"#);
    }
}
