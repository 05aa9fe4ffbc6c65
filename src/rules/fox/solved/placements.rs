//! The placements of four wolves on 32 squares, in ascending order of their sets as numbers, and the rank of each in
//! that order.
//!
//! The rank of a set is the sum of the binomials C(square, k) over its squares, where k counts the squares from 1
//! upwards: the combinatorial number system. It is summed up one byte of the set at a time.

use std::iter;

/// Number of placements: C(32, 4).
pub const PLACEMENTS: usize = 35_960;

const WOLVES: usize = 4;

/// Part of the rank that comes from one byte of the set, by byte index, number of wolves in lower bytes, and the byte.
static PARTS: [[[u16; 256]; WOLVES + 1]; 4] = parts();

/// Rank of a set of four squares among all such sets, from 0. For fewer than four squares it has no meaning.
///
/// # Panics
/// If there are more than four squares.
#[inline]
pub fn rank(wolves: u32) -> usize {
    let bytes = wolves.to_le_bytes();
    let below = |square: u32| (wolves & ((1 << square) - 1)).count_ones() as usize;
    let part = |byte: usize, below: usize| PARTS[byte][below][usize::from(bytes[byte])];
    usize::from(part(0, 0) + part(1, below(8)) + part(2, below(16)) + part(3, below(24)))
}

/// All placements in ascending order: the one at index n has rank n.
pub fn placements() -> impl Iterator<Item = u32> {
    // The next larger number with the same number of bits set: the top bit of the lowest block of ones moves up by one
    // place, and the rest of the block moves to the bottom.
    iter::successors(Some(0b1111), |&wolves: &u32| {
        let lowest = 1 << wolves.trailing_zeros();
        let carried = wolves.checked_add(lowest)?;
        Some(carried | (carried ^ wolves) >> 2 >> wolves.trailing_zeros())
    })
}

const fn parts() -> [[[u16; 256]; WOLVES + 1]; 4] {
    let mut parts = [[[0; 256]; WOLVES + 1]; 4];
    let mut entry = 0;
    while entry < 4 * (WOLVES + 1) * 256 {
        let (byte, below, set) = (
            entry / 256 / (WOLVES + 1),
            entry / 256 % (WOLVES + 1),
            entry % 256,
        );
        parts[byte][below][set] = part_of_rank(byte, below, set);
        entry += 1;
    }
    parts
}

const fn part_of_rank(byte: usize, below: usize, set: usize) -> u16 {
    let mut sum = 0;
    let mut k = below;
    let mut bit = 0;
    while bit < 8 {
        // Sets with more than four wolves are never looked up.
        if set >> bit & 1 == 1 && k < WOLVES {
            k += 1;
            sum += binomial(8 * byte + bit, k);
        }
        bit += 1;
    }
    sum as u16
}

const fn binomial(n: usize, k: usize) -> usize {
    let mut product = 1;
    let mut i = 0;
    while i < k {
        if i >= n {
            return 0;
        }
        product = product * (n - i) / (i + 1);
        i += 1;
    }
    product
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_count_the_placements() {
        let all: Vec<u32> = placements().collect();
        assert_eq!(all.len(), PLACEMENTS);
        assert_eq!(all.last(), Some(&0xf000_0000));
        for (number, &wolves) in all.iter().enumerate() {
            assert_eq!(wolves.count_ones(), 4, "{wolves:#034b}");
            assert_eq!(rank(wolves), number, "{wolves:#034b}");
        }
    }
}
