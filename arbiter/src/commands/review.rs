//! `arbiter review`: judges recorded games by an engine, and prints skill and luck, move by move or added up.

use std::ops::ControlFlow;
use std::process::ExitCode;

use arbiter::args::{ReviewArgs, ReviewFormat};
use matches::archive::replay;
use matches::archive::store::Extent;
use matches::judge::{Judge, JudgeError, in_order};
use matches::output::{explanation, print};
use matches::plan::EngineSpec;
use matches::play::interrupt::Interrupt;
use matches::play::sandbox::Isolation;
use matches::record::GameRecord;
use matches::record::digest::StoredGame;
use matches::record::printable::{ends_of, printable_json};
use matches::report::{Column, decimals, ordinal, percent, signed, table};
use matches::review::{
    COSTLY, Line, Mean, PlayedGame, Review, ReviewError, ReviewedCard, ReviewedMove, SeatSums,
    Totals, review as review_game,
};
use matches::run::display::count;
use serde::Serialize;
use settings::args::judge;

use super::{CommandError, JUDGE_LIMIT, exit, fail, isolate, open, progress, stop_on_signals};

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
    let engine = judge(&args.engine, args.limit.limit().unwrap_or(JUDGE_LIMIT))?;
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
    let isolation = isolate(args.isolation.isolate, std::slice::from_ref(&engine))?;
    let turns: usize = games.iter().map(|game| game.turns.len()).sum();
    let bar = progress(turns as u64, "{pos}/{len} moves  {eta} left");
    let (mut totals, mut worst, mut shown) = (Totals::default(), Vec::new(), Vec::new());
    let reviewed = review_all(
        (&engine, isolation, args.concurrency),
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
        ReviewFormat::Json => json(&engine, &totals, &worst, &shown, left_out)?,
        ReviewFormat::Text => {
            let mut text = heading(args, &engine, &totals, left_out);
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
fn heading(args: &ReviewArgs, engine: &EngineSpec, totals: &Totals, left_out: u64) -> String {
    let games = count(totals.games(), "game");
    let left_out = match left_out {
        0 => String::new(),
        left_out => format!("; {left_out} left out"),
    };
    let (file, moves) = (args.input.file.display(), totals.moves());
    let (name, limit) = (&engine.name, engine.limit.in_words());
    format!("{file}: {games}, {moves} moves reviewed by {name} ({limit}){left_out}\n")
}

#[derive(Clone, Debug)]
pub struct ReviewedGame<'a> {
    pub record: &'a GameRecord,
    pub review: Review,
}

/// A move that lost something.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct BadMove {
    game: u64,
    /// Number of the move in the game, from 1; opening moves count, cards do not.
    ply: usize,
    /// Seat that moved, from 1.
    seat: usize,
    engine: String,
    /// Position before the move.
    position: String,
    #[serde(rename = "move")]
    mv: String,
    /// Best known move.
    best: String,
    /// Loss of the move, in permille of all points.
    loss: f64,
}

/// Reviews valid games, each with a fresh state of the engine. Calls `on_move` after each move that counts, and `add`
/// with each game, in order.
///
/// An interrupt ends the review with the games completed by then. An error sets the interrupt.
///
/// # Errors
/// The first [`ReviewError`].
pub fn review_all<'a>(
    (engine, isolation, concurrency): (&EngineSpec, Option<Isolation>, usize),
    games: &'a [GameRecord],
    interrupt: &Interrupt,
    on_move: impl FnMut(),
    mut add: impl FnMut(ReviewedGame<'a>),
) -> Result<(), ReviewError<JudgeError>> {
    let review_one = |judge: &mut Judge<'_>, record, on_move: &mut dyn FnMut()| {
        let game = PlayedGame::of_record(record)?;
        let begun = judge.begin(&game.rules, &format!("game {}", record.game));
        begun.map_err(ReviewError::Appraiser)?;
        let review = review_game(&game, judge, |_| {
            on_move();
            if interrupt.is_set() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        Ok(ReviewedGame { record, review })
    };
    let flow = in_order(
        (engine, isolation, concurrency.min(games.len())),
        games.iter(),
        interrupt,
        review_one,
        on_move,
        |reviewed| match reviewed {
            Ok(game) => {
                add(game);
                ControlFlow::Continue(())
            }
            Err(error) => ControlFlow::Break(error),
        },
    );
    flow.break_value().map_or(Ok(()), Err)
}

impl ReviewedGame<'_> {
    /// Returns up to `most` moves with a loss, the largest loss first; with equal losses, the earlier move first.
    fn worst(&self, most: usize) -> Vec<BadMove> {
        let bad_move = |reviewed: &ReviewedMove| BadMove {
            game: self.record.game,
            ply: reviewed.ply,
            seat: reviewed.seat,
            engine: self.engine(reviewed.seat),
            position: reviewed.position.clone(),
            mv: reviewed.mv.clone(),
            best: reviewed.best.clone(),
            loss: reviewed.loss,
        };
        self.review.worst(most).into_iter().map(bad_move).collect()
    }

    /// Name of the engine in a seat, from 1.
    fn engine(&self, seat: usize) -> String {
        let name = self.record.seats.get(seat - 1);
        name.cloned().unwrap_or_default()
    }
}

const REVIEW_LEGEND: &str = "permille of all points; the columns from start to result add up; \
    skill: minus the loss of a seat's own moves; \
    gifts: gain from others' moves; luck: gain from cards; noise: errors of the search values\n";

/// Legend of the column that appears only if the arbiter ended a game.
const VERDICT: &str =
    "verdict: gain from the arbiter's verdict in games that the rules did not end\n";

/// Tables of a game with its `most` worst moves, luckiest and unluckiest cards, and a newline at the end.
fn game_text(game: &ReviewedGame<'_>, most: usize) -> String {
    let mut text = format!("Game {}: {}\n", game.record.game, game.record.variant);
    text += &seats_table(game);
    text += &worst_table(&game.worst(most));
    let mut cards = of_drawers(&game.review);
    cards.sort_by(|(_, one, _), (_, other, _)| other.total_cmp(one));
    let lucky = cards.iter().filter(|(_, luck, _)| *luck > 0.0);
    text += &cards_table("The luckiest cards", game, lucky.take(most));
    let unlucky = cards.iter().rev().filter(|(_, luck, _)| *luck < 0.0);
    text += &cards_table("The unluckiest cards", game, unlucky.take(most));
    text
}

fn seats_table(game: &ReviewedGame<'_>) -> String {
    let sums = game.review.sums();
    let is_cut = sums.iter().any(|sums| sums.verdict != 0.0);
    let shown = |name: &str| is_cut || name != "verdict";
    let names = SeatSums::NAMES.iter().filter(|name| shown(name));
    let mut columns = vec![Column::right("seat"), Column::left("engine"), Column::right("place")];
    columns.extend(names.map(|name| Column::right(name)));
    let rows = sums.iter().enumerate().map(|(index, sums)| {
        let place = game.record.places.get(index);
        let mut row = vec![
            (index + 1).to_string(),
            game.engine(index + 1),
            place.map_or(String::new(), |&place| ordinal(place as usize)),
        ];
        for (name, number) in SeatSums::NAMES.iter().zip(sums.numbers()) {
            if shown(name) {
                row.push(match *name {
                    "start" | "result" => decimals(number, 1),
                    _ => signed(number, 1),
                });
            }
        }
        row
    });
    table(&columns, rows) + &legend(is_cut)
}

fn legend(is_cut: bool) -> String {
    let verdict = if is_cut { VERDICT } else { "" };
    explanation(&format!("{REVIEW_LEGEND}{verdict}"))
}

/// The worst moves under a heading; nothing without any.
fn worst_table(moves: &[BadMove]) -> String {
    if moves.is_empty() {
        return String::new();
    }
    let mut columns = ["game", "ply", "seat"].map(Column::right).to_vec();
    columns.push(Column::left("engine"));
    columns.extend(["move", "loss", "better"].map(Column::right));
    columns.push(Column::left("position"));
    let rows = moves.iter().map(|bad| {
        vec![
            bad.game.to_string(),
            bad.ply.to_string(),
            bad.seat.to_string(),
            bad.engine.clone(),
            bad.mv.clone(),
            decimals(bad.loss, 1),
            bad.best.clone(),
            ends_of(&bad.position).into_owned(),
        ]
    });
    format!("\nThe worst moves\n{}", table(&columns, rows))
}

/// A card with the ply before it (0 if there is none) and its luck for the seat that drew it.
type Drawn<'a> = (usize, f64, &'a ReviewedCard);

fn of_drawers(review: &Review) -> Vec<Drawn<'_>> {
    let first = review.drawn_first.iter().map(|card| (0, card));
    let after = review
        .moves
        .iter()
        .flat_map(|reviewed| reviewed.cards.iter().map(|card| (reviewed.ply, card)));
    let own = |card: &ReviewedCard| card.luck.get(card.seat - 1).copied().unwrap_or(0.0);
    first.chain(after).map(|(ply, card)| (ply, own(card), card)).collect()
}

/// Cards under a heading; nothing without any.
fn cards_table<'a>(
    heading: &str,
    game: &ReviewedGame<'_>,
    cards: impl Iterator<Item = &'a Drawn<'a>>,
) -> String {
    let mut columns = ["ply", "seat"].map(Column::right).to_vec();
    columns.extend(["engine", "card"].map(Column::left));
    columns.push(Column::right("luck"));
    let mut rows = cards
        .map(|(ply, luck, card)| {
            vec![
                ply.to_string(),
                card.seat.to_string(),
                game.engine(card.seat),
                card.card.clone(),
                signed(*luck, 1),
            ]
        })
        .peekable();
    match rows.peek() {
        Some(_) => format!("\n{heading}\n{}", table(&columns, rows)),
        None => String::new(),
    }
}

/// Tables of the totals of all games and their worst moves, with a newline at the end.
fn totals_text(totals: &Totals, worst: &[BadMove]) -> String {
    let is_cut = totals.seats().any(|line| line.means.verdict.mean != 0.0);
    let engines = totals.engines().map(|(name, line)| (name.to_string(), line));
    let seats = totals.seats().enumerate().map(|(index, line)| ((index + 1).to_string(), line));
    let of_totals = explanation(&format!(
        "loss/move: mean loss of the moves that had an alternative; costly: those that lost more than {COSTLY}\n\
         ±: 95 % interval over blocks of games with the same cards\n"
    ));
    format!(
        "{}\n{}{}{of_totals}{}",
        totals_table("engine", engines, is_cut),
        totals_table("seat", seats, is_cut),
        legend(is_cut),
        worst_table(worst),
    )
}

fn totals_table(
    first: &'static str,
    lines: impl Iterator<Item = (String, Line)>,
    is_cut: bool,
) -> String {
    let of_moves = ["games", "moves", "loss/move", "costly"].map(Column::right);
    let of_sums = ["start", "skill", "±", "gifts", "luck", "±", "noise"].map(Column::right);
    let mut columns = vec![Column::left(first)];
    columns.extend(of_moves.into_iter().chain(of_sums));
    columns.extend(is_cut.then(|| Column::right("verdict")));
    columns.push(Column::right("result"));
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".to_string());
    let error = |mean: Mean| or_dash(mean.error.map(|error| decimals(error, 1)));
    let rows = lines.map(|(first, line)| {
        let mut row = vec![
            first,
            line.games.to_string(),
            line.moves.to_string(),
            or_dash(line.loss_per_move.map(|loss| decimals(loss, 2))),
            or_dash(line.costly.map(percent)),
            decimals(line.means.start.mean, 1),
            signed(line.means.skill.mean, 1),
            error(line.means.skill),
            signed(line.means.gifts.mean, 1),
            signed(line.means.luck.mean, 1),
            error(line.means.luck),
            signed(line.means.noise.mean, 1),
        ];
        row.extend(is_cut.then(|| signed(line.means.verdict.mean, 1)));
        row.push(decimals(line.means.result.mean, 1));
        row
    });
    table(&columns, rows)
}

/// The JSON object.
#[derive(Serialize)]
struct Told<'a> {
    engine: &'a str,
    limit: String,
    games: u64,
    left_out: u64,
    moves: u64,
    engines: Vec<OfEngine<'a>>,
    seats: Vec<OfSeat>,
    worst: &'a [BadMove],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    reviews: Vec<OfGame<'a>>,
}

#[derive(Serialize)]
struct OfEngine<'a> {
    engine: &'a str,
    #[serde(flatten)]
    line: Line,
}

#[derive(Serialize)]
struct OfSeat {
    seat: usize,
    #[serde(flatten)]
    line: Line,
}

#[derive(Serialize)]
struct OfGame<'a> {
    game: u64,
    variant: &'a str,
    engines: &'a [String],
    places: &'a [u32],
    sums: Vec<SeatSums>,
    #[serde(flatten)]
    review: &'a Review,
}

/// One JSON object, with a newline at the end: the totals, the worst moves, and all moves of `games`; `left_out` is the
/// number of skipped games.
fn json(
    engine: &EngineSpec,
    totals: &Totals,
    worst: &[BadMove],
    games: &[ReviewedGame<'_>],
    left_out: u64,
) -> serde_json::Result<String> {
    let reviews = games.iter().map(|ReviewedGame { record, review }| OfGame {
        game: record.game,
        variant: &record.variant,
        engines: &record.seats,
        places: &record.places,
        sums: review.sums(),
        review,
    });
    let engines = totals.engines().map(|(engine, line)| OfEngine { engine, line });
    let seats = (1..).zip(totals.seats()).map(|(seat, line)| OfSeat { seat, line });
    let json = serde_json::to_string_pretty(&Told {
        engine: &engine.name,
        limit: engine.limit.to_string(),
        games: totals.games(),
        left_out,
        moves: totals.moves(),
        engines: engines.collect(),
        seats: seats.collect(),
        worst,
        reviews: reviews.collect(),
    })?;
    Ok(format!("{}\n", printable_json(&json)))
}
