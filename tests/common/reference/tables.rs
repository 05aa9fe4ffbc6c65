//! Tables of the variants, typed from the printed rules.

/// Tables of one variant.
#[derive(Debug)]
pub struct Variant {
    pub name: &'static str,
    pub carrots: i32,
    /// Squares that differ from `TRACK_OF_1978`.
    changes: &'static [(usize, &'static str)],
}

pub static VARIANTS: [Variant; 2] = [
    Variant { name: "hase-und-igel", carrots: 68, changes: &[] },
    Variant {
        name: "hare-and-tortoise",
        carrots: 65,
        changes: &[
            (7, "flag"),
            (8, "2"),
            (10, "lettuce"),
            (60, "flag"),
            (61, "carrot"),
            (62, "hare"),
            (63, "carrot"),
        ],
    },
];

/// Lettuces at the start, in both variants.
pub const LETTUCES: i32 = 3;

const TRACK_OF_1978: &str = "start
    hare carrot hare 3 carrot hare lettuce hedgehog 4 2
    hedgehog 3 carrot hare hedgehog flag 2 4 hedgehog 3
    carrot lettuce 2 hedgehog hare carrot 4 3 2 hedgehog
    hare flag carrot hare 2 3 hedgehog carrot hare carrot
    2 lettuce hedgehog 3 4 hare 2 flag carrot hedgehog
    hare 3 2 4 carrot hedgehog lettuce hare carrot 2
    hare lettuce hare
    finish";

/// The deck: token, letter among the drawn cards (the shuffle is never among them), number.
pub const DECK: [(&str, char, u32); 8] = [
    ("+behind", 'B', 2),
    ("+draw", 'D', 2),
    ("+restore", 'R', 2),
    ("+half", 'H', 2),
    ("+free", 'F', 2),
    ("+show", 'S', 2),
    ("+give", 'G', 2),
    ("+shuffle", ' ', 1),
];

impl Variant {
    pub fn named(name: &str) -> &'static Variant {
        VARIANTS.iter().find(|v| v.name == name).unwrap()
    }

    /// Kinds of the squares 0 to 64.
    pub fn track(&self) -> Vec<&'static str> {
        let mut track: Vec<_> = TRACK_OF_1978.split_whitespace().collect();
        for &(square, kind) in self.changes {
            track[square] = kind;
        }
        track
    }
}
