//! The set as files: two halves of etude lines, and beside each the shares of wins.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use crate::candidates::{Cell, quarter};
use crate::judge::Etude;

/// The halves: one to tune an evaluation on, one to check it on.
const HALVES: [&str; 2] = ["tune", "check"];

/// Writes both halves into a directory, which is made if there is none.
///
/// # Errors
/// The system's reason for which a file cannot be written.
pub fn write(directory: &Path, etudes: &[Etude], seed: u64) -> io::Result<()> {
    fs::create_dir_all(directory)?;
    for (half, etudes) in HALVES.into_iter().zip(halves(etudes, seed)) {
        let lines = etudes.iter().map(|etude| line(etude)).collect::<String>();
        let shares = etudes.iter().map(|etude| shares(etude)).collect::<String>();
        fs::write(directory.join(format!("etudes-{half}.csv")), lines)?;
        fs::write(directory.join(format!("etudes-{half}-shares.csv")), shares)?;
    }
    Ok(())
}

/// An etude line.
fn line(etude: &Etude) -> String {
    etude.candidate.line(Some(etude.winner)) + "\n"
}

/// The games and each seat's share of them in permille.
fn shares(etude: &Etude) -> String {
    let shares: Vec<String> = etude.shares.iter().map(u16::to_string).collect();
    format!("{};{}\n", etude.games, shares.join(";"))
}

/// Deals each cell out at random, by turns to either half; a half is in the order of cells.
fn halves(etudes: &[Etude], seed: u64) -> [Vec<&Etude>; 2] {
    let mut cells: BTreeMap<Cell, Vec<&Etude>> = BTreeMap::new();
    for etude in etudes {
        cells.entry(etude.candidate.cell()).or_default().push(etude);
    }
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut halves = [Vec::new(), Vec::new()];
    let mut dealt = 0;
    for etudes in cells.values_mut() {
        etudes.shuffle(&mut random);
        for etude in etudes.iter() {
            // Counted on from cell to cell, so that odd cells do not all favour the same half.
            halves[dealt % 2].push(*etude);
            dealt += 1;
        }
    }
    halves
}

/// What the set is made of, as the rows of a table in Markdown.
pub fn summary(etudes: &[Etude]) -> String {
    let mut text = String::new();
    for cell in Cell::ALL {
        let of_cell = |etude: &&Etude| etude.candidate.cell() == cell;
        let found: Vec<&Etude> = etudes.iter().filter(of_cell).collect();
        let winners = (0..cell.seats).map(|seat| {
            let of_winner = found.iter().filter(|etude| etude.winner == seat);
            of_winner.count().to_string()
        });
        let winners: Vec<String> = winners.collect();
        let behind = found
            .iter()
            .filter(|etude| !etude.is_won_by_leader())
            .count();
        let mean = |of: &dyn Fn(&Etude) -> u16| {
            let sum: u64 = found.iter().map(|etude| u64::from(of(etude))).sum();
            sum as f64 / found.len().max(1) as f64 / 10.0
        };
        text += &format!(
            "| {} | {}-{} | {} | {} | {behind} | {:.0} % | {:.0} % |\n",
            cell.seats,
            16 * cell.quarter,
            16 * cell.quarter + 15,
            found.len(),
            winners.join(", "),
            mean(&|etude| etude.shares[etude.winner]),
            mean(&|etude| etude.different),
        );
    }
    let mut movers = [0; 4];
    for etude in etudes {
        movers[quarter(etude.candidate.hares[0].0.square)] += 1;
    }
    text + &format!(
        "{} etudes; by the mover's quarter: {movers:?}\n",
        etudes.len()
    )
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::candidates::candidate_of_line;

    fn etudes() -> Vec<Etude> {
        let places = (0..7).flat_map(|carrots| [(0, carrots), (16, carrots), (48, carrots)]);
        let etudes = places.map(|(square, carrots)| Etude {
            candidate: candidate_of_line(&format!(
                "{square};{carrots};2;f;{};19;0;f;-",
                square + 2
            )),
            winner: 1,
            games: 102,
            shares: vec![294, 705],
            different: 900,
        });
        etudes.collect()
    }

    fn lines(half: &[&Etude]) -> BTreeSet<String> {
        half.iter().map(|etude| line(etude)).collect()
    }

    #[test]
    fn halves_share_every_cell_and_no_etude() {
        let etudes = etudes();
        let [tune, check] = halves(&etudes, 3);
        assert_eq!((tune.len(), check.len()), (11, 10));
        assert!(lines(&tune).is_disjoint(&lines(&check)));
        for cell in Cell::ALL {
            let count = |half: &[&Etude]| {
                let of_cell = half.iter().filter(|etude| etude.candidate.cell() == cell);
                of_cell.count()
            };
            assert!(count(&tune).abs_diff(count(&check)) <= 1, "{cell:?}");
        }
    }

    #[test]
    fn the_seed_decides_who_is_in_which_half() {
        let etudes = etudes();
        let tune = |seed| lines(&halves(&etudes, seed)[0]);
        assert_eq!(tune(3), tune(3));
        assert_ne!(tune(3), tune(4));
    }

    #[test]
    fn an_etude_and_its_shares_are_a_line_each() {
        let etude = &etudes()[1];
        assert_eq!(line(etude), "16;0;2;f;18;19;0;f;2\n");
        assert_eq!(shares(etude), "102;294;705\n");
    }
}
