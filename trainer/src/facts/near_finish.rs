//! What a card costs on the last hare squares: turns home after it, less turns home had it done nothing.
//!
//! Turns home are those that a hare alone would need ([`Game::turns_home`]); a turn to be missed counts as one
//! more, and so a second move at once counts as one fewer. An excess of carrots is a holding with which a hare
//! without lettuces could pay its way to the finish at once, and would have more left than it may keep.

use buxtehude::rules::hase::{FINISH, Position, cost};
use buxtehude::rules::{Game, Seat};
use matches::report::{self, Column};

use super::draw::{Draw, JudgedDraw};
use super::spread;

/// The last hare squares are those beyond this one.
const BEYOND: u8 = 57;

/// Extra turns that have a column of their own; fewer and more are counted together.
const COUNTED: std::ops::RangeInclusive<i64> = 0..=6;

/// Turns home that a card costs its drawer, negative where it gains some.
fn extra_turns(draw: &Draw, idle: &Position) -> Option<i64> {
    let turns = |position: &Position| position.turns_home(draw.drawer).map(i64::from);
    Some(turns(&draw.after)? - turns(idle)? - i64::from(draw.moves_again()))
}

/// Whether a seat has too many carrots to finish at once, and nothing else keeps it from that.
fn has_excess(position: &Position, seat: Seat) -> bool {
    let hare = position.hare(seat);
    let price = cost(u16::from(FINISH - hare.square));
    hare.lettuces == 0 && hare.carrots > price + position.most_at_finish()
}

/// Whether a row is about a card.
type IsCounted = fn(&JudgedDraw) -> bool;

/// The rows of the table.
const ROWS: [(&str, IsCounted); 6] = [
    ("all", |_| true),
    ("lowering the own share", |judged| judged.searched < 0.0),
    ("lowering it by the estimate without search", |judged| {
        judged.estimated < 0.0
    }),
    ("leaving an excess of carrots", leaves_excess),
    ("  that was not there before", |judged| {
        leaves_excess(judged) && !has_excess(&judged.idle, judged.draw.drawer)
    }),
    ("  to a hare with the right holding to finish", |judged| {
        leaves_excess(judged) && judged.idle.turns_home(judged.draw.drawer) == Some(1)
    }),
];

fn leaves_excess(judged: &JudgedDraw) -> bool {
    has_excess(&judged.draw.after, judged.draw.drawer)
}

/// The table.
pub fn table_of(draws: &[JudgedDraw]) -> String {
    let is_near = |judged: &&JudgedDraw| judged.draw.due.hare(judged.draw.drawer).square > BEYOND;
    let near: Vec<&JudgedDraw> = draws.iter().filter(is_near).collect();
    let mut columns = vec![
        Column::left("cards drawn beyond square 57: extra turns home"),
        Column::right("draws"),
    ];
    columns.extend(spread::COLUMNS);
    columns.extend(["<0", "0", "1", "2", "3", "4", "5", "6", ">6"].map(Column::right));
    let rows = ROWS.into_iter().map(|(name, is_counted)| {
        let counted = near.iter().filter(|judged| is_counted(judged));
        let turns: Vec<i64> = counted
            .filter_map(|judged| extra_turns(&judged.draw, &judged.idle))
            .collect();
        let mut row = vec![name.to_string(), turns.len().to_string()];
        let numbers: Vec<f64> = turns.iter().map(|&turns| turns as f64).collect();
        row.extend(spread::cells(&numbers));
        row.extend(distribution(&turns).iter().map(usize::to_string));
        row
    });
    report::table(&columns, rows)
}

/// How many numbers there are below 0, at each of 0 to 6, and above.
fn distribution(turns: &[i64]) -> Vec<usize> {
    let count =
        |is_counted: &dyn Fn(i64) -> bool| turns.iter().filter(|&&turns| is_counted(turns)).count();
    let mut counts = vec![count(&|turns| turns < *COUNTED.start())];
    counts.extend(COUNTED.map(|column| count(&|turns| turns == column)));
    counts.push(count(&|turns| turns > *COUNTED.end()));
    counts
}

#[cfg(test)]
mod tests {
    use buxtehude::rules::hase::Card;

    use super::super::draw::examples::draw;
    use super::*;

    fn extra(due: &str, card: Card) -> Option<i64> {
        let draw = draw(due, card);
        extra_turns(&draw, &draw.without_effect())
    }

    #[test]
    fn a_card_near_the_finish_costs_turns() {
        // On 61 three squares cost 6, and ten may be left.
        let home = "61,16,0/30,40,1 1?28 - -";
        assert_eq!(extra(home, Card::Show), Some(0));
        assert_eq!(extra(home, Card::Half), Some(0), "8 carrots do");
        assert_eq!(extra(home, Card::Draw), Some(1), "a turn missed");
        let restored = extra(home, Card::Restore).unwrap();
        assert!(restored >= 3, "65 carrots cost {restored} turns");
        let behind = "58,21,0/60,40,1 1?28 - -";
        assert_eq!(
            extra(behind, Card::Behind),
            Some(-1),
            "a second move at once"
        );
    }

    #[test]
    fn an_excess_is_too_much_to_finish_at_once() {
        let excess = |hare: &str, finished: &str| {
            let text = format!("{hare}/64,5,0/50,5,0 1 {finished} -");
            let ruleset = &buxtehude::rules::hase::HASE_UND_IGEL;
            let position = Position::parse(ruleset, &text).unwrap();
            has_excess(&position, Seat(0))
        };
        // The second may keep twenty.
        assert!(!excess("61,26,0", "2"));
        assert!(excess("61,27,0", "2"));
        assert!(!excess("61,27,1", "2"), "the lettuce keeps it");
    }

    #[test]
    fn extra_turns_are_counted_by_number() {
        assert_eq!(
            distribution(&[-2, -1, 0, 0, 3, 6, 7, 9]),
            [2, 2, 0, 0, 1, 0, 0, 1, 2]
        );
    }
}
