//! `arbiter replay`: checks recorded games against the rules, or shows one of them.

use std::process::ExitCode;

use arbiter::args::ReplayArgs;
use arbiter::reports;
use matches::archive::replay;
use matches::luck::LuckChecker;
use matches::output::print;
use matches::plan::rules::external::RulesError;
use matches::record::digest::StoredGame;
use matches::run::display::count;

use super::{CommandError, exit, fail, luck_unchecked, open};

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
    let mut luck = LuckChecker::default();
    let store = open(&args.input, false)?;
    let numbers = store.numbers()?;
    for &number in &numbers {
        let Some(game) = store.game(number)? else { continue };
        if args.game.is_some_and(|wanted| wanted != game.record.game) {
            continue;
        }
        checked.games += 1;
        checked.without_digest += u64::from(game.digest.is_none());
        let place = store.place(number)?;
        let is_in_order = check_game(&game, args.game.is_some(), &place, &mut luck)?;
        checked.wrong += u64::from(!is_in_order);
    }
    checked.luck_unchecked = luck.unchecked();
    if args.game.is_none() {
        let flaws = store.flaws();
        checked.games += flaws.len() as u64;
        checked.wrong += flaws.len() as u64;
        match flaws {
            [first, _, ..] if numbers.is_empty() => {
                say(&format!("{first}\nno other line is a game either\n"));
            }
            _ => flaws.iter().for_each(|flaw| say(&format!("{flaw}\n"))),
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
    place: &str,
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
