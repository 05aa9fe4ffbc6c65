//! Checks that options can be set and have an effect.

use std::time::Duration;

use buxtehude::protocol::{OptionKind, Reply};
use buxtehude::rules::VARIANTS;

use super::introduction::introduction;
use super::limits::TRIES;
use super::talk::{Fault, Talk, expect, wrong};
use super::{Check, Settings};

/// Positions in which the settings of a preset change the evaluation, as position texts of the games: near the end,
/// where moves differ much. A position is skipped for a variant that rejects it.
const POSITIONS: [&str; 5] = [
    "45,26,2/29,19,0 1 - -",
    "20,60,2/25,50,1/23,70,3 1 - -",
    "56,40,0/60,30,0 1 - -",
    "1h1h1h2/6h1/8/8/8/8/3F4/8 b",
    "3h1h1h/h7/8/8/8/8/3F4/8 w - - 0 1",
];

pub fn checks(settings: &Settings) -> Vec<Check> {
    let mut checks = vec![
        Check::new("options/spelt", "option lines follow the grammar", |talk| {
            for line in introduction(talk)? {
                if let Ok(reply @ Reply::Option(_)) = line.parse() {
                    let spelt = reply.to_string();
                    expect(spelt == line, || format!("{line:?} instead of {spelt:?}"))?;
                }
            }
            Ok(())
        }),
        Check::new(
            "options/case",
            "option names are case-insensitive",
            |talk| {
                for offer in talk.offers().to_vec() {
                    for name in [offer.name.to_lowercase(), offer.name.to_uppercase()] {
                        let answer = talk.ask(&to_default(&name, &offer.kind))?;
                        let error = answer.iter().find(|line| line.contains("error"));
                        expect(error.is_none(), || format!("{name}: {error:?}"))?;
                    }
                }
                Ok(())
            },
        ),
        Check::new(
            "options/silent",
            "setting an option is not answered, except for a variant",
            |talk| {
                for offer in talk.offers().to_vec() {
                    if offer.name == VARIANT {
                        continue;
                    }
                    let answer = talk.ask(&to_default(&offer.name, &offer.kind))?;
                    expect(answer.is_empty(), || format!("{}: {answer:?}", offer.name))?;
                }
                Ok(())
            },
        ),
        Check::new(
            "options/Move Overhead",
            "a search uses its movetime except for the overhead, which is at most a fifth of it",
            |talk| {
                if !talk
                    .offers()
                    .iter()
                    .any(|offer| offer.name == "Move Overhead")
                {
                    return Err(Fault::Skipped("it does not offer Move Overhead".into()));
                }
                let usual = used_with_overhead(talk, 1)?;
                // A busy machine can only delay an answer.
                let mut large = used_with_overhead(talk, 5000)?;
                for _ in 1..TRIES {
                    if large > MOST_USED {
                        large = large.min(used_with_overhead(talk, 5000)?);
                    }
                }
                talk.set(&["setoption name Move Overhead value 1".into()])?;
                expect(usual > MOST_USED && large <= MOST_USED, || {
                    format!("{usual:?} with an overhead of 1, {large:?} with 5000")
                })
            },
        )
        .lightly(),
        Check::new(
            "options/preset-article",
            "with `Preset article`, the value of the best line is printed as `info string e`",
            |talk| {
                let lines = with(talk, &[("Preset", "article")], POSITIONS[0])?;
                let Some(lines) = lines else {
                    return Err(Fault::Skipped("its game is not checked".into()));
                };
                let is_there = lines.iter().any(|line| line.starts_with("info string e "));
                expect(is_there, || format!("{lines:?}"))
            },
        ),
    ];
    for variant in VARIANTS {
        let is_asked = settings
            .variant
            .is_none_or(|only| only.name == variant.name);
        if !is_asked {
            continue;
        }
        checks.push(Check::new(
            format!("variants/{}", variant.name),
            "choosing a variant by any of its names is answered with its start position for two",
            move |talk| {
                for name in [&[variant.name], variant.aliases].concat() {
                    let moves = talk.first_moves(1)?;
                    talk.set(&[format!("position startpos moves {moves}")])?;
                    talk.choose(variant)?;
                    let answer = talk.ask(&format!("setoption name {VARIANT} value {name}"))?;
                    let start = variant.start(2).or_else(|error| wrong(error.to_string()))?;
                    let size = variant.board.map_or(String::new(), |(files, ranks)| {
                        format!(" files {files} ranks {ranks} pocket 0 template fairy")
                    });
                    let own = variant.name;
                    let expected = format!("info string variant {own}{size} startpos {start}");
                    expect(answer == [expected.as_str()], || {
                        format!("expected {expected:?}, got {answer:?}")
                    })?;
                    let shown = talk.ask("d")?;
                    let expected = format!("Fen: {start}");
                    expect(shown.contains(&expected), || {
                        format!("no line {expected:?}")
                    })?;
                }
                Ok(())
            },
        ));
    }
    checks.extend(effects());
    checks
}

/// Longest use of a movetime of 300 ms with a fifth reserved as overhead.
const MOST_USED: Duration = Duration::from_millis(280);

/// Time that a `go` takes with this overhead.
fn used_with_overhead(talk: &mut Talk, overhead: u64) -> Result<Duration, Fault> {
    talk.set(&[
        format!("setoption name Move Overhead value {overhead}"),
        talk.beginning()?,
    ])?;
    talk.go("go movetime 300").map(|search| search.elapsed)
}

/// The option that selects the game.
const VARIANT: &str = "UCI_Variant";

/// The preset whose settings can be changed, with a strategy under which every other setting has an effect.
const BASE: [(&str, &str); 2] = [("Preset", "article"), ("Strategy", "relative")];

/// Options that change a preset's play, each with a value that is neither its default nor in [`BASE`].
const EFFECTS: [(&str, &str); 11] = [
    ("Preset", "search"),
    ("Ks", "900"),
    ("Kc", "900"),
    ("Kp", "900"),
    ("Strategy", "absolute"),
    ("HareModel", "chance"),
    ("Prune", "off"),
    ("Sort", "false"),
    ("Caps", "1"),
    ("Heuristic", "height"),
    ("AILevel", "1"),
];

fn effects() -> impl Iterator<Item = Check> {
    EFFECTS.into_iter().map(|(option, value)| {
        Check::new(
            format!("options/{option}"),
            format!("`{option}` changes the evaluation of a position under `Preset article`"),
            move |talk| {
                if !talk.offers().iter().any(|offer| offer.name == option) {
                    return Err(Fault::Skipped(format!("it does not offer {option}")));
                }
                let mut is_left_out = false;
                for position in POSITIONS {
                    let usual = with(talk, &BASE, position)?;
                    let other = with(talk, &[&BASE[..], &[(option, value)]].concat(), position)?;
                    if usual != other {
                        return Ok(());
                    }
                    is_left_out |= usual.is_none();
                }
                if is_left_out {
                    return Err(Fault::Skipped("its game is not checked".into()));
                }
                wrong(format!("{value} has no effect"))
            },
        )
    })
}

/// The output of `eval` and of a search with options set; `None` if the position's game is not checked.
fn with(
    talk: &mut Talk,
    options: &[(&str, &str)],
    position: &str,
) -> Result<Option<Vec<String>>, Fault> {
    // The engine is restarted after this check, so the options need no reset.
    talk.close();
    let mut variants = VARIANTS.iter();
    let variant = variants.find(|variant| variant.parse(position).is_ok());
    let Some(variant) = variant.filter(|variant| talk.is_asked_about(variant)) else {
        return Ok(None);
    };
    talk.choose(variant)?;
    let set = options
        .iter()
        .map(|(name, value)| format!("setoption name {name} value {value}"));
    let set: Vec<String> = set.chain([format!("position fen {position}")]).collect();
    talk.set(&set)?;
    let mut lines = talk.ask("eval")?;
    let search = talk.go("go depth 4")?;
    lines.extend(
        search
            .lines
            .iter()
            .map(|line| crate::conformance::transcript::mask(line)),
    );
    lines.push(format!("{:?}", search.best));
    Ok(Some(lines))
}

/// The command that resets an option to its default, or presses a button.
fn to_default(name: &str, kind: &OptionKind) -> String {
    let value = match kind {
        OptionKind::Check { default } => default.to_string(),
        OptionKind::Spin { default, .. } => default.to_string(),
        OptionKind::Combo { default, .. } | OptionKind::String { default } => default.clone(),
        OptionKind::Button => return format!("setoption name {name}"),
    };
    format!("setoption name {name} value {value}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_position_is_of_some_game() {
        for position in POSITIONS {
            let parses = VARIANTS
                .iter()
                .any(|variant| variant.parse(position).is_ok());
            assert!(parses, "{position}");
        }
    }
}
