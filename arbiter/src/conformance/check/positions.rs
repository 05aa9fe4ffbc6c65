//! Checks of the rules, in positions of every variant and number of seats.

use buxtehude::rules::{Seat, Turn, Variant};
use matches::plan::rules::{Position, Rules};
use rand::seq::IteratorRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::talk::{Fault, Talk, expect, is_legal, nothing, wrong};
use super::{Check, Profile, Scope, Table};

/// Positions to search for each variant and number of seats.
pub const POSITIONS: usize = 8;

/// Positions to query, which is fast.
const MANY_POSITIONS: usize = 40;

/// Maximum number of random moves that lead to a position.
const MAX_MOVES: usize = 40;

pub fn checks(scope: &Scope) -> Vec<Check> {
    let mut checks = Vec::new();
    for table in &scope.tables {
        checks.push(Check::of_table(
            table,
            "moves",
            "every `bestmove` is legal",
            |talk, rules, seats| for_turns(talk, rules, seats, POSITIONS, is_move, move_is_legal),
        ));
        checks.push(Check::of_table(
            table,
            "pv",
            "every move of a principal variation is legal",
            |talk, rules, seats| for_turns(talk, rules, seats, POSITIONS, is_move, line_is_legal),
        ));
        if scope.profile != Profile::Match {
            checks.push(Check::of_table(
                table,
                "no-move",
                "`go` is answered with `bestmove (none)` where no move is legal",
                |talk, rules, seats| {
                    for_turns(talk, rules, seats, MANY_POSITIONS, |turn| !is_move(turn), no_move)
                },
            ));
        }
        if scope.profile == Profile::Full {
            checks.push(Check::of_table(
                table,
                "estimates",
                "estimates, which are optional in a `bestmove`, have a number for each seat and add up to 1000",
                |talk, rules, seats| for_positions(talk, rules, seats, POSITIONS, estimates_add_up),
            ));
            checks.push(in_many_positions(
                table,
                "shown",
                "`d` shows the position according to the rules, and its legal moves or cards",
                is_shown,
            ));
            checks.push(Check::of_table(
                table,
                "queries",
                "`query` reports the seat to move, the legal moves and the result of the game",
                |talk, rules, seats| {
                    for_positions(talk, rules, seats, MANY_POSITIONS, queries_are_true)
                },
            ));
            checks.push(in_many_positions(
                table,
                "text",
                "a position set by its text equals the one set by its moves",
                text_is_read,
            ));
            let (rules, seats) = table;
            let variant = rules.built_in();
            if variant.is_none_or(|of| of.start(*seats).is_ok_and(|start| start.has_cards())) {
                checks.push(Check::of_built_in(
                    table,
                    "cards",
                    "each kind of card has the effect that the rules give it",
                    cards_are_drawn,
                ));
            }
        }
    }
    checks
}

fn in_many_positions(
    table: &Table,
    what: &str,
    explanation: &str,
    test: fn(&mut Talk, &Reached) -> Result<(), Fault>,
) -> Check {
    Check::of_built_in(table, what, explanation, move |talk, variant, seats| {
        for_positions(talk, &variant.into(), seats, MANY_POSITIONS, test)
    })
}

/// A position and the command that sets it.
pub struct Reached {
    pub position: Position,
    pub command: String,
}

/// Runs a test in several positions, at most [`MANY_POSITIONS`].
pub fn for_positions(
    talk: &mut Talk,
    rules: &Rules,
    seats: usize,
    count: usize,
    test: impl Fn(&mut Talk, &Reached) -> Result<(), Fault>,
) -> Result<(), Fault> {
    for_turns(talk, rules, seats, count, |_| true, test)
}

/// Runs a test in the first `count` positions with a wanted next action, of [`MANY_POSITIONS`].
fn for_turns(
    talk: &mut Talk,
    rules: &Rules,
    seats: usize,
    count: usize,
    is_wanted: impl Fn(Turn) -> bool,
    test: impl Fn(&mut Talk, &Reached) -> Result<(), Fault>,
) -> Result<(), Fault> {
    talk.choose(rules)?;
    let mut rng = ChaCha8Rng::seed_from_u64(seats as u64);
    let mut tested = 0;
    for _ in 0..MANY_POSITIONS {
        if tested == count {
            break;
        }
        let (position, actions) = random_position(rules, seats, &mut rng)?;
        if is_wanted(position.turn()) {
            let command = talk.position(seats, &actions);
            talk.set(std::slice::from_ref(&command))?;
            test(talk, &Reached { position, command })?;
            tested += 1;
        }
    }
    Ok(())
}

fn is_move(turn: Turn) -> bool {
    matches!(turn, Turn::Seat(_))
}

/// A random position, with the moves and cards that lead to it.
pub fn random_position(
    rules: &Rules,
    seats: usize,
    rng: &mut ChaCha8Rng,
) -> Result<(Position, Vec<String>), Fault> {
    let mut position = rules.start(seats)?;
    let mut actions = Vec::new();
    for _ in 0..rng.random_range(0..MAX_MOVES) {
        let Some(action) = position.legal_actions().into_iter().choose(rng) else {
            break;
        };
        position.play(&action)?;
        actions.push(action);
    }
    Ok((position, actions))
}

fn move_is_legal(talk: &mut Talk, reached: &Reached) -> Result<(), Fault> {
    let search = talk.go("go depth 2")?;
    let Some(best) = &search.best.best else {
        return wrong("no move although some are legal");
    };
    expect(is_legal(&reached.position, best), || {
        format!("{best:?} is illegal after {:?}", reached.command)
    })
}

fn line_is_legal(talk: &mut Talk, reached: &Reached) -> Result<(), Fault> {
    let search = talk.go("go depth 2")?;
    for info in &search.infos {
        let mut position = reached.position.clone();
        for mv in &info.pv {
            // After a card, which is unknown, legal moves are unknown, too.
            if !is_move(position.turn()) {
                break;
            }
            expect(is_legal(&position, mv), || {
                format!("{mv:?} is illegal in the pv {:?}", info.pv)
            })?;
            position.play(mv)?;
        }
    }
    Ok(())
}

/// Searches where a card is due or the game is over.
fn no_move(talk: &mut Talk, _: &Reached) -> Result<(), Fault> {
    let search = talk.go("go depth 2")?;
    expect(search.best.best.is_none(), || {
        format!("{:?} although no move is legal", search.best.best)
    })
}

fn estimates_add_up(talk: &mut Talk, reached: &Reached) -> Result<(), Fault> {
    let search = talk.go("go depth 1")?;
    let seats = reached.position.seats();
    let estimates = search.infos.iter().map(|info| &info.estimate).chain([&search.best.estimate]);
    for estimate in estimates.filter(|estimate| !estimate.is_empty()) {
        let sum: u32 = estimate.iter().map(|share| u32::from(*share)).sum();
        expect(estimate.len() == seats && sum == 1000, || {
            format!("{estimate:?} for {seats} seats adds up to {sum}")
        })?;
    }
    Ok(())
}

fn is_shown(talk: &mut Talk, reached: &Reached) -> Result<(), Fault> {
    let legal = format!("Legal: {}", reached.position.legal_actions().join(" "));
    let position = format!("Fen: {}", reached.position);
    talk.expect_shown(&[position, legal.trim_end().to_string()])
}

fn queries_are_true(talk: &mut Talk, reached: &Reached) -> Result<(), Fault> {
    let position = &reached.position;
    let turn = match position.turn() {
        Turn::Seat(seat) => seat.to_string(),
        Turn::Card(seat) => format!("card {seat}"),
        Turn::Over => "over".into(),
    };
    let mut answers = vec![
        ("turn", turn),
        ("p1turn", (position.turn().seat() == Some(Seat(0))).to_string()),
        ("gameover", (position.turn() == Turn::Over).to_string()),
        ("legal", position.legal_actions().join(" ")),
        ("players", position.seats().to_string()),
    ];
    if position.turn() != Turn::Over {
        answers.push(("result", "none".into()));
    }
    for (query, answer) in answers {
        let answer = format!("response {answer}").trim_end().to_string();
        talk.expect_answer(&format!("query {query}"), &[answer])?;
    }
    Ok(())
}

/// Draws each kind of card in several positions.
fn cards_are_drawn(talk: &mut Talk, variant: &'static Variant, seats: usize) -> Result<(), Fault> {
    let rules = Rules::from(variant);
    talk.choose(&rules)?;
    let mut rng = ChaCha8Rng::seed_from_u64(seats as u64);
    let mut drawn = 0;
    while drawn < POSITIONS {
        let (position, actions) = random_position(&rules, seats, &mut rng)?;
        if !matches!(position.turn(), Turn::Card(_)) {
            continue;
        }
        drawn += 1;
        for card in position.legal_actions() {
            let mut position = position.clone();
            position.play(&card)?;
            let command = talk.position(seats, &[&actions[..], &[card]].concat());
            talk.set(std::slice::from_ref(&command))?;
            is_shown(talk, &Reached { position, command })?;
        }
    }
    Ok(())
}

fn text_is_read(talk: &mut Talk, reached: &Reached) -> Result<(), Fault> {
    nothing(&talk.ask(&format!("position fen {}", reached.position))?)?;
    is_shown(talk, reached)
}
