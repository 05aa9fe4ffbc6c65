//! Chance nodes within a window, for two sides: Star1, after a first pass in the manner of Star2.
//!
//! Bounds on the lead after each card give bounds on the mean, and a mean that is certainly outside the window ends the
//! search of the node. Star2 probes a single move after each card to get such bounds. Here the first pass searches each
//! card with a null window, placed where the card's lead would have to be for the mean to equal alpha. Nine out of ten
//! nodes end there. The second pass is Star1: it searches each card with the window where the node is still
//! undecided.
//!
//! Source: B. Ballard, "The *-minimax search procedure for trees containing chance nodes" (1983); T. Hauk, M. Buro and
//! J. Schaeffer, "*-Minimax performance in backgammon" (2004).

use super::alpha_beta::{INFINITY, Window};
use super::chance::Mean;
use super::tree::{Path, Side, Tree};
use crate::eval::{CERTAIN, Evaluate};
use crate::rules::MAX_OUTCOMES;

impl<G: Evaluate> Tree<'_, G> {
    /// Lead of `side` over all cards that can be drawn now, searched `depth` plies deep, at least one. The card is the
    /// first ply: otherwise the nodes below hare squares, eight for one, would take most of the time.
    pub fn lead_over_cards(
        &mut self,
        side: Side,
        position: &G,
        depth: u32,
        path: Path,
        window: Window,
    ) -> i32 {
        let key = self.key(position);
        let known = self.table.get(key);
        if let Some(lead) = known.and_then(|entry| self.lead_in_table(entry, depth, path, window)) {
            self.pv.clear(path.ply);
            return lead;
        }
        let mut cards = Cards::of(position, side, self);
        let mut decided = None;
        if may_try(window) {
            decided = self.search_cards(side, position, &mut cards, depth, path, window, true);
        }
        if decided.is_none() && !self.visits.stopped {
            decided = self.search_cards(side, position, &mut cards, depth, path, window, false);
        }
        if self.visits.stopped {
            return 0;
        }
        let lead = decided.unwrap_or_else(|| cards.mean(|known| known.most).value());
        self.pv.clear(path.ply);
        self.remember(key, lead, depth, 0, path, window);
        lead
    }

    /// Searches each card: in a first pass with a null window, otherwise with the window that leaves the node
    /// undecided. Returns a bound of the mean if that decides the node; meaningless if the search was stopped.
    #[expect(clippy::too_many_arguments, reason = "they are the node of the search")]
    fn search_cards(
        &mut self,
        side: Side,
        position: &G,
        cards: &mut Cards,
        depth: u32,
        path: Path,
        window: Window,
        is_first_pass: bool,
    ) -> Option<i32> {
        for (index, (card, _)) in position.outcomes().take(MAX_OUTCOMES).enumerate() {
            let next = position.draw_unchecked(card);
            let within = if is_first_pass {
                cards.test_window(index, window)
            } else {
                cards.open_window(index, window)
            };
            let guess = Some(cards.known[index].static_lead);
            let lead = self.lead_after(side, &next, depth - 1, path, within, guess);
            if self.visits.stopped {
                return None;
            }
            cards.learn(index, lead, within);
            if let Some(bound) = cards.decides(window) {
                return Some(bound);
            }
        }
        None
    }
}

/// `true` if the first pass makes sense: for a null window in the range of means.
fn may_try(window: Window) -> bool {
    window.is_null() && window.alpha.abs() < CERTAIN
}

/// Bounds on the lead after one card.
#[derive(Clone, Copy, Debug)]
struct Known {
    weight: u32,
    least: i32,
    most: i32,
    static_lead: i32,
    /// Last value found, or else the static lead.
    guess: i32,
    is_searched: bool,
}

/// Bounds on the leads after all cards of a chance node.
#[derive(Debug)]
struct Cards {
    known: [Known; MAX_OUTCOMES],
    len: usize,
    weight: i64,
}

impl Cards {
    const NONE: Cards = Cards {
        known: [Known {
            weight: 0,
            least: -INFINITY,
            most: INFINITY,
            static_lead: 0,
            guess: 0,
            is_searched: false,
        }; MAX_OUTCOMES],
        len: 0,
        weight: 0,
    };

    /// Cards that can be drawn now, with the static leads of `side`.
    fn of<G: Evaluate>(position: &G, side: Side, tree: &Tree<'_, G>) -> Cards {
        let mut cards = Cards::NONE;
        for (card, weight) in position.outcomes().take(MAX_OUTCOMES) {
            let lead = tree.static_lead(side, &position.draw_unchecked(card));
            cards.push(weight, lead);
        }
        cards
    }

    fn push(&mut self, weight: u32, static_lead: i32) {
        let known = &mut self.known[self.len];
        known.weight = weight;
        known.static_lead = static_lead;
        known.guess = static_lead;
        self.len += 1;
        self.weight += i64::from(weight);
    }

    fn known(&self) -> &[Known] {
        &self.known[..self.len]
    }

    /// Updates the bounds of a card from a search within `window`.
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

    /// Mean with one of the bounds of each card.
    fn mean(&self, bound: impl Fn(&Known) -> i32) -> Mean {
        let mut mean = Mean::NOTHING;
        for known in self.known() {
            mean.add(bound(known), known.weight);
        }
        mean
    }

    /// Returns a bound of the mean outside the window, if there is one. The mean is monotonic in each card's lead.
    fn decides(&self, window: Window) -> Option<i32> {
        let most = self.mean(|known| known.most).value();
        if most <= window.alpha {
            return Some(most);
        }
        let least = self.mean(|known| known.least).value();
        (least >= window.beta).then_some(least)
    }

    /// Null window at the lead that a card would need for the mean to be alpha, if the searched cards have the leads
    /// found, and the others differ from each other as their static leads do.
    fn test_window(&self, index: usize, window: Window) -> Window {
        let mut missing = largest_sum(window.alpha, self.weight);
        let mut open_weight = 0;
        for known in self.known() {
            let weight = i64::from(known.weight);
            missing -= weight * i64::from(known.guess.clamp(-CERTAIN, CERTAIN));
            open_weight += if known.is_searched { 0 } else { weight };
        }
        let guess = i64::from(self.known[index].guess);
        let target = guess + missing.div_euclid(open_weight.max(1));
        let alpha = target.clamp(i64::from(-CERTAIN), i64::from(CERTAIN) - 1) as i32;
        Window { alpha, beta: alpha + 1 }
    }

    /// Window of a card; a lead outside of it decides the node.
    ///
    /// If the node's window is between -[`CERTAIN`] and [`CERTAIN`], decided leads count as these limits, so larger
    /// ones need not be told apart. Beyond them, a mean is decided only if every card is.
    fn open_window(&self, index: usize, window: Window) -> Window {
        let Known { weight, least, most, .. } = self.known[index];
        let weight = i64::from(weight);
        let own = |lead: i32| weight * i64::from(lead.clamp(-CERTAIN, CERTAIN));
        let most_of_others = self.mean(|known| known.most).sum() - own(most);
        let least_of_others = self.mean(|known| known.least).sum() - own(least);
        Window {
            alpha: floor(window.alpha, self.weight, most_of_others, weight),
            beta: -floor(-window.beta, self.weight, -least_of_others, weight),
        }
    }
}

/// Largest lead of a card of weight `weight` that keeps the mean at `alpha` or below, if the weighted sum of the others
/// is at most `others`.
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

/// Largest weighted sum whose mean, truncated towards zero, is `alpha`.
fn largest_sum(alpha: i32, weight: i64) -> i64 {
    let alpha = i64::from(alpha);
    if alpha < 0 { alpha * weight } else { (alpha + 1) * weight - 1 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::rngs::StdRng;
    use rand::{RngExt, SeedableRng};

    /// Possible result of a search of `lead` within a window: the lead itself, or a bound outside the window.
    fn lead_within(rng: &mut StdRng, lead: i32, window: Window) -> i32 {
        match lead {
            _ if lead <= window.alpha => rng.random_range(lead..=window.alpha),
            _ if lead >= window.beta => rng.random_range(window.beta..=lead),
            _ => lead,
        }
    }

    /// A random lead of any kind: open, nearly certain, or decided.
    fn random_lead(rng: &mut StdRng) -> i32 {
        match rng.random_range(0..6) {
            0 => CERTAIN + rng.random_range(1..20),
            1 => -CERTAIN - rng.random_range(1..20),
            2 => CERTAIN - rng.random_range(1..20),
            3 => -CERTAIN + rng.random_range(1..20),
            _ => rng.random_range(-60..60),
        }
    }

    #[test]
    fn a_mean_within_a_window_is_exact_and_beyond_it_bounded() {
        let mut rng = StdRng::seed_from_u64(1);
        for _ in 0..200_000 {
            let len = rng.random_range(1..=4);
            let only_wins = rng.random_range(0..4) == 0;
            let mut cards = Cards::NONE;
            let mut leads = Vec::new();
            let mut mean = Mean::NOTHING;
            for _ in 0..len {
                let lead = random_lead(&mut rng);
                let lead = if only_wins { CERTAIN + 1 + lead.abs() % 20 } else { lead };
                let weight = rng.random_range(1..=2);
                let guess = random_lead(&mut rng);
                cards.push(weight, guess);
                leads.push(lead);
                mean.add(lead, weight);
            }
            let sign = if rng.random() { 1 } else { -1 };
            let near = if rng.random() { mean.value() } else { sign * random_lead(&mut rng) };
            let alpha =
                if rng.random_range(0..8) == 0 { -INFINITY } else { near - rng.random_range(0..3) };
            let beta = match rng.random_range(0..4) {
                0 => INFINITY,
                1 => alpha + rng.random_range(2..9),
                _ => alpha + 1,
            };
            let window = Window { alpha, beta };
            let context = format!("{leads:?} {cards:?} {window:?}");
            let found = search_leads(&mut rng, &mut cards, &leads, window);
            let mean = mean.value();
            match found {
                _ if found <= alpha => assert!(mean <= found, "{found}, not {mean}: {context}"),
                _ if found >= beta => assert!(mean >= found, "{found}, not {mean}: {context}"),
                _ => assert_eq!(found, mean, "{context}"),
            }
        }
    }

    /// Runs both passes over cards with known leads.
    fn search_leads(rng: &mut StdRng, cards: &mut Cards, leads: &[i32], window: Window) -> i32 {
        for first_pass in [true, false] {
            if first_pass && !may_try(window) {
                continue;
            }
            for (index, &lead) in leads.iter().enumerate() {
                let within = if first_pass {
                    cards.test_window(index, window)
                } else {
                    cards.open_window(index, window)
                };
                assert!(within.alpha < within.beta, "{within:?} in {window:?}");
                cards.learn(index, lead_within(rng, lead, within), within);
                if let Some(bound) = cards.decides(window) {
                    return bound;
                }
            }
        }
        cards.mean(|known| known.most).value()
    }
}
