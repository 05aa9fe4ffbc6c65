//! Tournament that selects the preset's curves: named candidates play each other with the search of the preset
//! `article` and the real rules and cards.
//!
//! `cargo run --release --example curve_candidates` plays a round robin with two and with three seats at a depth of
//! four plies. Then the best five play more games, also at six plies. Points are the arbiter's: place p of N is worth N
//! - p. An optional argument, by default 1, multiplies the number of games. The results depend on nothing else.

mod candidates;
mod game;
mod tournament;

use buxtehude::eval::hase::{Settings, lookahead::Lookahead};
use buxtehude::rules::hase::HASE_UND_IGEL;

use candidates::{CANDIDATES, Candidate};
use tournament::{Plan, Tally};

/// Number of candidates in the second round.
const BEST: usize = 5;

/// Seed of all random numbers.
const SEED: u64 = 1978;

fn main() -> Result<(), std::num::ParseIntError> {
    let times: usize = match std::env::args().nth(1) {
        Some(word) => word.parse()?,
        None => 1,
    };
    let plan = |seats, depth, blocks| Plan {
        seats,
        depth,
        blocks: blocks * times,
        seed: SEED,
    };
    let everyone: Vec<&Candidate> = CANDIDATES.iter().collect();
    let with_two = measure(&everyone, plan(2, 4, 40));
    let with_three = measure(&everyone, plan(3, 4, 4));
    report(
        "Everyone, four plies deep",
        &everyone,
        &with_two,
        &with_three,
    );

    let mut order: Vec<usize> = (0..everyone.len()).collect();
    order.sort_by(|&a, &b| with_two[b].share().total_cmp(&with_two[a].share()));
    let best: Vec<&Candidate> = order.iter().take(BEST).map(|&at| everyone[at]).collect();
    for (depth, blocks) in [(4, 400), (6, 40)] {
        let with_two = measure(&best, plan(2, depth, blocks));
        let with_three = measure(&best, plan(3, depth, blocks / 8));
        let title = format!("The best {BEST}, {depth} plies deep");
        report(&title, &best, &with_two, &with_three);
    }
    Ok(())
}

fn measure(candidates: &[&Candidate], plan: Plan) -> Vec<Tally> {
    let settings = Settings::default();
    let model = |candidate: &&Candidate| {
        Lookahead::with_curves(&HASE_UND_IGEL, &settings, &candidate.shape.curves())
    };
    let models: Vec<Lookahead> = candidates.iter().map(model).collect();
    tournament::play(&models, plan)
}

/// Prints a table, sorted by the results with two seats.
fn report(title: &str, candidates: &[&Candidate], with_two: &[Tally], with_three: &[Tally]) {
    println!("{title}:\n");
    println!(
        "| candidate | what is tried | share, 2 seats | share, 3 seats | median moves | stopped |"
    );
    println!("|---|---|---|---|---|---|");
    let mut order: Vec<usize> = (0..candidates.len()).collect();
    order.sort_by(|&a, &b| with_two[b].share().total_cmp(&with_two[a].share()));
    for at in order {
        let Candidate { name, idea, .. } = candidates[at];
        let (two, three) = (&with_two[at], &with_three[at]);
        println!(
            "| {name} | {idea} | {} | {} | {}, {} | {}, {} |",
            share(two),
            share(three),
            two.median_length(),
            three.median_length(),
            percent(two.part_stopped()),
            percent(three.part_stopped()),
        );
    }
    println!();
}

fn share(tally: &Tally) -> String {
    format!(
        "{:.1} ± {:.1} %",
        100.0 * tally.share(),
        100.0 * tally.error()
    )
}

fn percent(part: f64) -> String {
    format!("{:.1} %", 100.0 * part)
}
