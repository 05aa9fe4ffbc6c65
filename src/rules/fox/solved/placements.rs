//! The placements of four wolves on 32 squares, in ascending order of their sets as numbers, and the rank of each in
//! that order.
//!
//! The rank of a set is the sum of the binomials C(square, k) over its squares, where k counts the squares from 1
//! upwards: the combinatorial number system.

use std::iter;

/// Number of placements: C(32, 4).
pub const PLACEMENTS: usize = 35_960;

const WOLVES: usize = 4;

/// C(square, k + 1) by k and square.
static BINOMIALS: [[u16; 32]; WOLVES] = {
    let mut table = [[0; 32]; WOLVES];
    let mut square = 1;
    while square < 32 {
        // Pascal's triangle: C(n, k) = C(n - 1, k) + C(n - 1, k - 1).
        table[0][square] = square as u16;
        let mut k = 1;
        while k < WOLVES {
            table[k][square] = table[k][square - 1] + table[k - 1][square - 1];
            k += 1;
        }
        square += 1;
    }
    table
};

/// Rank of a set of four squares among all such sets, from 0. For another number of squares it has no meaning.
#[inline]
pub fn rank(wolves: u32) -> usize {
    let mut left = wolves;
    let mut rank = 0;
    for binomials in &BINOMIALS {
        rank += binomials[left.trailing_zeros() as usize % 32];
        left &= left.wrapping_sub(1);
    }
    rank.into()
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
