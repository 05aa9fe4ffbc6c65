//! A card that was drawn, and what it did to its drawer: the position after it beside the one that would have
//! been, had the card done nothing.

use buxtehude::eval::{CERTAIN, Evaluate as _, Evaluators, Vector, expected_leads};
use buxtehude::rules::hase::{Card, Position};
use buxtehude::rules::{AnyPosition, Game as _, Seat, Turn};
use buxtehude::search::{Control, Memory, Preset, Request, search};

/// Mebibytes of the memory of searches.
const MEMORY_SIZE: usize = 16;

/// A card that was drawn.
#[derive(Clone, Copy, Debug)]
pub struct Draw {
    /// Who drew it.
    pub drawer: Seat,
    /// The position in which it was due.
    pub due: Position,
    /// The card.
    pub card: Card,
    /// The position after it.
    pub after: Position,
}

impl Draw {
    /// The position after a card that does nothing: the hares are as they were, the turn passes on, and the
    /// same cards are left as after the card that was drawn.
    pub fn without_effect(&self) -> Position {
        let due = self.due.to_string();
        let after = self.after.to_string();
        let hares = due.split(' ').next().unwrap_or_default();
        let rest: Vec<&str> = after.split(' ').skip(2).collect();
        let seats = self.due.seats() as u8;
        let later = (1..=seats).map(|step| Seat((self.drawer.0 + step) % seats));
        // The drawer itself is still in the race.
        let next = later
            .into_iter()
            .find(|&seat| self.due.place(seat).is_none())
            .unwrap_or(self.drawer);
        let text = format!("{hares} {next} {}", rest.join(" "));
        // All parts are those of positions of this very race.
        Position::parse(self.due.ruleset(), &text).expect("a position without the card's effect")
    }

    /// Whether the drawer moves again at once.
    pub fn moves_again(&self) -> bool {
        self.after.turn() == Turn::Seat(self.drawer)
    }
}

/// A card that was drawn, with what it changed.
#[derive(Clone, Copy, Debug)]
pub struct JudgedDraw {
    /// The card.
    pub draw: Draw,
    /// The position that would have been without its effect.
    pub idle: Position,
    /// By how much the drawer's expected share of the points is larger for its effect, in permille, by search.
    pub searched: f64,
    /// The same by the estimate without search.
    pub estimated: f64,
}

/// Judges cards by searches of a fixed depth.
pub struct Judge {
    depth: u32,
    evaluators: Evaluators,
    memory: Memory,
}

impl Judge {
    /// A judge that searches so many plies, at least 1.
    pub fn new(depth: u32) -> Judge {
        let evaluators = Evaluators::default();
        Judge {
            depth,
            memory: Memory::for_threads(1, MEMORY_SIZE, evaluators.clone()),
            evaluators,
        }
    }

    /// What a card changed.
    pub fn judge(&mut self, draw: Draw) -> JudgedDraw {
        let idle = draw.without_effect();
        // A move gained is a ply more, so that both searches end after a move of the same seat.
        let more = u32::from(draw.moves_again());
        let evaluator = idle.evaluator(&self.evaluators);
        let change = |with: Vector, without: Vector| {
            let drawer = draw.drawer.index();
            permille(with[drawer] - without[drawer], draw.due.seats())
        };
        JudgedDraw {
            searched: change(
                self.leads(&draw.after, self.depth + more),
                self.leads(&idle, self.depth),
            ),
            estimated: change(
                expected_leads(&*evaluator, &draw.after),
                expected_leads(&*evaluator, &idle),
            ),
            draw,
            idle,
        }
    }

    /// Each seat's summed lead by a search, as of [`expected_leads`].
    fn leads(&mut self, position: &Position, depth: u32) -> Vector {
        let request = Request {
            // Whose depth is plies with two seats.
            preset: Preset::Search,
            ..Request::new(AnyPosition::Hase(*position), depth)
        };
        let answer = search(&request, &mut self.memory, &Control::new(None), &mut |_| {});
        // After a card the game goes on: somebody has a move.
        answer.expect("a seat is to move").value.leads
    }
}

/// A difference of summed leads as one of shares.
fn permille(leads: i32, seats: usize) -> f64 {
    let all = seats * (seats - 1);
    1000.0 * f64::from(leads) / (all as f64 * f64::from(CERTAIN))
}

/// Draws for tests.
#[cfg(test)]
pub mod examples {
    use buxtehude::rules::hase::HASE_UND_IGEL;

    use super::*;

    /// The draw of a card in a position where one is due.
    pub fn draw(due: &str, card: Card) -> Draw {
        let due = Position::parse(&HASE_UND_IGEL, due).unwrap();
        let Turn::Card(drawer) = due.turn() else {
            panic!("no card is due\n{due:?}");
        };
        let mut after = due;
        after.draw(card).unwrap();
        Draw {
            drawer,
            due,
            card,
            after,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::examples::draw;
    use super::*;

    #[test]
    fn without_effect_only_turn_and_deck_change() {
        let idle = |due, card| draw(due, card).without_effect().to_string();
        let due = "12,60,3/14,62,3/6,5,2! 2?6 - BD";
        assert_eq!(idle(due, Card::Half), "12,60,3/14,62,3/6,5,2! 3 - BDH");
        assert_eq!(idle(due, Card::Behind), "12,60,3/14,62,3/6,5,2! 3 - BBD");
        assert_eq!(idle(due, Card::Shuffle), "12,60,3/14,62,3/6,5,2! 3 - -");
        let finished = "64,5,0/61,9,0/59,8,0 2?6 1 SS";
        assert_eq!(
            idle(finished, Card::Draw),
            "64,5,0/61,9,0/59,8,0 3 1 DSS",
            "where no +show is left too"
        );
        let last = "20,5,1/61,9,0/64,8,0 2?6 3 -";
        assert_eq!(idle(last, Card::Half), "20,5,1/61,9,0/64,8,0 1 3 H");
        let show = draw(due, Card::Show);
        assert_eq!(show.without_effect(), show.after);
    }

    #[test]
    fn a_card_is_judged_by_the_drawers_share() {
        let mut judge = Judge::new(2);
        let change = |judged: JudgedDraw| (judged.searched, judged.estimated);
        let mut judge = |due, card| change(judge.judge(draw(due, card)));
        let middle = "34,60,1/20,62,1 1?6 - -";
        assert_eq!(judge(middle, Card::Show), (0.0, 0.0));
        let (searched, estimated) = judge(middle, Card::Half);
        assert!(searched < 0.0 && estimated < 0.0, "{searched} {estimated}");
        let (searched, estimated) = judge(middle, Card::Free);
        assert!(searched > 0.0 && estimated > 0.0, "{searched} {estimated}");
        // One step from home with what it takes, and then with 65 carrots.
        let home = "63,11,0/62,30,0 1?6 - -";
        let (searched, estimated) = judge(home, Card::Restore);
        assert!(
            searched < -100.0 && estimated < 0.0,
            "{searched} {estimated}"
        );
        // It has more behind than ahead and stays; the rival does not get home meanwhile.
        let alone = "61,16,0/20,30,3 1?6 - -";
        assert!(judge(alone, Card::Behind).0 <= 0.0, "a turn missed");
        // It is behind and moves again.
        let chasing = "51,200,0/52,62,0 1?6 - -";
        assert!(judge(chasing, Card::Behind).0 > 0.0, "a turn gained");
    }

    #[test]
    fn a_change_of_leads_is_one_of_shares() {
        assert_eq!(permille(2 * CERTAIN, 2), 1000.0);
        assert_eq!(permille(-CERTAIN, 2), -500.0);
        // From the last place of three, none of three points, to the first, two of them.
        assert!((permille(4 * CERTAIN, 3) - 2000.0 / 3.0).abs() < 1e-9);
    }
}
