//! The article's search compared with the same search without pruning, and its mistakes.

use buxtehude::articles::ArticleSettings;
use buxtehude::articles::minimax::Heuristic;
use buxtehude::rules::fox::{Position, RABBIT, WOLVES};
use buxtehude::rules::{Game, Solution};
use buxtehude::search::Preset;

use super::slow_minimax::{Board, SlowMinimax};
use super::{position, random_positions, request, run};

/// The move and its value at a level.
fn play(position: &Position, heuristic: Heuristic, level: u32) -> (String, i32) {
    let settings = ArticleSettings { heuristic, ai_level: level, ..ArticleSettings::article() };
    let mut request = request(position, Preset::Article(settings));
    request.depth = 96;
    let (reports, answer) = run(&request);
    let last = reports.last().expect("a depth is completed");
    assert_eq!(last.pv[0], answer.best, "{position:?}");
    (answer.best, last.worth[0])
}

#[test]
fn pruning_changes_neither_move_nor_value() {
    for (seed, level, count) in [(5, 1, 2000), (6, 2, 2000), (7, 3, 400), (8, 4, 60)] {
        for (index, position) in random_positions(seed, count).into_iter().enumerate() {
            let heuristic = [Heuristic::Distance, Heuristic::Height][index / 2 % 2];
            let expected =
                SlowMinimax::new(heuristic).best(&Board::read(&position.to_string()), 2 * level);
            let found = play(&position, heuristic, level);
            assert_eq!(found, expected, "{heuristic:?}, level {level} in {position:?}");
        }
    }
}

/// Plies to the end after the move at level 3, with perfect play from there.
fn plies_when_played(position: &Position, expected: &str) -> u32 {
    let (mv, _) = play(position, Heuristic::Distance, 3);
    assert_eq!(mv, expected, "{position:?}");
    let mut after = *position;
    after.play(mv.parse().unwrap()).unwrap();
    let before = position.solved().expect("the game is solved");
    let outcome = after.solved().expect("the game is solved");
    assert_eq!(outcome.winner, before.winner, "{position:?}");
    outcome.plies + 1
}

#[test]
fn it_wins_late() {
    // The wolves could win at once with f6g5, but all wins are equal to them.
    let position = position("8/h5h1/3h1h1F/8/8/8/8/8 b");
    let won = Some(Solution { winner: WOLVES, plies: 1 });
    assert_eq!(position.solved(), won);
    assert_eq!(plies_when_played(&position, "a7b6"), 31);
}

#[test]
fn it_gives_up_at_once() {
    // The rabbit could hold out for 36 plies, but all losses are equal to it.
    let position = position("1h6/2h3h1/5h2/6F1/8/8/8/8 w");
    let lost = Some(Solution { winner: WOLVES, plies: 36 });
    assert_eq!(position.solved(), lost);
    assert_eq!(plies_when_played(&position, "g5h6"), 2);
}

#[test]
fn by_height_it_climbs_into_a_trap() {
    // To the upper left there is a way around; to the upper right, two wolves wait at the edge.
    let position = position("8/2h5/7h/6h1/8/6F1/3h4/8 w");
    let outcome_by = |heuristic, expected: &str| {
        let (mv, _) = play(&position, heuristic, 1);
        assert_eq!(mv, expected, "{heuristic:?} in {position:?}");
        let mut after = position;
        after.play(mv.parse().unwrap()).unwrap();
        after.solved().expect("the game is solved")
    };
    let trapped = Solution { winner: WOLVES, plies: 17 };
    assert_eq!(outcome_by(Heuristic::Height, "g3h4"), trapped);
    let free = Solution { winner: RABBIT, plies: 8 };
    assert_eq!(outcome_by(Heuristic::Distance, "g3f4"), free);
}
