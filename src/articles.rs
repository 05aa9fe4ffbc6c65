//! The programs of two articles, whole: "AI in Hase und Igel: minimax for three" and "Rabbits & Wolves".
//!
//! The first searches [`vectors`] of its [`evaluation`], with a simplified [treatment of hare squares](lookahead); its
//! author tunes the evaluation on [`etudes`]. The second is a [`minimax`]. Both search a model of the game to a fixed
//! depth, without a transposition table, and share the iterative deepening. Its iterations share no information, so
//! each finds exactly what a search to that depth alone would.

pub mod etudes;
pub mod evaluation;
pub mod lookahead;
pub mod minimax;
pub mod strategy;
pub mod vectors;

use std::fmt::Display;

use crate::eval::{CERTAIN, Vector, WORTH_UNIT, exp, fox, mean_over_cards};
use crate::protocol::OptionValue;
use crate::rules::{AnyPosition, Game, MAX_SEATS, Seat};
use crate::search::{Answer, Control, Report, Request, Value};
use evaluation::{CURVES, Evaluation, Factors};
use lookahead::{HareModel, Lookahead};
use minimax::{Heuristic, MinimaxModel, Pursuit};
use strategy::{Prune, VectorSettings};

/// Searches a position as the article about its game does; see [`search`](crate::search::search).
///
/// # Returns
/// `None` if there is no such article, no seat is to move, or none of the requested moves is legal.
pub fn search(
    request: &Request,
    settings: &ArticleSettings,
    control: &Control,
    observe: &mut dyn FnMut(Report),
) -> Option<Answer> {
    if let AnyPosition::Hase(position) = &request.position {
        let model = Lookahead::new(position.ruleset(), &settings.factors, settings.hare_model);
        let seats = position.seats();
        let value_of = |line: &Line<_, Vector>| Value {
            leads: leads(&line.value, seats),
            // Longer lines are not certain: the model draws no cards, and rivals may move differently.
            mate: i32::from(line.is_won && line.pv.len() == 1),
            seats,
        };
        let extent = Extent::new(position, request, settings, control);
        let search = &settings.search;
        let best = vectors::search(&model, position, search, &extent, control, &mut |line| {
            observe(report_of(line, value_of(line), line.value[..seats].to_vec()));
        })?;
        return Some(Answer::of_line(position, &best.pv, value_of(&best), best.nodes));
    }
    if let AnyPosition::Fox(position) = &request.position {
        let model = Pursuit { heuristic: settings.heuristic };
        let seats = position.seats();
        let value_of = |line: &Line<_, i32>| Value {
            leads: leads(&fox::worth(line.value), seats),
            mate: 0,
            seats,
        };
        let extent = Extent::new(position, request, settings, control);
        let best = minimax::search(&model, position, &extent, control, &mut |line| {
            observe(report_of(line, value_of(line), vec![line.value]));
        })?;
        return Some(Answer::of_line(position, &best.pv, value_of(&best), best.nodes));
    }
    None
}

/// Terms of the article's evaluation of a position as text, and the leads that follow from it; `None` if there is no
/// article about the game.
pub fn explain(
    position: &AnyPosition,
    settings: &ArticleSettings,
) -> Option<(Vec<String>, Vector)> {
    if let AnyPosition::Hase(position) = position {
        let evaluation = Evaluation::new(position.ruleset(), &CURVES, &settings.factors);
        let leads = mean_over_cards(position, |open| {
            let mut worth = [0; MAX_SEATS];
            for (seat, worth) in worth.iter_mut().enumerate().take(open.seats()) {
                *worth = evaluation.worth_of(open, Seat(seat as u8));
            }
            leads(&worth, open.seats())
        });
        return Some((evaluation::explain(position, &settings.factors), leads));
    }
    if let AnyPosition::Fox(position) = position {
        let model = Pursuit { heuristic: settings.heuristic };
        let worth = fox::worth(model.value(position));
        return Some((model.explain(position), leads(&worth, position.seats())));
    }
    None
}

/// Settings of the articles' programs; each program uses its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArticleSettings {
    /// Ks, Kc and Kp.
    pub factors: Factors,
    /// Effect of a hare square in the search.
    pub hare_model: HareModel,
    /// Settings of the vector search.
    pub search: VectorSettings,
    /// Value of a position of Rabbits and Wolves at the end of the search.
    pub heuristic: Heuristic,
    /// Half the largest depth, in plies.
    pub ai_level: u32,
}

/// Largest level of an article's search.
pub const MAX_AI_LEVEL: u32 = 12;

impl ArticleSettings {
    /// The articles' programs.
    pub fn article() -> ArticleSettings {
        ArticleSettings {
            factors: Factors::default(),
            hare_model: HareModel::default(),
            search: VectorSettings::article(),
            heuristic: Heuristic::default(),
            ai_level: 4,
        }
    }

    /// The strongest of the articles' ideas with two seats.
    pub fn best() -> ArticleSettings {
        ArticleSettings {
            search: VectorSettings::best(),
            ai_level: MAX_AI_LEVEL,
            ..ArticleSettings::article()
        }
    }
}

/// An option of the protocol for one of the [`ArticleSettings`]: its name, and the value in the settings.
pub type ArticleOption = (&'static str, fn(&mut ArticleSettings) -> OptionValue<'_>);

/// Largest value of a factor, in hundredths.
const MAX_FACTOR: i64 = 1000;

const PRUNE: &[(&str, Prune)] = &[("exact", Prune::Exact), ("article", Prune::Article)];

const HARE_MODELS: &[(&str, HareModel)] = &[
    ("article", HareModel::Article),
    ("article-penalty", HareModel::ArticlePenalty),
    ("chance", HareModel::Chance),
];

const HEURISTICS: &[(&str, Heuristic)] =
    &[("distance", Heuristic::Distance), ("height", Heuristic::Height)];

/// All options for the settings, in the order where `uci` lists them.
pub const OPTIONS: &[ArticleOption] = &[
    ("Strategy", |settings| OptionValue::string(&mut settings.search.strategy)),
    ("Prune", |settings| OptionValue::combo(&mut settings.search.prune, PRUNE)),
    ("Caps", |settings| OptionValue::string(&mut settings.search.caps)),
    ("AILevel", |settings| OptionValue::spin(&mut settings.ai_level, 1, MAX_AI_LEVEL.into())),
    ("Ks", |settings| OptionValue::spin(&mut settings.factors.lettuces, 0, MAX_FACTOR)),
    ("Kc", |settings| OptionValue::spin(&mut settings.factors.carrots, 0, MAX_FACTOR)),
    ("Kp", |settings| OptionValue::spin(&mut settings.factors.path, 0, MAX_FACTOR)),
    ("HareModel", |settings| OptionValue::combo(&mut settings.hare_model, HARE_MODELS)),
    ("Heuristic", |settings| OptionValue::combo(&mut settings.heuristic, HEURISTICS)),
];

fn report_of<M: Display, V>(line: &Line<M, V>, value: Value, worth: Vec<i32>) -> Report {
    Report {
        depth: line.depth,
        seldepth: line.seldepth,
        multipv: line.multipv,
        value,
        worth,
        nodes: line.nodes,
        hashfull: 0,
        pv: line.pv.iter().map(M::to_string).collect(),
    }
}

/// Limits and root moves of a search.
#[derive(Clone, Debug)]
pub struct Extent<M> {
    /// Moves to consider at the root, all legal.
    pub moves: Vec<M>,
    /// Deepest iteration, from 1 to [`MAX_DEPTH`](crate::search::MAX_DEPTH).
    pub depth: u32,
    /// Largest number of positions to visit.
    pub nodes: u64,
    /// Number of best moves to report, from 1.
    pub multipv: usize,
}

impl<M: Copy> Extent<M> {
    fn new<G: Game<Move = M>>(
        position: &G,
        request: &Request,
        settings: &ArticleSettings,
        control: &Control,
    ) -> Extent<M> {
        let moves = request.asked(position);
        let deepest = request.deepest(moves.len(), control);
        Extent {
            depth: deepest.min(2 * settings.ai_level),
            moves,
            nodes: request.nodes,
            multipv: request.multipv,
        }
    }
}

/// Principal variation of a root move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line<M, V> {
    /// Plies searched in full.
    pub depth: u32,
    /// Deepest ply reached.
    pub seldepth: u32,
    /// Rank of the move, from 1 for the best.
    pub multipv: usize,
    /// Value of the line.
    pub value: V,
    /// The line, from the root move; a card ends it.
    pub pv: Vec<M>,
    /// `true` if the line ends with the mover at its goal, before any other seat.
    pub is_won: bool,
    /// Positions visited since the search began.
    pub nodes: u64,
}

/// Callback for each line found.
pub type Observer<'a, M, V> = &'a mut dyn FnMut(&Line<M, V>);

/// Searches deeper and deeper until a limit is reached, `control` stops the search, the mover is first to its goal, or
/// nothing is left to search.
///
/// `search` finds the best line at a depth, apart from the moves that are excluded, and whether any line was cut off by
/// the depth. It returns `None` if it was stopped.
///
/// # Returns
/// Best line of the last completed depth; before the first, `best`.
fn deepen<M: Copy, V>(
    mut best: Line<M, V>,
    extent: &Extent<M>,
    control: &Control,
    observe: Observer<'_, M, V>,
    mut search: impl FnMut(u32, &[M]) -> Option<(Line<M, V>, bool)>,
) -> Line<M, V> {
    for depth in 1..=extent.depth {
        let mut excluded = Vec::new();
        let mut is_cut_off = false;
        for rank in 1..=extent.multipv.clamp(1, extent.moves.len()) {
            let Some((line, is_line_cut_off)) = search(depth, &excluded) else {
                return best;
            };
            is_cut_off |= is_line_cut_off;
            excluded.push(line.pv[0]);
            observe(&line);
            if rank == 1 {
                best = line;
            }
        }
        if best.is_won || !is_cut_off || !control.may_deepen() {
            break;
        }
    }
    best
}

/// Worth of a decided place, for itself and for each place behind it. If two worths differ by at least half of this,
/// the order of their seats is decided.
pub const DECIDED_WORTH: i32 = 20_000_000;

/// Step of the table of leads, in hundredths of worth.
const WORTH_STEP: i32 = 32;

/// Summed lead of each of `seats` seats over all others, from the worth of each seat.
#[inline]
fn leads(worth: &Vector, seats: usize) -> Vector {
    let mut leads = [0; MAX_SEATS];
    if seats == 2 {
        // One pair needs no loops: a tenth faster.
        leads[0] = lead(worth[0] - worth[1]);
        leads[1] = -leads[0];
        return leads;
    }
    for first in 0..seats {
        for second in first + 1..seats {
            let lead = lead(worth[first] - worth[second]);
            leads[first] += lead;
            leads[second] -= lead;
        }
    }
    leads
}

/// Lead for a difference of worth: U x tanh(difference / (2 x scale)), which is the logistic chance of finishing first
/// of two, scaled from 0..1 to -U..U.
#[inline]
fn lead(difference: i32) -> i32 {
    // Division rounds towards zero, so that the two seats' leads are exactly opposite.
    let step = difference / WORTH_STEP;
    if let Some(&lead) = SIGNED_LEADS.get((step + MAX_LEAD_STEPS) as usize) {
        return lead;
    }
    let most = if difference.abs() >= DECIDED_WORTH / 2 {
        CERTAIN
    } else {
        SIGNED_LEADS[SIGNED_LEADS.len() - 1]
    };
    difference.signum() * most
}

/// Size of the table of leads: this many steps either way.
const MAX_LEAD_STEPS: i32 = 511;

/// Entry MAX_LEAD_STEPS + n is the lead for n steps. Both signs have entries, since a branch on the sign is hard to
/// predict and would take longer than the lookup.
const SIGNED_LEADS: [i32; 2 * MAX_LEAD_STEPS as usize + 1] = {
    let mut table = [0; 2 * MAX_LEAD_STEPS as usize + 1];
    let mut step = 0;
    // e to the power of -WORTH_STEP / scale: the ratio of the odds of adjacent steps.
    let factor = exp(-(WORTH_STEP as f64) / WORTH_UNIT as f64);
    let mut odds = 1.0;
    while step <= MAX_LEAD_STEPS as usize {
        let lead = (CERTAIN as f64 * (1.0 - odds) / (1.0 + odds)) as i32;
        table[MAX_LEAD_STEPS as usize + step] = lead;
        table[MAX_LEAD_STEPS as usize - step] = -lead;
        odds *= factor;
        step += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leads_grow_and_never_reach_certainty() {
        for step in 1..SIGNED_LEADS.len() {
            assert!(SIGNED_LEADS[step] > SIGNED_LEADS[step - 1], "at {step}");
        }
        assert!(SIGNED_LEADS[SIGNED_LEADS.len() - 1] < CERTAIN);
        assert_eq!(lead(-5000), -lead(5000));
        assert_eq!(lead(DECIDED_WORTH - 900_000), CERTAIN);
        let one_scale = f64::from(lead(WORTH_UNIT)) / f64::from(CERTAIN);
        assert!((one_scale - 0.5f64.tanh()).abs() < 0.01, "{one_scale}");
    }
}
