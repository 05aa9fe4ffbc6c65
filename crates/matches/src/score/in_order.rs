//! Puts finished games into complete blocks, and these into the order of the schedule, so that statistics do not depend
//! on the number of games played at a time.

use std::collections::BTreeMap;

/// Games that wait for the rest of their block or for earlier blocks.
#[derive(Clone, Debug, PartialEq)]
pub struct InOrder<T> {
    games_per_block: usize,
    /// Number of the next block, from 1.
    next: u64,
    /// Waiting games by block and by number.
    waiting: BTreeMap<u64, BTreeMap<u64, T>>,
}

impl<T> InOrder<T> {
    pub fn new(games_per_block: usize) -> InOrder<T> {
        InOrder { games_per_block, next: 1, waiting: BTreeMap::new() }
    }

    /// Adds a game, given the number of its block and its own; ignores a game that was added already.
    pub fn add(&mut self, block: u64, game: u64, value: T) {
        if block >= self.next {
            let games = self.waiting.entry(block).or_default();
            games.entry(game).or_insert(value);
        }
    }

    /// Takes the games of the next block, in order, if the block is complete.
    pub fn next_block(&mut self) -> Option<Vec<T>> {
        let games = self.whole_block(self.next)?;
        self.next += 1;
        Some(games)
    }

    /// Takes the games of a block, in order, if it is complete, although earlier blocks may not be.
    pub fn whole_block(&mut self, block: u64) -> Option<Vec<T>> {
        self.waiting.get(&block).filter(|games| games.len() >= self.games_per_block)?;
        Some(self.waiting.remove(&block)?.into_values().collect())
    }

    /// Takes all waiting games, in order.
    pub fn rest(&mut self) -> Vec<T> {
        let waiting = std::mem::take(&mut self.waiting);
        waiting.into_values().flat_map(BTreeMap::into_values).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_come_whole_and_in_order() {
        let mut games = InOrder::new(2);
        let mut out = Vec::new();
        for game in [4u64, 1, 3, 6, 2, 2, 5, 1] {
            games.add(game.div_ceil(2), game, game);
            while let Some(block) = games.next_block() {
                out.push((game, block));
            }
        }
        let expected = [(2, vec![1, 2]), (2, vec![3, 4]), (5, vec![5, 6])];
        assert_eq!(out, expected);
    }

    #[test]
    fn whole_blocks_need_not_wait_for_earlier_ones() {
        let mut games = InOrder::new(2);
        for game in [8u64, 7, 4, 6, 5, 1] {
            games.add(game.div_ceil(2), game, game);
        }
        assert_eq!(games.next_block(), None);
        let whole: Vec<_> = (1..=4).filter_map(|block| games.whole_block(block)).collect();
        assert_eq!(whole, [[5, 6], [7, 8]]);
        assert_eq!(games.rest(), [1, 4]);
    }
}
