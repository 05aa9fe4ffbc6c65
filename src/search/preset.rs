//! The presets: whole ways of playing, to choose from.

use super::vectors::{self, Extent, Line, VectorSettings};
use super::{Answer, Control, Report, Request, Table, Value, deepening};
use crate::eval::lookahead::ModelSettings;
use crate::eval::{self, Evaluate};
use crate::rules::{Turn, with_position};

/// A way of playing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Preset {
    /// Our own.
    #[default]
    Default,
    /// That of the article about the game.
    Article(ArticleSettings),
}

/// The choices that the article leaves, and its own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ArticleSettings {
    /// What positions are worth, and what cards are taken for.
    pub model: ModelSettings,
    /// How to search.
    pub search: VectorSettings,
}

/// Searches until the depth or the nodes asked for are reached, nothing is left to search, or `control`
/// says stop; an answer is there from the beginning.
///
/// # Returns
/// `None` if no seat is to move, or none of the moves asked for is legal.
pub fn search(
    request: &Request,
    table: &mut Table,
    control: &Control,
    observe: &mut dyn FnMut(Report),
) -> Option<Answer> {
    match &request.preset {
        Preset::Default => deepening::search(request, table, control, observe),
        Preset::Article(settings) => with_position!(&request.position, position => {
            match position.model(&settings.model) {
                Some(model) => search_vectors(position, &model, request, settings, control, observe),
                // The article is about another game.
                None => deepening::search(request, table, control, observe),
            }
        }),
    }
}

fn search_vectors<G: Evaluate>(
    position: &G,
    model: &G::Model,
    request: &Request,
    settings: &ArticleSettings,
    control: &Control,
    observe: &mut dyn FnMut(Report),
) -> Option<Answer> {
    let legal = position.legal_moves();
    let had_choice = legal.len() > 1;
    let asked = &request.searchmoves;
    let is_asked = |mv: &G::Move| asked.is_empty() || asked.contains(&mv.to_string());
    let extent = Extent {
        moves: legal.filter(is_asked).collect(),
        depth: request.depth,
        nodes: request.nodes,
        multipv: request.multipv,
    };
    let best = vectors::search(
        model,
        position,
        &settings.search,
        &extent,
        control,
        &mut |line| {
            observe(report(position, line));
        },
    )?;
    let next = position.play_unchecked(best.pv[0]).turn();
    let is_rival = matches!(next, Turn::Seat(seat) if position.turn() != Turn::Seat(seat));
    let expected = best.pv.get(1).filter(|_| is_rival && position.seats() == 2);
    Some(Answer {
        best: best.pv[0].to_string(),
        ponder: expected.map(G::Move::to_string),
        value: value_of(position, &best),
        nodes: best.nodes,
        had_choice,
    })
}

fn report<G: Evaluate>(position: &G, line: &Line<G::Move>) -> Report {
    Report {
        depth: line.depth,
        seldepth: line.seldepth,
        multipv: line.multipv,
        value: value_of(position, line),
        worth: line.vector[..position.seats()].to_vec(),
        nodes: line.nodes,
        hashfull: 0,
        pv: line.pv.iter().map(G::Move::to_string).collect(),
    }
}

fn value_of<G: Evaluate>(position: &G, line: &Line<G::Move>) -> Value {
    Value {
        leads: eval::leads(&line.vector, position.seats()),
        // Of longer lines nothing is certain: cards were not drawn, and rivals may choose otherwise.
        mate: i32::from(line.is_won && line.pv.len() == 1),
    }
}
