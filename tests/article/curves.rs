//! The curves of the preset and of its other candidates agree with each sentence of the article.

#[path = "../../examples/curve_candidates/candidates.rs"]
mod candidates;

use buxtehude::eval::curves::{CURVES, CarrotCurve, Curves};
use candidates::{CANDIDATES, Candidate};

/// Name and curves of each candidate, the preset's first.
fn all() -> impl Iterator<Item = (String, Curves)> {
    let curves = |Candidate { name, idea, shape }: &Candidate| {
        let name = format!("{name} ({idea})");
        (name, shape.curves())
    };
    CANDIDATES.iter().map(curves)
}

/// Value of `span` more carrots to a hare that holds `from`.
fn gain(curve: &CarrotCurve, from: usize, span: usize) -> i32 {
    curve[from + span] - curve[from]
}

#[test]
fn there_are_at_least_ten_candidates_including_the_preset() {
    let curves: Vec<Curves> = all().map(|(_, curves)| curves).collect();
    assert!(curves.len() > 10, "{}", curves.len());
    for (index, candidate) in CANDIDATES.iter().enumerate() {
        let twin = (0..index).find(|&other| curves[other] == curves[index]);
        let twin = twin.map(|other| CANDIDATES[other].name);
        assert_eq!(twin, None, "the twin of {}", candidate.name);
    }
    assert_eq!(curves[0], CURVES);
}

#[test]
fn carrots_are_worth_less_and_less() {
    for (name, curves) in all() {
        let [first, second, _] = &curves.carrots;
        for curve in [first, second] {
            for from in [0, 50, 100, 150] {
                let (now, later) = (gain(curve, from, 50), gain(curve, from + 50, 50));
                assert!(
                    0 < later && later < now,
                    "{name}, from {from}: {now}, {later}"
                );
            }
        }
    }
}

#[test]
fn the_worth_of_carrots_falls_faster_in_the_second_half() {
    // The points of a curve are rounded; the underlying shapes are not.
    for Candidate { name, shape, .. } in CANDIDATES {
        let (first, second) = (shape.first_half.half, shape.second_half.half);
        assert!(second < first, "{name}: {first}, {second}");
    }
    let [first, second, _] = &CURVES.carrots;
    for from in [50, 100, 150] {
        let kept = |curve| f64::from(gain(curve, from, 50)) / f64::from(gain(curve, 0, 50));
        let (first, second) = (kept(first), kept(second));
        assert!(second < first, "from {from}: {first}, {second}");
    }
}

#[test]
fn carrots_that_pay_the_way_home_count_against_a_hare_more_and_more() {
    for (name, curves) in all() {
        let curve = &curves.carrots[2];
        assert!(curve.is_sorted_by(|a, b| a >= b), "{name}: {curve:?}");
        for from in [0, 50, 100, 150, 200] {
            let (now, later) = (gain(curve, from, 50), gain(curve, from + 50, 50));
            assert!(
                later < now && now < 0,
                "{name}, from {from}: {now}, {later}"
            );
        }
    }
}

#[test]
fn lettuces_weigh_more_the_fewer_squares_are_left_for_them() {
    for (name, curves) in all() {
        for (lettuces, row) in curves.lettuces.iter().enumerate() {
            assert!(row.is_sorted(), "{name}, {lettuces} in hand: {row:?}");
            if lettuces > 0 {
                let fewer = &curves.lettuces[lettuces - 1];
                assert!(
                    row.iter().zip(fewer).all(|(more, fewer)| more < fewer),
                    "{name}, {lettuces} in hand: {row:?}, and with one fewer {fewer:?}"
                );
                assert!(
                    row[0] < 0,
                    "{name}, {lettuces} in hand with none ahead is a lost race: {row:?}"
                );
            }
        }
        let middle = curves.lettuces[1][3];
        assert!(
            middle > 0,
            "{name}, one lettuce in the middle of a race is quite good: {middle}"
        );
    }
}
