//! Table of the candidates.

use buxtehude::eval::curves::{Burden, Falling, LettuceCurves, SHAPE, Shape};

/// Curves with a name.
pub struct Candidate {
    pub name: &'static str,
    /// Description of the idea.
    pub idea: &'static str,
    /// Parameters of the curves.
    pub shape: Shape,
}

/// Curves that agree with every statement of the article.
pub const CANDIDATES: [Candidate; 16] = [
    candidate("preset", "the preset's", SHAPE),
    candidate("intuition", "the first guess, by eye", INTUITION),
    candidate(
        "turns",
        "lettuces and carrots by the turns that a lone hare needs",
        Shape {
            lettuces: BY_TURNS,
            first_half: falling(65, 120),
            second_half: falling(62, 80),
            way_home: burden(20, 400, 2),
        },
    ),
    candidate("gentle", "lettuces weigh half as much", with_lettuces(50)),
    candidate("firm", "lettuces weigh three quarters", with_lettuces(75)),
    candidate(
        "severe",
        "lettuces weigh two fifths more",
        with_lettuces(140),
    ),
    candidate(
        "thrifty",
        "carrots worth a fifth more",
        with_carrots(120, 100),
    ),
    candidate(
        "lavish",
        "carrots worth a fifth less",
        with_carrots(80, 100),
    ),
    candidate(
        "hoarder",
        "the worth of carrots lasts twice as long",
        with_carrots(80, 200),
    ),
    candidate(
        "spender",
        "the worth of carrots falls sooner",
        with_carrots(120, 60),
    ),
    candidate(
        "hasty",
        "as spender, in the second half alone",
        Shape {
            second_half: falling(108, 33),
            ..SHAPE
        },
    ),
    candidate(
        "modest",
        "hardly a gain by being able to pay the way home",
        with_way_home(20, 1100, 15),
    ),
    candidate(
        "homesick",
        "a great gain by it",
        with_way_home(180, 1100, 15),
    ),
    candidate(
        "light",
        "some carrots too many hardly count",
        with_way_home(110, 100, 10),
    ),
    candidate(
        "heavy",
        "each carrot too many counts twice",
        with_way_home(110, 2200, 30),
    ),
    candidate(
        "growing",
        "the first carrots hardly count, many very much",
        with_way_home(110, 100, 60),
    ),
];

const fn candidate(name: &'static str, idea: &'static str, shape: Shape) -> Candidate {
    Candidate { name, idea, shape }
}

/// First guess, without any games.
const INTUITION: Shape = Shape {
    lettuces: [
        [60, 60, 60, 60, 60, 60],
        [-20, 25, 38, 42, 44, 45],
        [-60, -20, 5, 20, 26, 30],
        [-90, -60, -25, -5, 8, 15],
    ],
    first_half: falling(90, 60),
    second_half: falling(90, 35),
    way_home: burden(60, 600, 20),
};

/// Values a turn at about eight, and a lettuce at hardly one turn while there are enough lettuce squares ahead.
const BY_TURNS: LettuceCurves = [
    [20, 20, 20, 20, 20, 20],
    [-4, 8, 12, 14, 15, 16],
    [-26, -14, 0, 7, 10, 12],
    [-45, -40, -20, -6, 2, 6],
];

const fn falling(first: i32, half: i32) -> Falling {
    Falling { first, half }
}

const fn burden(start: i32, first: i32, growth: i32) -> Burden {
    Burden {
        start,
        first,
        growth,
    }
}

/// The preset's curves, with the weight of lettuces scaled to this many hundredths.
const fn with_lettuces(hundredths: i32) -> Shape {
    let mut shape = SHAPE;
    let none = SHAPE.lettuces[0][0];
    let mut lettuces = 1;
    while lettuces < shape.lettuces.len() {
        let mut ahead = 0;
        while ahead < shape.lettuces[lettuces].len() {
            let less = none - shape.lettuces[lettuces][ahead];
            shape.lettuces[lettuces][ahead] = none - less * hundredths / 100;
            ahead += 1;
        }
        lettuces += 1;
    }
    shape
}

/// The preset's curves, with the value of the first carrot and its half-life scaled to these hundredths.
const fn with_carrots(first: i32, half: i32) -> Shape {
    let [in_first, in_second] = [SHAPE.first_half, SHAPE.second_half];
    Shape {
        first_half: falling(in_first.first * first / 100, in_first.half * half / 100),
        second_half: falling(in_second.first * first / 100, in_second.half * half / 100),
        ..SHAPE
    }
}

/// The preset's curves, with a different way home.
const fn with_way_home(start: i32, first: i32, growth: i32) -> Shape {
    Shape {
        way_home: burden(start, first, growth),
        ..SHAPE
    }
}
