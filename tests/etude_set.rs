//! Consistency of the set of judged etudes in `data/`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use buxtehude::articles::etudes::Etude;
use buxtehude::rules::hase::HASE_UND_IGEL;
use buxtehude::rules::{Game, Seat};

const HALVES: [&str; 2] = ["tune", "check"];

/// An etude with the number of its games and each seat's share of first places in permille.
struct Judged {
    line: String,
    etude: Etude,
    games: u32,
    shares: Vec<u32>,
}

impl Judged {
    fn winner(&self) -> Seat {
        let winner = self.etude.winner;
        winner.unwrap_or_else(|| panic!("not judged: {}", self.line))
    }

    /// Quarter of the track where the leading hare is, from 0.
    fn leading_quarter(&self) -> usize {
        let squares = self.etude.position.hares().iter().map(|hare| hare.square);
        usize::from(squares.max().unwrap()) / 16
    }

    fn movers_quarter(&self) -> usize {
        usize::from(self.etude.position.hare(Seat(0)).square) / 16
    }
}

fn read(name: &str) -> String {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("data");
    let path = data.join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn half(half: &str) -> Vec<Judged> {
    let lines = read(&format!("etudes-{half}.csv"));
    let shares = read(&format!("etudes-{half}-shares.csv"));
    assert_eq!(lines.lines().count(), shares.lines().count(), "{half}");
    let judged = lines.lines().zip(shares.lines()).map(|(line, shares)| {
        let etude =
            Etude::parse(&HASE_UND_IGEL, line).unwrap_or_else(|error| panic!("{line}: {error}"));
        let numbers: Vec<u32> = shares
            .split(';')
            .map(|number| number.parse().unwrap_or_else(|error| panic!("{shares}: {error}")))
            .collect();
        Judged { line: line.to_string(), etude, games: numbers[0], shares: numbers[1..].to_vec() }
    });
    judged.collect()
}

fn set() -> Vec<Judged> {
    HALVES.into_iter().flat_map(half).collect()
}

/// Number of etudes of the set for each key.
fn count<K: Ord>(key: impl Fn(&Judged) -> K) -> BTreeMap<K, usize> {
    let mut counts = BTreeMap::new();
    for judged in set() {
        *counts.entry(key(&judged)).or_default() += 1;
    }
    counts
}

#[test]
fn each_verdict_is_what_the_games_say() {
    for judged in set() {
        let Judged { line, etude, games, shares } = &judged;
        assert!(*games >= 100, "{line}: {games} games");
        assert_eq!(shares.len(), etude.position.seats(), "{line}: {shares:?}");
        assert!(shares.iter().sum::<u32>() <= 1000, "{line}: {shares:?}");
        let share = shares[judged.winner().index()];
        assert!(share >= 650, "{line}: {shares:?}");
    }
}

#[test]
fn no_position_is_there_twice() {
    let mut seen = BTreeSet::new();
    for judged in set() {
        let text = judged.etude.position.to_string();
        assert!(seen.insert(text), "{} twice", judged.line);
    }
}

#[test]
fn the_set_is_large_and_of_both_numbers_of_seats() {
    let by_seats = count(|judged| judged.etude.position.seats());
    assert_eq!(by_seats.keys().collect::<Vec<_>>(), [&2, &3]);
    assert!(by_seats.values().sum::<usize>() >= 200, "{by_seats:?}");
    assert!(by_seats.values().all(|&etudes| etudes >= 80), "{by_seats:?}");
}

#[test]
fn every_quarter_of_the_track_is_there_by_the_leader_and_by_the_mover() {
    for by_quarter in [count(Judged::leading_quarter), count(Judged::movers_quarter)] {
        assert_eq!(by_quarter.len(), 4, "{by_quarter:?}");
        assert!(by_quarter.values().all(|&etudes| etudes >= 20), "{by_quarter:?}");
    }
}

#[test]
fn halves_are_alike() {
    let [tune, check] = HALVES.map(half);
    assert!(tune.len().abs_diff(check.len()) <= 1, "{}, {}", tune.len(), check.len());
    let of_cell = |half: &[Judged], seats: usize, quarter: usize| {
        let of_cell = half.iter().filter(|judged| {
            judged.etude.position.seats() == seats && judged.leading_quarter() == quarter
        });
        of_cell.count()
    };
    for seats in [2, 3] {
        for quarter in 0..4 {
            let counts = [&tune, &check].map(|half| of_cell(half, seats, quarter));
            assert!(counts[0].abs_diff(counts[1]) <= 1, "{seats} seats, {quarter}: {counts:?}");
        }
    }
}

#[test]
fn neither_the_seat_nor_the_square_gives_the_verdict_away() {
    let by_seats = count(|judged| judged.etude.position.seats());
    for ((seats, winner), etudes) in
        count(|judged| (judged.etude.position.seats(), judged.winner()))
    {
        let all = by_seats[&seats];
        assert!(100 * etudes <= 62 * all, "{seats} seats: {winner} wins {etudes} of {all}");
    }
    let won_by_leader = count(|judged| {
        let hares = judged.etude.position.hares();
        let most = hares.iter().map(|hare| hare.square).max();
        Some(hares[judged.winner().index()].square) == most
    });
    let all: usize = won_by_leader.values().sum();
    assert!(4 * won_by_leader[&true] <= 3 * all, "{won_by_leader:?}");
}
