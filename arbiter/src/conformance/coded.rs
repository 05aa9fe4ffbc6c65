//! Checks that a transcript cannot state: of the options that the engine itself offers, of changed position texts, and
//! of memory over many games.
//!
//! For memory, the engine plays games with small limits while the resident memory of its process and all descendants is
//! sampled. Initial allocations, such as tables, do not matter; the check looks for growth that continues.

use std::collections::HashSet;
use std::fmt;
use std::fs;
use std::str::FromStr;
use std::time::{Duration, Instant};

use buxtehude::protocol::{OptionKind, OptionOffer, Reply};
use buxtehude::rules::{Turn, Variant};
use matches::plan::rules::Rules;
use matches::play::engine::Offers;
use matches::play::family::descendants;
use rand::SeedableRng;
use rand::seq::IteratorRandom;
use rand_chacha::ChaCha8Rng;

use super::check::{Check, Level};
use super::laws::is_legal;
use super::program::{Fault, expect, is_refusal, wrong};
use super::suite::random_place;
use super::talk::{Scope, Talk, built_in, nothing};

/// The option that selects the game.
const VARIANT: &str = "UCI_Variant";

/// Texts to modify for each variant and number of seats.
const TEXTS: usize = 2;

/// Replacements of a number or another character.
const OTHERS: [&str; 19] = [
    "", "3!", "0", "1", "3", "6", "07", "50", "64", "65", "70000", "!", "/", "-", "1,2", "?3",
    "1?99", "BBB", "x",
];

/// Moves of the engine in each game.
const MOVES: usize = 12;

/// Memory samples of a soak limited by games.
const READINGS: u64 = 200;

/// Least number of games of a soak limited by time; fewer show the growth of tables that fill up.
const MIN_GAMES: u64 = 200;

/// Number of equal parts of the samples after the warm-up; in a leak, each part is above the previous one.
const PARTS: usize = 4;

/// Growth that is ignored, in KiB, since an allocator's own reserve varies.
const SMALL: f64 = 512.0;

/// Growth that always fails, in KiB.
const LARGE: f64 = 262_144.0;

/// Checks of the options that the engine offers.
pub fn options() -> Vec<Check> {
    vec![
        Check::new("options/readable", Level::Match, "every option line can be parsed", |talk| {
            let mut offers = Offers::default();
            for line in talk.introduction()? {
                offers.add(&line);
            }
            match offers.unreadable.first() {
                Some(offer) => wrong(offer.to_string()),
                None => Ok(()),
            }
        }),
        Check::new("options/unique", Level::Match, "no option is offered twice", |talk| {
            let names = talk.offers.iter().map(|offer| offer.name.to_lowercase());
            let mut names: Vec<String> = names.collect();
            names.sort();
            let twice = names.windows(2).find(|pair| pair[0] == pair[1]);
            expect(twice.is_none(), || format!("{twice:?}"))
        }),
        Check::new("options/defaults", Level::Match, "every option accepts its default", |talk| {
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
            Level::Match,
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
        Check::new("options/spelt", Level::Full, "option lines follow the grammar", |talk| {
            for line in talk.introduction()? {
                if let Ok(reply @ Reply::Option(_)) = line.parse() {
                    let spelt = reply.to_string();
                    expect(spelt == line, || format!("{line:?} instead of {spelt:?}"))?;
                }
            }
            Ok(())
        }),
        Check::new("options/case", Level::Full, "option names are case-insensitive", |talk| {
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
            Level::Full,
            "setting an option is not answered, except for a variant",
            |talk| {
                let offers = talk.offers.clone();
                let mut others = offers.iter().filter(|offer| offer.name != VARIANT);
                others.try_for_each(|offer| {
                    nothing(&talk.ask(&to_default(&offer.name, &offer.kind))?)
                })
            },
        ),
    ]
}

/// Checks of position texts, for each game and number of seats.
pub fn texts(scope: &Scope) -> Vec<Check> {
    let check = |(rules, seats): &(Rules, usize)| {
        let (name, rules, seats) =
            (format!("{}/{seats}/text-changed", rules.name()), rules.clone(), *seats);
        let explanation = "an invalid position text is rejected with the name of the wrong field, and changes nothing";
        Check::new(name, Level::Full, explanation, move |talk| {
            changed_texts(talk, built_in(&rules)?, seats)
        })
    };
    scope.tables.iter().map(check).collect()
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

fn changed_texts(talk: &mut Talk, variant: &'static Variant, seats: usize) -> Result<(), Fault> {
    talk.choose(&variant.into())?;
    let mut rng = ChaCha8Rng::seed_from_u64(seats as u64);
    let mut texts = Vec::new();
    for _ in 0..TEXTS {
        let place = random_place(&variant.into(), seats, &mut rng)?;
        texts.extend(changes(&place.position.to_string()));
    }
    let errors = texts.iter().filter_map(|text| variant.parse(text).err());
    // If several fields are wrong, the engine may name any of them.
    let fields: HashSet<String> = errors.filter_map(|error| field(&error.to_string())).collect();
    for text in texts {
        talk.program.send(&talk.position(seats, &[]))?;
        let answer = talk.ask(&format!("position fen {text}"))?;
        match variant.parse(&text) {
            Ok(position) => {
                expect(answer.is_empty(), || format!("{text:?} is accepted: {answer:?}"))?;
                talk.expect_shown(&position.to_string())?;
            }
            Err(error) => {
                let error = error.to_string();
                let is_refused = match answer.as_slice() {
                    [line] if is_refusal(line) => {
                        field(line).is_some_and(|field| fields.contains(&field))
                    }
                    _ => false,
                };
                expect(is_refused, || format!("expected an error as {error:?}, got {answer:?}"))?;
            }
        }
    }
    Ok(())
}

/// The field that an error names.
fn field(error: &str) -> Option<String> {
    let (_, reason) = error.split_once("\" refused: ")?;
    let (field, _) = reason.split_once(": ")?;
    Some(field.to_string())
}

/// The text with each number or character replaced, and truncated before each.
fn changes(text: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    let mut was_digit = false;
    for c in text.chars() {
        match parts.last_mut().filter(|_| was_digit && c.is_ascii_digit()) {
            Some(number) => number.push(c),
            None => parts.push(c.to_string()),
        }
        was_digit = c.is_ascii_digit();
    }
    let mut changes = Vec::new();
    for index in 0..parts.len() {
        let [before, behind] = [parts[..index].concat(), parts[index + 1..].concat()];
        // Trailing spaces are not part of a text.
        changes.push(before.trim_end().to_string());
        for other in OTHERS {
            changes.push(format!("{before}{other}{behind}"));
        }
    }
    for index in 1..parts.len() {
        let mut swapped = parts.clone();
        swapped.swap(index - 1, index);
        changes.push(swapped.concat());
    }
    // The board with one part replaced by another, with a part added, and with a part repeated many times.
    if let Some((first, _)) = text.split_once(' ') {
        let pieces: Vec<&str> = first.split('/').collect();
        for (index, other) in (0..pieces.len()).flat_map(|index| {
            let others = pieces.iter().copied();
            others.map(move |other| (index, other))
        }) {
            let mut pieces = pieces.clone();
            pieces[index] = other;
            changes.push(text.replacen(first, &pieces.join("/"), 1));
        }
        changes.push(text.replacen(first, &format!("{first}/{first}"), 1));
        changes.push(text.replacen(first, &[first; 7].join("/"), 1));
    }
    let is_line = |text: &String| {
        !text.is_empty() && !text.starts_with(' ') && !text.ends_with(' ') && !text.contains("  ")
    };
    changes.retain(is_line);
    changes.dedup();
    changes
}

/// Length of a soak.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Soak {
    Games(u64),
    Time(Duration),
}

impl FromStr for Soak {
    type Err = String;

    /// Parses `1000` (games) or `60s` (seconds).
    fn from_str(text: &str) -> Result<Soak, String> {
        let number = |text: &str| text.parse::<u32>().ok().filter(|&number| number > 0);
        let soak = match text.strip_suffix('s') {
            Some(seconds) => number(seconds).map(|n| Soak::Time(Duration::from_secs(n.into()))),
            None => number(text).map(|n| Soak::Games(n.into())),
        };
        soak.ok_or_else(|| {
            "expected a number of games such as 1000, or of seconds such as 60s".into()
        })
    }
}

/// The check of memory, if the user asks for it.
pub fn memory(scope: &Scope) -> Vec<Check> {
    let tables = &scope.tables;
    let Some((soak, (rules, _))) = scope.settings.soak.zip(tables.first().cloned()) else {
        return Vec::new();
    };
    let seats: Vec<usize> = tables
        .iter()
        .filter(|(other, _)| other.name() == rules.name())
        .map(|&(_, seats)| seats)
        .collect();
    vec![Check::new(
        "soak/memory",
        Level::Match,
        "memory does not keep growing over many games",
        move |talk| {
            let readings = play(talk, soak, &rules, &seats)?;
            let growth = Growth::of(&readings);
            talk.note = Some(growth.to_string());
            expect(!growth.is_steady(), || growth.to_string())
        },
    )]
}

/// Number of games, and the memory after them in KiB.
type Reading = (u64, f64);

/// Plays games and samples the memory.
fn play(
    talk: &mut Talk,
    soak: Soak,
    rules: &Rules,
    seats: &[usize],
) -> Result<Vec<Reading>, Fault> {
    let begun = Instant::now();
    let between = match soak {
        Soak::Games(games) => (games / READINGS).max(1),
        Soak::Time(_) => 1,
    };
    // Sample after games with the same number of seats, since an engine's memory for a game may depend on it.
    let between = between.next_multiple_of(seats.len() as u64);
    talk.choose(rules)?;
    let mut readings = Vec::new();
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for game in 1.. {
        talk.program.forget();
        let seats = seats[(game as usize - 1) % seats.len()];
        play_game(talk, rules, seats, &mut rng)?;
        if game % between == 0 {
            let Some(memory) = memory_of(talk.program.process()) else {
                return Err(Fault::Skipped("/proc does not report its memory".into()));
            };
            readings.push((game, memory));
        }
        let is_over = match soak {
            Soak::Games(games) => game >= games,
            Soak::Time(time) => game >= MIN_GAMES && begun.elapsed() >= time,
        };
        if is_over {
            break;
        }
    }
    Ok(readings)
}

fn play_game(
    talk: &mut Talk,
    rules: &Rules,
    seats: usize,
    rng: &mut ChaCha8Rng,
) -> Result<(), Fault> {
    let mut position = rules.start(seats)?;
    let mut actions: Vec<String> = Vec::new();
    talk.ask("ucinewgame")?;
    for _ in 0..MOVES {
        while let Turn::Card(_) = position.turn() {
            let card = position.legal_actions().into_iter().choose(rng);
            let card = card.unwrap_or_default();
            position.play(&card)?;
            actions.push(card);
        }
        if position.turn() == Turn::Over {
            break;
        }
        talk.program.send(&talk.position(seats, &actions))?;
        let best = talk.best_move("go nodes 20")?.unwrap_or_default();
        expect(is_legal(&position, &best), || format!("{best:?} is illegal"))?;
        position.play(&best)?;
        actions.push(best);
    }
    Ok(())
}

/// Growth of memory after the warm-up, which is the first fifth of the samples.
#[derive(Clone, Debug)]
struct Growth {
    games: u64,
    /// Median of each part, in KiB.
    parts: Vec<f64>,
    /// KiB per 1000 games: the median slope between samples of the first and the second half.
    slope: f64,
}

impl Growth {
    fn of(readings: &[Reading]) -> Growth {
        let games = readings.last().map_or(0, |&(game, _)| game);
        let warm = &readings[readings.len() / 5..];
        let size = warm.len().div_ceil(PARTS).max(1);
        let memories = |part: &[Reading]| median(part.iter().map(|&(_, memory)| memory).collect());
        let (early, late) = warm.split_at(warm.len() / 2);
        let slopes = early.iter().zip(late).map(|(&(from, before), &(to, after))| {
            (after - before) / (to - from).max(1) as f64 * 1000.0
        });
        Growth {
            games,
            parts: warm.chunks(size).map(memories).collect(),
            slope: median(slopes.collect()),
        }
    }

    /// Growth from the first to the last part, in KiB.
    fn total(&self) -> f64 {
        match self.parts.as_slice() {
            [first, .., last] => last - first,
            _ => 0.0,
        }
    }

    /// `true` if memory grows in every part, or by more than [`LARGE`] in total.
    fn is_steady(&self) -> bool {
        let total = self.total();
        let least = total / (4 * PARTS) as f64;
        let goes_on = self.parts.windows(2).all(|pair| pair[1] - pair[0] >= least);
        total > LARGE || (total > SMALL && self.slope > 0.0 && goes_on)
    }
}

impl fmt::Display for Growth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (games, total, slope) = (self.games, self.total(), self.slope);
        let last = self.parts.last().unwrap_or(&0.0);
        write!(
            f,
            "{games} games, {last:.0} KiB at the end, {total:+.0} KiB since the warm-up, {slope:+.0} KiB per 1000 games"
        )
    }
}

/// The median, or 0 without numbers.
fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or(0.0)
}

/// Resident memory of a process and all its descendants, in KiB, without mapped files: their pages come and go with the
/// load of the machine.
fn memory_of(process: u32) -> Option<f64> {
    let resident = |process: &u32| {
        let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
        let kib = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name))?;
            line.split_whitespace().next()?.parse::<u32>().ok()
        };
        Some(kib("RssAnon:")? + kib("RssShmem:")?)
    };
    let all: u32 = descendants(process).iter().filter_map(resident).sum();
    (all > 0).then(|| f64::from(all))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn growth(memory: impl Fn(u64) -> f64) -> Growth {
        let readings: Vec<Reading> = (1..=200).map(|n| (n * 5, memory(n * 5))).collect();
        Growth::of(&readings)
    }

    #[test]
    fn steady_growth_is_told_from_other_growth() {
        let noise = |game: u64| (game * 7919 % 101) as f64 * 4.0;
        for (expected, growth) in [
            (false, growth(|_| 8000.0)),
            (false, growth(noise)),
            // Tables that fill up and then stay the same.
            (false, growth(|game| 8000.0 + 40.0 * game.min(400) as f64)),
            // A single step.
            (false, growth(|game| if game < 600 { 8000.0 } else { 12_000.0 })),
            (false, growth(|game| 8000.0 - game as f64)),
            (true, growth(|game| 8000.0 + game as f64)),
            (true, growth(|game| 8000.0 + 2.0 * game as f64 + noise(game))),
            (true, growth(|game| if game < 600 { 8000.0 } else { 400_000.0 })),
        ] {
            assert_eq!(growth.is_steady(), expected, "{growth}: {:?}", growth.parts);
        }
        let told = growth(|game| 8000.0 + game as f64).to_string();
        assert!(told.ends_with("+1000 KiB per 1000 games"), "{told}");
    }

    #[test]
    fn a_soak_is_a_number_of_games_or_of_seconds() {
        assert_eq!("1000".parse(), Ok(Soak::Games(1000)));
        assert_eq!("60s".parse(), Ok(Soak::Time(Duration::from_secs(60))));
        for wrong in ["", "s", "0", "0s", "-1", "1m"] {
            let error = wrong.parse::<Soak>().unwrap_err();
            assert!(error.contains("such as 60s"), "{wrong:?}: {error}");
        }
    }
}
