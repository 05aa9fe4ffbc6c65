//! The track: the kind of each of the squares 0 to 64, and the masks and tables computed from them.

/// Square where a hare has finished.
pub const FINISH: u8 = 64;

/// Carrots gained per square back, and carrots taken or given on a carrot square.
pub(super) const TEN_CARROTS: u16 = 10;

/// Most carrots that the first hare may finish with; each later one may keep this many more.
pub(super) const KEPT_BY_FIRST: u16 = 10;

/// Cost in carrots of `steps` squares forward: 1 + 2 + ... + `steps`.
pub const fn cost(steps: u16) -> u16 {
    steps * (steps + 1) / 2
}

/// Kind of a square.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Square {
    /// Square 0.
    Start,
    /// Square 64.
    Finish,
    /// A hare that moves here draws a card.
    Hare,
    /// A hare can stay here and take or give carrots.
    Carrot,
    /// A hare eats a lettuce here.
    Lettuce,
    /// Reached only by moving back, which gains carrots.
    Hedgehog,
    /// Pays ten carrots times its place to the hare whose place is this number, 2 to 4.
    Number(u8),
    /// The number square of places 1, 5 and 6.
    Flag,
}

/// A track: 65 squares, with a mask for each kind. Bit n of a mask is square n; squares 0 and 64 are in none.
#[derive(Debug, PartialEq, Eq)]
pub struct Track {
    squares: [Square; 65],
    /// Hare squares; bit n is square n.
    pub hares: u64,
    pub(super) carrots: u64,
    /// Lettuce squares; bit n is square n.
    pub lettuces: u64,
    pub(super) hedgehogs: u64,
    /// For each square the places that it pays; bit n is place n. Bit 0 marks lettuce squares, which pay only a hare
    /// that misses its turn to eat.
    pub(super) paid_places: [u8; 65],
    /// For each square the nearest hedgehog behind it, or 0 for none.
    pub(super) hedgehog_behind: [u8; 65],
    /// For each square the number of lettuce squares ahead of it.
    lettuces_ahead: [u8; 65],
}

impl Track {
    /// Builds a track from the kinds of the squares 1 to 63.
    pub const fn new(between: [Square; 63]) -> Track {
        let mut track = Track {
            squares: [Square::Start; 65],
            hares: 0,
            carrots: 0,
            lettuces: 0,
            hedgehogs: 0,
            paid_places: [0; 65],
            hedgehog_behind: [0; 65],
            lettuces_ahead: [0; 65],
        };
        let mut index = 1;
        let mut hedgehog = 0;
        while index < 64 {
            let bit = 1u64 << index;
            let square = between[index - 1];
            track.squares[index] = square;
            track.hedgehog_behind[index] = hedgehog;
            match square {
                Square::Hare => track.hares |= bit,
                Square::Carrot => track.carrots |= bit,
                Square::Lettuce => {
                    track.lettuces |= bit;
                    track.paid_places[index] = 0b111_1111;
                }
                Square::Hedgehog => {
                    track.hedgehogs |= bit;
                    hedgehog = index as u8;
                }
                Square::Number(place) => track.paid_places[index] = 1 << place,
                Square::Flag => track.paid_places[index] = 1 << 1 | 1 << 5 | 1 << 6,
                Square::Start | Square::Finish => {
                    panic!("only squares 0 and 64 are start and finish")
                }
            }
            index += 1;
        }
        track.squares[64] = Square::Finish;
        track.hedgehog_behind[64] = hedgehog;
        let mut index = 64;
        while index > 0 {
            let is_lettuce = matches!(track.squares[index], Square::Lettuce);
            track.lettuces_ahead[index - 1] = track.lettuces_ahead[index] + is_lettuce as u8;
            index -= 1;
        }
        track
    }

    /// Kind of square `index`, 0 to 64.
    ///
    /// # Panics
    /// If `index` is above 64.
    pub const fn square(&self, index: u8) -> Square {
        self.squares[index as usize]
    }

    /// Carrots that a hare on square `index` receives with its next move. A number square pays for the hare's place, a
    /// lettuce square for the lettuce that it eats when it misses its turn. `place` returns the place in the race, 1 to
    /// 6; it is called only if it matters, and never at the finish.
    ///
    /// # Panics
    /// If `index` is above 64.
    #[inline(always)]
    pub fn income(&self, index: u8, place: impl FnOnce() -> u16, misses_turn: bool) -> u16 {
        let paid_places = self.paid_places[usize::from(index)];
        if paid_places == 0 {
            return 0;
        }
        let place = place();
        let pays_place = paid_places >> place & 1 == 1;
        let pays_for_eating = paid_places & 1 == 1;
        // Without branches, since it is unpredictable whether the place is the paid one.
        10 * place * u16::from(pays_place & (!pays_for_eating | misses_turn))
    }

    /// Number of lettuce squares strictly ahead of square `index`, 0 to 64.
    ///
    /// # Panics
    /// If `index` is above 64.
    #[inline]
    pub const fn lettuces_ahead(&self, index: u8) -> usize {
        self.lettuces_ahead[index as usize] as usize
    }
}

/// The track of the 1978 board, squares 1 to 63, ten per row.
pub(super) const TRACK_1978: [Square; 63] = {
    use Square::{Carrot as C, Flag as F, Hare as H, Hedgehog as I, Lettuce as L, Number};
    const N2: Square = Number(2);
    const N3: Square = Number(3);
    const N4: Square = Number(4);
    [
        H, C, H, N3, C, H, L, I, N4, N2, //
        I, N3, C, H, I, F, N2, N4, I, N3, //
        C, L, N2, I, H, C, N4, N3, N2, I, //
        H, F, C, H, N2, N3, I, C, H, C, //
        N2, L, I, N3, N4, H, N2, F, C, I, //
        H, N3, N2, N4, C, I, L, H, C, N2, //
        H, L, H,
    ]
};

/// The track of the later board: seven squares differ from that of 1978.
pub(super) const TRACK_LATER: [Square; 63] = {
    let mut squares = TRACK_1978;
    squares[7 - 1] = Square::Flag;
    squares[8 - 1] = Square::Number(2);
    squares[10 - 1] = Square::Lettuce;
    squares[60 - 1] = Square::Flag;
    squares[61 - 1] = Square::Carrot;
    squares[62 - 1] = Square::Hare;
    squares[63 - 1] = Square::Carrot;
    squares
};

#[cfg(test)]
mod tests {
    use super::*;

    fn squares_of(mask: u64) -> Vec<u32> {
        (0..64).filter(|&index| mask >> index & 1 == 1).collect()
    }

    #[test]
    fn the_1978_track_has_its_landmarks() {
        let track = Track::new(TRACK_1978);
        assert_eq!(squares_of(track.lettuces), [7, 22, 42, 57, 62]);
        assert_eq!(squares_of(track.hedgehogs), [8, 11, 15, 19, 24, 30, 37, 43, 50, 56]);
        assert_eq!(track.square(61), Square::Hare);
        assert_eq!(track.square(0), Square::Start);
        assert_eq!(track.square(64), Square::Finish);
    }

    #[test]
    fn the_later_track_has_its_landmarks() {
        let track = Track::new(TRACK_LATER);
        assert_eq!(squares_of(track.lettuces), [10, 22, 42, 57]);
        assert_eq!(squares_of(track.hedgehogs), [11, 15, 19, 24, 30, 37, 43, 50, 56]);
    }

    #[test]
    fn the_nearest_hedgehog_is_strictly_behind() {
        let track = Track::new(TRACK_1978);
        for (square, hedgehog) in [(0, 0), (8, 0), (9, 8), (11, 8), (12, 11), (63, 56), (64, 56)] {
            assert_eq!(track.hedgehog_behind[square], hedgehog, "behind {square}");
        }
    }
}
