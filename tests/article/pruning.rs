//! The article's pruning, implemented literally, and the number of results that it changes.
//!
//! It updates alpha and beta with the component of seat 1, as if the other seats minimized it. In fact, they maximize
//! their own. A cut is therefore only safe if the component of seat 1 determines the others: two seats with a constant
//! sum. The article's evaluation does not have a constant sum, and its test of one series of moves cannot show the
//! error.

use buxtehude::articles::lookahead::HareModel;
use buxtehude::articles::strategy::Prune;

use super::positions::random_positions;
use super::slow::Slow;
use super::{STRATEGIES, result, run, settings};

#[test]
fn it_is_done_word_for_word() {
    for (seats, count) in [(2, 150), (3, 80), (4, 50)] {
        for position in random_positions(seats, count) {
            for strategy in STRATEGIES {
                let slow = Slow { strategy, hare_model: HareModel::Article, caps: Vec::new() };
                let settings = settings(strategy, HareModel::Article, Prune::Article, false);
                for report in run(&position, &settings, 4) {
                    let depth = report.depth;
                    let (vector, mv) =
                        slow.best_as_in_the_article(&position, depth, i32::MIN, i32::MAX);
                    assert_eq!(
                        (&report.worth, &report.pv[0]),
                        (&vector, &mv.to_string()),
                        "{strategy:?}, depth {depth} in\n{position:?}"
                    );
                }
            }
        }
    }
}

/// `cargo test -p buxtehude --release it_changes -- --nocapture` prints the counts.
#[test]
fn it_changes_results() {
    const DEPTH: u32 = 4;
    println!("seats  strategy  sort   positions  other move  other vector  worse for the mover");
    let (mut changed, mut searched) = (0, 0);
    for (seats, count) in [(2, 1000), (3, 1000), (4, 400)] {
        let positions = random_positions(seats, count);
        for strategy in STRATEGIES {
            for sort in [false, true] {
                let exact = settings(strategy, HareModel::Article, Prune::Exact, sort);
                let article = settings(strategy, HareModel::Article, Prune::Article, sort);
                let slow = Slow { strategy, hare_model: HareModel::Article, caps: Vec::new() };
                let (mut moves, mut vectors, mut worse) = (0, 0, 0);
                for position in &positions {
                    let exact = run(position, &exact, DEPTH);
                    let article = run(position, &article, DEPTH);
                    let exact = result(exact.last().expect("a depth"));
                    let article = result(article.last().expect("a depth"));
                    moves += usize::from(exact.1[0] != article.1[0]);
                    vectors += usize::from(exact.0 != article.0);
                    // Value of the move played, by a full search.
                    let mv = article.1[0].parse().expect("a move");
                    worse += usize::from(slow.is_worse_move(position, mv, exact.0, DEPTH));
                }
                println!(
                    "{seats:5}  {strategy:8}  {sort:5}  {count:9}  {moves:10}  {vectors:12}  {worse:19}",
                    strategy = format!("{strategy:?}"),
                );
                assert!(vectors > 0, "{strategy:?}, {seats} seats, sorted {sort}");
                changed += vectors;
                searched += count;
            }
        }
    }
    assert!(changed * 20 > searched, "{changed} of {searched}");
}
