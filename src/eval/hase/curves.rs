//! The curves of the article's evaluation, each in one table.
//!
//! Source: the article "AI in Hase und Igel: minimax for three". It shows its curves as pictures only; these
//! obey what it says of them, and were chosen among candidates by matches (docs/article.md).

/// The most lettuces that a hare can hold.
const MOST_LETTUCES: usize = 3;

/// The most lettuce squares that can lie ahead.
const MOST_AHEAD: usize = 5;

/// Holdings beyond this count as this.
pub const MOST_CARROTS: usize = 511;

/// S by lettuces in hand and lettuce squares strictly ahead.
pub type LettuceCurves = [[i32; MOST_AHEAD + 1]; MOST_LETTUCES + 1];

/// C by carrots held.
pub type CarrotCurve = [i32; MOST_CARROTS + 1];

/// The curves that S and C are read from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Curves {
    /// S by lettuces in hand and lettuce squares strictly ahead.
    pub lettuces: LettuceCurves,
    /// C by carrots held: in the first half of the track, in the second, and where they pay the way home.
    pub carrots: [CarrotCurve; 3],
}

/// The few numbers that curves are drawn from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// S by lettuces in hand and lettuce squares strictly ahead.
    pub lettuces: LettuceCurves,
    /// The worth of carrots in the first half of the track.
    pub first_half: Falling,
    /// The worth of carrots in the second half of the track.
    pub second_half: Falling,
    /// The worth of carrots that pay the way home.
    pub way_home: Burden,
}

/// A worth that grows with each carrot, by less and less.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Falling {
    /// What the first carrot is worth, in hundredths.
    pub first: i32,
    /// So many carrots held, one more is worth half as much.
    pub half: i32,
}

/// A worth that falls with each carrot, by more and more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Burden {
    /// The worth of none in hand.
    pub start: i32,
    /// What the first carrot takes away, in thousandths.
    pub first: i32,
    /// By how much more each further one takes away, in thousandths.
    pub growth: i32,
}

/// The shape of the preset's curves.
pub const SHAPE: Shape = Shape {
    lettuces: [
        [60, 60, 60, 60, 60, 60],
        [-100, -35, 16, 18, 35, 35],
        [-170, -115, -55, -45, -15, 0],
        [-260, -215, -130, -100, -75, -50],
    ],
    first_half: Falling {
        first: 96,
        half: 67,
    },
    second_half: Falling {
        first: 90,
        half: 55,
    },
    way_home: Burden {
        start: 110,
        first: 1100,
        growth: 15,
    },
};

/// The preset's curves.
pub static CURVES: Curves = SHAPE.curves();

impl Shape {
    /// The curves of this shape.
    pub const fn curves(&self) -> Curves {
        Curves {
            lettuces: self.lettuces,
            carrots: [
                self.first_half.curve(),
                self.second_half.curve(),
                self.way_home.curve(),
            ],
        }
    }
}

impl Falling {
    /// The curve: a sum of worths of single carrots, rounded down.
    pub const fn curve(self) -> CarrotCurve {
        let mut table = [0; MOST_CARROTS + 1];
        let mut carrots = 1;
        let mut hundredths = 0;
        while carrots < table.len() {
            hundredths += self.first * self.half / (self.half + carrots as i32 - 1);
            table[carrots] = hundredths / 100;
            carrots += 1;
        }
        table
    }
}

impl Burden {
    /// The curve, each carrot's part rounded up.
    pub const fn curve(self) -> CarrotCurve {
        let mut table = [self.start; MOST_CARROTS + 1];
        let mut carrots = 1;
        let mut thousandths = 0;
        while carrots < table.len() {
            thousandths += self.first + self.growth * (carrots as i32 - 1);
            table[carrots] = self.start - thousandths / 1000;
            carrots += 1;
        }
        table
    }
}
