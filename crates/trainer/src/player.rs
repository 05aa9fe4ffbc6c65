//! Players: a net that chooses by static evaluation, or the engine's own search with that net. The openings that they
//! play from: the start, a position after some random moves, or a random position in the middle of a race.

use std::sync::Arc;

use buxtehude::eval::hase::{Net, Strengths, Weights};
use buxtehude::eval::{CERTAIN, Evaluate, Evaluators};
use buxtehude::rules::hase::{Card, FINISH, Move, Position, Ruleset, Square, cost};
use buxtehude::rules::{AnyPosition, Game, MAX_SEATS, Seat};
use buxtehude::search::{Control, MAX_DEPTH, Memory, Preset, Request, search};
use rand::seq::{IndexedRandom, SliceRandom};
use rand::{Rng, RngExt};

/// Expected number of rivals still in the race that each seat finishes before.
pub type Wins = [f32; MAX_SEATS];

/// Chance of finishing before a rival, given the difference of their strengths: the logistic function.
pub fn chance(difference: f32) -> f32 {
    1.0 / (1.0 + (-difference).exp())
}

/// Search memory in MiB: more than a search of some hundred positions needs.
const SEARCH_MEBIBYTES: usize = 1;

#[derive(Debug)]
pub struct Player {
    pub ruleset: &'static Ruleset,
    net: Arc<Net>,
    search: Option<Search>,
}

#[derive(Debug)]
struct Search {
    memory: Memory,
    nodes: u64,
}

impl Player {
    /// Creates a player with these weights whose searches visit `nodes` positions per move; with 0 it chooses by static
    /// evaluation.
    pub fn new(ruleset: &'static Ruleset, weights: &Weights, nodes: u64) -> Player {
        // The search uses the same net for its evaluations.
        let evaluators = Evaluators::default();
        evaluators.use_weights(Some(weights.clone()));
        Player {
            ruleset,
            net: start(ruleset, weights.seats).evaluator(&evaluators),
            search: (nodes > 0).then(|| Search {
                memory: Memory::for_threads(1, SEARCH_MEBIBYTES, evaluators),
                nodes,
            }),
        }
    }

    pub fn seats(&self) -> usize {
        self.net.seats()
    }

    /// Begins a game: clears the search memory.
    pub fn begin(&mut self) {
        if let Some(search) = &mut self.search {
            search.memory.forget();
        }
    }

    /// Move of the search or, without a search, of [`Player::by_static_evaluation`].
    pub fn chosen(
        &mut self,
        position: &Position,
        seat: Seat,
        temperature: f32,
        random: &mut impl Rng,
    ) -> Move {
        match self.searched(position) {
            Some((mv, _)) => mv,
            None => self.by_static_evaluation(position, seat, temperature, random),
        }
    }

    /// Move of the search, and the result that it expects; `None` without a search.
    pub fn searched(&mut self, position: &Position) -> Option<(Move, Wins)> {
        let Search { memory, nodes } = self.search.as_mut()?;
        let request = Request {
            nodes: *nodes,
            preset: Preset::Tree,
            ..Request::new(AnyPosition::Hase(*position), MAX_DEPTH)
        };
        let answer = search(&request, memory, &Control::new(None), &mut |_| ())?;
        let mv = position.legal_moves().find(|mv| mv.to_string() == answer.best)?;
        let rivals = (position.seats() - 1) as f32;
        let wins = |lead| (lead as f32 / CERTAIN as f32 + rivals) / 2.0;
        Some((mv, answer.value.leads.map(wins)))
    }

    /// Chooses a move by static evaluation, from a softmax with `temperature` in shares of a seat's par.
    ///
    /// # Panics
    /// If no seat is to move.
    pub fn by_static_evaluation(
        &self,
        position: &Position,
        seat: Seat,
        temperature: f32,
        random: &mut impl Rng,
    ) -> Move {
        let mut moves = position.legal_moves();
        let mut best = moves.next().expect("a seat to move has a move");
        if moves.is_empty() {
            return best;
        }
        // The largest value with Gumbel noise has the distribution of a softmax.
        let scale = temperature * (position.seats() - 1) as f32;
        let mut most = f32::NEG_INFINITY;
        for mv in position.legal_moves() {
            let next = position.play_unchecked(mv);
            let uniform: f32 = random.random_range(f32::MIN_POSITIVE..1.0);
            let noise = -scale * (-uniform.ln()).ln();
            let value = self.wins(&next, seat) + noise;
            if value > most {
                most = value;
                best = mv;
            }
        }
        best
    }

    /// Luck of the card drawn between two positions: what each seat expects after it, less the mean over all cards, by
    /// static evaluation.
    pub fn luck(&self, due: &Position, drawn: &Position) -> Wins {
        let mut luck = self.all_wins(drawn);
        let cards: u32 = due.outcomes().map(|(_, weight)| weight).sum();
        for (card, weight) in due.outcomes() {
            let chance = weight as f32 / cards as f32;
            let wins = self.all_wins(&due.draw_unchecked(card));
            for (luck, wins) in luck.iter_mut().zip(wins) {
                *luck -= chance * wins;
            }
        }
        luck
    }

    /// [`Player::wins`] of each seat.
    fn all_wins(&self, position: &Position) -> Wins {
        let strengths = self.net.strengths(position);
        std::array::from_fn(|seat| match seat {
            _ if seat < position.seats() => expected_wins(position, &strengths, Seat(seat as u8)),
            _ => 0.0,
        })
    }

    /// Expected number of rivals that a seat finishes before, by static evaluation.
    pub fn wins(&self, position: &Position, seat: Seat) -> f32 {
        expected_wins(position, &self.net.strengths(position), seat)
    }
}

/// Expected number of rivals that a seat finishes before.
fn expected_wins(position: &Position, strengths: &Strengths, seat: Seat) -> f32 {
    if let Some(place) = position.place(seat) {
        return (position.seats() - place) as f32;
    }
    let own = strengths[seat.index()];
    (0..position.seats() as u8)
        .map(Seat)
        .filter(|&rival| rival != seat && position.place(rival).is_none())
        .map(|rival| chance(own - strengths[rival.index()]))
        .sum()
}

/// Largest number of random moves from the start.
const RANDOM_PLIES: u32 = 8;

/// Share of games that begin with a random position.
const MADE_UP: f64 = 0.5;

/// Number of attempts to find a position that is not over.
const MAX_START_TRIES: u32 = 1000;

/// Returns an opening position with a seat to move.
///
/// # Panics
/// If `seats` is not 2 to 6.
pub fn opening(ruleset: &'static Ruleset, seats: usize, random: &mut impl Rng) -> Position {
    for _ in 0..MAX_START_TRIES {
        let position = if random.random_bool(MADE_UP) {
            made_up(ruleset, seats, random)
        } else {
            Some(after_random_moves(ruleset, seats, random))
        };
        if let Some(position) = position.filter(|position| !position.legal_moves().is_empty()) {
            return position;
        }
    }
    start(ruleset, seats)
}

/// Returns the start of the game.
///
/// # Panics
/// If `seats` is not 2 to 6.
pub fn start(ruleset: &'static Ruleset, seats: usize) -> Position {
    Position::start(ruleset, seats).expect("a game for two to six")
}

pub fn after_random_moves(
    ruleset: &'static Ruleset,
    seats: usize,
    random: &mut impl Rng,
) -> Position {
    let mut position = start(ruleset, seats);
    for _ in 0..random.random_range(0..=RANDOM_PLIES) {
        let moves: Vec<_> = position.legal_moves().collect();
        if let Some(&mv) = moves.choose(random) {
            position = draw(position.play_unchecked(mv), random);
        }
    }
    position
}

/// Draws a card if one is due.
pub fn draw(position: Position, random: &mut impl Rng) -> Position {
    random_card(&position, random).map_or(position, |card| position.draw_unchecked(card))
}

/// Returns a random card; `None` if none is due.
pub fn random_card(position: &Position, random: &mut impl Rng) -> Option<Card> {
    let whole: u32 = position.outcomes().map(|(_, weight)| weight).sum();
    if whole == 0 {
        return None;
    }
    let mut left = random.random_range(0..whole);
    for (card, weight) in position.outcomes() {
        if left < weight {
            return Some(card);
        }
        left -= weight;
    }
    None
}

/// Generates a random position; returns `None` if it breaks a rule.
fn made_up(ruleset: &'static Ruleset, seats: usize, random: &mut impl Rng) -> Option<Position> {
    let finished = if random.random_bool(0.3) { random.random_range(0..seats - 1) } else { 0 };
    let mut order: Vec<usize> = (0..seats).collect();
    order.shuffle(random);
    let mut hares = vec![String::new(); seats];
    let last = random.random_range(8..=u32::from(FINISH));
    let mut taken = [false; FINISH as usize];
    for (index, &seat) in order.iter().enumerate() {
        hares[seat] = if index < finished {
            format!("{FINISH},{},0", random.random_range(0..=10 * (index + 1)))
        } else {
            racing_hare(ruleset, last, &mut taken, random)?
        };
    }
    let turn = order[finished..].choose(random)? + 1;
    let finishers = order[..finished].iter().map(|seat| (seat + 1).to_string());
    let finishers = match finished {
        0 => "-".to_string(),
        _ => Vec::from_iter(finishers).join(","),
    };
    let text = format!("{} {turn} {finishers} {}", hares.join("/"), drawn(random));
    Position::parse(ruleset, &text).ok()
}

fn racing_hare(
    ruleset: &Ruleset,
    last: u32,
    taken: &mut [bool],
    random: &mut impl Rng,
) -> Option<String> {
    let square = random.random_range(0..last.min(64)) as u8;
    if square > 0 && std::mem::replace(&mut taken[usize::from(square)], true) {
        return None;
    }
    let price = cost(u16::from(FINISH - square));
    let carrots = if price < 260 && random.random_bool(0.4) {
        (price + random.random_range(0..=40)).saturating_sub(15)
    } else {
        random.random_range(0..=140)
    };
    let most = if random.random_bool(0.7) && square > 40 { 1 } else { ruleset.lettuces };
    let lettuces = random.random_range(0..=most);
    let misses = match ruleset.track.square(square) {
        Square::Lettuce => lettuces > 0 && random.random_bool(0.6),
        Square::Hare => random.random_bool(0.15),
        _ => false,
    };
    let mark = if misses { "!" } else { "" };
    Some(format!("{square},{carrots},{lettuces}{mark}"))
}

/// Letters of a random set of drawn cards; in half of all cases none.
fn drawn(random: &mut impl Rng) -> String {
    if random.random_bool(0.5) {
        return "-".into();
    }
    let deck: Vec<char> = "BBDDRRHHFFSSGG".chars().collect();
    let mut order: Vec<usize> = (0..deck.len()).collect();
    order.shuffle(random);
    order.truncate(random.random_range(1..=10));
    order.sort_unstable();
    order.into_iter().map(|index| deck[index]).collect()
}
