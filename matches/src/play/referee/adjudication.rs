//! When the arbiter ends a game since it is known who wins.

use buxtehude::rules::{AnyPosition, Seat};

use super::result::GameEnd;
use crate::plan::{Adjudication, Resign};
use crate::record::ending::Ending;

/// What the engines have said of who wins.
pub struct Adjudicator {
    rule: Adjudication,
    /// Of each seat: who it says wins, and for how many of its moves in a row.
    said: [Option<(usize, u32)>; 2],
}

impl Adjudicator {
    /// At the beginning of a game.
    pub fn new(rule: Adjudication) -> Adjudicator {
        Adjudicator {
            rule,
            said: [None; 2],
        }
    }

    /// Hears the estimate that came with a move of `seat`: a share in permille for each seat, or nothing.
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

    /// How the game ends here, if it does.
    pub fn verdict(&self, position: &AnyPosition) -> Option<GameEnd> {
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
                Some(GameEnd::Decided {
                    winner: one,
                    ending: Ending::Agreed,
                })
            }
            _ => None,
        }
    }
}

/// Who wins by an estimate, if it says so of one of two seats.
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
            resign: Some(Resign {
                moves: 2,
                permille: 900,
            }),
            solved: false,
        });
        let position = VARIANTS[0].start(2).unwrap();
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
        // One that doubts begins anew, and so does one that changes its mind.
        for doubt in [[899, 101], [50, 950]] {
            let game = [
                (0, sure),
                (1, sure),
                (0, doubt),
                (1, sure),
                (0, sure),
                (1, sure),
                (0, sure),
            ];
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
