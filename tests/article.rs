//! The article's search, compared with a slow and obvious one and with the article's text.

mod curves;
mod drawn_tree;
mod equality;
mod pruning;
mod series;
mod slow;
mod traps;

use crate::common::positions;
use buxtehude::articles::ArticleSettings;
use buxtehude::articles::lookahead::HareModel;
use buxtehude::articles::strategy::{Prune, Strategy};
use buxtehude::rules::AnyPosition;
use buxtehude::rules::hase::Position;
use buxtehude::search::{Control, Memory, Preset, Report, Request, search};

const HALF: Strategy = Strategy::of_percent(50);

const STRATEGIES: [Strategy; 4] = [Strategy::ABSOLUTE, Strategy::RELATIVE, Strategy::HYBRID, HALF];
const HARE_MODELS: [HareModel; 3] =
    [HareModel::Article, HareModel::ArticlePenalty, HareModel::Chance];

/// Uncapped settings.
fn settings(
    strategy: Strategy,
    hare_model: HareModel,
    prune: Prune,
    sort: bool,
) -> ArticleSettings {
    let mut settings = ArticleSettings::best();
    settings.hare_model = hare_model;
    settings.search.strategy = strategy;
    settings.search.prune = prune;
    settings.search.sort = sort;
    settings
}

/// The reports of a search, one for each depth.
fn run(position: &Position, settings: &ArticleSettings, depth: u32) -> Vec<Report> {
    let request = Request {
        preset: Preset::Article(settings.clone()),
        ..Request::new(AnyPosition::Hase(*position), depth)
    };
    let mut reports = Vec::new();
    let mut observe = |report| reports.push(report);
    search(&request, &mut Memory::new(0), &Control::new(None), &mut observe)
        .unwrap_or_else(|| panic!("a seat is to move in\n{position:?}"));
    reports
}

/// The vector and the line of a report.
fn result(report: &Report) -> (&[i32], &[String]) {
    (&report.worth, &report.pv)
}
