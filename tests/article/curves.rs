//! The preset's curves obey each sentence of the article.

use buxtehude::articles::evaluation::{CURVES, CarrotCurve, SHAPE};

/// Value of `span` more carrots to a hare that holds `from`.
fn gain(curve: &CarrotCurve, from: usize, span: usize) -> i32 {
    curve[from + span] - curve[from]
}

#[test]
fn carrots_are_worth_less_and_less() {
    let [first, second, _] = &CURVES.carrots;
    for curve in [first, second] {
        for from in [0, 50, 100, 150] {
            let (now, later) = (gain(curve, from, 50), gain(curve, from + 50, 50));
            assert!(0 < later && later < now, "from {from}: {now}, {later}");
        }
    }
}

#[test]
fn the_worth_of_carrots_falls_faster_in_the_second_half() {
    // The points of a curve are rounded; the underlying shapes are not.
    let (first, second) = (SHAPE.first_half.half, SHAPE.second_half.half);
    assert!(second < first, "{first}, {second}");
    let [first, second, _] = &CURVES.carrots;
    for from in [50, 100, 150] {
        let kept = |curve| f64::from(gain(curve, from, 50)) / f64::from(gain(curve, 0, 50));
        let (first, second) = (kept(first), kept(second));
        assert!(second < first, "from {from}: {first}, {second}");
    }
}

#[test]
fn carrots_that_pay_the_way_home_count_against_a_hare_more_and_more() {
    let curve = &CURVES.carrots[2];
    assert!(curve.is_sorted_by(|a, b| a >= b), "{curve:?}");
    for from in [0, 50, 100, 150, 200] {
        let (now, later) = (gain(curve, from, 50), gain(curve, from + 50, 50));
        assert!(later < now && now < 0, "from {from}: {now}, {later}");
    }
}

#[test]
fn lettuces_weigh_more_the_fewer_squares_are_left_for_them() {
    for (lettuces, row) in CURVES.lettuces.iter().enumerate() {
        assert!(row.is_sorted(), "{lettuces} in hand: {row:?}");
        if lettuces > 0 {
            let fewer = &CURVES.lettuces[lettuces - 1];
            assert!(
                row.iter().zip(fewer).all(|(more, fewer)| more < fewer),
                "{lettuces} in hand: {row:?}, and with one fewer {fewer:?}"
            );
            assert!(row[0] < 0, "{lettuces} in hand with none ahead is a lost race: {row:?}");
        }
    }
    let middle = CURVES.lettuces[1][3];
    assert!(middle > 0, "one lettuce in the middle of a race is quite good: {middle}");
}
