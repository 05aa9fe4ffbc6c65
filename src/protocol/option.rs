//! An `option` line: `name <words> type <kind>`, then `default`, `min`, `max` and `var` in any order.

use std::fmt;

use super::error::ArgumentError;
use super::words::{Words, write_text};
use super::{OptionKind, OptionOffer};

/// Spelling of an empty string.
const EMPTY: &str = "<empty>";

/// First words of the attributes; the text of an attribute ends at the next one.
const ATTRIBUTES: &[&str] = &["default", "min", "max", "var"];

/// Reads the line after the word `option`.
pub(super) fn option(mut words: Words<'_>) -> Result<OptionOffer, ArgumentError> {
    const TYPES: &str = "check, spin, combo, button or string";
    let is = |name: &'static str| move |word: &str| (word == name).then_some(());
    words.expect("option", "name", is("name"))?;
    let name = words.text("option name", "the option's name", &["type"])?;
    words.expect("option", "type behind the name", is("type"))?;
    let kind = words.expect("option type", TYPES, |word| match word {
        "check" => Some(check as fn(Words<'_>) -> Result<OptionKind, ArgumentError>),
        "spin" => Some(spin),
        "combo" => Some(combo),
        "button" => Some(|words| attributes(words).map(|_| OptionKind::Button)),
        "string" => Some(string),
        _ => None,
    })?;
    let kind = kind(words)?;
    Ok(OptionOffer { name, kind })
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
                f.write_str("combo")?;
                write_text(f, " default", default)?;
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

/// Attributes of an option. Each except `vars` holds the rest of the line from its text on. If an attribute other than
/// `var` is repeated, the last one counts.
struct Attributes<'a> {
    default: Words<'a>,
    min: Words<'a>,
    max: Words<'a>,
    vars: Vec<String>,
}

/// Reads all attributes; those that do not apply to the option's type are ignored.
fn attributes(mut words: Words<'_>) -> Result<Attributes<'_>, ArgumentError> {
    let nothing = Words::of("");
    let mut attributes = Attributes {
        default: nothing,
        min: nothing,
        max: nothing,
        vars: Vec::new(),
    };
    while let Some(name) = words.next_if(|word| ATTRIBUTES.contains(&word)) {
        let from_here = words;
        let text = text_of_attribute(&mut words);
        match name {
            "default" => attributes.default = from_here,
            "min" => attributes.min = from_here,
            "max" => attributes.max = from_here,
            _ => attributes.vars.push(text),
        }
    }
    words.end("option", "default, min, max, var or the end of the line")?;
    Ok(attributes)
}

/// Takes the text of an attribute, up to the next attribute. A word that names an attribute is the text if it directly
/// follows the attribute, and another attribute or the end of the line follows it.
fn text_of_attribute(words: &mut Words<'_>) -> String {
    let mut behind = *words;
    let first = behind.next().unwrap_or_default();
    let is_over = |words: Words<'_>| words.peek().is_none_or(|next| ATTRIBUTES.contains(&next));
    if ATTRIBUTES.contains(&first) && is_over(behind) {
        *words = behind;
        return first.to_owned();
    }
    words.words_until(ATTRIBUTES).join(" ")
}

fn check(words: Words<'_>) -> Result<OptionKind, ArgumentError> {
    let mut text = attributes(words)?.default;
    let after = "option default";
    let default = text.expect(after, "true or false", |word| word.parse().ok())?;
    attribute_end(after, text)?;
    Ok(OptionKind::Check { default })
}

fn spin(words: Words<'_>) -> Result<OptionKind, ArgumentError> {
    let attributes = attributes(words)?;
    let integer = |after, mut text: Words<'_>| {
        let number = text.number(after, i64::MIN..=i64::MAX)?;
        attribute_end(after, text).map(|()| number)
    };
    Ok(OptionKind::Spin {
        default: integer("option default", attributes.default)?,
        min: integer("option min", attributes.min)?,
        max: integer("option max", attributes.max)?,
    })
}

fn combo(words: Words<'_>) -> Result<OptionKind, ArgumentError> {
    let mut attributes = attributes(words)?;
    Ok(OptionKind::Combo {
        default: text_of_attribute(&mut attributes.default),
        vars: attributes.vars,
    })
}

/// A string has only the attribute `default`, whose text may contain any word.
fn string(mut words: Words<'_>) -> Result<OptionKind, ArgumentError> {
    let has_default = words.keyword("default");
    let default = has_default.then(|| words.words_until(&[]).join(" "));
    words.end("option", "default or the end of the line")?;
    let default = default.filter(|text| text != EMPTY).unwrap_or_default();
    Ok(OptionKind::String { default })
}

/// Checks that the attribute's text is over: the next attribute or the end of the line follows.
fn attribute_end(after: &'static str, words: Words<'_>) -> Result<(), ArgumentError> {
    match words.peek() {
        Some(next) if ATTRIBUTES.contains(&next) => Ok(()),
        _ => words.end(after, "another attribute or the end of the line"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offer(text: &str) -> OptionOffer {
        option(Words::of(text)).unwrap_or_else(|error| panic!("{text}: {error}"))
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
        assert_eq!(
            offer("name Path type string").kind,
            OptionKind::String { default }
        );
    }

    #[test]
    fn malformed_options_are_refused() {
        let number = "a whole number from -9223372036854775808 to 9223372036854775807";
        let no_max = format!("option max: missing argument: expected {number}");
        let not_a_default = format!(r#"option default: "x" is not {number}"#);
        let no_default = format!(r#"option default: "min" is not {number}"#);
        let table = [
            ("", "option: missing argument: expected name"),
            (
                "name type check",
                r#"option name: unexpected "type": expected the option's name"#,
            ),
            (
                "name A B",
                "option: missing argument: expected type behind the name",
            ),
            (
                "name A type slider",
                r#"option type: unexpected "slider": expected check, spin, combo, button or string"#,
            ),
            (
                "name A type check default maybe",
                r#"option default: unexpected "maybe": expected true or false"#,
            ),
            (
                "name A type check",
                "option default: missing argument: expected true or false",
            ),
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
            let error = option(Words::of(text)).expect_err(text);
            assert_eq!(error.to_string(), expected, "{text}");
        }
    }
}
