//! Reviews as tables or as one JSON object.

use serde::Serialize;

use super::review_games::{ReviewPlan, ReviewedGame};
use crate::analysis::added_up::{self, AddedUp};
use matches::report::{Column, decimals, ordinal, signed, table};
use matches::review::{Line, Mean, Review, ReviewedCard, SeatSums, Totals};

/// Legend of the columns of a review.
const LEGEND: &str = "permille of all points; the columns add up to the result; \
    skill: minus the loss of a seat's own moves; gifts: gain\n\
    from others' moves; luck: gain from cards; noise: errors of the search values\n";

/// Legend of the column that appears only if the arbiter ended a game.
const VERDICT: &str =
    "verdict: gain from the arbiter's verdict in games that the rules did not end\n";

/// Tables of a game with its `most` worst moves, luckiest and unluckiest cards, and a newline at the end.
pub fn game_text(game: &ReviewedGame<'_>, most: usize) -> String {
    let ReviewedGame { record, review } = game;
    let mut text = format!("Game {}: {}\n", record.game, record.variant);
    text += &seats_table(game);
    let worst = review.worst(most);
    if !worst.is_empty() {
        text += "\nThe worst moves\n";
        let columns = [
            Column::right("ply"),
            Column::right("seat"),
            Column::left("engine"),
            Column::right("move"),
            Column::right("loss"),
            Column::right("better"),
        ];
        let rows = worst.into_iter().map(|reviewed| {
            vec![
                reviewed.ply.to_string(),
                reviewed.seat.to_string(),
                record
                    .seats
                    .get(reviewed.seat - 1)
                    .cloned()
                    .unwrap_or_default(),
                reviewed.mv.clone(),
                decimals(reviewed.loss, 1),
                reviewed.best.clone(),
            ]
        });
        text += &table(&columns, rows);
    }
    let mut cards = of_drawers(review);
    cards.sort_by(|(_, one, _), (_, other, _)| other.total_cmp(one));
    let (lucky, unlucky) = cards.split_at(cards.partition_point(|(_, luck, _)| *luck > 0.0));
    let unlucky = unlucky.iter().rev().filter(|(_, luck, _)| *luck < 0.0);
    for (title, cards) in [
        ("The luckiest cards", lucky.iter().take(most).collect()),
        (
            "The unluckiest cards",
            unlucky.take(most).collect::<Vec<_>>(),
        ),
    ] {
        if !cards.is_empty() {
            text += &format!("\n{title}\n{}", cards_table(game, &cards));
        }
    }
    text
}

fn seats_table(game: &ReviewedGame<'_>) -> String {
    let sums = game.review.sums();
    let is_cut = sums.iter().any(|sums| sums.verdict != 0.0);
    let shown = |name: &str| is_cut || name != "verdict";
    let mut columns = vec![
        Column::right("seat"),
        Column::left("engine"),
        Column::right("place"),
    ];
    columns.extend(
        SeatSums::NAMES
            .iter()
            .filter(|name| shown(name))
            .map(|name| Column::right(name)),
    );
    let rows = sums.iter().enumerate().map(|(index, sums)| {
        let place = game
            .record
            .places
            .get(index)
            .map(|&place| ordinal(place as usize));
        let mut row = vec![
            (index + 1).to_string(),
            game.record.seats.get(index).cloned().unwrap_or_default(),
            place.unwrap_or_default(),
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
    format!("{LEGEND}{verdict}")
}

/// Each card with the ply before it (0 if there is none) and its luck for the seat that drew it.
fn of_drawers(review: &Review) -> Vec<(usize, f64, &ReviewedCard)> {
    let first = review.drawn_first.iter().map(|card| (0, card));
    let after = review.moves.iter();
    let after = after.flat_map(|reviewed| reviewed.cards.iter().map(|card| (reviewed.ply, card)));
    let own = |card: &ReviewedCard| card.luck.get(card.seat - 1).copied().unwrap_or(0.0);
    first
        .chain(after)
        .map(|(ply, card)| (ply, own(card), card))
        .collect()
}

fn cards_table(game: &ReviewedGame<'_>, cards: &[&(usize, f64, &ReviewedCard)]) -> String {
    let columns = [
        Column::right("ply"),
        Column::right("seat"),
        Column::left("engine"),
        Column::left("card"),
        Column::right("luck"),
    ];
    let rows = cards.iter().map(|(ply, luck, card)| {
        vec![
            ply.to_string(),
            card.seat.to_string(),
            game.record
                .seats
                .get(card.seat - 1)
                .cloned()
                .unwrap_or_default(),
            card.card.clone(),
            signed(*luck, 1),
        ]
    });
    table(&columns, rows)
}

/// Tables of the totals of all games, with a newline at the end.
pub fn totals_text(totals: &Totals) -> String {
    let is_cut = totals.seats().any(|line| line.verdict.mean != 0.0);
    let engines = totals
        .engines()
        .map(|(name, line)| (name.to_string(), line));
    let seats = totals.seats().enumerate();
    let seats = seats.map(|(index, line)| ((index + 1).to_string(), line));
    format!(
        "{}\n{}{}±: 95 % interval over blocks of games with the same cards\n",
        totals_table("engine", engines, is_cut),
        totals_table("seat", seats, is_cut),
        legend(is_cut)
    )
}

fn totals_table(
    first: &'static str,
    lines: impl Iterator<Item = (String, Line)>,
    is_cut: bool,
) -> String {
    let mut columns = vec![
        Column::left(first),
        Column::right("games"),
        Column::right("moves"),
        Column::right("start"),
        Column::right("skill"),
        Column::right("±"),
        Column::right("gifts"),
        Column::right("luck"),
        Column::right("±"),
        Column::right("noise"),
    ];
    columns.extend(is_cut.then(|| Column::right("verdict")));
    columns.push(Column::right("result"));
    let error = |mean: Mean| {
        mean.error
            .map_or("-".to_string(), |error| decimals(error, 1))
    };
    let rows = lines.map(|(first, line)| {
        let mut row = vec![
            first,
            line.games.to_string(),
            line.moves.to_string(),
            decimals(line.start.mean, 1),
            signed(line.skill.mean, 1),
            error(line.skill),
            signed(line.gifts.mean, 1),
            signed(line.luck.mean, 1),
            error(line.luck),
            signed(line.noise.mean, 1),
        ];
        row.extend(is_cut.then(|| signed(line.verdict.mean, 1)));
        row.push(decimals(line.result.mean, 1));
        row
    });
    table(&columns, rows)
}

/// The JSON object.
#[derive(Serialize)]
struct Told<'a> {
    engine: &'a str,
    #[serde(flatten)]
    sums: AddedUp<'a, Line>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    reviews: Vec<OfGame<'a>>,
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

/// One JSON object, with a newline at the end: the totals, and all moves of `games`; `left_out` is the number of
/// skipped games.
///
/// # Errors
/// A [`serde_json::Error`] if the object cannot be serialized.
pub fn json(
    plan: &ReviewPlan,
    totals: &Totals,
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
    let counts = [totals.games(), totals.moves(), left_out];
    added_up::text(&Told {
        engine: &plan.engine.name,
        sums: AddedUp::new(&plan.engine, counts, totals.engines(), totals.seats()),
        reviews: reviews.collect(),
    })
}
