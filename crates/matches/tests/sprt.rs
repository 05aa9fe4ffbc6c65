//! The SPRT and Elo against published values, and laws that they obey.

use matches::score::{BlockScores, EloModel, Interval, Sprt, Verdict, elo, expected_score};
use proptest::prelude::*;

fn sprt(elo0: f64, elo1: f64, model: EloModel) -> Sprt {
    Sprt::new(elo0, elo1, 0.05, 0.05, model).unwrap()
}

/// Counts of pairs by points, the two hypotheses, and their LLR.
type Published = ([u64; 5], (f64, f64), f64);

fn holds(published: &[Published], model: EloModel, tolerance: f64) {
    for &(pairs, (elo0, elo1), expected) in published {
        let found = sprt(elo0, elo1, model).llr(&BlockScores::pentanomial(pairs));
        assert!(
            (found - expected).abs() < tolerance * expected.abs(),
            "{pairs:?}, {elo0} against {elo1}: {found}, expected {expected}"
        );
    }
}

#[test]
fn ratios_are_those_of_fastchess() {
    // Source: fastchess at 74deac2 (July 2026), app/tests/sprt_test.cpp, "pentanomial" cases, with its tolerance of 1
    // %.
    holds(
        &[
            ([223, 9863, 21279, 10037, 246], (0.5, 2.5), -3.07),
            ([871, 26175, 55983, 26678, 821], (0.0, 2.0), -4.98),
        ],
        EloModel::Logistic,
        0.01,
    );
    holds(
        &[
            ([365, 16618, 36229, 16974, 390], (0.0, 2.0), 2.25),
            ([127, 4883, 10712, 5150, 104], (-1.75, 0.25), 3.01),
            ([0, 0, 0, 0, 5550], (0.0, 5.0), 111.82),
        ],
        EloModel::Normalized,
        0.01,
    );
}

#[test]
fn ratios_are_those_of_fishtest() {
    // Source: fishtest at b8eecff (August 2026): results of LLRcalc.LLR_logistic and LLR_normalized for the worked
    // examples of server/fishtest/stats/stat_util.py, and for some small results.
    holds(
        &[
            ([10789, 19328, 33806, 19402, 10543], (-3.0, 1.0), 2.1310678117940807),
            ([1187, 7410, 13475, 7378, 1164], (-3.0, 1.0), 2.86152718059463),
            ([39, 2226, 31451, 2412, 40], (0.2, 0.9), 2.1625425800483593),
            ([0, 0, 3, 1, 4], (0.0, 5.0), 0.11427955230909112),
            ([0, 0, 0, 0, 10], (0.0, 5.0), 0.1429044325441563),
            ([0, 0, 10, 0, 0], (0.0, 5.0), -0.139427638815399),
        ],
        EloModel::Logistic,
        1e-6,
    );
    holds(
        &[
            ([39, 2226, 31451, 2412, 40], (0.764, 3.439), 2.162940869584568),
            ([0, 0, 0, 0, 5550], (0.0, 5.0), 111.79755508671465),
            ([5550, 0, 0, 0, 0], (0.0, 5.0), -114.09595028781754),
            ([0, 0, 3, 1, 4], (0.0, 5.0), 0.12057981289214352),
            ([75, 64, 63, 54, 34], (0.0, 50.0), -19.405157317707253),
        ],
        EloModel::Normalized,
        1e-6,
    );
}

#[test]
fn elo_and_superiority_are_those_of_fastchess() {
    // Source: fastchess at 74deac2, app/tests/elo_test.cpp, "EloPentanomial" cases: pairs, Elo and its error,
    // normalized Elo and its error (all to 1 %), likelihood of superiority (printed to 0.01 %).
    let published = [
        ([34, 54, 63, 64, 75], [55.58, 27.65, 57.94, 28.28], 1.0),
        ([332, 433, 498, 333, 334], [-8.64, 10.33, -9.17, 10.96], 0.0505),
        ([7895, 8757, 5685, 568, 9999], [-21.04, 2.95, -19.01, 2.65], 0.0),
    ];
    for (pairs, expected, superiority) in published {
        let scores = BlockScores::pentanomial(pairs);
        let (elo, normalized) = (scores.elo().unwrap(), scores.normalized_elo().unwrap());
        let half_width = |interval: &Interval| (interval.high - interval.low) / 2.0;
        let found = [elo.value, half_width(&elo), normalized.value, half_width(&normalized)];
        // fastchess takes the standard deviation of a game as known, so the last error is narrower there.
        for ((found, expected), tolerance) in
            found.iter().zip(expected).zip([0.01, 0.01, 0.01, 0.03])
        {
            let seen = format!("{pairs:?}: {found}, expected {expected}");
            assert!((found - expected).abs() < tolerance * expected.abs(), "{seen}");
        }
        let found = scores.superiority().unwrap();
        // The distribution used here is slightly wider than the normal one.
        assert!((found - superiority).abs() < 5e-4, "{pairs:?}: {found}");
    }
}

#[test]
fn few_blocks_give_wide_intervals() {
    let elo_of = |pairs| BlockScores::pentanomial(pairs).elo();
    assert_eq!(elo_of([0, 0, 0, 0, 0]), None);
    assert_eq!(elo_of([0, 0, 0, 1, 0]), None);
    let two = elo_of([0, 0, 0, 2, 0]).unwrap();
    assert!(two.low < 0.0 && two.high > 400.0, "{two:?}");
    let won = BlockScores::pentanomial([0, 0, 0, 0, 3]);
    let elo = won.elo().unwrap();
    assert_eq!((elo.value, elo.high), (f64::INFINITY, f64::INFINITY));
    // The third root of 0.025 is 0.292.
    assert!((elo.low + 153.6).abs() < 0.5, "{elo:?}");
    let normalized = won.normalized_elo().unwrap();
    assert!(normalized.low < 0.0 && normalized.value.is_infinite(), "{normalized:?}");
    let superiority = won.superiority().unwrap();
    assert!((superiority - 15.0 / 16.0).abs() < 1e-9, "{superiority}");
}

#[test]
fn elo_and_score_are_inverse() {
    for difference in [-1000.0, -35.0, 0.0, 1.0, 400.0] {
        let found = elo(expected_score(difference));
        assert!((found - difference).abs() < 1e-6, "{difference}: {found}");
    }
    assert_eq!((elo(0.0), elo(1.0)), (f64::NEG_INFINITY, f64::INFINITY));
}

#[test]
fn a_verdict_is_given_at_a_bound() {
    let sprt = Sprt::new(0.0, 5.0, 0.05, 0.1, EloModel::Logistic).unwrap();
    let (low, high) = sprt.bounds();
    assert!((low - (0.1f64 / 0.95).ln()).abs() < 1e-12, "{low}");
    assert!((high - (0.9f64 / 0.05).ln()).abs() < 1e-12, "{high}");
    for (llr, verdict) in
        [(low - 1.0, Verdict::H0), (low, Verdict::H0), (0.0, Verdict::Open), (high, Verdict::H1)]
    {
        assert_eq!(sprt.verdict(llr), verdict, "{llr}");
    }
    assert_eq!(sprt.llr(&BlockScores::pentanomial([0; 5])), 0.0);
}

#[test]
fn invalid_tests_are_rejected() {
    let of = |elo0, elo1, alpha, beta| {
        let refused = Sprt::new(elo0, elo1, alpha, beta, EloModel::Logistic);
        refused.unwrap_err().to_string()
    };
    assert_eq!(of(5.0, 5.0, 0.05, 0.05), "elo0=5 and elo1=5: expected elo0 below elo1");
    for (alpha, beta) in [(0.0, 0.05), (0.05, 0.51), (f64::NAN, 0.05), (-1.0, 0.05)] {
        let refused = of(0.0, 5.0, alpha, beta);
        assert!(refused.contains(": expected a number above 0 and at most 0.5"), "{refused}");
    }
    assert!(of(0.0, 5.0, 0.5, 0.5).contains("expected one of them below 0.5"));
    let refused = of(f64::NAN, 5.0, 0.05, 0.05);
    assert_eq!(refused, "elo0=NaN: expected a number from -1000 to 1000");
}

fn models() -> impl Strategy<Value = EloModel> {
    prop_oneof![Just(EloModel::Logistic), Just(EloModel::Normalized)]
}

/// Counts of pairs, few or many, often zero for some scores.
fn pairs() -> impl Strategy<Value = [u64; 5]> {
    let count = || prop_oneof![Just(0), 0..10u64, 0..100_000u64];
    prop::array::uniform5(count())
}

proptest! {
    #[test]
    fn the_engines_exchanged_the_ratio_changes_its_sign(
        pairs in pairs(), elo0 in -100.0..100.0, width in 0.1..100.0, model in models()
    ) {
        let mut exchanged = pairs;
        exchanged.reverse();
        let elo1 = elo0 + width;
        let one = sprt(elo0, elo1, model).llr(&BlockScores::pentanomial(pairs));
        let other = sprt(-elo1, -elo0, model).llr(&BlockScores::pentanomial(exchanged));
        prop_assert!((one + other).abs() <= 1e-6 * (1.0 + one.abs()), "{pairs:?}: {one} and {other}");
    }

    #[test]
    fn a_won_pair_more_speaks_for_the_larger_difference(
        pairs in prop::array::uniform5(1..1000u64), elo0 in -50.0..50.0, width in 0.1..20.0
    ) {
        let sprt = sprt(elo0, elo0 + width, EloModel::Logistic);
        let mut more = pairs;
        more[4] += 1;
        let before = sprt.llr(&BlockScores::pentanomial(pairs));
        let after = sprt.llr(&BlockScores::pentanomial(more));
        prop_assert!(after > before, "{pairs:?}: {before}, then {after}");
    }

    #[test]
    fn the_llr_is_always_finite(
        pairs in pairs(), elo0 in -1000.0..999.0, part in 0.001..1.0, model in models()
    ) {
        let elo1 = elo0 + part * (1000.0 - elo0);
        let found = sprt(elo0, elo1, model).llr(&BlockScores::pentanomial(pairs));
        prop_assert!(found.is_finite(), "{pairs:?}, {elo0} to {elo1}: {found}");
    }

    #[test]
    fn many_blocks_with_many_scores_come_near_the_normal_approximation(
        halves in prop::collection::vec(0..=108u32, 20..60), shift in -10.0..10.0
    ) {
        // Source: Michel Van den Bergh, "The GSPRT approximation" (cantate.be/Fishtest): the LLR is approximately that
        // of a normal distribution with the observed variance. Each score comes with its mirror image, since a skewed
        // distribution is not normal.
        let halves: Vec<u32> = halves.iter().flat_map(|&score| [score, 108 - score]).collect();
        let mut scores = BlockScores::new(6, 54);
        for &score in &halves {
            (0..50).for_each(|_| scores.add(score));
        }
        let count = halves.len() as f64;
        let observed = halves.iter().map(|&score| f64::from(score) / 108.0);
        let mean = observed.clone().sum::<f64>() / count;
        let variance = observed.map(|score| (score - mean).powi(2)).sum::<f64>() / count;
        let elo0 = elo(mean) + shift;
        let sprt = sprt(elo0, elo0 + 5.0, EloModel::Logistic);
        let (zero, one) = (expected_score(elo0), expected_score(elo0 + 5.0));
        let normal = 50.0 * count * (one - zero) * (2.0 * mean - zero - one) / (2.0 * variance);
        let found = sprt.llr(&scores);
        prop_assert!((found - normal).abs() < 0.02 + 0.05 * normal.abs(), "{found}, {normal}");
    }
}
