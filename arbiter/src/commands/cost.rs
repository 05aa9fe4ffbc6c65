//! `arbiter cost`: judges recorded games, and prints what moves cost.

use std::io;
use std::process::ExitCode;

use arbiter::archive::game_file::{GameFile, GameFileError};
use arbiter::archive::replay;
use arbiter::play::interrupt::Interrupt;
use arbiter::record::GameRecord;
use arbiter::record::digest::KeptGame;
use arbiter::results::output::print;
use arbiter::settings::args::validate::{self, ArgsError};
use arbiter::settings::args::{CostArgs, CostFormat};
use arbiter::trials::cost::{self, CostError, CostPlan, Costs};
use indicatif::{ProgressBar, ProgressStyle};
use thiserror::Error;

use super::{exit, signals};

/// Why it is not known what moves cost.
#[derive(Debug, Error)]
enum Problem {
    #[error(transparent)]
    Args(#[from] ArgsError),
    #[error(transparent)]
    File(#[from] GameFileError),
    #[error(transparent)]
    Cost(#[from] CostError),
    #[error("{file}: no game to judge")]
    Empty { file: String },
    #[error("cannot handle signals: {0}")]
    Signals(#[from] io::Error),
    #[error(transparent)]
    Json(#[from] serde_json::Error),
}

/// Judges the games of a file; the exit code is 1 if one was left out.
pub fn cost(args: &CostArgs) -> ExitCode {
    let interrupt = Interrupt::new();
    let judged = judge_file(args, &interrupt);
    let is_interrupted = interrupt.is_set();
    match judged {
        Err(problem) => exit::fail(exit::USAGE, problem),
        Ok(_) if is_interrupted => ExitCode::from(exit::INTERRUPTED),
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::from(exit::WRONG),
    }
}

/// Prints what the moves of a file cost; says how many games were left out.
fn judge_file(args: &CostArgs, interrupt: &Interrupt) -> Result<u64, Problem> {
    let plan = validate::cost(args)?;
    let (games, left_out) = games(args)?;
    if games.is_empty() {
        return Err(Problem::Empty {
            file: args.file.display().to_string(),
        });
    }
    let handler = interrupt.clone();
    signals::listen(interrupt, move || handler.set())?;
    let bar = progress(&games);
    let judged = cost::judge(&plan, &games, interrupt, || bar.inc(1));
    bar.finish_and_clear();
    let costs = judged?;
    if costs.games() == 0 {
        // Interrupted before there was anything to tell.
        return Ok(left_out);
    }
    let text = match args.format {
        CostFormat::Text => heading(args, &plan, &costs, left_out) + &costs.text(),
        CostFormat::Json => costs.json(&plan, left_out)?,
    };
    // Whoever closes the output has seen enough.
    let _ = print(&text);
    Ok(left_out)
}

/// The games that are asked for, sorted by number, and how many are left out since they are not in order; what is
/// wrong with these is said.
fn games(args: &CostArgs) -> Result<(Vec<GameRecord>, u64), Problem> {
    let most = args.games.unwrap_or(u64::MAX);
    let (mut games, mut unreadable, mut wrong) = (Vec::new(), 0, 0);
    GameFile::open(&args.file)?.for_each_sorted(
        |place, flaw| {
            unreadable += 1;
            exit::complain(format_args!("{place}: {flaw}"));
        },
        |kept: KeptGame| {
            let record = kept.record;
            let is_asked_for = record.game.saturating_sub(1).is_multiple_of(args.sample);
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

fn heading(args: &CostArgs, plan: &CostPlan, costs: &Costs, left_out: u64) -> String {
    let games = match costs.games() {
        1 => "1 game".to_string(),
        games => format!("{games} games"),
    };
    let left_out = match left_out {
        0 => String::new(),
        left_out => format!("; {left_out} left out"),
    };
    format!(
        "{}: {games}, {} moves judged by {} ({}){left_out}\n",
        args.file.display(),
        costs.moves(),
        plan.engine.name,
        plan.engine.limit.in_words(),
    )
}
