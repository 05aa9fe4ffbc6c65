//! Checks of the introduction: `uci`, the options and `isready`.

use buxtehude::protocol::{OptionKind, Reply};

use super::Check;
use super::talk::{Fault, Talk, expect, wrong};

pub fn checks() -> Vec<Check> {
    vec![
        Check::new(
            "uci/id-name",
            "`uci` is answered with a line `id name`",
            |talk| {
                expect_reply(
                    talk,
                    |reply| matches!(reply, Reply::IdName(name) if !name.is_empty()),
                    "id name",
                )
            },
        ),
        Check::new(
            "uci/id-author",
            "`uci` is answered with a line `id author`",
            |talk| {
                expect_reply(
                    talk,
                    |reply| matches!(reply, Reply::IdAuthor(_)),
                    "id author",
                )
            },
        )
        .lightly(),
        Check::new(
            "uci/again",
            "a second `uci` is answered like the first",
            |talk| {
                let [first, second] = [introduction(talk)?, introduction(talk)?];
                expect(first == second, || "the two introductions differ".into())
            },
        )
        .lightly(),
        Check::new(
            "uci/lines",
            "the answer to `uci` contains only id, option and info lines before `uciok`",
            |talk| {
                for line in introduction(talk)? {
                    if matches!(line.parse(), Ok(Reply::Text(text)) if !text.trim().is_empty()) {
                        return wrong(format!("{line:?} is something else"));
                    }
                }
                Ok(())
            },
        )
        .lightly(),
        Check::new(
            "options/readable",
            "every option line can be parsed",
            |talk| {
                for line in introduction(talk)? {
                    if line.starts_with("option ") {
                        let reply: Result<Reply, _> = line.parse();
                        expect(matches!(reply, Ok(Reply::Option(_))), || {
                            format!("cannot be parsed: {line:?}")
                        })?;
                    }
                }
                Ok(())
            },
        ),
        Check::new("options/unique", "no option is offered twice", |talk| {
            let mut names: Vec<String> = talk
                .offers()
                .iter()
                .map(|offer| offer.name.to_lowercase())
                .collect();
            names.sort();
            let twice = names.windows(2).find(|pair| pair[0] == pair[1]);
            expect(twice.is_none(), || format!("{twice:?}"))
        }),
        Check::new(
            "options/defaults",
            "every option accepts its default",
            |talk| {
                for offer in talk.offers() {
                    let is_taken = match &offer.kind {
                        OptionKind::Spin { default, min, max } => (min..=max).contains(&default),
                        OptionKind::Combo { default, vars } => vars.contains(default),
                        OptionKind::Check { .. }
                        | OptionKind::Button
                        | OptionKind::String { .. } => true,
                    };
                    expect(is_taken, || {
                        format!("option {}: {}", offer.name, offer.kind)
                    })?;
                }
                Ok(())
            },
        ),
        Check::new(
            "options/bounds",
            "each option accepts its minimum, its maximum and each of its values",
            |talk| {
                for (name, values) in settable(talk) {
                    for value in values {
                        let answer = talk.ask(&format!("setoption name {name} value {value}"))?;
                        let complaint = answer
                            .iter()
                            .find(|line| line.starts_with("info string error"));
                        expect(complaint.is_none(), || {
                            format!("option {name} rejects {value:?}: {complaint:?}")
                        })?;
                    }
                }
                Ok(())
            },
        ),
        Check::new(
            "isready/idle",
            "`isready` is answered with `readyok` and nothing else",
            |talk| {
                let lines = talk.fence()?;
                expect(lines.is_empty(), || format!("{lines:?} came first"))
            },
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
            let lines = talk.ask("ucinewgame")?;
            expect(lines.is_empty(), || format!("{:?} came", lines[0]))
        }),
    ]
}

/// The answer to `uci`.
pub fn introduction(talk: &mut Talk) -> Result<Vec<String>, Fault> {
    talk.send("uci")?;
    talk.until("uciok")
}

fn expect_reply(talk: &mut Talk, is_it: fn(&Reply) -> bool, name: &str) -> Result<(), Fault> {
    let lines = introduction(talk)?;
    let found = lines
        .iter()
        .any(|line| line.parse().is_ok_and(|reply| is_it(&reply)));
    expect(found, || format!("no line {name:?}"))
}

/// The options that are safe to set, each with accepted values; the default comes last.
fn settable(talk: &Talk) -> Vec<(String, Vec<String>)> {
    let of = |offer: &buxtehude::protocol::OptionOffer| {
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
    talk.offers().iter().map(of).collect()
}
