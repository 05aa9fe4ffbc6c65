//! Reads and writes a [`Reply`] as text.

use std::fmt;
use std::str::FromStr;

use super::error::ArgumentError;
use super::info::info;
use super::option::option;
use super::words::{Words, without_line_end, write_fact, write_list, write_text};
use super::{BestMove, Reply};

/// Word that replaces the move when there is none.
const NO_MOVE: &str = "(none)";

impl FromStr for Reply {
    type Err = ArgumentError;

    /// Reads one line, with or without its line end. A line that does not begin with a word of the protocol is
    /// [`Reply::Text`], so an engine may print other lines.
    ///
    /// # Errors
    /// [`ArgumentError`] if a `bestmove`, an `option` or an `id` is malformed. `info` and all other lines are accepted.
    fn from_str(line: &str) -> Result<Self, ArgumentError> {
        let line = without_line_end(line);
        let mut words = Words::of(line);
        Ok(match words.next() {
            Some("id") => id(words)?,
            Some("option") => Reply::Option(option(words)?),
            Some("uciok") if words.peek().is_none() => Reply::UciOk,
            Some("ugiok") if words.peek().is_none() => Reply::UgiOk,
            Some("readyok") if words.peek().is_none() => Reply::ReadyOk,
            Some("info") if words.keyword("string") => {
                let said = words.rest();
                Reply::Say(said.strip_prefix([' ', '\t']).unwrap_or(said).to_owned())
            }
            Some("info") => Reply::Info(info(words)),
            Some("response") => Reply::Response(words.words_until(&[])),
            Some("bestmove") => Reply::BestMove(best_move(words)?),
            _ => Reply::Text(line.to_owned()),
        })
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

fn id(mut words: Words<'_>) -> Result<Reply, ArgumentError> {
    let reply: fn(String) -> Reply = words.expect("id", "name or author", |word| match word {
        "name" => Some(Reply::IdName as fn(String) -> Reply),
        "author" => Some(Reply::IdAuthor),
        _ => None,
    })?;
    Ok(reply(words.rest().trim_matches([' ', '\t']).to_owned()))
}

fn best_move(mut words: Words<'_>) -> Result<BestMove, ArgumentError> {
    let best = words.word("bestmove", "a move or (none)", &["ponder", "estimate"])?;
    let has_ponder = words.keyword("ponder");
    let mut ponder = None;
    if has_ponder {
        ponder = Some(words.word("bestmove ponder", "a move", &["estimate"])?);
    }
    let has_estimate = words.keyword("estimate");
    let mut estimate = Vec::new();
    if has_estimate {
        estimate = words.numbers("bestmove estimate", 0..=u16::MAX)?;
    }
    let expected = match (has_ponder, has_estimate) {
        (_, true) => "a number or the end of the line",
        (true, false) => "estimate or the end of the line",
        (false, false) => "ponder, estimate or the end of the line",
    };
    words.end("bestmove", expected)?;
    let is_move = |word: &String| word != NO_MOVE;
    Ok(BestMove {
        best: Some(best).filter(is_move),
        ponder: ponder.filter(is_move),
        estimate,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply(line: &str) -> Reply {
        line.parse()
            .unwrap_or_else(|error| panic!("{line}: {error}"))
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
        assert_eq!(
            reply("bestmove e2e4 ponder (none)"),
            answer(Some("e2e4"), None, &[])
        );
        assert_eq!(reply("bestmove (none)"), answer(None, None, &[]));
        let whole = answer(Some("5"), Some("-3"), &[520, 480]);
        assert_eq!(reply("bestmove 5 ponder -3 estimate 520\t480"), whole);
    }

    #[test]
    fn a_malformed_bestmove_is_refused() {
        let table = [
            (
                "bestmove",
                "bestmove: missing argument: expected a move or (none)",
            ),
            (
                "bestmove ponder 5",
                r#"bestmove: unexpected "ponder": expected a move or (none)"#,
            ),
            (
                "bestmove 5 6",
                r#"bestmove: unexpected "6": expected ponder, estimate or the end of the line"#,
            ),
            (
                "bestmove 5 ponder",
                "bestmove ponder: missing argument: expected a move",
            ),
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
            assert_eq!(error.to_string(), expected, "{line}");
        }
    }

    #[test]
    fn an_id_is_a_name_or_an_author() {
        assert_eq!(
            reply("id author  A  B "),
            Reply::IdAuthor("A  B".to_owned())
        );
        assert_eq!(reply("id name"), Reply::IdName(String::new()));
        let error = |line: &str| line.parse::<Reply>().unwrap_err().to_string();
        assert_eq!(error("id"), "id: missing argument: expected name or author");
        assert_eq!(
            error("id number 5"),
            r#"id: unexpected "number": expected name or author"#
        );
    }
}
