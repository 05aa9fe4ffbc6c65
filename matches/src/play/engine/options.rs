//! The options of an engine, checked against its offers.

use buxtehude::protocol::{Command, OptionKind, OptionOffer};

use super::StartError;
use super::start_error::{excerpt, listed};
use crate::plan::{Draft, EngineSpec};

/// Name of the option that selects the variant.
const VARIANT_OPTION: &str = "UCI_Variant";

/// Returns the commands that set the variant, if the engine offers a choice, and the options of `spec`, except optional
/// ones that the engine does not offer.
///
/// # Errors
/// The first option or value that the engine does not offer.
pub fn settings(
    spec: &EngineSpec,
    variant: &str,
    offers: &[OptionOffer],
) -> Result<Vec<Command>, StartError> {
    let mut commands = Vec::new();
    if let Some(offer) = find(offers, VARIANT_OPTION) {
        commands.push(variant_setting(spec, variant, offer)?);
    }
    let mut options = spec.options.clone();
    options.retain(|(name, _)| !is_left_out(&spec.draft, name, offers));
    commands.extend(option_commands(&spec.name, &options, offers)?);
    Ok(commands)
}

/// `true` for an optional option that the engine does not offer.
pub fn is_left_out(draft: &Draft, option: &str, offers: &[OptionOffer]) -> bool {
    find(offers, option).is_none() && draft.optional.iter().any(|name| name == option)
}

/// Returns the commands that set the given options, pairs of name and value.
///
/// # Errors
/// The first option or value that the engine does not offer.
pub fn option_commands(
    engine: &str,
    options: &[(String, String)],
    offers: &[OptionOffer],
) -> Result<Vec<Command>, StartError> {
    let command = |(name, value): &(String, String)| {
        let offer = find(offers, name).ok_or_else(|| StartError::UnknownOption {
            engine: engine.to_string(),
            option: name.clone(),
            offered: offers.iter().map(|offer| offer.name.clone()).collect(),
        })?;
        setting(engine, offer, value)
    };
    options.iter().map(command).collect()
}

/// Finds an option by its name, which is case-insensitive as in UCI.
fn find<'a>(offers: &'a [OptionOffer], name: &str) -> Option<&'a OptionOffer> {
    offers.iter().find(|offer| offer.name.eq_ignore_ascii_case(name))
}

fn variant_setting(
    spec: &EngineSpec,
    variant: &str,
    offer: &OptionOffer,
) -> Result<Command, StartError> {
    if let OptionKind::Combo { vars, .. } = &offer.kind
        && !vars.iter().any(|var| var == variant)
    {
        return Err(StartError::UnknownVariant {
            engine: spec.name.clone(),
            variant: variant.to_string(),
            offered: vars.clone(),
        });
    }
    Ok(Command::SetOption { name: offer.name.clone(), value: Some(variant.to_string()) })
}

fn setting(engine: &str, offer: &OptionOffer, value: &str) -> Result<Command, StartError> {
    let refuse = |accepted: String| StartError::OptionValue {
        engine: engine.to_string(),
        option: excerpt(&offer.name),
        value: value.to_string(),
        accepted,
    };
    if value.contains(['\n', '\r']) {
        return Err(refuse("a single line".to_string()));
    }
    let value = match &offer.kind {
        OptionKind::Check { .. } if matches!(value, "true" | "false") => Some(value.to_string()),
        OptionKind::Check { .. } => return Err(refuse("true or false".to_string())),
        OptionKind::Spin { min, max, .. } => match value.parse::<i64>() {
            Ok(number) if (min..=max).contains(&&number) => Some(number.to_string()),
            _ => return Err(refuse(format!("a whole number from {min} to {max}"))),
        },
        OptionKind::Combo { vars, .. } => {
            let found = vars.iter().find(|var| var.eq_ignore_ascii_case(value));
            Some(found.ok_or_else(|| refuse(listed(vars)))?.clone())
        }
        OptionKind::Button if value.is_empty() => None,
        OptionKind::Button => return Err(refuse("no value, because it is a button".to_string())),
        OptionKind::String { .. } if value.is_empty() => Some("<empty>".to_string()),
        OptionKind::String { .. } => Some(value.to_string()),
    };
    Ok(Command::SetOption { name: offer.name.clone(), value })
}

#[cfg(test)]
mod tests {
    use buxtehude::protocol::Reply;
    use buxtehude::rules::VARIANTS;

    use super::*;
    use crate::plan::Limit;

    const OFFERS: [&str; 6] = [
        "option name UCI_Variant type combo default chess var chess var hase-und-igel",
        "option name Move Overhead type spin default 10 min 0 max 5000",
        "option name Ponder type check default false",
        "option name Style type combo default Solid var Solid var Risky",
        "option name Clear Hash type button",
        "option name Book type string default <empty>",
    ];

    fn offers() -> Vec<OptionOffer> {
        let offer = |line: &str| match line.parse() {
            Ok(Reply::Option(offer)) => offer,
            other => panic!("{line}: {other:?}"),
        };
        OFFERS.into_iter().map(offer).collect()
    }

    fn set(variant: usize, options: &[(&str, &str)]) -> Result<Vec<String>, String> {
        let spec = EngineSpec {
            options: options
                .iter()
                .map(|(name, value)| (name.to_string(), value.to_string()))
                .collect(),
            ..EngineSpec::new("mine", "", Limit::depth(1))
        };
        settings(&spec, VARIANTS[variant].name, &offers())
            .map(|commands| commands.iter().map(Command::to_string).collect())
            .map_err(|error| error.to_string())
    }

    #[test]
    fn options_are_set_as_offered_after_the_variant() {
        let options = [
            ("move overhead", "20"),
            ("Ponder", "true"),
            ("Style", "risky"),
            ("Clear Hash", ""),
            ("Book", ""),
            ("Book", "a b"),
        ];
        let expected = [
            "setoption name UCI_Variant value hase-und-igel",
            "setoption name Move Overhead value 20",
            "setoption name Ponder value true",
            "setoption name Style value Risky",
            "setoption name Clear Hash",
            "setoption name Book value <empty>",
            "setoption name Book value a b",
        ];
        assert_eq!(set(0, &options).unwrap(), expected);
    }

    #[test]
    fn what_is_not_offered_is_refused_with_what_is() {
        let refused = |option| set(0, &[option]).unwrap_err();
        assert_eq!(
            refused(("Hash", "1")),
            "engine mine has no option \"Hash\": it offers UCI_Variant, Move Overhead, Ponder, Style, Clear Hash, Book"
        );
        for (option, accepted) in [
            (("Move Overhead", "5001"), "a whole number from 0 to 5000"),
            (("Move Overhead", "x"), "a whole number from 0 to 5000"),
            (("Ponder", "yes"), "true or false"),
            (("Style", "Wild"), "Solid, Risky"),
            (("Book", "a\nquit"), "a single line"),
            (("Clear Hash", "1"), "no value, because it is a button"),
        ] {
            let (name, value) = option;
            assert_eq!(
                refused(option),
                format!("engine mine: option {name:?} cannot be {value:?}: it accepts {accepted}")
            );
        }
    }

    #[test]
    fn a_variant_that_is_not_listed_is_refused() {
        assert_eq!(
            set(1, &[]).unwrap_err(),
            "engine mine does not play hare-and-tortoise: its UCI_Variant offers chess, hase-und-igel"
        );
    }
}
