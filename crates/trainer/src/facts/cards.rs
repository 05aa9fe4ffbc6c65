//! The effect of a card on its drawer: the position after it, compared with the position where the card had done
//! nothing.

use buxtehude::eval::{CERTAIN, Evaluate as _, Evaluators, Vector, expected_leads};
use buxtehude::rules::hase::{Card, FINISH, HASE_UND_IGEL, Position, cost};
use buxtehude::rules::{AnyPosition, Game as _, Seat, Turn};
use buxtehude::search::{Control, Memory, Preset, Request, search};
use matches::report::percent;
use matches::score::half_width;

use super::{SPREAD, dash, mean, row, spread, table};
use crate::records::RecordedGame;

/// Search memory in MiB.
const MEMORY_SIZE: usize = 16;

/// A drawn card and its effect.
struct Draw {
    seat: Seat,
    card: Card,
    after: Position,
    /// Position if the card had no effect.
    idle: Position,
    /// Change of the drawer's expected share of the points by the card, in permille, by search.
    searched: f64,
    /// The same by static evaluation.
    estimated: f64,
}

/// Tables of the cards drawn by the engines' own moves: by kind, and near the finish.
pub fn tables(games: &[RecordedGame], depth: u32) -> [String; 2] {
    let mut judge = Judge::new(depth);
    let plies = games.iter().flat_map(RecordedGame::own_plies);
    let draws = plies.filter_map(|ply| {
        let due = ply.before.play_unchecked(ply.mv);
        Some(judge.judge(&due, ply.seat, ply.card?))
    });
    let draws: Vec<Draw> = draws.collect();
    [by_kind(&draws, depth), near_finish(&draws)]
}

/// Searches positions to a fixed depth.
struct Judge {
    depth: u32,
    evaluators: Evaluators,
    memory: Memory,
}

impl Judge {
    fn new(depth: u32) -> Judge {
        let evaluators = Evaluators::default();
        Judge { depth, memory: Memory::for_threads(1, MEMORY_SIZE, evaluators.clone()), evaluators }
    }

    fn judge(&mut self, due: &Position, seat: Seat, card: Card) -> Draw {
        let after = due.draw_unchecked(card);
        let idle = without_effect(due, &after);
        let evaluator = idle.evaluator(&self.evaluators);
        // An extra move is searched one ply deeper, so that both searches end after a move of the same seat.
        let more = u32::from(after.turn() == Turn::Seat(seat));
        let searched = [(&after, self.depth + more), (&idle, self.depth)]
            .map(|(position, depth)| self.leads(position, depth));
        let estimated = [&after, &idle].map(|position| expected_leads(&*evaluator, position));
        let change = |[with, without]: [Vector; 2]| {
            permille(with[seat.index()] - without[seat.index()], due.seats())
        };
        Draw { seat, card, searched: change(searched), estimated: change(estimated), after, idle }
    }

    /// Each seat's summed lead by a search.
    fn leads(&mut self, position: &Position, depth: u32) -> Vector {
        let request = Request {
            // The tree search has another measure of depth.
            preset: Preset::Search,
            ..Request::new(AnyPosition::Hase(*position), depth)
        };
        let answer = search(&request, &mut self.memory, &Control::new(None), &mut |_| {});
        // A card never ends the game.
        answer.expect("a seat is to move").value.leads
    }
}

/// Returns the position after a card without effect: the hares are as they were, the turn passes on, and the same cards
/// are left as after the card.
fn without_effect(due: &Position, after: &Position) -> Position {
    let passed = due.draw_unchecked(Card::Show).to_string();
    let after = after.to_string();
    // The last field has the drawn cards.
    let fields = passed.rsplit_once(' ').zip(after.rsplit_once(' '));
    let text = fields.map(|((rest, _), (_, drawn))| format!("{rest} {drawn}"));
    Position::parse(due.ruleset(), &text.unwrap_or_default()).expect("fields of valid positions")
}

/// Converts a difference of summed leads to one of shares.
fn permille(leads: i32, seats: usize) -> f64 {
    let all = seats * (seats - 1);
    1000.0 * f64::from(leads) / (all as f64 * f64::from(CERTAIN))
}

/// Table of the changes of the drawer's share by kind of card, and the number of unpleasant cards.
fn by_kind(draws: &[Draw], depth: u32) -> String {
    let changes = |kind: Option<Card>| {
        let of_kind = draws.iter().filter(|draw| kind.is_none_or(|card| draw.card == card));
        let changes = of_kind.map(|draw| (draw.searched, draw.estimated));
        let (searched, estimated): (Vec<f64>, Vec<f64>) = changes.unzip();
        [searched, estimated]
    };
    let rows = Card::ALL.into_iter().map(Some).chain([None]).map(|kind| {
        let name = kind.map_or("all".to_string(), |card| card.to_string());
        let changes = changes(kind);
        let cells = changes.iter().flat_map(|changes| {
            let mean = mean(changes).map(|mean| format!("{mean:+.1}"));
            let error = half_width(changes).map(|error| format!("{error:.1}"));
            let lower = part(changes, |change| change < 0.0).map(percent);
            let same = part(changes, |change| change == 0.0).map(percent);
            [lower, same, mean, error].map(dash)
        });
        row(&[&name, &changes[0].len()], cells)
    });
    let columns = [
        "card|draws|lower own share|no change|mean change, permille|±",
        "static: lower|no change|mean change|±",
    ];
    let table = table(&columns, &[0], rows);
    let unpleasant = |method: usize, is_by_mean: bool| {
        let number = of_fifteen(|card| {
            let changes = &changes(Some(card))[method];
            if is_by_mean {
                mean(changes).map(|mean| f64::from(u8::from(mean < 0.0)))
            } else {
                part(changes, |change| change < 0.0)
            }
        });
        dash(number.map(|number| format!("{number:.1}")))
    };
    format!(
        "Cards drawn by the engines' own moves, searched {depth} plies (one more after a card that lets its drawer \
         move again)\n{table}\
         unpleasant of 15 cards, each counted by how often it lowers the share: {}; static: {}\n\
         unpleasant of 15 cards, those that lower it on average: {}; static: {}\n",
        unpleasant(0, false),
        unpleasant(1, false),
        unpleasant(0, true),
        unpleasant(1, true),
    )
}

/// Share of the numbers that are counted; `None` if there are no numbers.
fn part(numbers: &[f64], is_counted: fn(f64) -> bool) -> Option<f64> {
    let counted = numbers.iter().filter(|&&number| is_counted(number)).count();
    (!numbers.is_empty()).then(|| counted as f64 / numbers.len() as f64)
}

/// Mean figure of a card, weighted by the deck, times the 15 cards of the deck. Kinds without a figure are left out;
/// `None` if no kind has one.
fn of_fifteen(figure: impl Fn(Card) -> Option<f64>) -> Option<f64> {
    let deck = Card::ALL.into_iter().zip(HASE_UND_IGEL.deck);
    let known = deck.filter_map(|(card, number)| Some((figure(card)?, f64::from(number))));
    let (sum, whole) = known
        .fold((0.0, 0.0), |(sum, whole), (figure, number)| (sum + figure * number, whole + number));
    (whole > 0.0).then(|| 15.0 * sum / whole)
}

/// The last hare squares are those beyond this one.
const BEYOND: u8 = 57;

type IsCounted = fn(&Draw) -> bool;

/// Rows of the table of cards near the finish.
const ROWS: [(&str, IsCounted); 6] = [
    ("all", |_| true),
    ("lowering the own share", |draw| draw.searched < 0.0),
    ("lowering it by the estimate without search", |draw| draw.estimated < 0.0),
    ("leaving an excess of carrots", leaves_excess),
    ("  that was not there before", |draw| {
        leaves_excess(draw) && !has_excess(&draw.idle, draw.seat)
    }),
    ("  to a hare with the right holding to finish", |draw| {
        leaves_excess(draw) && draw.idle.turns_home(draw.seat) == Some(1)
    }),
];

/// Table of the cards on the last hare squares: turns home after the card, minus turns home without its effect.
fn near_finish(draws: &[Draw]) -> String {
    let is_near = |draw: &&Draw| draw.idle.hare(draw.seat).square > BEYOND;
    let near: Vec<&Draw> = draws.iter().filter(is_near).collect();
    let rows = ROWS.into_iter().map(|(name, is_counted)| {
        let counted = near.iter().filter(|draw| is_counted(draw));
        let turns: Vec<i64> = counted.filter_map(|draw| extra_turns(draw)).collect();
        // The first and last column are for all numbers below and above.
        let counts = (-1..=7).map(|column| {
            let counted = turns.iter().filter(|turns| (**turns).clamp(-1, 7) == column);
            counted.count().to_string()
        });
        let numbers: Vec<f64> = turns.iter().map(|&turns| turns as f64).collect();
        row(&[&name, &turns.len()], spread(&numbers).into_iter().chain(counts))
    });
    let labels = "cards drawn beyond square 57: extra turns home|draws";
    table(&[labels, SPREAD, "<0|0|1|2|3|4|5|6|>6"], &[0], rows)
}

/// Turns home of a lone hare that a card costs its drawer, negative if it gains some. A missed turn counts as one more,
/// and a second move at once as one fewer.
fn extra_turns(draw: &Draw) -> Option<i64> {
    let turns = |position: &Position| position.turns_home(draw.seat).map(i64::from);
    let moves_again = draw.after.turn() == Turn::Seat(draw.seat);
    Some(turns(&draw.after)? - turns(&draw.idle)? - i64::from(moves_again))
}

fn leaves_excess(draw: &Draw) -> bool {
    has_excess(&draw.after, draw.seat)
}

/// `true` if a hare without lettuces can pay its way to the finish at once, but would keep too many carrots.
fn has_excess(position: &Position, seat: Seat) -> bool {
    let hare = position.hare(seat);
    let price = cost(u16::from(FINISH - hare.square));
    hare.lettuces == 0 && hare.carrots > price + position.most_at_finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position(text: &str) -> Position {
        Position::parse(&HASE_UND_IGEL, text).unwrap()
    }

    fn judged(due: &str, card: Card) -> Draw {
        let due = position(due);
        let Turn::Card(seat) = due.turn() else {
            panic!("no card is due\n{due:?}");
        };
        Judge::new(4).judge(&due, seat, card)
    }

    #[test]
    fn without_effect_only_turn_and_deck_change() {
        let idle = |due, card| judged(due, card).idle.to_string();
        let due = "12,60,3/14,62,3/6,5,2! 2?6 - BD";
        assert_eq!(idle(due, Card::Half), "12,60,3/14,62,3/6,5,2! 3 - BDH");
        assert_eq!(idle(due, Card::Shuffle), "12,60,3/14,62,3/6,5,2! 3 - -");
        let finished = "64,5,0/61,9,0/59,8,0 2?6 1 SS";
        assert_eq!(idle(finished, Card::Draw), "64,5,0/61,9,0/59,8,0 3 1 DSS");
        let next = "20,5,1/61,9,0/64,8,0 2?6 3 -";
        assert_eq!(idle(next, Card::Half), "20,5,1/61,9,0/64,8,0 1 3 H");
    }

    #[test]
    fn a_card_is_judged_by_its_drawers_share() {
        let changes = |due, card| {
            let draw = judged(due, card);
            (draw.searched, draw.estimated)
        };
        let middle = "34,60,1/20,62,1 1?6 - -";
        assert_eq!(changes(middle, Card::Show), (0.0, 0.0));
        let (searched, estimated) = changes(middle, Card::Half);
        assert!(searched < 0.0 && estimated < 0.0, "{searched} {estimated}");
        // A hare that needs its carrots.
        let (searched, estimated) = changes("34,30,1/20,62,1 1?6 - -", Card::Free);
        assert!(searched > 0.0 && estimated > 0.0, "{searched} {estimated}");
        // One step from home, with 65 carrots instead of 11.
        let (searched, _) = changes("63,11,0/62,30,0 1?6 - -", Card::Restore);
        assert!(searched < -100.0, "{searched}");
        let (missed, _) = changes("61,16,0/20,30,3 1?6 - -", Card::Behind);
        assert!(missed <= 0.0, "a missed turn: {missed}");
        let (gained, _) = changes("51,200,0/52,62,0 1?6 - -", Card::Behind);
        assert!(gained > 0.0, "an extra turn: {gained}");
        // From the last place of three, none of three points, to the first, two of them.
        assert!((permille(4 * CERTAIN, 3) - 2000.0 / 3.0).abs() < 1e-9);
    }

    #[test]
    fn a_card_near_the_finish_costs_turns() {
        // Three squares cost 6, and ten may be left.
        let home = "61,16,0/30,40,1 1?28 - -";
        for (card, turns) in [(Card::Show, 0), (Card::Half, 0), (Card::Draw, 1)] {
            assert_eq!(extra_turns(&judged(home, card)), Some(turns), "{card}");
        }
        let restored = judged(home, Card::Restore);
        assert!(extra_turns(&restored) >= Some(3));
        assert!(leaves_excess(&restored));
        let behind = judged("58,21,0/60,40,1 1?28 - -", Card::Behind);
        assert_eq!(extra_turns(&behind), Some(-1), "a second move at once");
        // The second hare may keep twenty.
        for (hare, expected) in [("61,26,0", false), ("61,27,0", true), ("61,27,1", false)] {
            let position = position(&format!("{hare}/64,5,0/50,5,0 1 2 -"));
            assert_eq!(has_excess(&position, Seat(0)), expected, "{hare}");
        }
    }
}
