//! The hare trap: moving to one of the last hare squares, since in the tree the square takes few carrots and its
//! penalty vanishes with the next move. Tests the article's own trap and similar ones.

mod proof;
mod table;

use buxtehude::articles::ArticleSettings;
use buxtehude::articles::lookahead::HareModel;
use buxtehude::rules::Game;
use buxtehude::rules::hase::{HASE_UND_IGEL, Position};

use proof::{
    Searched, article_plays, article_plays_at_all, is_to_a_hare, mover, played_share, search,
};
use table::{ARTICLE_TRAP, Case, REFUSALS, TRAPS};

/// Races after each move: a sufficient number, and the number for the printed table.
const FEW_RACES: u64 = 30;
const MANY_RACES: u64 = 300;

/// Minimum loss by a mistake, in permille of the points: by the search, and by the few races.
const LOSS: u16 = 80;
const LOSS_IN_FEW_RACES: u16 = 40;

fn parse(text: &str) -> Position {
    Position::parse(&HASE_UND_IGEL, text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn the_penalty_walks_into_the_trap_of_the_article_and_the_final_remedy_does_not() {
    let trap = parse(ARTICLE_TRAP.text);
    let penalty = article_plays_at_all(&trap, HareModel::ArticlePenalty);
    assert!(penalty.iter().any(|mv| mv == "7" || mv == "4"), "{penalty:?}");
    let remedy = article_plays_at_all(&trap, HareModel::Article);
    assert!(remedy.iter().all(|mv| mv != "7" && mv != "4"), "{remedy:?}");
    for depth in [5, 6] {
        let chance = article_plays(&trap, HareModel::Chance, depth);
        assert_ne!(chance, "7", "depth {depth}");
    }
    // Other moves win with all cards. The rival is far behind, so the trap costs little.
    let best = search(&trap, None, 14);
    assert!(best.is_certain && best.mv != "7" && best.mv != "4", "{best:?}");
    for tempting in ["7", "4"] {
        let found = search(&trap, Some(tempting), 14);
        assert!(found.share < 990 && !found.is_certain, "{found:?}");
    }
}

#[test]
fn the_program_of_the_article_plays_as_the_article_says() {
    let trap = parse(ARTICLE_TRAP.text);
    for strategy in super::STRATEGIES {
        for (hare_model, expected) in [(HareModel::ArticlePenalty, "7"), (HareModel::Article, "5")]
        {
            let mut settings = ArticleSettings::article();
            settings.search.strategy = strategy;
            settings.hare_model = hare_model;
            for report in &super::run(&trap, &settings, 8)[2..] {
                assert_eq!(report.pv[0], expected, "{strategy:?}, depth {}", report.depth);
            }
        }
    }
}

#[test]
fn the_penalty_walks_into_each_trap() {
    for case in TRAPS {
        let position = parse(case.text);
        let penalty = article_plays_at_all(&position, HareModel::ArticlePenalty);
        assert!(penalty.iter().any(|mv| mv == case.played), "{}: {penalty:?}", case.text);
        let tempting = case.played.parse().expect("a move");
        assert!(is_to_a_hare(&position, tempting), "{}", case.text);
    }
    let seats = |case: &Case| parse(case.text).seats();
    assert!(TRAPS.iter().filter(|case| seats(case) == 3).count() >= 2);
}

#[test]
fn the_final_remedy_refuses_a_last_hare_square_where_it_is_right() {
    for case in REFUSALS {
        let position = parse(case.text);
        let remedy = article_plays_at_all(&position, HareModel::Article);
        assert!(
            remedy.iter().all(|mv| mv != case.better) && remedy[remedy.len() - 1] == case.played,
            "{}: {remedy:?}",
            case.text
        );
        let better = case.better.parse().expect("a move");
        assert!(is_to_a_hare(&position, better), "{}", case.text);
        let square = i16::from(position.hare(mover(&position)).square) + better.code();
        assert!(square >= 58, "{}", case.text);
    }
}

#[test]
fn the_other_models_play_the_moves_of_the_table() {
    for case in std::iter::once(&ARTICLE_TRAP).chain(TRAPS).chain(REFUSALS) {
        let position = parse(case.text);
        for (hare_model, expected) in [
            (HareModel::ArticlePenalty, case.penalty),
            (HareModel::Article, case.article),
            (HareModel::Chance, case.chance),
        ] {
            let found = article_plays_at_all(&position, hare_model);
            assert_eq!(found, expected, "{}, {hare_model:?}", case.text);
        }
    }
}

#[test]
fn a_deep_search_and_races_played_out_prove_the_mistake() {
    let cases: Vec<&Case> = TRAPS.iter().chain(REFUSALS).collect();
    let prove = |case: &Case| {
        let position = parse(case.text);
        let played = search(&position, Some(case.played), case.depth);
        let better = search(&position, Some(case.better), case.depth);
        assert!(better.share >= played.share + LOSS, "{}: {played:?}, {better:?}", case.text);
        let less = played_share(&position, case.played, FEW_RACES);
        let more = played_share(&position, case.better, FEW_RACES);
        assert!(more >= less + LOSS_IN_FEW_RACES, "{}, played out: {less} and {more}", case.text);
    };
    std::thread::scope(|scope| {
        for half in cases.chunks(cases.len().div_ceil(2)) {
            scope.spawn(move || half.iter().for_each(|case| prove(case)));
        }
    });
}

/// `cargo test -p buxtehude the_whole_proof -- --ignored --nocapture` prints all cases as a table.
#[test]
#[ignore = "prints, and takes minutes"]
fn the_whole_proof() {
    println!("| position | mistake | better | search | races | penalty | article | chance |");
    println!("|---|---|---|---|---|---|---|---|");
    for case in std::iter::once(&ARTICLE_TRAP).chain(TRAPS).chain(REFUSALS) {
        let position = parse(case.text);
        let searched = [case.played, case.better].map(|mv| {
            let Searched { share, is_certain, .. } = search(&position, Some(mv), case.depth);
            let certain = if is_certain { " certain" } else { "" };
            format!("{share}{certain}")
        });
        let played = [case.played, case.better].map(|mv| played_share(&position, mv, MANY_RACES));
        let by = |hare_model| article_plays_at_all(&position, hare_model).join(" ");
        println!(
            "| `{}` | {} | {} | {} : {} ({}) | {} : {} | {} | {} | {} |",
            case.text,
            case.played,
            case.better,
            searched[0],
            searched[1],
            case.depth,
            played[0],
            played[1],
            by(HareModel::ArticlePenalty),
            by(HareModel::Article),
            by(HareModel::Chance),
        );
    }
}
