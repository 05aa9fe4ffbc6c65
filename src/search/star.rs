//! Chance nodes within a window, for two seats: Star1 and Star2.
//!
//! What is known of the lead after each card bounds their mean, and a mean that leaves the window ends
//! the search of its node. A first pass only asks of each card on which side it is of what it would have
//! to be for the mean to stand at the window; most nodes end there. The second gives each card the
//! window within which the node is still open, and then its lead is as exact as the node needs it.
//!
//! Source: B. Ballard, "The *-minimax search procedure for trees containing chance nodes" (1983);
//! T. Hauk, M. Buro and J. Schaeffer, "*-Minimax performance in backgammon" (2004).

use super::alpha_beta::{INFINITY, Path, Window};
use super::chance::Mean;
use super::tree::Tree;
use crate::eval::{CERTAIN, Evaluate, estimate_of_two};
use crate::rules::{MAX_OUTCOMES, Seat};

impl<G: Evaluate> Tree<'_, G> {
    /// The lead of `seat` over all cards that can be drawn now, each searched `depth` plies deep.
    pub fn lead_over_cards(
        &mut self,
        seat: Seat,
        position: &G,
        depth: u32,
        path: Path,
        window: Window,
    ) -> i32 {
        if depth == 0 {
            return self.lead_over_leaves(seat, position, path);
        }
        let key = position.key();
        let known = self.table.get(key);
        if let Some(lead) = known.and_then(|entry| self.lead_in_table(entry, depth, path, window)) {
            self.pv.clear(path.ply);
            return lead;
        }
        let mut cards = Cards::of(position, seat);
        let mut lead = None;
        if window.is_null() && window.alpha.abs() < CERTAIN {
            lead = self.try_cards(seat, position, &mut cards, depth, path, window);
        }
        let lead = match lead {
            Some(lead) => lead,
            None => self.search_cards(seat, position, &mut cards, depth, path, window),
        };
        if self.stopped {
            return 0;
        }
        self.pv.clear(path.ply);
        self.remember(key, lead, depth, 0, path, window);
        lead
    }

    /// The mean of static leads.
    fn lead_over_leaves(&mut self, seat: Seat, position: &G, path: Path) -> i32 {
        let mut mean = Mean::NOTHING;
        for (card, weight) in position.outcomes() {
            let next = position.draw_unchecked(card);
            let lead = self.lead_after(seat, &next, 0, path, Window::FULL);
            if self.stopped {
                return 0;
            }
            mean.add(lead, weight);
        }
        self.pv.clear(path.ply);
        mean.value()
    }

    /// Asks each card on which side it is; a bound of the mean if that decides the node.
    fn try_cards(
        &mut self,
        seat: Seat,
        position: &G,
        cards: &mut Cards,
        depth: u32,
        path: Path,
        window: Window,
    ) -> Option<i32> {
        for (index, (card, _)) in position.outcomes().take(MAX_OUTCOMES).enumerate() {
            let next = position.draw_unchecked(card);
            let alpha = cards.target(index, window);
            let test = Window {
                alpha,
                beta: alpha + 1,
            };
            let lead = self.lead_after(seat, &next, depth, path, test);
            if self.stopped {
                return Some(0);
            }
            cards.learn(index, lead, test);
            if let Some(bound) = cards.decides(window) {
                return Some(bound);
            }
        }
        None
    }

    /// Searches each card within the window in which the node is still open.
    fn search_cards(
        &mut self,
        seat: Seat,
        position: &G,
        cards: &mut Cards,
        depth: u32,
        path: Path,
        window: Window,
    ) -> i32 {
        for (index, (card, _)) in position.outcomes().take(MAX_OUTCOMES).enumerate() {
            let next = position.draw_unchecked(card);
            let open = cards.open_window(index, window);
            let lead = self.lead_after(seat, &next, depth, path, open);
            if self.stopped {
                return 0;
            }
            cards.learn(index, lead, open);
            if let Some(bound) = cards.decides(window) {
                return bound;
            }
        }
        cards.most().value()
    }
}

/// What is known of the lead after one card.
#[derive(Clone, Copy)]
struct Known {
    weight: u32,
    least: i32,
    most: i32,
    /// The last value found, or else the static one.
    guess: i32,
    is_searched: bool,
}

/// What is known of the leads after all cards of a chance node.
struct Cards {
    known: [Known; MAX_OUTCOMES],
    len: usize,
    weight: i64,
}

impl Cards {
    fn of<G: Evaluate>(position: &G, seat: Seat) -> Cards {
        const NOTHING: Known = Known {
            weight: 0,
            least: -INFINITY,
            most: INFINITY,
            guess: 0,
            is_searched: false,
        };
        let mut cards = Cards {
            known: [NOTHING; MAX_OUTCOMES],
            len: 0,
            weight: 0,
        };
        for (card, weight) in position.outcomes().take(MAX_OUTCOMES) {
            let next = position.draw_unchecked(card);
            let lead = estimate_of_two(&next);
            cards.known[cards.len] = Known {
                weight,
                guess: if seat.0 == 0 { lead } else { -lead },
                ..NOTHING
            };
            cards.len += 1;
            cards.weight += i64::from(weight);
        }
        cards
    }

    fn known(&self) -> &[Known] {
        &self.known[..self.len]
    }

    fn learn(&mut self, index: usize, lead: i32, window: Window) {
        let known = &mut self.known[index];
        known.guess = lead;
        known.is_searched = true;
        if lead < window.beta {
            known.most = known.most.min(lead);
        }
        if lead > window.alpha {
            known.least = known.least.max(lead);
        }
    }

    /// The mean if each card is as good as it can be.
    fn most(&self) -> Mean {
        let mut mean = Mean::NOTHING;
        for known in self.known() {
            mean.add(known.most, known.weight);
        }
        mean
    }

    /// The mean if each card is as bad as it can be.
    fn least(&self) -> Mean {
        let mut mean = Mean::NOTHING;
        for known in self.known() {
            mean.add(known.least, known.weight);
        }
        mean
    }

    /// A bound of the mean that is out of the window, if there is one: a mean never falls when one of
    /// its parts rises.
    fn decides(&self, window: Window) -> Option<i32> {
        let most = self.most().value();
        if most <= window.alpha {
            return Some(most);
        }
        let least = self.least().value();
        (least >= window.beta).then_some(least)
    }

    /// What the card would have to be for the mean to be alpha, if those searched are what was found
    /// and the others differ from each other as their static leads do.
    fn target(&self, index: usize, window: Window) -> i32 {
        let mut missing = largest_sum(window.alpha, self.weight);
        let mut open_weight = 0;
        for known in self.known() {
            let weight = i64::from(known.weight);
            missing -= weight * i64::from(known.guess.clamp(-CERTAIN, CERTAIN));
            open_weight += if known.is_searched { 0 } else { weight };
        }
        let guess = i64::from(self.known[index].guess);
        let target = guess + missing.div_euclid(open_weight.max(1));
        target.clamp(i64::from(-CERTAIN), i64::from(CERTAIN) - 1) as i32
    }

    /// The window of a card out of which its lead decides the node.
    ///
    /// Between -[`CERTAIN`] and [`CERTAIN`] decided leads count as much as these, so that nothing
    /// beyond has to be known. Beyond, a mean is that only if every card is.
    fn open_window(&self, index: usize, window: Window) -> Window {
        let Known {
            weight,
            least,
            most,
            ..
        } = self.known[index];
        let weight = i64::from(weight);
        let own = |lead: i32| weight * i64::from(lead.clamp(-CERTAIN, CERTAIN));
        let most_of_others = self.most().sum() - own(most);
        let least_of_others = self.least().sum() - own(least);
        Window {
            alpha: floor(window.alpha, self.weight, most_of_others, weight),
            beta: -floor(-window.beta, self.weight, -least_of_others, weight),
        }
    }
}

/// The lead up to which a card of `weight` keeps the mean at `alpha` or below, whatever the others are,
/// whose sum is `others` at most.
fn floor(alpha: i32, whole_weight: i64, others: i64, weight: i64) -> i32 {
    if alpha >= CERTAIN {
        return alpha;
    }
    if alpha < -CERTAIN {
        return -INFINITY;
    }
    let floor = (largest_sum(alpha, whole_weight) - others).div_euclid(weight);
    floor.clamp(i64::from(-CERTAIN), i64::from(CERTAIN) - 1) as i32
}

/// The largest weighted sum whose mean, truncated towards zero, is `alpha`.
fn largest_sum(alpha: i32, weight: i64) -> i64 {
    let alpha = i64::from(alpha);
    if alpha < 0 {
        alpha * weight
    } else {
        (alpha + 1) * weight - 1
    }
}
