//! `arbiter replay`: checks recorded games against the rules, or shows one of them.

use std::process::ExitCode;

use arbiter::args::ReplayArgs;
use arbiter::reports;
use matches::archive::game_file::Place;
use matches::archive::replay;
use matches::luck::LuckChecker;
use matches::output::print;
use matches::plan::rules::program::RulesError;
use matches::record::digest::StoredGame;
use matches::run::announcement::count;

use super::input::open;
use super::{CommandError, exit, fail, luck_unchecked};

/// Checks a file, or shows one of its games; the exit status is 1 if any game is invalid.
pub fn replay(args: &ReplayArgs) -> ExitCode {
    let file = args.input.file.display();
    let checked = match check_file(args) {
        Ok(checked) => checked,
        Err(error) => return fail(&error),
    };
    match args.game {
        Some(wanted) if checked.games == 0 => {
            return exit::fail(exit::USAGE, format_args!("--game: no game {wanted} in {file}"));
        }
        Some(_) => {}
        None => {
            let games = count(checked.games, "game");
            say(&format!("{file}: {games}, {}\n", checked.verdict()));
        }
    }
    match checked.wrong {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::from(exit::WRONG),
    }
}

/// Numbers of games checked.
#[derive(Clone, Copy, Debug, Default)]
struct Checked {
    games: u64,
    wrong: u64,
    /// Games stored without a digest, where a change would go unnoticed.
    without_digest: u64,
    /// Games whose luck another program measured.
    luck_unchecked: u64,
}

impl Checked {
    fn verdict(self) -> String {
        let mut verdict = match self.wrong {
            0 => "all in order".to_string(),
            wrong => format!("{wrong} wrong"),
        };
        if self.without_digest > 0 {
            verdict += &format!("; {} without a digest", self.without_digest);
        }
        verdict + &luck_unchecked(self.luck_unchecked)
    }
}

/// Checks the selected games and prints their flaws. If no line of the file is a game, prints that only once.
fn check_file(args: &ReplayArgs) -> Result<Checked, CommandError> {
    let mut checked = Checked::default();
    let mut unreadable: Vec<String> = Vec::new();
    let mut any_game = false;
    let mut luck = LuckChecker::default();
    open(&args.input, false)?.for_each_stored(|place, game| {
        if game.is_ok() && !any_game {
            any_game = true;
            unreadable.drain(..).for_each(|complaint| say(&complaint));
        }
        let is_in_order = match (game, args.game) {
            (Ok(game), Some(wanted)) if game.record.game != wanted => return Ok(()),
            (Ok(game), wanted) => {
                checked.without_digest += u64::from(game.digest.is_none());
                check_game(&game, wanted.is_some(), place, &mut luck)?
            }
            // With `--game`, other lines do not matter.
            (Err(_), Some(_)) => return Ok(()),
            (Err(flaw), None) => {
                let complaint = format!("{place}: {flaw}\n");
                if any_game {
                    say(&complaint);
                } else {
                    unreadable.push(complaint);
                }
                false
            }
        };
        checked.games += 1;
        checked.wrong += u64::from(!is_in_order);
        Ok::<(), CommandError>(())
    })?;
    checked.luck_unchecked = luck.unchecked();
    if let [first, rest @ ..] = unreadable.as_slice() {
        say(first);
        if !rest.is_empty() {
            say("no other line is a game either\n");
        }
    }
    Ok(checked)
}

/// Prints the flaws of a game; returns whether there are none.
///
/// # Errors
/// The fault of a rules program that fails, which is no flaw of the game.
fn check_game(
    game: &StoredGame,
    is_shown: bool,
    place: Place<'_>,
    luck: &mut LuckChecker,
) -> Result<bool, RulesError> {
    if is_shown {
        say(&reports::show(&game.record));
    }
    let flaws = replay::check_stored(game);
    if let Some(fault) = replay::broken_rules(&flaws) {
        return Err(fault.clone());
    }
    for flaw in &flaws {
        say(&format!("{place}: game {}: {flaw}\n", game.record.game));
    }
    if flaws.is_empty()
        && let Err(error) = luck.check(&game.record)
    {
        say(&format!("{place}: game {}: {error}\n", game.record.game));
        return Ok(false);
    }
    Ok(flaws.is_empty())
}

fn say(text: &str) {
    // A closed pipe is not an error.
    let _ = print(text);
}
