//! `arbiter review`: prints skill and luck in recorded games, move by move or added up.

use std::process::ExitCode;

use arbiter::analysis::review::{ReviewPlan, game_text, json, review_all, totals_text};
use arbiter::args::{ReviewArgs, ReviewFormat};
use matches::archive::replay;
use matches::archive::store::Extent;
use matches::output::print;
use matches::play::interrupt::Interrupt;
use matches::record::GameRecord;
use matches::record::digest::StoredGame;
use matches::review::Totals;
use matches::run::display::count;

use super::{CommandError, exit, fail, isolate, open, progress, stop_on_signals};

/// Reviews the games of a file; the exit status is 1 if a game was skipped.
pub fn review(args: &ReviewArgs) -> ExitCode {
    let interrupt = Interrupt::new();
    match review_file(args, &interrupt) {
        Err(error) => fail(&error),
        Ok(_) if interrupt.is_set() => ExitCode::from(exit::INTERRUPTED),
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::from(exit::WRONG),
    }
}

/// Prints the reviews of a file; returns the number of skipped games.
fn review_file(args: &ReviewArgs, interrupt: &Interrupt) -> Result<u64, CommandError> {
    let plan = args.plan()?;
    let (games, left_out) = choose(args)?;
    let file = args.input.file.display();
    let is_recorded = |wanted: &&u64| games.iter().any(|game| game.game == **wanted);
    if let Some(game) = args.game.iter().find(|wanted| !is_recorded(wanted)) {
        return Err(format!("--game: {file} has no valid game {game}").into());
    }
    if games.is_empty() {
        return Err(format!("{file}: no game to review").into());
    }
    stop_on_signals(interrupt)?;
    let isolation = isolate(args.isolation.isolate, std::slice::from_ref(&plan.engine))?;
    let turns: usize = games.iter().map(|game| game.turns.len()).sum();
    let bar = progress(turns as u64, "{pos}/{len} moves  {eta} left");
    let (mut totals, mut worst, mut shown) = (Totals::default(), Vec::new(), Vec::new());
    let reviewed = review_all(
        &plan,
        isolation,
        &games,
        interrupt,
        || bar.inc(1),
        |game| {
            totals.add(game.record.block, &game.record.seats, &game.review);
            worst.extend(game.worst(args.worst));
            shown.extend((!args.game.is_empty()).then_some(game));
        },
    );
    bar.finish_and_clear();
    reviewed?;
    if totals.games() == 0 {
        // Interrupted before the first game was complete.
        return Ok(left_out);
    }
    // A stable sort: with equal losses, the earlier move comes first.
    worst.sort_by(|one, other| other.loss.total_cmp(&one.loss));
    worst.truncate(args.worst);
    let text = match args.format {
        ReviewFormat::Json => json(&plan, &totals, &worst, &shown, left_out)?,
        ReviewFormat::Text => {
            let mut text = heading(args, &plan, &totals, left_out);
            if shown.is_empty() {
                text += &totals_text(&totals, &worst);
            }
            for game in &shown {
                text += &format!("\n{}", game_text(game, args.worst));
            }
            text
        }
    };
    // A closed pipe is not an error.
    let _ = print(&text);
    Ok(left_out)
}

/// Returns the selected games, sorted by number, and the number of invalid games skipped. Prints the flaw of each
/// skipped game. With `--game`, lines that are no games do not matter.
fn choose(args: &ReviewArgs) -> Result<(Vec<GameRecord>, u64), CommandError> {
    let is_wanted = |game: u64| match args.game.as_slice() {
        [] => game.saturating_sub(1).is_multiple_of(args.sample),
        wanted => wanted.contains(&game),
    };
    let most = args.games.unwrap_or(u64::MAX);
    let (mut games, mut left_out) = (Vec::new(), 0);
    let store = open(&args.input, false)?;
    if args.game.is_empty() {
        left_out = store.flaws().len() as u64;
        store.flaws().iter().for_each(exit::print_error);
    }
    store.for_each_game(Extent::Whole, |StoredGame { record, .. }| {
        if !is_wanted(record.game) || games.len() as u64 >= most {
            return Ok::<(), CommandError>(());
        }
        match replay::check(&record).first() {
            None => games.push(record),
            Some(flaw) => {
                left_out += 1;
                let file = args.input.file.display();
                exit::print_error(format_args!("{file}: game {}: {flaw}", record.game));
            }
        }
        Ok(())
    })?;
    Ok((games, left_out))
}

/// One line with the numbers of games, moves and skipped games, and the engine that reviewed them.
fn heading(args: &ReviewArgs, plan: &ReviewPlan, totals: &Totals, left_out: u64) -> String {
    let games = count(totals.games(), "game");
    let left_out = match left_out {
        0 => String::new(),
        left_out => format!("; {left_out} left out"),
    };
    let (file, moves, engine) = (args.input.file.display(), totals.moves(), &plan.engine);
    let (name, limit) = (&engine.name, engine.limit.in_words());
    format!("{file}: {games}, {moves} moves reviewed by {name} ({limit}){left_out}\n")
}
