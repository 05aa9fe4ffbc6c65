//! The traps, and the positions where fear of a trap is a mistake.

/// A position where the article's preset makes a mistake.
pub struct Case {
    pub text: &'static str,
    /// The mistake.
    pub played: &'static str,
    /// The best move.
    pub better: &'static str,
    /// Moves of the preset with `article-penalty`, at depths 3 to 6.
    pub penalty: [&'static str; 4],
    /// Its moves with `article`.
    pub article: [&'static str; 4],
    /// Its moves with `chance`.
    pub chance: [&'static str; 4],
    /// Depth of the search that values the moves.
    pub depth: u32,
}

/// The article's example: seven squares to hare square 61 and three more home, or four to hare square 58 and six home.
pub const ARTICLE_TRAP: Case = Case {
    text: "54,43,0/30,40,1 1 - -",
    played: "7",
    better: "1",
    penalty: ["4", "4", "4", "4"],
    article: ["5", "5", "-4", "-4"],
    chance: ["7", "7", "5", "5"],
    depth: 9,
};

/// Positions where `article-penalty` wrongly moves to a hare square: near the finish, on square 51 where the final
/// remedy does not help, and with three seats.
pub const TRAPS: &[Case] = &[
    Case {
        text: "55,40,0/58,14,0 1 - -",
        played: "6",
        better: "1001",
        penalty: ["6", "6", "6", "6"],
        article: ["1001", "1001", "1001", "1001"],
        chance: ["1001", "1001", "1001", "1001"],
        depth: 9,
    },
    Case {
        text: "59,27,0/54,22,0 1 - -",
        played: "4",
        better: "1002",
        penalty: ["4", "4", "4", "4"],
        article: ["1002", "1002", "1002", "1002"],
        chance: ["1002", "1002", "1002", "1002"],
        depth: 9,
    },
    Case {
        text: "53,23,0/57,16,0 1 - -",
        played: "5",
        better: "6",
        penalty: ["5", "5", "5", "5"],
        article: ["6", "6", "6", "6"],
        chance: ["6", "6", "6", "6"],
        depth: 9,
    },
    Case {
        text: "57,39,0/60,5,0 1 - -",
        played: "6",
        better: "-1",
        penalty: ["6", "6", "6", "6"],
        article: ["2", "-1", "-1", "-1"],
        chance: ["6", "6", "-1", "-1"],
        depth: 9,
    },
    Case {
        text: "58,32,0/51,54,1 1 - -",
        played: "5",
        better: "1",
        penalty: ["5", "5", "5", "5"],
        article: ["1", "1", "1", "1"],
        chance: ["3", "5", "1", "1"],
        depth: 9,
    },
    Case {
        text: "60,4,0/61,3,0 1 - -",
        played: "3",
        better: "-4",
        penalty: ["3", "3", "3", "3"],
        article: ["-4", "-4", "-4", "-4"],
        chance: ["-4", "3", "3", "-4"],
        depth: 9,
    },
    Case {
        text: "46,61,1/37,35,1 1 - -",
        played: "5",
        better: "8",
        penalty: ["5", "5", "5", "5"],
        article: ["5", "5", "5", "5"],
        chance: ["5", "5", "3", "3"],
        depth: 7,
    },
    Case {
        text: "47,55,0/49,65,0 1 - -",
        played: "4",
        better: "6",
        penalty: ["4", "6", "6", "6"],
        article: ["4", "6", "6", "6"],
        chance: ["8", "6", "6", "6"],
        depth: 9,
    },
    Case {
        text: "59,27,0/60,2,0/51,6,0 1 - -",
        played: "4",
        better: "1002",
        penalty: ["2", "4", "4", "4"],
        article: ["1002", "1002", "1002", "1002"],
        chance: ["1002", "1002", "1002", "1002"],
        depth: 6,
    },
    Case {
        text: "55,39,0/49,40,2/60,2,0 1 - -",
        played: "6",
        better: "1001",
        penalty: ["4", "6", "6", "6"],
        article: ["4", "1001", "1001", "1001"],
        chance: ["4", "1001", "1001", "1001"],
        depth: 6,
    },
];

/// Positions where moving to one of the last hare squares is right; `article`, the final remedy, never does it.
pub const REFUSALS: &[Case] = &[
    Case {
        text: "60,8,0/52,39,0 1 - -",
        played: "-4",
        better: "3",
        penalty: ["-4", "-4", "-4", "-4"],
        article: ["-4", "-4", "-4", "-4"],
        chance: ["3", "3", "3", "3"],
        depth: 9,
    },
    Case {
        text: "62,2,0/59,0,0 1 - -",
        played: "-6",
        better: "1",
        penalty: ["-6", "-6", "-6", "-6"],
        article: ["-6", "-6", "-6", "-6"],
        chance: ["1", "1", "1", "1"],
        depth: 9,
    },
    Case {
        text: "56,25,0/59,13,0 1 - -",
        played: "4",
        better: "2",
        penalty: ["4", "4", "4", "4"],
        article: ["4", "4", "4", "4"],
        chance: ["2", "2", "2", "2"],
        depth: 9,
    },
    Case {
        text: "53,46,0/63,1,0/61,59,0 1 - -",
        played: "7",
        better: "5",
        penalty: ["7", "7", "7", "7"],
        article: ["7", "7", "7", "7"],
        chance: ["5", "5", "5", "5"],
        depth: 6,
    },
];
