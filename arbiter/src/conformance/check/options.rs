//! Checks of the introduction, and of options: that they can be set and have an effect.

use std::time::Duration;

use buxtehude::protocol::{OptionKind, OptionOffer, Reply};
use buxtehude::rules::VARIANTS;
use matches::play::engine::Offers;

use super::limits::least_of_tries;
use super::scope::by_game;
use super::talk::{Fault, Talk, built_in, expect, is_refusal, nothing, wrong};
use super::{Check, Scope};
use crate::conformance::transcript::mask;

/// Positions where the settings of a preset change the evaluation, as position texts of the games: near the end,
/// where moves differ much. A position is skipped for a variant that rejects it.
const POSITIONS: [&str; 5] = [
    "45,26,2/29,19,0 1 - -", "20,60,2/25,50,1/23,70,3 1 - -", "56,40,0/60,30,0 1 - -",
    "1h1h1h2/6h1/8/8/8/8/3F4/8 b", "3h1h1h/h7/8/8/8/8/3F4/8 w - - 0 1",
];

/// Checks of `uci`, the lines of options, `isready` and `ucinewgame`, for every profile.
pub fn introduction() -> Vec<Check> {
    vec![
        Check::new("uci/id-name", "`uci` is answered with a line `id name`", |talk| {
            let is_name = |reply: &Reply| matches!(reply, Reply::IdName(name) if !name.is_empty());
            expect(replies(talk)?.iter().any(is_name), || "no line \"id name\"".into())
        }),
        Check::new("uci/id-author", "`uci` is answered with a line `id author`", |talk| {
            let is_author = |reply: &Reply| matches!(reply, Reply::IdAuthor(_));
            expect(replies(talk)?.iter().any(is_author), || "no line \"id author\"".into())
        })
        .lightly(),
        Check::new("uci/again", "a second `uci` is answered like the first", |talk| {
            let [first, second] = [talk.introduction()?, talk.introduction()?];
            expect(first == second, || "the two introductions differ".into())
        })
        .lightly(),
        Check::new(
            "uci/lines",
            "the answer to `uci` contains only id, option and info lines before `uciok`",
            |talk| {
                let is_else =
                    |reply: &&Reply| matches!(reply, Reply::Text(text) if !text.trim().is_empty());
                let replies = replies(talk)?;
                let other = replies.iter().find(is_else);
                expect(other.is_none(), || format!("{other:?} is something else"))
            },
        )
        .lightly(),
        Check::new("options/readable", "every option line can be parsed", |talk| {
            let mut offers = Offers::default();
            for line in talk.introduction()? {
                offers.add(&line);
            }
            match offers.unreadable.first() {
                Some(offer) => wrong(offer.to_string()),
                None => Ok(()),
            }
        }),
        Check::new("options/unique", "no option is offered twice", |talk| {
            let names = talk.offers.iter().map(|offer| offer.name.to_lowercase());
            let mut names: Vec<String> = names.collect();
            names.sort();
            let twice = names.windows(2).find(|pair| pair[0] == pair[1]);
            expect(twice.is_none(), || format!("{twice:?}"))
        }),
        Check::new("options/defaults", "every option accepts its default", |talk| {
            let is_taken = |offer: &OptionOffer| match &offer.kind {
                OptionKind::Spin { default, min, max } => (min..=max).contains(&default),
                OptionKind::Combo { default, vars } => vars.contains(default),
                OptionKind::Check { .. } | OptionKind::Button | OptionKind::String { .. } => true,
            };
            let bad = talk.offers.iter().find(|offer| !is_taken(offer));
            expect(bad.is_none(), || format!("{bad:?}"))
        }),
        Check::new(
            "options/bounds",
            "each option accepts its minimum, its maximum and each of its values",
            |talk| {
                for (name, values) in settable(talk) {
                    for value in values {
                        let answer = talk.ask(&format!("setoption name {name} value {value}"))?;
                        let refusal = answer.iter().find(|line| is_refusal(line));
                        expect(refusal.is_none(), || {
                            format!("option {name} rejects {value:?}: {refusal:?}")
                        })?;
                    }
                }
                Ok(())
            },
        ),
        Check::new(
            "isready/idle",
            "`isready` is answered with `readyok` and nothing else",
            |talk| nothing(&talk.fence()?),
        ),
        Check::new("isready/many", "every `isready` is answered", |talk| {
            for _ in 0..100 {
                talk.send("isready")?;
            }
            for _ in 0..100 {
                let line = talk.line()?;
                expect(line == "readyok", || format!("got {line:?}"))?;
            }
            Ok(())
        }),
        Check::new("ucinewgame", "`ucinewgame` is not answered", |talk| {
            nothing(&talk.ask("ucinewgame")?)
        }),
    ]
}

/// The parsed lines of the introduction.
fn replies(talk: &mut Talk) -> Result<Vec<Reply>, Fault> {
    let lines = talk.introduction()?;
    Ok(lines.iter().filter_map(|line| line.parse().ok()).collect())
}

/// The options that are safe to set, each with accepted values; the default comes last.
fn settable(talk: &Talk) -> Vec<(String, Vec<String>)> {
    let of = |offer: &OptionOffer| {
        let values = match &offer.kind {
            // The largest table may exceed the machine's memory.
            OptionKind::Spin { default, .. } if offer.name == "Hash" => vec![default.to_string()],
            OptionKind::Spin { default, min, max } => {
                [min, max, default].map(i64::to_string).to_vec()
            }
            OptionKind::Check { default } => ["true", "false"]
                .into_iter()
                .map(String::from)
                .chain([default.to_string()])
                .collect(),
            OptionKind::Combo { default, vars } => vars.iter().chain([default]).cloned().collect(),
            OptionKind::Button | OptionKind::String { .. } => Vec::new(),
        };
        (offer.name.clone(), values)
    };
    talk.offers.iter().map(of).collect()
}

/// Checks of options beyond UCI.
pub fn checks(scope: &Scope) -> Vec<Check> {
    let mut checks = vec![
        Check::new("options/spelt", "option lines follow the grammar", |talk| {
            for line in talk.introduction()? {
                if let Ok(reply @ Reply::Option(_)) = line.parse() {
                    let spelt = reply.to_string();
                    expect(spelt == line, || format!("{line:?} instead of {spelt:?}"))?;
                }
            }
            Ok(())
        }),
        Check::new("options/case", "option names are case-insensitive", |talk| {
            for offer in talk.offers.clone() {
                for name in [offer.name.to_lowercase(), offer.name.to_uppercase()] {
                    let answer = talk.ask(&to_default(&name, &offer.kind))?;
                    let error = answer.iter().find(|line| line.contains("error"));
                    expect(error.is_none(), || format!("{name}: {error:?}"))?;
                }
            }
            Ok(())
        }),
        Check::new(
            "options/silent",
            "setting an option is not answered, except for a variant",
            |talk| {
                let offers = talk.offers.clone();
                let mut others = offers.iter().filter(|offer| offer.name != VARIANT);
                others.try_for_each(|offer| {
                    nothing(&talk.ask(&to_default(&offer.name, &offer.kind))?)
                })
            },
        ),
        Check::new(
            "options/Move Overhead",
            "a search uses its movetime except for the overhead, which is at most a fifth of it",
            |talk| {
                talk.need_option("Move Overhead")?;
                let usual = used_with_overhead(talk, 1)?;
                // A busy machine can only delay an answer.
                let large = least_of_tries(MAX_USED, || used_with_overhead(talk, 5000))?;
                talk.set(&["setoption name Move Overhead value 1".into()])?;
                expect(usual > MAX_USED && large <= MAX_USED, || {
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
    for (rules, _) in by_game(&scope.tables) {
        let name = format!("variants/{}", rules.name());
        let rules = rules.clone();
        checks.push(Check::new(
            name,
            "choosing a variant by any of its names is answered with its start position for two",
            move |talk| {
                let variant = built_in(&rules)?;
                for name in [&[variant.name], variant.aliases].concat() {
                    talk.set(&[talk.after_moves(1)?])?;
                    talk.choose(&rules)?;
                    let start = variant.start(2)?;
                    let size = variant.board.map_or(String::new(), |(files, ranks)| {
                        format!(" files {files} ranks {ranks} pocket 0 template fairy")
                    });
                    let own = variant.name;
                    let expected = format!("info string variant {own}{size} startpos {start}");
                    talk.expect_answer(
                        &format!("setoption name {VARIANT} value {name}"),
                        &[expected],
                    )?;
                    talk.expect_shown(&[format!("Fen: {start}")])?;
                }
                Ok(())
            },
        ));
    }
    checks.extend(effects());
    checks
}

/// Longest use of a movetime of 300 ms with a fifth reserved as overhead.
const MAX_USED: Duration = Duration::from_millis(280);

fn used_with_overhead(talk: &mut Talk, overhead: u64) -> Result<Duration, Fault> {
    talk.set(&[format!("setoption name Move Overhead value {overhead}"), talk.beginning()?])?;
    talk.go("go movetime 300").map(|search| search.elapsed)
}

/// The option that selects the game.
const VARIANT: &str = "UCI_Variant";

/// The preset whose settings can be changed, with a strategy under which every other setting has an effect.
const BASE: [(&str, &str); 2] = [("Preset", "article"), ("Strategy", "relative")];

/// Options that change a preset's play, each with a value that is neither its default nor in [`BASE`].
const EFFECTS: [(&str, &str); 10] = [
    ("Preset", "search"),
    ("Ks", "900"),
    ("Kc", "900"),
    ("Kp", "900"),
    ("Strategy", "absolute"),
    ("HareModel", "chance"),
    ("Prune", "exact"),
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
                talk.need_option(option)?;
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
    talk.is_open = false;
    let mut variants = VARIANTS.iter();
    let variant = variants.find(|variant| variant.parse(position).is_ok());
    let Some(variant) = variant.filter(|variant| talk.need_variant(variant).is_ok()) else {
        return Ok(None);
    };
    talk.choose(&variant.into())?;
    let set = options.iter().map(|(name, value)| format!("setoption name {name} value {value}"));
    let set: Vec<String> = set.chain([format!("position fen {position}")]).collect();
    talk.set(&set)?;
    let mut lines = talk.ask("eval")?;
    let search = talk.go("go depth 4")?;
    lines.extend(search.lines.iter().map(|line| mask(line)));
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
            let parses = VARIANTS.iter().any(|variant| variant.parse(position).is_ok());
            assert!(parses, "{position}");
        }
    }
}
