//! An `option` line: `name <words> type <kind>`, then `default`, `min`, `max` and `var` in any order.

use std::fmt;
use std::str::FromStr;

use nom::Parser;
use nom::branch::alt;
use nom::combinator::{cut, opt, value, verify};
use nom::sequence::{preceded, terminated};

use super::words::{Parsed, end, expecting, keyword, number, text_until, word, write_text};
use super::{OptionKind, OptionOffer};

/// Spelling of an empty string.
const EMPTY: &str = "<empty>";

/// First words of the attributes; the text of an attribute ends at the next one.
const ATTRIBUTES: &[&str] = &["default", "min", "max", "var"];

/// Reads the line after the word `option`.
pub(super) fn option(input: &str) -> Parsed<'_, OptionOffer> {
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
                write!(f, "string default {EMPTY}")
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
    pub fn accept(&self, value: &str) -> Result<(), String> {
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

/// Parses a value of an option into the field that has it.
///
/// # Errors
/// The error of the parser, which says what it accepts.
pub fn parse_into<T: FromStr<Err: fmt::Display>>(slot: &mut T, value: &str) -> Result<(), String> {
    *slot = value.parse().map_err(|error: T::Err| error.to_string())?;
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
    while let Ok((behind, name)) = word(rest) {
        let (next, text) = text_of_attribute(behind)?;
        match name {
            "default" => attributes.default = behind,
            "min" => attributes.min = behind,
            "max" => attributes.max = behind,
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
    if let Ok((behind, first)) = word(input)
        && ATTRIBUTES.contains(&first)
        && word(behind).map_or(true, |(_, next)| ATTRIBUTES.contains(&next))
    {
        return Ok((behind, first.to_owned()));
    }
    text_until(ATTRIBUTES).parse(input)
}

fn check(input: &str) -> Parsed<'_, OptionKind> {
    let (rest, attributes) = attributes(input)?;
    let default = alt((value(true, keyword("true")), value(false, keyword("false"))));
    let (behind, default) =
        expecting("option default", "true or false", default).parse(attributes.default)?;
    let (_, ()) = attribute_end("option default", behind)?;
    Ok((rest, OptionKind::Check { default }))
}

fn spin(input: &str) -> Parsed<'_, OptionKind> {
    let (rest, attributes) = attributes(input)?;
    let integer = |after, text| {
        let (behind, number) = number(after, i64::MIN..=i64::MAX).parse(text)?;
        attribute_end(after, behind).map(|_| number)
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
    let default = default.filter(|text| text != EMPTY).unwrap_or_default();
    Ok((rest, OptionKind::String { default }))
}

/// Checks that the attribute's text is over: the next attribute or the end of the line follows.
fn attribute_end<'a>(after: &'static str, input: &'a str) -> Parsed<'a, ()> {
    let next_attribute = verify(word, |word: &str| ATTRIBUTES.contains(&word));
    let next = alt((value((), next_attribute), value((), end(after, ""))));
    expecting(after, "another attribute or the end of the line", next).parse(input)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::ArgumentError;

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
}
