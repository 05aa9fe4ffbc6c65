use super::*;
use crate::plan::Limit;
use crate::record::Fault;

/// A match of two engines, which retire after this number of failures.
fn plan(failures: u32) -> Plan {
    let engine = |name| EngineSpec::new(name, name, Limit::nodes(1));
    let mut plan = Plan::new(&buxtehude::rules::VARIANTS[0], 2, ["a", "b"].map(engine).into());
    plan.referee_limits.failures = failures;
    plan
}

fn record(plan: &Plan, game: u64, offender: Option<&str>) -> Box<GameRecord> {
    let seats = plan.line_ups().seats(game).into_iter();
    let seats: Vec<String> = seats.map(|seated| plan.engines[seated.engine].name.clone()).collect();
    let seat = seats.iter().position(|name| Some(name.as_str()) == offender);
    let fault = seat.map(|seat| Fault { seat: seat as u32 + 1, ..Fault::default() });
    Box::new(GameRecord { game, seats, fault, ..GameRecord::default() })
}

/// The games that count and the engines that retire, if games end in this order.
fn outcome(
    plan: &Plan,
    ended: &[u64],
    offender: impl Fn(u64) -> Option<&'static str>,
) -> (Vec<u64>, Vec<(String, u32)>) {
    let mut ends = Ends::new(plan);
    let (mut counted, mut retired) = (Vec::new(), Vec::new());
    for &game in ended {
        for event in ends.end_game(record(plan, game, offender(game))) {
            match event {
                Event::Ended(record) => counted.push(record.game),
                Event::Retired { engine, failures } => retired.push((engine, failures)),
                other => panic!("{other:?}"),
            }
        }
    }
    assert_eq!(ends.held(), 0, "{ends:?}");
    counted.sort_unstable();
    (counted, retired)
}

#[test]
fn the_order_in_which_games_end_makes_no_difference() {
    let plan = plan(3);
    // `b` fails in these games, `a` in the last one.
    let offender = |game: u64| match game {
        1 | 2 | 4 | 5 | 6 | 7 => Some("b"),
        12 => Some("a"),
        _ => None,
    };
    let expected = (vec![1, 2, 3, 4, 5, 6], vec![("b".to_string(), 3)]);
    for window in 1..=12 {
        for turned in 0..window {
            let mut ended: Vec<u64> = (1..=12).collect();
            for games in ended.chunks_mut(window) {
                let turned = turned % games.len();
                games.rotate_left(turned);
            }
            assert_eq!(outcome(&plan, &ended, offender), expected, "{ended:?}");
            ended.reverse();
            assert_eq!(outcome(&plan, &ended, offender), expected, "{ended:?}");
        }
    }
}

#[test]
fn a_game_is_held_back_only_while_an_engine_could_retire_before_it() {
    let plan = plan(3);
    let mut ends = Ends::new(&plan);
    let mut counted = |game, offender| {
        let events = ends.end_game(record(&plan, game, offender));
        let counted = events.into_iter().filter_map(|event| match event {
            Event::Ended(record) => Some(record.game),
            _ => None,
        });
        counted.collect::<Vec<u64>>()
    };
    // Games 1 and 2 could fail, but not three before game 3.
    assert_eq!(counted(3, None), [3]);
    // After the good game 3 the long game 1 makes no difference.
    assert_eq!(counted(2, Some("a")), [2]);
    // Games 4 to 6 could fail.
    assert_eq!(counted(7, None), [0; 0]);
    assert_eq!(counted(5, Some("a")), [5]);
    assert_eq!(counted(6, Some("b")), [6, 7]);
}

#[test]
fn games_are_released_at_the_end_unless_they_cannot_count() {
    let plan = plan(2);
    let mut ends = Ends::new(&plan);
    // Game 1 does not end. `b` retires by games 2 and 3 at the latest.
    for (game, offender, counted) in [(2, Some("b"), 1), (3, Some("b"), 0), (4, None, 0)] {
        assert_eq!(ends.end_game(record(&plan, game, offender)).len(), counted, "{game}");
    }
    let released = ends.release(true);
    assert!(matches!(&released[..], [Event::Ended(record)] if record.game == 3));
    assert_eq!(ends.held(), 0);
}

#[test]
fn a_resumed_match_counts_as_one_that_was_not_interrupted() {
    let plan = plan(2);
    let mut ends = Ends::new(&plan);
    // Game 3 was dropped.
    for (game, offender) in [(1, None), (2, Some("a")), (4, None)] {
        ends.recall(&record(&plan, game, offender));
    }
    assert!(!ends.leaves_out(3) && !ends.leaves_out(5));
    let retired = ends.end_game(record(&plan, 3, Some("a")));
    let [Event::Ended(_), Event::Retired { engine, failures: 2 }] = &retired[..] else {
        panic!("{retired:?}");
    };
    assert_eq!(engine, "a");
    assert!(ends.leaves_out(5) && ends.retirement().leaves_nothing());
    // Games without an engine that is left are not counted one by one.
    ends.recall(&record(&plan, u64::MAX / 2, None));
    ends.forgive(&(1..=4).collect());
    assert!(!ends.leaves_out(5) && !ends.retirement().leaves_nothing());
    // A game that was played by a forgiven engine proves that it was forgiven.
    let mut ends = Ends::new(&plan);
    for (game, offender) in [(1, Some("a")), (2, Some("a")), (5, None)] {
        ends.recall(&record(&plan, game, offender));
    }
    assert_eq!(ends.retirement().retired(), [""; 0]);
}

#[test]
fn each_game_that_is_due_is_taken_once() {
    let games = GameQueue::new(|from| (from..=7).find(|number| number % 3 == 1));
    let taken = [(); 4].map(|()| games.next());
    let expected = [1, 4, 7].map(|game| Next::Game(game, None));
    assert_eq!((&taken[..3], &taken[3]), (&expected[..], &Next::End));
}
