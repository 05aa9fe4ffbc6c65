//! Statistics of recorded games: their length, the number of moves, the effect of the cards, repetitions, the distance
//! of the losers from home, and the share of luck.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt::Display;
use std::path::PathBuf;

use buxtehude::eval::{CERTAIN, Evaluate as _, Evaluators, Vector, expected_leads};
use buxtehude::rules::hase::{Card, FINISH, HASE_UND_IGEL, Move, Position, TurnsHome, cost};
use buxtehude::rules::{AnyPosition, Game as _, Seat, Turn};
use buxtehude::search::{Control, Memory, Preset, Request, search};
use matches::record::printable::printable_lines;
use matches::report::{self, Column, percent};
use matches::score::{self, Standings, Tally, half_width};
use thiserror::Error;

use crate::records::{self, Ply, RecordError, RecordedGame};

#[derive(Debug, Error)]
pub enum FactsError {
    #[error(transparent)]
    Record(#[from] RecordError),
    #[error("expected games, all of them with the same number of seats")]
    Seats,
}

/// Returns the tables of the games in these files, and the number of invalid lines, which are reported and skipped.
///
/// The effect of a card is searched to `depth` plies, by default 6 for two seats, where a card is a ply too, and
/// 2 for more.
///
/// # Errors
/// [`FactsError`] if a file cannot be read, or if the games have different numbers of seats.
pub fn of_files(paths: &[PathBuf], depth: Option<u32>) -> Result<(String, usize), FactsError> {
    let mut games: Vec<RecordedGame> = Vec::new();
    let (mut played, mut skipped) = (0, 0);
    // Equal games, such as those of equal deterministic engines in a block, count once.
    let mut known = HashSet::new();
    for path in paths {
        for game in records::read(path).map_err(RecordError::from)? {
            match game {
                Ok(game) => {
                    played += 1;
                    let record = &game.record;
                    let (seats, start) = (record.seats.clone(), record.start.clone());
                    if known.insert((seats, start, record.moves.clone())) {
                        games.push(game);
                    }
                }
                Err(error @ RecordError::File(_)) => return Err(error.into()),
                Err(RecordError::Line { place, problem }) => {
                    let text = format!("{place}: skipped: {problem}");
                    eprintln!("{}", printable_lines(&text));
                    skipped += 1;
                }
            }
        }
    }
    let seats = games.first().map(RecordedGame::seats);
    let seats = seats
        .filter(|&seats| games.iter().all(|game| game.seats() == seats))
        .ok_or(FactsError::Seats)?;
    let depth = depth.unwrap_or(if seats == 2 { 6 } else { 2 });
    let unfinished = games.iter().filter(|game| !game.is_over()).count();
    let title = format!(
        "Games of {seats} seats: {played}, {} of them different (equal ones count once), {unfinished} stopped before \
         their end\n",
        games.len()
    );
    let [of_cards, near_finish] = card_tables(&games, depth);
    let tables = [
        title,
        lengths(&games),
        of_cards,
        near_finish,
        repetitions(&games),
        turns_behind(&games),
        places(&games, seats),
        luck_table(&games),
    ];
    Ok((tables.join("\n"), skipped))
}

/// Table of the length of the games and the number of legal moves.
///
/// A ply is a move with its card; the plies of the opening count too. A forced stay is the move `0`: a missed turn, or
/// a hare without any other move.
fn lengths(games: &[RecordedGame]) -> String {
    let stays = |game: &RecordedGame| game.plies.iter().filter(|ply| ply.mv == Move::STAY).count();
    let cards = |plies: &[Ply]| plies.iter().filter_map(|ply| ply.card).count();
    let row = |name: &str, unit: &str, numbers: &[f64]| {
        row(&[&name, &numbers.len(), &unit], spread(numbers))
    };
    let per_game = |name: &str, count: &dyn Fn(&RecordedGame) -> usize| {
        let numbers: Vec<f64> = games.iter().map(|game| count(game) as f64).collect();
        row(name, "games", &numbers)
    };
    let plies = games.iter().flat_map(|game| &game.plies);
    let free = plies.filter(|ply| ply.mv != Move::STAY);
    let moves: Vec<f64> = free.map(|ply| ply.before.legal_moves().len() as f64).collect();
    let all_stays = games.iter().map(stays).sum();
    let with_stays = [moves.clone(), vec![1.0; all_stays]].concat();
    let without_stays = "  moves a game (plies without forced stays)";
    let opening = "  opening plies a game, before the engines are asked";
    let own_cards = "  by the engines' own moves";
    let apart = "legal moves a position, forced stays apart";
    let as_one = "legal moves a position, a forced stay as one";
    let rows = [
        per_game("plies a game", &|game| game.plies.len()),
        per_game(without_stays, &|game| game.plies.len() - stays(game)),
        per_game("  forced stays a game", &stays),
        per_game(opening, &|game| game.record.opening_plies()),
        per_game("cards drawn a game", &|game| cards(&game.plies)),
        per_game(own_cards, &|game| cards(game.own_plies())),
        row(apart, "positions", &moves),
        row(as_one, "positions", &with_stays),
    ];
    table(&["length|of|", SPREAD], &[0, 2], rows.into_iter())
}

/// Table of first places and points, by engine and by seat. A shared first place counts in full.
fn places(games: &[RecordedGame], seats: usize) -> String {
    let names: BTreeSet<&String> = games.iter().flat_map(|game| &game.record.seats).collect();
    let mut standings = Standings::new(names.into_iter().cloned().collect(), seats, seats);
    for game in games {
        standings.add((&game.record, &game.record.turn_sums()));
    }
    let row = |name: &str, tally: &Tally| {
        let first = tally.places[0] as f64 / tally.games as f64;
        let shares =
            [Some(first), tally.share(), tally.par()].map(|share| dash(share.map(percent)));
        row(&[&name, &tally.games], shares)
    };
    let engines = standings.engines().map(|(name, tally)| row(name, tally));
    let seats =
        (1..).zip(standings.seats()).map(|(seat, tally)| row(&format!("seat {seat}"), tally));
    let columns = "won by|games|first, shared or not|points|of equals";
    table(&[columns], &[0], engines.chain(seats))
}

/// Formats a table. The names of the columns are separated by `|`; those at the indices `words` hold words, the others
/// numbers.
fn table(
    names: &[&'static str],
    words: &[usize],
    rows: impl Iterator<Item = Vec<String>>,
) -> String {
    let names = names.iter().flat_map(|names| names.split('|')).enumerate();
    let columns =
        names.map(
            |(index, name)| {
                if words.contains(&index) { Column::left(name) } else { Column::right(name) }
            },
        );
    report::table(&columns.collect::<Vec<Column>>(), rows)
}

fn row(labels: &[&dyn Display], cells: impl IntoIterator<Item = String>) -> Vec<String> {
    let labels = labels.iter().map(ToString::to_string);
    labels.chain(cells).collect()
}

/// Cell of a number that may be unknown.
fn dash(number: Option<String>) -> String {
    number.unwrap_or("-".to_string())
}

/// Columns of [`spread`].
const SPREAD: &str = "mean|lower quartile|median|upper quartile";

/// Mean and quartiles as cells of a table; dashes if there are no numbers.
///
/// Source: Hyndman and Fan, Sample Quantiles in Statistical Packages, definition 7.
fn spread(numbers: &[f64]) -> [String; 4] {
    let Some(mean) = mean(numbers) else {
        return ["-"; 4].map(String::from);
    };
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    let [lower, median, upper] = [0.25, 0.5, 0.75].map(|part| {
        let at = part * (sorted.len() - 1) as f64;
        let below = sorted[at.floor() as usize];
        let above = sorted[at.ceil() as usize];
        let quartile = below + (above - below) * at.fract();
        let decimals = usize::from(quartile.fract() != 0.0);
        format!("{quartile:.decimals$}")
    });
    [format!("{mean:.1}"), lower, median, upper]
}

/// Mean; `None` if there are no numbers.
fn mean(numbers: &[f64]) -> Option<f64> {
    (!numbers.is_empty()).then(|| numbers.iter().sum::<f64>() / numbers.len() as f64)
}

/// Search memory in MiB.
const MEMORY_SIZE: usize = 16;

/// A drawn card and its effect: the position after it, compared with the position where it had done nothing.
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
fn card_tables(games: &[RecordedGame], depth: u32) -> [String; 2] {
    let mut judge = FixedDepth::new(depth);
    let plies = games.iter().flat_map(RecordedGame::own_plies);
    let draws: Vec<Draw> = plies
        .filter_map(|ply| {
            let due = ply.before.play_unchecked(ply.mv);
            Some(judge.judge(&due, ply.seat, ply.card?))
        })
        .collect();
    [by_kind(&draws, depth), near_finish(&draws)]
}

/// Searches positions to a fixed depth.
struct FixedDepth {
    depth: u32,
    evaluators: Evaluators,
    memory: Memory,
}

impl FixedDepth {
    fn new(depth: u32) -> FixedDepth {
        let evaluators = Evaluators::default();
        FixedDepth {
            depth,
            memory: Memory::for_threads(1, MEMORY_SIZE, evaluators.clone()),
            evaluators,
        }
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
            preset: Preset::AlphaBeta,
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

/// Numbers of moves, of positions, hares and squares that come back, and of idle moves.
type Counts = [usize; 5];

/// Table of positions, holdings and squares that come back, and of moves that gain nothing.
///
/// All are counted for the seat whose ply brings them back. *Moves* are plies that are not forced stays. A *position*
/// comes back if its whole text has occurred before; a *hare* if, after a move, it has the square, carrots and lettuces
/// of an earlier moment; a *square* if a hare moves to one that it had left. A move is *idle* if it gains no square and
/// does not reduce the number of turns home.
fn repetitions(games: &[RecordedGame]) -> String {
    let mut engines: BTreeMap<&str, (usize, Counts)> = BTreeMap::new();
    let mut all = Counts::default();
    for game in games {
        for (name, counts) in game.record.seats.iter().zip(counts_of(game)) {
            let (seats, sums) = engines.entry(name).or_default();
            *seats += 1;
            for (index, count) in counts.into_iter().enumerate() {
                sums[index] += count;
                all[index] += count;
            }
        }
    }
    let row = |name: &str, of: usize, unit: &str, counts: Counts| {
        let means = counts.map(|count| format!("{:.2}", count as f64 / of.max(1) as f64));
        row(&[&name, &of, &unit], means)
    };
    let mut rows = vec![row("all seats, a game", games.len(), "games", all)];
    for (name, (seats, counts)) in engines {
        let name = format!("{name}, a seat and game");
        rows.push(row(&name, seats, "seats", counts));
    }
    let columns = "brought back|of||moves|positions|own hares|own squares|idle moves";
    table(&[columns], &[0, 2], rows.into_iter())
}

/// Counts of each seat.
fn counts_of(game: &RecordedGame) -> Vec<Counts> {
    let mut counts = vec![Counts::default(); game.seats()];
    let mut positions = HashSet::new();
    let mut hares = HashSet::new();
    let mut squares = HashSet::new();
    let holding = |position: &Position, seat: Seat| {
        let hare = position.hare(seat);
        (seat, hare.square, hare.carrots, hare.lettuces)
    };
    if let Some(first) = game.plies.first() {
        positions.insert(first.before.to_string());
        for seat in Seat::all(game.seats()) {
            hares.insert(holding(&first.before, seat));
            squares.insert((seat, first.before.hare(seat).square));
        }
    }
    for ply in &game.plies {
        let square = ply.after.hare(ply.seat).square;
        let is_old_position = !positions.insert(ply.after.to_string());
        let is_old_hare = !hares.insert(holding(&ply.after, ply.seat));
        let is_old_square = !squares.insert((ply.seat, square));
        let has_moved = square != ply.before.hare(ply.seat).square;
        let is_free = ply.mv != Move::STAY;
        let counted = [
            is_free,
            is_old_position,
            is_free && is_old_hare,
            is_free && has_moved && is_old_square,
            is_free && is_idle(ply),
        ];
        for (index, counted) in counted.into_iter().enumerate() {
            counts[ply.seat.index()][index] += usize::from(counted);
        }
    }
    counts
}

fn is_idle(ply: &Ply) -> bool {
    let square = |position: &Position| position.hare(ply.seat).square;
    let turns = |position: &Position| position.turns_home(ply.seat);
    square(&ply.after) <= square(&ply.before) && turns(&ply.after) >= turns(&ply.before)
}

/// Table of the turns that the losers would need to get home, each alone: of all others when the first hare is home,
/// and with more than two seats of the last when all others are.
fn turns_behind(games: &[RecordedGame]) -> String {
    let mut at_first: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    let mut at_last = at_first.clone();
    for game in games {
        let home = |position: &Position| position.finished().len();
        let mut plies = game.plies.iter();
        let first = plies.find(|ply| home(&ply.before) == 0 && home(&ply.after) == 1);
        let last = (game.seats() > 2 && game.is_over()).then_some(&game.last);
        for (position, turns) in
            [(first.map(|ply| &ply.after), &mut at_first), (last, &mut at_last)]
        {
            for (seat, needed) in position.map(racing).unwrap_or_default() {
                let name = &game.record.seats[seat.index()];
                turns.entry(name).or_default().push(needed.into());
            }
        }
    }
    let rows = [
        ("of the others when the first is home", at_first),
        ("of the last when all others are home", at_last),
    ]
    .into_iter()
    .flat_map(|(moment, mut turns)| {
        if turns.len() > 1 {
            let all = turns.values().flatten().copied().collect();
            turns.insert("(all)", all);
        }
        turns
            .into_iter()
            .map(move |(engine, turns)| row(&[&moment, &engine, &turns.len()], spread(&turns)))
    });
    table(&["turns home|engine|hares", SPREAD], &[0, 1], rows)
}

/// Seats that are not home, each with the turns that it needs; without those whose way home is unknown.
fn racing(position: &Position) -> Vec<(Seat, u32)> {
    let mut seats: Vec<Seat> = Seat::all(position.seats()).collect();
    seats.retain(|seat| position.finished().all(|finisher| finisher != *seat));
    let turns = seats.into_iter().filter_map(|seat| {
        let turns = position.turns_home(seat)?;
        (turns < u32::from(TurnsHome::UNKNOWN)).then_some((seat, turns))
    });
    turns.collect()
}

/// Kinds of steps of a seat's expected share of the points, with their indices.
///
/// The engines' own estimates give that share before each move. A result is the even share plus the sum of all steps
/// from one estimate to the next. A step where a card was drawn counts for the cards: an estimate already expects
/// the best move and the mean over its cards. All other steps count for the moves: they are due to something that an
/// engine had not foreseen. The step to the first estimate counts for the seat and the opening.
const KINDS: [&str; 3] = ["seat and opening", "cards", "moves"];
const SEAT: usize = 0;
const CARDS: usize = 1;
const MOVES: usize = 2;

/// Sum of a seat's steps of each kind in a game, in permille of all points.
type Steps = [f64; KINDS.len()];

/// Table of the share of luck in a result: the mean square of each kind's sum for a seat in a game, as a share of the
/// mean square of the results, and of the standard deviation. The rest to 100 % is covariance.
fn luck_table(games: &[RecordedGame]) -> String {
    let all: Vec<Steps> = games.iter().filter_map(steps).flatten().collect();
    let mean_square = |part: &dyn Fn(&Steps) -> f64| {
        let squares = all.iter().map(|steps| part(steps).powi(2));
        // Unlike `sum`, the fold of no numbers has no sign.
        squares.fold(0.0, |sum, square| sum + square) / all.len().max(1) as f64
    };
    let whole = mean_square(&|steps| steps.iter().sum());
    let row = |name: &str, square: f64| {
        let share = (whole > 0.0).then(|| percent(square / whole));
        row(&[&name], [dash(share), format!("{:.0}", square.sqrt())])
    };
    let kinds = KINDS.iter().enumerate();
    let rows = kinds.map(|(kind, name)| row(name, mean_square(&|steps| steps[kind])));
    let columns = "what a result is made of|of its variance|permille, one in three beyond";
    table(&[columns], &[0], rows.chain([row("all", whole)]))
}

/// Steps of all seats; `None` if the game is not over or has no estimate.
fn steps(game: &RecordedGame) -> Option<Vec<Steps>> {
    let seats = game.seats();
    let mut sums = vec![[0.0; KINDS.len()]; seats];
    let mut before = vec![1000.0 / seats as f64; seats];
    let mut step = |kind: usize, now: Vec<f64>| {
        for ((sums, before), now) in sums.iter_mut().zip(&mut before).zip(now) {
            sums[kind] += now - *before;
            *before = now;
        }
    };
    let mut kind = SEAT;
    for (ply, turn) in game.own_plies().iter().zip(&game.record.turns) {
        // A step without an estimate is part of the next one.
        if turn.estimate.len() == seats {
            step(kind, turn.estimate.iter().copied().map(f64::from).collect());
            kind = MOVES;
        }
        if ply.card.is_some() && kind != SEAT {
            kind = CARDS;
        }
    }
    if kind == SEAT || !game.is_over() {
        return None;
    }
    step(kind, score::shares(&game.record.places));
    Some(sums)
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
        FixedDepth::new(4).judge(&due, seat, card)
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
