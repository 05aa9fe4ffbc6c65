//! Agreement of the article's evaluation with the verdicts: in a hit the judged seat has the largest E.

use std::fmt::Write;

use super::factors;
use crate::eval::article::{self, Factors, Terms};
use crate::rules::hase::Etude;
use crate::rules::{Game, Seat};

/// A judged etude with the terms of each seat's E, which is linear in the factors.
pub struct JudgedEtude {
    /// Line in the file, from 1.
    pub line: usize,
    /// Seat judged to be winning.
    pub winner: Seat,
    /// Terms of each seat.
    pub terms: Vec<Terms>,
}

impl JudgedEtude {
    /// Selects the etudes that have a verdict.
    pub fn all(etudes: &[(usize, Etude)]) -> Vec<JudgedEtude> {
        let judged = etudes.iter().filter_map(|&(line, etude)| {
            let position = etude.position;
            let seats = Seat::all(position.seats());
            Some(JudgedEtude {
                line,
                winner: etude.winner?,
                terms: seats.map(|seat| article::terms(&position, seat)).collect(),
            })
        });
        judged.collect()
    }

    /// `true` if the judged seat has a larger E than every other.
    #[inline]
    pub fn is_hit(&self, factors: &Factors) -> bool {
        let winner = self.winner.index();
        let largest = self.terms[winner].worth(factors);
        let mut rivals = self.terms.iter().enumerate();
        rivals.all(|(seat, terms)| seat == winner || terms.worth(factors) < largest)
    }
}

/// Report of the hits and misses, for each etude and in total.
pub fn report(etudes: &[(usize, Etude)], factors: &Factors) -> String {
    let judged = JudgedEtude::all(etudes);
    let mut text = format!(
        "factors in hundredths: {}\n  line  verdict  result  E of each seat, in hundredths\n",
        factors::spell(factors)
    );
    let mut hits = 0;
    for etude in &judged {
        let hit = etude.is_hit(factors);
        hits += usize::from(hit);
        let result = if hit { "hit" } else { "miss" };
        // Writing to a string never fails.
        let winner = etude.winner.to_string();
        let _ = write!(text, "{:>6}  {winner:>7}  {result:<4}", etude.line);
        for terms in &etude.terms {
            let _ = write!(text, "{:>9}", terms.worth(factors));
        }
        text.push('\n');
    }
    let share = share(hits, judged.len());
    let unjudged = etudes.len() - judged.len();
    let _ = writeln!(text, "hits {share}, {unjudged} unjudged");
    text
}

/// Formats a number of hits out of a number of etudes.
pub fn share(hits: usize, of: usize) -> String {
    match of {
        0 => "0 of 0".into(),
        _ => {
            let percent = 100.0 * hits as f64 / of as f64;
            format!("{hits} of {of} ({percent:.1} %)")
        }
    }
}
