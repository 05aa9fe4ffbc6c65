//! `arbiter review`: skill and luck in recorded games, move by move or added up.

use std::io;
use std::process::ExitCode;

use arbiter::archive::game_file::{GameFile, GameFileError};
use arbiter::archive::replay;
use arbiter::play::interrupt::Interrupt;
use arbiter::record::GameRecord;
use arbiter::record::digest::KeptGame;
use arbiter::results::output::print;
use arbiter::settings::args::validate::{self, ArgsError};
use arbiter::settings::args::{ReviewArgs, ReviewFormat};
use arbiter::trials::judge::JudgeError;
use arbiter::trials::review::{
    ReviewError, ReviewPlan, ReviewedGame, Totals, game_text, json, review_all, totals_text,
};
use indicatif::{ProgressBar, ProgressStyle};
use thiserror::Error;

use super::{exit, signals};

/// Why games are not reviewed.
#[derive(Debug, Error)]
enum Problem {
    #[error(transparent)]
    Args(#[from] ArgsError),
    #[error(transparent)]
    File(#[from] GameFileError),
    #[error(transparent)]
    Review(#[from] ReviewError<JudgeError>),
    #[error("{file}: no game to review")]
    Empty { file: String },
    #[error("--game: {file} has no game {game} that is in order")]
    NoGame { file: String, game: u64 },
    #[error("cannot handle signals: {0}")]
    Signals(#[from] io::Error),
    #[error(transparent)]
    Json(#[from] serde_json::Error),
}

/// Reviews the games of a file; the exit code is 1 if one was left out.
pub fn run(args: &ReviewArgs) -> ExitCode {
    let interrupt = Interrupt::new();
    let reviewed = review_file(args, &interrupt);
    let is_interrupted = interrupt.is_set();
    match reviewed {
        Err(problem) => exit::fail(exit::USAGE, problem),
        Ok(_) if is_interrupted => ExitCode::from(exit::INTERRUPTED),
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::from(exit::WRONG),
    }
}

/// Prints the reviews of a file; says how many games were left out.
fn review_file(args: &ReviewArgs, interrupt: &Interrupt) -> Result<u64, Problem> {
    let plan = validate::review(args)?;
    let (games, left_out) = games(args)?;
    let file = || args.file.display().to_string();
    if let Some(&game) = args
        .game
        .iter()
        .find(|&&wanted| !games.iter().any(|game| game.game == wanted))
    {
        return Err(Problem::NoGame { file: file(), game });
    }
    if games.is_empty() {
        return Err(Problem::Empty { file: file() });
    }
    let handler = interrupt.clone();
    signals::listen(interrupt, move || handler.set())?;
    let bar = progress(&games);
    let (mut totals, mut shown) = (Totals::default(), Vec::new());
    let reviewed = review_all(
        &plan,
        &games,
        interrupt,
        || bar.inc(1),
        |game| {
            totals.add(game.record.block, &game.record.seats, &game.review);
            shown.extend((!args.game.is_empty()).then_some(game));
        },
    );
    bar.finish_and_clear();
    reviewed?;
    if totals.games() == 0 {
        // Interrupted before there was anything to tell.
        return Ok(left_out);
    }
    let text = match args.format {
        ReviewFormat::Text => text(args, &plan, &totals, &shown, left_out),
        ReviewFormat::Json => json(&plan, &totals, &shown, left_out)?,
    };
    // Whoever closes the output has seen enough.
    let _ = print(&text);
    Ok(left_out)
}

/// The games that are asked for, sorted by number, and how many are left out since they are not in order; what is
/// wrong with these is said.
fn games(args: &ReviewArgs) -> Result<(Vec<GameRecord>, u64), Problem> {
    let most = args.games.unwrap_or(u64::MAX);
    let (mut games, mut unreadable, mut wrong) = (Vec::new(), 0, 0);
    GameFile::open(&args.file)?.for_each_sorted(
        |place, flaw| {
            // A line that cannot be read is not the game that is asked for.
            if args.game.is_empty() {
                unreadable += 1;
                exit::complain(format_args!("{place}: {flaw}"));
            }
        },
        |kept: KeptGame| {
            let record = kept.record;
            let is_asked_for = match args.game.as_slice() {
                [] => record.game.saturating_sub(1).is_multiple_of(args.sample),
                wanted => wanted.contains(&record.game),
            };
            if !is_asked_for || games.len() as u64 >= most {
                return Ok::<(), Problem>(());
            }
            match replay::check(&record).first() {
                None => games.push(record),
                Some(flaw) => {
                    wrong += 1;
                    let file = args.file.display();
                    exit::complain(format_args!("{file}: game {}: {flaw}", record.game));
                }
            }
            Ok(())
        },
    )?;
    Ok((games, unreadable + wrong))
}

/// A bar on a terminal, nothing elsewhere.
fn progress(games: &[GameRecord]) -> ProgressBar {
    let turns: usize = games.iter().map(|game| game.turns.len()).sum();
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} moves  {eta} left");
    let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(turns as u64).with_style(style.progress_chars("━╸─"))
}

/// The heading, then the tables of each game that is named, or those of all.
fn text(
    args: &ReviewArgs,
    plan: &ReviewPlan,
    totals: &Totals,
    shown: &[ReviewedGame<'_>],
    left_out: u64,
) -> String {
    let games = match totals.games() {
        1 => "1 game".to_string(),
        games => format!("{games} games"),
    };
    let left_out = match left_out {
        0 => String::new(),
        left_out => format!("; {left_out} left out"),
    };
    let mut text = format!(
        "{}: {games}, {} moves reviewed by {} ({}){left_out}\n",
        args.file.display(),
        totals.moves(),
        plan.engine.name,
        plan.engine.limit.in_words(),
    );
    if shown.is_empty() {
        return text + &totals_text(totals);
    }
    for game in shown {
        text += &format!("\n{}", game_text(game, args.worst));
    }
    text
}
