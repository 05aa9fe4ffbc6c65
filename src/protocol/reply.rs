//! Lines from an engine to a client: [`Reply`], read and written as text.
//!
//! An `option` line is `name <words> type <kind>`, then `default`, `min`, `max` and `var` in any order. The parser of
//! `info` is lenient, since every UCI engine has facts of its own: it skips an unknown word or an unreadable number and
//! keeps the rest.

use std::fmt;
use std::str::FromStr;

use nom::Parser;
use nom::branch::alt;
use nom::combinator::{cut, map_opt, opt, value, verify};
use nom::multi::many0;
use nom::sequence::{preceded, terminated};

use super::{
    ArgumentError, Parsed, all_words, end, expecting, integer, keyword, number, numbers,
    text_until, without_line_end, word, word_but, write_fact, write_list, write_text,
};

/// One line from an engine to a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// `id name ...`.
    IdName(String),
    /// `id author ...`.
    IdAuthor(String),
    /// `option name ... type ...`.
    Option(OptionOffer),
    /// `uciok`.
    UciOk,
    /// `ugiok`.
    UgiOk,
    /// `readyok`.
    ReadyOk,
    /// `response ...`: the words that answer a `query`; may be none.
    Response(Vec<String>),
    /// `info ...` with facts about a running search.
    Info(Info),
    /// `info string ...`: text for a person.
    InfoString(String),
    /// `bestmove ...`.
    BestMove(BestMove),
    /// Any other line, verbatim: the answers of `d`, `eval`, `help`, `bench` and `go perft`.
    Text(String),
}

/// Option offered by an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionOffer {
    /// Name of the option; may have several words.
    pub name: String,
    /// Type, default and bounds.
    pub kind: OptionKind,
}

/// Type of an option, with its default.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionKind {
    /// `type check default true|false`.
    Check {
        /// Value until it is set.
        default: bool,
    },
    /// `type spin default D min A max B`.
    Spin {
        /// Value until it is set.
        default: i64,
        /// Smallest value accepted.
        min: i64,
        /// Largest value accepted.
        max: i64,
    },
    /// `type combo default D var V1 var V2 ...`.
    Combo {
        /// Value until it is set.
        default: String,
        /// All values accepted.
        vars: Vec<String>,
    },
    /// `type button`.
    Button,
    /// `type string default D`; an empty string is written `<empty>`.
    String {
        /// Value until it is set.
        default: String,
    },
}

/// Facts about a search, each optional. The parser skips unknown words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Info {
    /// Plies searched in full.
    pub depth: Option<u32>,
    /// Deepest ply reached.
    pub seldepth: Option<u32>,
    /// Rank of this principal variation, from 1 for the best.
    pub multipv: Option<u32>,
    /// Expected share of the placement points of each seat, in permille; empty if not given.
    pub estimate: Vec<u16>,
    /// Score from the mover's point of view.
    pub score: Option<Score>,
    /// Mover's chances to win, to draw and to lose, in permille; empty if not given.
    pub wdl: Vec<u16>,
    /// Positions visited.
    pub nodes: Option<u64>,
    /// Positions visited per second.
    pub nps: Option<u64>,
    /// Used part of the transposition table, in permille.
    pub hashfull: Option<u16>,
    /// Milliseconds since the search began.
    pub time: Option<u64>,
    /// Principal variation; empty if not given.
    pub pv: Vec<String>,
}

/// Score from the mover's point of view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Score {
    /// `cp X`: hundredths.
    Centipawns(i32),
    /// `mate Y`: own moves until the mover's place is certain; negative for the last place.
    Mate(i32),
}

/// Answer to `go`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BestMove {
    /// Best move, or `None` for `(none)`.
    pub best: Option<String>,
    /// Expected reply.
    pub ponder: Option<String>,
    /// Expected share of the placement points of each seat, in permille; empty if the engine gives none.
    pub estimate: Vec<u16>,
}

/// Word that replaces the move when there is none.
const NO_MOVE: &str = "(none)";

impl FromStr for Reply {
    type Err = ArgumentError;

    /// Reads one line, with or without its line end. A line that does not begin with a word of the protocol is
    /// [`Reply::Text`], so an engine may print other lines.
    ///
    /// # Errors
    /// [`ArgumentError`] if a `bestmove`, an `option` or an `id` is malformed.
    fn from_str(line: &str) -> Result<Self, ArgumentError> {
        let line = without_line_end(line);
        let text = || Reply::Text(line.to_owned());
        let Ok((rest, name)) = word(line) else {
            return Ok(text());
        };
        let reply = match name {
            "id" => id(rest)?.1,
            "option" => Reply::Option(option(rest)?.1),
            "uciok" if word(rest).is_err() => Reply::UciOk,
            "ugiok" if word(rest).is_err() => Reply::UgiOk,
            "readyok" if word(rest).is_err() => Reply::ReadyOk,
            "info" => match keyword("string").parse(rest) {
                Ok((said, _)) => {
                    Reply::InfoString(said.strip_prefix([' ', '\t']).unwrap_or(said).to_owned())
                }
                Err(_) => Reply::Info(info(rest)),
            },
            "response" => match all_words(rest) {
                Ok((_, words)) => Reply::Response(words),
                Err(_) => text(),
            },
            "bestmove" => Reply::BestMove(best_move(rest)?.1),
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
            Reply::InfoString(text) => write_text(f, "info string", text),
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

/// Spelling of an empty string.
const EMPTY_STRING: &str = "<empty>";

/// First words of the attributes; the text of an attribute ends at the next one.
const ATTRIBUTES: &[&str] = &["default", "min", "max", "var"];

/// Reads the line after the word `option`.
fn option(input: &str) -> Parsed<'_, OptionOffer> {
    let (rest, _) = expecting("option", "name", keyword("name")).parse(input)?;
    let name = verify(text_until(&["type"]), |name: &str| !name.is_empty());
    let (rest, name) = expecting("option name", "the option's name", name).parse(rest)?;
    let (rest, _) = expecting("option", "type behind the name", keyword("type")).parse(rest)?;
    let types = "check, spin, combo, button or string";
    let kind = alt((
        preceded(keyword("check"), cut(check)),
        preceded(keyword("spin"), cut(spin)),
        preceded(keyword("combo"), cut(combo)),
        preceded(keyword("button"), cut(attributes)).map(|_| OptionKind::Button),
        preceded(keyword("string"), cut(string)),
    ));
    let (rest, kind) = expecting("option type", types, kind).parse(rest)?;
    Ok((rest, OptionOffer { name, kind }))
}

impl fmt::Display for OptionOffer {
    /// Writes the offer without the word `option`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "name {} type {}", self.name, self.kind)
    }
}

impl fmt::Display for OptionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OptionKind::Check { default } => write!(f, "check default {default}"),
            OptionKind::Spin { default, min, max } => {
                write!(f, "spin default {default} min {min} max {max}")
            }
            OptionKind::Combo { default, vars } => {
                write_text(f, "combo default", default)?;
                vars.iter().try_for_each(|var| write_text(f, " var", var))
            }
            OptionKind::Button => f.write_str("button"),
            OptionKind::String { default } if default.is_empty() => {
                write!(f, "string default {EMPTY_STRING}")
            }
            OptionKind::String { default } => write!(f, "string default {default}"),
        }
    }
}

impl OptionKind {
    /// Checks a value that a client sets. A string takes any text.
    ///
    /// # Errors
    /// The accepted values, in words.
    fn accept(&self, value: &str) -> Result<(), String> {
        let is_accepted = match self {
            OptionKind::Check { .. } => ["true", "false"].contains(&value),
            OptionKind::Spin { min, max, .. } => {
                let is_plain = value.bytes().all(|byte| byte.is_ascii_digit());
                let number = value.parse::<i64>().ok().filter(|_| is_plain);
                number.is_some_and(|number| (*min..=*max).contains(&number))
            }
            OptionKind::Combo { vars, .. } => vars.iter().any(|var| var == value),
            OptionKind::Button => value.is_empty(),
            OptionKind::String { .. } => true,
        };
        if is_accepted {
            return Ok(());
        }
        Err(match self {
            OptionKind::Check { .. } => "true or false".into(),
            OptionKind::Spin { min, max, .. } => format!("a whole number from {min} to {max}"),
            OptionKind::Combo { vars, .. } => vars.join(" or "),
            OptionKind::Button | OptionKind::String { .. } => "no value".into(),
        })
    }
}

/// Sets a value that is given as text, or refuses it with the accepted texts.
type Setter<'a> = Box<dyn FnOnce(&str) -> Result<(), String> + 'a>;

/// The value of an option where a program keeps it.
pub struct OptionValue<'a> {
    /// Type and accepted values, with the current value as the default.
    pub kind: OptionKind,
    set: Setter<'a>,
}

impl<'a> OptionValue<'a> {
    /// A value of any kind. `set` gets a text that the kind accepts, and may refuse it with the accepted texts.
    pub fn new(kind: OptionKind, set: impl FnOnce(&str) -> Result<(), String> + 'a) -> Self {
        OptionValue { kind, set: Box::new(set) }
    }

    /// A truth value.
    pub fn check(slot: &'a mut bool) -> Self {
        let kind = OptionKind::Check { default: *slot };
        OptionValue::new(kind, |text| parse_into(slot, text))
    }

    /// A number from `min` to `max`.
    pub fn spin<T>(slot: &'a mut T, min: i64, max: i64) -> Self
    where
        T: Copy + Into<i64> + FromStr<Err: fmt::Display>,
    {
        let kind = OptionKind::Spin { default: (*slot).into(), min, max };
        OptionValue::new(kind, |text| parse_into(slot, text))
    }

    /// One of some values with names.
    pub fn combo<T: Copy + PartialEq>(slot: &'a mut T, values: &'a [(&'static str, T)]) -> Self {
        let default = values.iter().find(|(_, value)| value == slot);
        let kind = OptionKind::Combo {
            default: default.map_or(String::new(), |(name, _)| (*name).into()),
            vars: values.iter().map(|(name, _)| (*name).into()).collect(),
        };
        OptionValue::new(kind, |text| {
            let named = values.iter().find(|(name, _)| *name == text);
            *slot = named.map_or(*slot, |(_, value)| *value);
            Ok(())
        })
    }

    /// A value that is printed as a text, and parsed from it.
    pub fn string<T>(slot: &'a mut T) -> Self
    where
        T: fmt::Display + FromStr<Err: fmt::Display>,
    {
        let kind = OptionKind::String { default: slot.to_string() };
        OptionValue::new(kind, |text| parse_into(slot, text))
    }

    /// Sets the value.
    ///
    /// # Errors
    /// The accepted values, in words.
    pub fn set(self, text: &str) -> Result<(), String> {
        self.kind.accept(text)?;
        (self.set)(text)
    }
}

fn parse_into<T: FromStr<Err: fmt::Display>>(slot: &mut T, text: &str) -> Result<(), String> {
    *slot = text.parse().map_err(|error: T::Err| error.to_string())?;
    Ok(())
}

/// Attributes of an option. Each except `vars` holds the rest of the line from its text on. If an attribute other than
/// `var` is repeated, the last one counts.
#[derive(Default)]
struct Attributes<'a> {
    default: &'a str,
    min: &'a str,
    max: &'a str,
    vars: Vec<String>,
}

/// Reads all attributes; those that do not apply to the option's type are ignored.
fn attributes(input: &str) -> Parsed<'_, Attributes<'_>> {
    let mut attributes = Attributes::default();
    let mut rest = input;
    while let Ok((tail, name)) = word(rest) {
        let (next, text) = text_of_attribute(tail)?;
        match name {
            "default" => attributes.default = tail,
            "min" => attributes.min = tail,
            "max" => attributes.max = tail,
            "var" => attributes.vars.push(text),
            _ => break,
        }
        rest = next;
    }
    let (rest, _) = end("option", "default, min, max, var or the end of the line").parse(rest)?;
    Ok((rest, attributes))
}

/// Reads the text of an attribute, up to the next attribute. A word that names an attribute is the text if it directly
/// follows the attribute, and another attribute or the end of the line follows it.
fn text_of_attribute(input: &str) -> Parsed<'_, String> {
    if let Ok((tail, first)) = word(input)
        && ATTRIBUTES.contains(&first)
        && word(tail).map_or(true, |(_, next)| ATTRIBUTES.contains(&next))
    {
        return Ok((tail, first.to_owned()));
    }
    text_until(ATTRIBUTES).parse(input)
}

fn check(input: &str) -> Parsed<'_, OptionKind> {
    let (rest, attributes) = attributes(input)?;
    let default = alt((value(true, keyword("true")), value(false, keyword("false"))));
    let (tail, default) =
        expecting("option default", "true or false", default).parse(attributes.default)?;
    let (_, ()) = attribute_end("option default", tail)?;
    Ok((rest, OptionKind::Check { default }))
}

fn spin(input: &str) -> Parsed<'_, OptionKind> {
    let (rest, attributes) = attributes(input)?;
    let integer = |after, text| {
        let (tail, number) = number(after, i64::MIN..=i64::MAX).parse(text)?;
        attribute_end(after, tail).map(|_| number)
    };
    let default = integer("option default", attributes.default)?;
    let min = integer("option min", attributes.min)?;
    let max = integer("option max", attributes.max)?;
    Ok((rest, OptionKind::Spin { default, min, max }))
}

fn combo(input: &str) -> Parsed<'_, OptionKind> {
    let (rest, attributes) = attributes(input)?;
    let (_, default) = text_of_attribute(attributes.default)?;
    let vars = attributes.vars;
    Ok((rest, OptionKind::Combo { default, vars }))
}

/// A string has only the attribute `default`, whose text may contain any word.
fn string(input: &str) -> Parsed<'_, OptionKind> {
    let default = opt(preceded(keyword("default"), text_until(&[])));
    let (rest, default) =
        terminated(default, end("option", "default or the end of the line")).parse(input)?;
    let default = default.filter(|text| text != EMPTY_STRING).unwrap_or_default();
    Ok((rest, OptionKind::String { default }))
}

/// Checks that the attribute's text is over: the next attribute or the end of the line follows.
fn attribute_end<'a>(after: &'static str, input: &'a str) -> Parsed<'a, ()> {
    let next_attribute = verify(word, |word: &str| ATTRIBUTES.contains(&word));
    let next = alt((value((), next_attribute), value((), end(after, ""))));
    expecting(after, "another attribute or the end of the line", next).parse(input)
}

/// Reads the line after the word `info`, up to `string` or the end.
fn info(input: &str) -> Info {
    let mut info = Info::default();
    let mut rest = input;
    while let Ok((after, name)) = word(rest) {
        rest = match name {
            "depth" => set_if_readable(&mut info.depth, after, readable_number(after)),
            "seldepth" => set_if_readable(&mut info.seldepth, after, readable_number(after)),
            "multipv" => set_if_readable(&mut info.multipv, after, readable_number(after)),
            "score" => set_if_readable(&mut info.score, after, score.map(Some).parse(after)),
            "wdl" => set_if_readable(&mut info.wdl, after, readable_numbers(after)),
            "nodes" => set_if_readable(&mut info.nodes, after, readable_number(after)),
            "nps" => set_if_readable(&mut info.nps, after, readable_number(after)),
            "hashfull" => set_if_readable(&mut info.hashfull, after, readable_number(after)),
            "time" => set_if_readable(&mut info.time, after, readable_number(after)),
            "estimate" => set_if_readable(&mut info.estimate, after, readable_numbers(after)),
            "pv" => set_if_readable(&mut info.pv, after, all_words(after)),
            "string" => break,
            _ => after,
        };
    }
    info
}

impl fmt::Display for Info {
    /// Writes each fact with a space before it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_fact(f, "depth", self.depth)?;
        write_fact(f, "seldepth", self.seldepth)?;
        write_fact(f, "multipv", self.multipv)?;
        write_list(f, "estimate", &self.estimate)?;
        write_fact(f, "score", self.score)?;
        write_list(f, "wdl", &self.wdl)?;
        write_fact(f, "nodes", self.nodes)?;
        write_fact(f, "nps", self.nps)?;
        write_fact(f, "hashfull", self.hashfull)?;
        write_fact(f, "time", self.time)?;
        write_list(f, "pv", &self.pv)
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Score::Centipawns(x) => write!(f, "cp {x}"),
            Score::Mate(y) => write!(f, "mate {y}"),
        }
    }
}

fn score(input: &str) -> Parsed<'_, Score> {
    alt((
        preceded(keyword("cp"), any_number).map(Score::Centipawns),
        preceded(keyword("mate"), any_number).map(Score::Mate),
    ))
    .parse(input)
}

/// Parses a number that fits its type.
fn any_number<T: TryFrom<i128>>(input: &str) -> Parsed<'_, T> {
    map_opt(word, |word| integer(word)?.try_into().ok()).parse(input)
}

fn readable_number<T: TryFrom<i128>>(input: &str) -> Parsed<'_, Option<T>> {
    any_number.map(Some).parse(input)
}

fn readable_numbers<T: TryFrom<i128>>(input: &str) -> Parsed<'_, Vec<T>> {
    many0(any_number).parse(input)
}

/// Stores the parsed value and returns the rest. If parsing failed, returns `input`, whose words are then skipped.
fn set_if_readable<'a, T>(slot: &mut T, input: &'a str, parsed: Parsed<'a, T>) -> &'a str {
    parsed.map_or(input, |(rest, value)| {
        *slot = value;
        rest
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply(line: &str) -> Reply {
        line.parse().unwrap_or_else(|error| panic!("{line}: {error}"))
    }

    #[test]
    fn words_for_a_person_are_kept_word_for_word() {
        let say = |text: &str| Reply::InfoString(text.to_owned());
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

    fn offer(text: &str) -> OptionOffer {
        let (_, offer) =
            option(text).unwrap_or_else(|error| panic!("{text}: {}", ArgumentError::from(error)));
        offer
    }

    #[test]
    fn options_of_other_engines_are_read() {
        let spin = offer("name Skill Level type spin max 20 min 0 default 5");
        let (default, min, max) = (5, 0, 20);
        assert_eq!(spin.name, "Skill Level");
        assert_eq!(spin.kind, OptionKind::Spin { default, min, max });

        let combo = offer("name Style type combo var Very Solid var Normal default Very  Solid");
        let default = "Very Solid".to_owned();
        let vars = vec![default.clone(), "Normal".to_owned()];
        assert_eq!(combo.kind, OptionKind::Combo { default, vars });

        let combo = offer("name Preset type combo default default var default var own");
        let default = "default".to_owned();
        let vars = vec![default.clone(), "own".to_owned()];
        assert_eq!(combo.kind, OptionKind::Combo { default, vars });

        let string = offer("name Path type string default /a b/min max");
        let default = "/a b/min max".to_owned();
        assert_eq!(string.kind, OptionKind::String { default });
        let default = String::new();
        assert_eq!(offer("name Path type string").kind, OptionKind::String { default });
    }

    #[test]
    fn malformed_options_are_refused() {
        let number = "a whole number from -9223372036854775808 to 9223372036854775807";
        let no_max = format!("option max: missing argument: expected {number}");
        let not_a_default = format!(r#"option default: "x" is not {number}"#);
        let no_default = format!(r#"option default: "min" is not {number}"#);
        let table = [
            ("", "option: missing argument: expected name"),
            ("name type check", r#"option name: unexpected "type": expected the option's name"#),
            ("name A B", "option: missing argument: expected type behind the name"),
            (
                "name A type slider",
                r#"option type: unexpected "slider": expected check, spin, combo, button or string"#,
            ),
            (
                "name A type check default maybe",
                r#"option default: unexpected "maybe": expected true or false"#,
            ),
            ("name A type check", "option default: missing argument: expected true or false"),
            ("name A type spin default 1 min 0", &no_max),
            ("name A type spin default x min 0 max 1", &not_a_default),
            ("name A type spin default min 0 max 1", &no_default),
            (
                "name A type spin default 1 2 min 0 max 1",
                r#"option default: unexpected "2": expected another attribute or the end of the line"#,
            ),
            (
                "name A type button now",
                r#"option: unexpected "now": expected default, min, max, var or the end of the line"#,
            ),
            (
                "name A type string a",
                r#"option: unexpected "a": expected default or the end of the line"#,
            ),
        ];
        for (text, expected) in table {
            let error = ArgumentError::from(option(text).expect_err(text));
            assert_eq!(error.to_string(), expected, "{text}");
        }
    }

    fn strings(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn an_info_of_another_engine_keeps_what_we_know() {
        let line = "depth 20 seldepth 31 multipv 1 score cp 34 lowerbound wdl 90 880 30 nodes 1e6 nps 1200 \
                    hashfull -5 tbhits 0 time 99 currmove e2e4 currmovenumber 1 pv e2e4 e7e5 string depth 1";
        let expected = Info {
            depth: Some(20),
            seldepth: Some(31),
            multipv: Some(1),
            score: Some(Score::Centipawns(34)),
            wdl: vec![90, 880, 30],
            nps: Some(1200),
            time: Some(99),
            pv: strings(&["e2e4", "e7e5", "string", "depth", "1"]),
            ..Info::default()
        };
        assert_eq!(info(line), expected);

        let depth = Info { depth: Some(4), ..Info::default() };
        assert_eq!(info("nodes depth 4 score up string time 3 nodes 9"), depth);
        assert_eq!(info(""), Info::default());
        assert_eq!(info("estimate 500 500 x 3").estimate, [500, 500]);
    }
}
