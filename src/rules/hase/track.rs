//! The rulesets: track, starting holding and deck of each variant, and the turns that a lone hare needs to the finish.

use std::sync::LazyLock;

/// Tables of a variant.
#[derive(Debug)]
pub struct Ruleset {
    /// Name of the variant.
    pub name: &'static str,
    /// The track.
    pub track: Track,
    /// Carrots of each hare at the start, and when it goes back to the start.
    pub carrots: u16,
    /// Lettuces of each hare at the start.
    pub lettuces: u8,
    /// Number of cards of each [`Card`](super::Card), in deck order. A deck must have a `Shuffle`, so that it never
    /// runs out.
    pub deck: [u8; 8],
    /// Turns to the finish of a lone hare; computed on first use.
    pub turns_home: LazyLock<TurnsHome>,
}

/// The deck of fifteen: two of each card, but one `Shuffle`.
const FIFTEEN: [u8; 8] = [2, 2, 2, 2, 2, 2, 2, 1];

/// The game of 1978: its track, 68 carrots, 3 lettuces, a deck of fifteen cards.
pub static HASE_UND_IGEL: Ruleset = Ruleset {
    name: "hase-und-igel",
    track: Track::new(TRACK_1978),
    carrots: 68,
    lettuces: 3,
    deck: FIFTEEN,
    turns_home: LazyLock::new(|| TurnsHome::of(&HASE_UND_IGEL.track, HASE_UND_IGEL.lettuces)),
};

/// The later English-language game: its track, 65 carrots, 3 lettuces, a deck of fifteen cards.
pub static HARE_AND_TORTOISE: Ruleset = Ruleset {
    name: "hare-and-tortoise",
    track: Track::new(TRACK_LATER),
    carrots: 65,
    lettuces: 3,
    deck: FIFTEEN,
    turns_home: LazyLock::new(|| {
        TurnsHome::of(&HARE_AND_TORTOISE.track, HARE_AND_TORTOISE.lettuces)
    }),
};

/// Square where a hare has finished.
pub const FINISH: u8 = 64;

/// Carrots gained per square back, and carrots taken or given on a carrot square.
pub(crate) const TEN_CARROTS: u16 = 10;

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
const TRACK_1978: [Square; 63] = {
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
const TRACK_LATER: [Square; 63] = {
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

/// Largest holding in the table.
const MAX_TABLE_CARROTS: u16 = 399;

/// Approximate number of carrots that a hare with too many can spend in a turn.
const CARROTS_SPENT_A_TURN: u16 = 50;

/// Turns to the finish by lettuces in hand, square and carrots: an exact table, computed backwards from the finish.
///
/// The lone hare avoids hare squares, is paid nothing on number squares, eats its lettuces in first place and finishes
/// with at most ten carrots. A real race also has cards and other hares. But the holdings that are too large, and the
/// way back to spend them, are much the same.
#[derive(Debug)]
pub struct TurnsHome {
    turns: Vec<u8>,
}

/// A lone hare that is to move and does not miss its turn; small, since computing the table lists all of them.
#[derive(Clone, Copy, Debug)]
struct LoneHare {
    lettuces: u8,
    square: u8,
    carrots: u16,
}

impl TurnsHome {
    /// Marks a hare whose number of turns is unknown.
    pub const UNKNOWN: u8 = u8::MAX;

    /// Number of turns that a hare needs, at least 1 before the finish. Each fifty carrots beyond the table count as
    /// one more turn.
    #[inline]
    pub fn turns(&self, lettuces: u8, square: u8, carrots: u16) -> u8 {
        let beyond = carrots.saturating_sub(MAX_TABLE_CARROTS);
        let hare = LoneHare { lettuces, square, carrots: carrots.min(MAX_TABLE_CARROTS) };
        let more = (beyond / CARROTS_SPENT_A_TURN).min(100) as u8;
        self.turns[hare.index()].saturating_add(more)
    }

    /// Computes the table of a track for hares with up to `lettuces` lettuces.
    pub(super) fn of(track: &Track, lettuces: u8) -> TurnsHome {
        let at_finish = |lettuces, carrots| LoneHare { lettuces, square: FINISH, carrots };
        let most = at_finish(lettuces, MAX_TABLE_CARROTS);
        let mut turns = vec![TurnsHome::UNKNOWN; most.index() + 1];
        // Hares that need `count` turns, one more, and two more.
        let mut now: Vec<LoneHare> =
            (0..=KEPT_BY_FIRST).map(|carrots| at_finish(0, carrots)).collect();
        let mut next = Vec::new();
        let mut later = Vec::new();
        for count in 0..TurnsHome::UNKNOWN {
            for hare in std::mem::take(&mut now) {
                if turns[hare.index()] != TurnsHome::UNKNOWN {
                    continue;
                }
                turns[hare.index()] = count;
                hare.for_each_before(track, |before, takes_two_turns| {
                    if before.lettuces <= most.lettuces
                        && turns[before.index()] == TurnsHome::UNKNOWN
                    {
                        let list = if takes_two_turns { &mut later } else { &mut next };
                        list.push(before);
                    }
                });
            }
            now = std::mem::replace(&mut next, std::mem::take(&mut later));
        }
        TurnsHome { turns }
    }
}

impl LoneHare {
    fn index(self) -> usize {
        let squares = usize::from(FINISH) + 1;
        let row = usize::from(self.lettuces) * squares + usize::from(self.square);
        row * (usize::from(MAX_TABLE_CARROTS) + 1) + usize::from(self.carrots)
    }

    /// Calls `visit` with each hare that one move turns into this one, and with whether that takes two turns, as on a
    /// lettuce square, where the next turn is for eating.
    fn for_each_before(self, track: &Track, mut visit: impl FnMut(LoneHare, bool)) {
        let LoneHare { square, carrots, .. } = self;
        let kind = track.square(square);
        if kind == Square::Hedgehog {
            for from in square + 1..FINISH {
                let is_nearest = track.hedgehog_behind[usize::from(from)] == square;
                if let Some(carrots) = carrots.checked_sub(TEN_CARROTS * u16::from(from - square))
                    && is_nearest
                {
                    let before = LoneHare { square: from, carrots, ..self };
                    visit(before, false);
                }
            }
            return;
        }
        if kind == Square::Carrot {
            if let Some(carrots) = carrots.checked_sub(TEN_CARROTS) {
                visit(LoneHare { carrots, ..self }, false);
            }
            let carrots = carrots + TEN_CARROTS;
            if carrots <= MAX_TABLE_CARROTS {
                visit(LoneHare { carrots, ..self }, false);
            }
        }
        let eats = kind == Square::Lettuce;
        let eaten = u8::from(eats);
        let Some(carrots) = carrots.checked_sub(TEN_CARROTS * u16::from(eaten)) else {
            return;
        };
        if kind == Square::Hare {
            return;
        }
        for steps in 1..=square {
            let before = LoneHare {
                lettuces: self.lettuces + eaten,
                square: square - steps,
                carrots: carrots + cost(u16::from(steps)),
            };
            if before.carrots > MAX_TABLE_CARROTS {
                return;
            }
            visit(before, eats);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::hase::{HARE_AND_TORTOISE, HASE_UND_IGEL, Ruleset};

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

    fn from_table(ruleset: &Ruleset, lettuces: u8, square: u8, carrots: u16) -> u32 {
        match ruleset.turns_home.turns(lettuces, square, carrots) {
            TurnsHome::UNKNOWN => 10_000,
            turns => turns.into(),
        }
    }

    /// One turn more than the best hare that a move leads to, or two on a lettuce square.
    fn by_looking_ahead(ruleset: &Ruleset, lettuces: u8, square: u8, carrots: u16) -> u32 {
        let turns = |lettuces, square, carrots| from_table(ruleset, lettuces, square, carrots);
        let mut best = 10_000;
        for target in square + 1..=64 {
            let price = cost(u16::from(target - square));
            if price > carrots {
                break;
            }
            let left = carrots - price;
            let then = match ruleset.track.square(target) {
                Square::Hare | Square::Hedgehog => continue,
                Square::Lettuce if lettuces == 0 => continue,
                Square::Finish if lettuces > 0 || left > KEPT_BY_FIRST => continue,
                Square::Lettuce if left + TEN_CARROTS > MAX_TABLE_CARROTS => continue,
                Square::Lettuce => 1 + turns(lettuces - 1, target, left + TEN_CARROTS),
                Square::Finish => 0,
                _ => turns(lettuces, target, left),
            };
            best = best.min(1 + then);
        }
        let behind = (1..square).rev();
        let mut hedgehogs = behind.filter(|&at| ruleset.track.square(at) == Square::Hedgehog);
        if let Some(at) = hedgehogs.next()
            && carrots + TEN_CARROTS * u16::from(square - at) <= MAX_TABLE_CARROTS
        {
            let carrots = carrots + TEN_CARROTS * u16::from(square - at);
            best = best.min(1 + turns(lettuces, at, carrots));
        }
        if ruleset.track.square(square) == Square::Carrot {
            if carrots + TEN_CARROTS <= MAX_TABLE_CARROTS {
                best = best.min(1 + turns(lettuces, square, carrots + TEN_CARROTS));
            }
            if carrots >= TEN_CARROTS {
                best = best.min(1 + turns(lettuces, square, carrots - TEN_CARROTS));
            }
        }
        best
    }

    #[test]
    fn every_entry_is_what_looking_ahead_finds() {
        for ruleset in [&HASE_UND_IGEL, &HARE_AND_TORTOISE] {
            for lettuces in 0..=3 {
                for square in 0..64 {
                    for carrots in 0..=MAX_TABLE_CARROTS {
                        let found = from_table(ruleset, lettuces, square, carrots);
                        let expected = by_looking_ahead(ruleset, lettuces, square, carrots);
                        assert_eq!(found, expected, "{lettuces} {square} {carrots}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_hare_with_the_right_holding_is_home_in_one_turn() {
        for (square, carrots) in [(63, 1), (63, 11), (61, 16), (43, 231), (43, 241)] {
            assert_eq!(HASE_UND_IGEL.turns_home.turns(0, square, carrots), 1, "{square} {carrots}");
        }
        assert_eq!(HASE_UND_IGEL.turns_home.turns(0, 64, 3), 0);
        assert!(HASE_UND_IGEL.turns_home.turns(0, 43, 242) > 1);
    }
}
