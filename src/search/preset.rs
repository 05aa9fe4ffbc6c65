//! Presets: complete ways of playing.

use std::fmt::Display;

use super::article::vectors::{self, VectorSettings};
use super::article::{Extent, Line, minimax};
use super::{
    Answer, Control, Foresight, Memory, Report, Request, Value, deepening, foresight, perfect, puct,
};
use crate::eval::{
    self, Article, ArticleModel, Evaluate, MinimaxModel, Model, ModelSettings, Vector,
};
use crate::rules::{Game, with_position};

/// A way of playing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Preset {
    /// Our own way: the table of results if the game is solved, otherwise the tree search.
    #[default]
    Default,
    /// Alpha-beta with iterative deepening, even if the game is solved.
    Search,
    /// The way of the article about the game; [`Preset::Default`] if there is none.
    Article(ArticleSettings),
}

/// Settings of the articles' ways of playing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArticleSettings {
    /// Evaluation of positions, and treatment of cards.
    pub model: ModelSettings,
    /// Settings of the vector search.
    pub search: VectorSettings,
    /// Half the largest depth, in plies.
    pub ai_level: u32,
}

/// Largest level of an article's search.
pub const MAX_AI_LEVEL: u32 = 12;

impl ArticleSettings {
    /// The articles' programs.
    pub fn article() -> ArticleSettings {
        ArticleSettings {
            model: ModelSettings::default(),
            search: VectorSettings::article(),
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

/// Searches until the requested depth or number of nodes is reached, nothing is left to search, or `control` stops it.
/// An answer is available from the beginning.
///
/// # Returns
/// `None` if no seat is to move, or none of the requested moves is legal.
pub fn search(
    request: &Request,
    memory: &mut Memory,
    control: &Control,
    observe: &mut dyn FnMut(Report),
) -> Option<Answer> {
    with_position!(&request.position, position => {
        search_in(position, request, memory, control, observe)
    })
}

fn search_in<G: Evaluate>(
    position: &G,
    request: &Request,
    memory: &mut Memory,
    control: &Control,
    observe: &mut dyn FnMut(Report),
) -> Option<Answer> {
    if let Preset::Article(settings) = &request.preset
        && let Some(model) = G::Article::model(position, &settings.model)
    {
        let moves = request.asked(position);
        let deepest = request.deepest(moves.len(), control);
        let extent = Extent {
            depth: deepest.min(2 * settings.ai_level),
            moves,
            nodes: request.nodes,
            multipv: request.multipv,
        };
        let settings = &settings.search;
        return match model {
            ArticleModel::Vectors(model) => {
                search_vectors(position, &model, settings, &extent, control, observe)
            }
            ArticleModel::Minimax(model) => {
                search_minimax(position, &model, &extent, control, observe)
            }
        };
    }
    if request.preset == Preset::Search {
        deepening::search(position, request, memory, control, observe)
    } else if position.solved().is_some() {
        if request.strength.solved == Foresight::PERFECT {
            perfect::search(position, request, observe)
        } else {
            foresight::search(position, request, &memory.evaluators, observe)
        }
    } else {
        puct::search(position, request, memory, control, observe)
    }
}

fn search_vectors<G: Game>(
    position: &G,
    model: &impl Model<Position = G, Move = G::Move>,
    settings: &VectorSettings,
    extent: &Extent<G::Move>,
    control: &Control,
    observe: &mut dyn FnMut(Report),
) -> Option<Answer> {
    let value_of = |line: &Line<G::Move, Vector>| Value {
        leads: eval::leads(&line.value, position.seats()),
        // Longer lines are not certain: the model draws no cards, and rivals may move differently.
        mate: i32::from(line.is_won && line.pv.len() == 1),
        seats: position.seats(),
    };
    let best = vectors::search(model, position, settings, extent, control, &mut |line| {
        let worth = line.value[..position.seats()].to_vec();
        observe(report_of(line, value_of(line), worth));
    })?;
    let value = value_of(&best);
    Some(Answer::of_line(position, &best.pv, value, best.nodes))
}

fn search_minimax<G: Game>(
    position: &G,
    model: &impl MinimaxModel<Position = G, Move = G::Move>,
    extent: &Extent<G::Move>,
    control: &Control,
    observe: &mut dyn FnMut(Report),
) -> Option<Answer> {
    let value_of = |line: &Line<G::Move, i32>| Value {
        leads: eval::leads(&model.worth(line.value), position.seats()),
        mate: 0,
        seats: position.seats(),
    };
    let best = minimax::search(model, position, extent, control, &mut |line| {
        observe(report_of(line, value_of(line), vec![line.value]));
    })?;
    let value = value_of(&best);
    Some(Answer::of_line(position, &best.pv, value, best.nodes))
}

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
