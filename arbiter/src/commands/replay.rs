//! `arbiter replay`: checks recorded games against the rules, or shows one of them.

use std::process::ExitCode;

use arbiter::args::ReplayArgs;
use arbiter::reports;
use matches::archive::replay;
use matches::luck::LuckChecker;
use matches::output::print;
use matches::run::display::count;

use super::{CommandError, exit, fail, luck_unchecked, open};

/// Checks a file, or shows one of its games; the exit status is 1 if any game is invalid.
pub fn replay(args: &ReplayArgs) -> ExitCode {
    match check_file(args) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::from(exit::WRONG),
        Err(error) => fail(&error),
    }
}

/// Checks the selected games and prints their flaws; returns the number of invalid games. If no line of the file is a
/// game, prints that only once.
fn check_file(args: &ReplayArgs) -> Result<u64, CommandError> {
    let (mut games, mut wrong, mut without_digest) = (0, 0, 0);
    let mut luck = LuckChecker::default();
    let store = open(&args.input, false)?;
    let numbers = store.numbers()?;
    for &number in &numbers {
        let Some(game) = store.game(number)? else { continue };
        if args.game.is_some_and(|wanted| wanted != game.record.game) {
            continue;
        }
        games += 1;
        without_digest += u64::from(game.digest.is_none());
        if args.game.is_some() {
            say(&reports::show(&game.record));
        }
        let flaws = replay::check_stored(&game);
        // The fault of a rules program that fails is no flaw of the game.
        if let Some(fault) = replay::broken_rules(&flaws) {
            return Err(fault.clone().into());
        }
        let mut errors: Vec<String> = flaws.iter().map(ToString::to_string).collect();
        if errors.is_empty() {
            errors.extend(luck.check(&game.record).err().map(|error| error.to_string()));
        }
        wrong += u64::from(!errors.is_empty());
        let place = store.place(number)?;
        for error in errors {
            say(&format!("{place}: game {}: {error}\n", game.record.game));
        }
    }
    let file = args.input.file.display();
    match args.game {
        Some(wanted) if games == 0 => {
            return Err(format!("--game: no game {wanted} in {file}").into());
        }
        Some(_) => return Ok(wrong),
        None => {}
    }
    let flaws = store.flaws();
    match flaws {
        [first, _, ..] if numbers.is_empty() => {
            say(&format!("{first}\nno other line is a game either\n"));
        }
        _ => flaws.iter().for_each(|flaw| say(&format!("{flaw}\n"))),
    }
    games += flaws.len() as u64;
    wrong += flaws.len() as u64;
    let mut verdict = match wrong {
        0 => "all in order".to_string(),
        wrong => format!("{wrong} wrong"),
    };
    if without_digest > 0 {
        // A change of such a game would go unnoticed.
        verdict += &format!("; {without_digest} without a digest");
    }
    verdict += &luck_unchecked(luck.unchecked());
    say(&format!("{file}: {}, {verdict}\n", count(games, "game")));
    Ok(wrong)
}

fn say(text: &str) {
    // A closed pipe is not an error.
    let _ = print(text);
}
