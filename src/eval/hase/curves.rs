//! The curves of the article's evaluation, one table for each.
//!
//! Source: the article "AI in Hase und Igel: minimax for three". It shows its curves only as pictures; these follow its
//! description and were chosen among candidates by matches (docs/article.md).

/// Largest number of lettuces in hand.
const MAX_LETTUCES: usize = 3;

/// Largest number of lettuce squares ahead.
const MAX_AHEAD: usize = 5;

/// Largest holding in the curves; larger ones count as this.
pub const MAX_CARROTS: usize = 511;

/// S by lettuces in hand and lettuce squares strictly ahead.
pub type LettuceCurves = [[i32; MAX_AHEAD + 1]; MAX_LETTUCES + 1];

/// C by carrots held.
pub type CarrotCurve = [i32; MAX_CARROTS + 1];

/// The curves of S and C.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Curves {
    /// S by lettuces in hand and lettuce squares strictly ahead.
    pub lettuces: LettuceCurves,
    /// C by carrots held: for the first half of the track, for the second half, and for holdings that pay the way home.
    pub carrots: [CarrotCurve; 3],
}

/// Parameters of the curves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// S by lettuces in hand and lettuce squares strictly ahead.
    pub lettuces: LettuceCurves,
    /// Value of carrots in the first half of the track.
    pub first_half: Falling,
    /// Value of carrots in the second half of the track.
    pub second_half: Falling,
    /// Value of carrots that pay the way home.
    pub way_home: Burden,
}

/// A value that grows with each carrot, by decreasing amounts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Falling {
    /// Value of the first carrot, in hundredths.
    pub first: i32,
    /// Number of carrots at which one more is worth half as much.
    pub half: i32,
}

/// A value that falls with each carrot, by increasing amounts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Burden {
    /// Value of no carrots.
    pub start: i32,
    /// Decrease for the first carrot, in thousandths.
    pub first: i32,
    /// Growth of the decrease per carrot, in thousandths.
    pub growth: i32,
}

/// Parameters of the preset's curves.
pub const SHAPE: Shape = Shape {
    lettuces: [
        [60, 60, 60, 60, 60, 60],
        [-100, -35, 16, 18, 35, 35],
        [-170, -115, -55, -45, -15, 0],
        [-260, -215, -130, -100, -75, -50],
    ],
    first_half: Falling { first: 96, half: 67 },
    second_half: Falling { first: 90, half: 55 },
    way_home: Burden { start: 110, first: 1100, growth: 15 },
};

/// The preset's curves.
pub static CURVES: Curves = SHAPE.curves();

impl Shape {
    /// Computes the curves.
    pub const fn curves(&self) -> Curves {
        Curves {
            lettuces: self.lettuces,
            carrots: [self.first_half.curve(), self.second_half.curve(), self.way_home.curve()],
        }
    }
}

impl Falling {
    /// Computes the curve: a sum of the values of single carrots, rounded down.
    pub const fn curve(self) -> CarrotCurve {
        let mut table = [0; MAX_CARROTS + 1];
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
    /// Computes the curve, with each carrot's part rounded up.
    pub const fn curve(self) -> CarrotCurve {
        let mut table = [self.start; MAX_CARROTS + 1];
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
