//! Savings by pruning, sorting and caps in the vector search: positions visited and evaluated and time at each depth,
//! over 21 positions of two seats and 21 of three, taken from all stages of the race.
//!
//! Run it with `cargo bench -p buxtehude --bench article`. Figures are medians over the positions; ratios are medians
//! of the ratios to the full search on single positions, measured side by side.

use std::cell::Cell;
use std::time::{Duration, Instant};

use buxtehude::articles::Extent;
use buxtehude::articles::evaluation::Factors;
use buxtehude::articles::lookahead::{HareModel, Lookahead};
use buxtehude::articles::strategy::{Prune, Strategy, VectorSettings};
use buxtehude::articles::vectors::{Model, search};
use buxtehude::rules::hase::{HASE_UND_IGEL, Move, Position};
use buxtehude::rules::{Game, Seat, Turn};
use buxtehude::search::Control;

const TWO_SEATS: [&str; 21] = [
    "0,68,3/0,68,3 1 - -", "1,67,3/0,68,3 2 - S", "10,24,3/4,68,3 2 - G", "6,65,3/3,52,3 2 - RHG",
    "10,42,3/11,33,3 1 - SS", "16,56,3/7,73,2 2 - DR", "22,24,1/10,35,2 2 - H",
    "8,76,3/13,60,2 2 - H", "10,91,3/22,15,2! 1 - DHS", "22,47,1/17,57,3 2 - BRF",
    "22,52,3!/19,68,2 2 - HGG", "22,94,1/23,83,2 1 - F", "19,124,1/23,83,2 2 - F",
    "32,24,2/22,111,2! 1 - B", "35,106,1/42,31,0 2 - R", "42,49,1/48,61,1 1 - DR",
    "48,8,0/42,85,1! 1 - HF", "42,101,1!/37,67,1 2 - SG", "37,64,1/48,60,1 1 - H",
    "42,103,0/46,84,1 1 - DRHFG", "44,117,0/54,34,1 1 - BRF",
];

const THREE_SEATS: [&str; 21] = [
    "5,53,3/9,23,3/0,68,3 3 - -",
    "10,22,3/7,82,3!/9,41,3 1 - SS",
    "7,46,2/12,74,3/17,59,3 1 - RSG",
    "21,65,3/20,47,3/19,51,3 3 - DR",
    "12,51,3/17,32,2/10,68,2 1 - H",
    "20,77,2/18,62,3/21,54,3 1 - BF",
    "21,125,3/20,117,3/19,121,3 3 - DR",
    "20,102,3/41,20,2/15,127,3 1 - -",
    "39,36,2/28,98,3/35,83,3 3 - DRHFSG",
    "29,81,2/21,72,3/24,101,1 2 - DRHG",
    "39,81,2/21,82,3/28,91,1 2 - DRHFG",
    "32,327,2/45,172,2/55,51,1 2 - BBDRRHHFSG",
    "51,62,3/56,50,2/55,68,1 1 - BBDRFG",
    "57,56,2!/50,58,2/30,305,3 3 - -",
    "41,213,2/57,33,2/42,126,2 2 - BBFF",
    "30,323,2/56,173,1/42,263,2 1 - BHF",
    "43,151,2/40,330,1/48,255,0 1 - H",
    "28,347,3/49,217,1/40,303,0 3 - BBDRFFSG",
    "42,254,1/30,430,1/49,318,0 2 - HF",
    "37,327,1/56,91,1/43,320,0 1 - DDRHHFFSGG",
    "57,65,2/54,24,1/64,9,0 1 3 BDDRHH",
];

/// Model that counts evaluations. Sorting evaluates each position as a move of the one above, and not again.
struct Counted<'a> {
    model: &'a Lookahead,
    is_sorted: bool,
    evaluations: Cell<u64>,
}

impl Counted<'_> {
    fn count(&self) {
        self.evaluations.update(|count| count + 1);
    }
}

impl Model for Counted<'_> {
    type Position = Position;
    type Move = Move;

    fn seats(&self, position: &Position) -> usize {
        self.model.seats(position)
    }

    fn turn(&self, position: &Position) -> Turn {
        self.model.turn(position)
    }

    fn moves(&self, position: &Position) -> impl Iterator<Item = Move> {
        self.model.moves(position)
    }

    fn play(&self, position: &Position, mv: Move) -> Position {
        self.model.play(position, mv)
    }

    fn outcomes(&self, position: &Position) -> impl Iterator<Item = (Position, u32)> {
        self.model.outcomes(position)
    }

    fn is_decided(&self, position: &Position, seat: Seat) -> bool {
        self.model.is_decided(position, seat)
    }

    fn worth<const N: usize>(&self, position: &Position) -> [i32; N] {
        if !self.is_sorted {
            self.count();
        }
        self.model.worth(position)
    }

    fn static_worth<const N: usize>(&self, position: &Position) -> [i32; N] {
        self.count();
        self.model.static_worth(position)
    }
}

/// Full searches, each followed by the searches that are compared with it; [`settings_of`] explains the words.
const MODES: [&str; 12] = [
    "relative, full", "relative, exact", "relative, exact, sorted",
    "relative, exact, sorted, capped", "relative, article", "relative, article, sorted",
    "absolute, full", "absolute, exact, sorted", "absolute, exact, sorted, capped",
    "absolute, article", "absolute, article, sorted", "absolute, article, sorted, capped",
];

/// Strategy, pruning, and whether moves are sorted and capped.
fn settings_of(mode: &str) -> VectorSettings {
    let has = |word: &str| mode.split(", ").any(|found| found == word);
    let caps = if has("capped") { "0,0,8,8,4" } else { "0" };
    VectorSettings {
        strategy: if has("relative") { Strategy::RELATIVE } else { Strategy::ABSOLUTE },
        prune: match (has("exact"), has("article")) {
            (true, _) => Prune::Exact,
            (_, true) => Prune::Article,
            _ => Prune::Off,
        },
        sort: has("sorted"),
        caps: caps.parse().expect("a list of caps"),
    }
}

/// Cost and result of the search to one depth alone, without the iterations before it.
#[derive(Clone)]
struct Cost {
    nodes: u64,
    evaluations: u64,
    time: Duration,
    best: Move,
    worth: [i32; 6],
}

fn main() {
    compare("two seats", &TWO_SEATS, 4..=8);
    compare("three seats", &THREE_SEATS, 4..=6);
}

fn compare(title: &str, texts: &[&str], depths: std::ops::RangeInclusive<u32>) {
    let deepest = *depths.end();
    // Costs by mode, position and depth from 1.
    let mut costs = vec![Vec::new(); MODES.len()];
    for text in texts {
        let position = Position::parse(&HASE_UND_IGEL, text).expect("a position");
        for (mode, costs) in MODES.iter().zip(&mut costs) {
            costs.push(search_each_depth(&position, mode, deepest));
        }
    }
    for depth in depths {
        println!("{title}, depth {depth}");
        println!(
            "  mode                                  nodes        ms     ns/node  nodes x  evals x  time x  \
             other move  other vector"
        );
        let mut full = 0;
        for (mode, name) in MODES.iter().enumerate() {
            if name.ends_with("full") {
                full = mode;
            }
            print_row(name, &costs[mode], &costs[full], depth);
        }
    }
}

fn print_row(name: &str, costs: &[Vec<Cost>], full: &[Vec<Cost>], depth: u32) {
    let at = |costs: &Vec<Cost>| costs[(depth as usize).min(costs.len()) - 1].clone();
    // Excludes positions that are decided before this depth.
    let pairs: Vec<(Cost, Cost)> = costs
        .iter()
        .zip(full)
        .filter(|(_, full)| full.len() >= depth as usize)
        .map(|(cost, full)| (at(cost), at(full)))
        .collect();
    let median = |mut values: Vec<f64>| {
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    };
    let of = |figure: &dyn Fn(&(Cost, Cost)) -> f64| median(pairs.iter().map(figure).collect());
    let share = |differs: &dyn Fn(&(Cost, Cost)) -> bool| {
        let count = pairs.iter().filter(|pair| differs(pair)).count();
        format!("{count} of {}", pairs.len())
    };
    println!(
        "  {name:34} {:>9} {:>9.3} {:>11.1} {:>8.4} {:>8.4} {:>7.4} {:>11} {:>13}",
        of(&|(cost, _)| cost.nodes as f64),
        of(&|(cost, _)| cost.time.as_secs_f64() * 1e3),
        of(&|(cost, _)| cost.time.as_nanos() as f64 / cost.nodes as f64),
        of(&|(cost, full)| cost.nodes as f64 / full.nodes as f64),
        of(&|(cost, full)| cost.evaluations as f64 / full.evaluations as f64),
        of(&|(cost, full)| cost.time.as_secs_f64() / full.time.as_secs_f64()),
        share(&|(cost, full)| cost.best != full.best),
        share(&|(cost, full)| cost.worth != full.worth),
    );
}

fn search_each_depth(position: &Position, mode: &str, deepest: u32) -> Vec<Cost> {
    let settings = settings_of(mode);
    let extent = Extent {
        moves: position.legal_moves().collect(),
        depth: deepest,
        nodes: u64::MAX,
        multipv: 1,
    };
    let model = Lookahead::new(position.ruleset(), &Factors::default(), HareModel::Article);
    let mut costs = Vec::new();
    let mut nodes = 0;
    let mut start = Instant::now();
    let control = Control::new(None);
    search(&model, position, &settings, &extent, &control, &mut |line| {
        costs.push(Cost {
            nodes: line.nodes - nodes,
            evaluations: 0,
            time: start.elapsed(),
            best: line.pv[0],
            worth: line.value,
        });
        nodes = line.nodes;
        start = Instant::now();
    });
    let counted = Counted { model: &model, is_sorted: settings.sort, evaluations: Cell::new(0) };
    let mut depths = costs.iter_mut();
    search(&counted, position, &settings, &extent, &control, &mut |_| {
        if let Some(cost) = depths.next() {
            cost.evaluations = counted.evaluations.take();
        }
    });
    costs
}
