//! Early end of a game with a certain winner.

use buxtehude::rules::Seat;

use super::result::GameEnd;
use crate::plan::rules::Position;
use crate::plan::{Adjudication, Resign};
use crate::record::ending::Ending;

/// The engines' opinions on the winner.
pub struct Adjudicator {
    rule: Adjudication,
    /// For each seat: the winner by its estimates, and the number of consecutive moves with this winner.
    said: [Option<(usize, u32)>; 2],
}

impl Adjudicator {
    pub fn new(rule: Adjudication) -> Adjudicator {
        Adjudicator { rule, said: [None; 2] }
    }

    /// Takes the estimate that came with a move of `seat`: a share in permille for each seat, or nothing.
    pub fn hear(&mut self, seat: Seat, estimate: &[u16]) {
        let Some(resign) = self.rule.resign else {
            return;
        };
        if let Some(said) = self.said.get_mut(seat.index()) {
            let winner = winner(resign, estimate);
            *said = winner.map(|winner| match *said {
                Some((before, moves)) if before == winner => (winner, moves + 1),
                _ => (winner, 1),
            });
        }
    }

    pub fn verdict(&self, position: &Position) -> Option<GameEnd> {
        let solved = position.solved().filter(|_| self.rule.solved);
        if let Some(outcome) = solved {
            return Some(GameEnd::Decided {
                winner: outcome.winner.index(),
                ending: Ending::Solved,
            });
        }
        let moves = self.rule.resign?.moves;
        match self.said {
            [Some((one, often)), Some((other, as_often))]
                if one == other && often.min(as_often) >= moves =>
            {
                Some(GameEnd::Decided { winner: one, ending: Ending::Agreed })
            }
            _ => None,
        }
    }
}

/// Returns the winner by an estimate, if one of two seats has a large enough share.
fn winner(resign: Resign, estimate: &[u16]) -> Option<usize> {
    let [_, _] = estimate else { return None };
    estimate.iter().position(|&share| share >= resign.permille)
}

#[cfg(test)]
mod tests {
    use buxtehude::rules::VARIANTS;

    use super::*;

    fn agreed(heard: &[(u8, [u16; 2])]) -> Vec<bool> {
        let mut adjudicator = Adjudicator::new(Adjudication {
            resign: Some(Resign { moves: 2, permille: 900 }),
            solved: false,
        });
        let position = VARIANTS[0].start(2).unwrap().into();
        let hear = |&(seat, estimate): &(u8, [u16; 2])| {
            adjudicator.hear(Seat(seat), &estimate);
            adjudicator.verdict(&position).is_some()
        };
        heard.iter().map(hear).collect()
    }

    #[test]
    fn both_have_to_agree_long_enough() {
        let sure = [900, 100];
        let game = [(0, sure), (1, sure), (0, sure), (1, sure)];
        assert_eq!(agreed(&game), [false, false, false, true]);
        // An estimate without a winner, or with another one, restarts the count.
        for doubt in [[899, 101], [50, 950]] {
            let game =
                [(0, sure), (1, sure), (0, doubt), (1, sure), (0, sure), (1, sure), (0, sure)];
            assert_eq!(
                agreed(&game),
                [false, false, false, false, false, false, true],
                "{doubt:?}"
            );
        }
        let each_its_own = [(0, sure), (1, [50, 950]), (0, sure), (1, [50, 950])];
        assert_eq!(agreed(&each_its_own), [false; 4]);
    }
}
