//! The text of a report: tables of engines and seats, the comparison of engines, legends, remarks and faults.

use std::fmt::Write;

use super::{Column, FAIRNESS_LEGEND, Report, Rows, Test, decimals, percent, signed};
use crate::archive::replay::Replay;
use crate::luck::{flag, in_words};
use crate::output;
use crate::record::ending::Ending;
use crate::record::printable::{ends_of, first_and_last, printable};
use crate::record::{GameRecord, Speaker};
use crate::score::{
    AdjustedScores, BlockScores, EloModel, Interval, Rating, Standings, Tally, Verdict,
};

/// Explanation of the columns that are not self-explanatory.
const COLUMNS_LEGEND: &str = "\
share: fraction of all points of its games; par: the share of equals; ±: 95 % interval over blocks, - if unknown
";

/// Explanation of the score of one engine against another, which with two seats is the share.
const SCORE_LEGEND: &str = "\
score: part of the comparisons that it wins, each of a seat of one engine with a seat of the other
";

/// Explanation of the luck-adjusted columns, which are shown only if luck was measured.
const LUCK_LEGEND: &str = "\
adjusted: less the luck of the cards, whose mean is 0; no gain: it would be less precise than the share
";

/// Instead of a luck-adjusted figure that is less precise than the raw one.
const NO_GAIN: &str = "no gain";

/// Explanation of the winnings, which are shown only if the game has a stake.
const WINNINGS_LEGEND: &str = "\
winnings: mean sum of its seats in a game that was played to its end
";

/// Explanation of the column of flaws, which is shown only if an engine has one.
const FLAWS_LEGEND: &str = "\
flaws: answers whose legal move was played, but with another part that was malformed or impossible, and was dropped
";

/// Games ended by `--max-plies` are many if they are more than one in this number.
const MANY_CUT: u64 = 10;

/// Least number of games without any luck that is no chance.
const MIN_MEASURED_GAMES: u64 = 4;

pub const RATINGS_LEGEND: &str = "\
    rating: Elo above the mean of the engines; ±: 95 % interval over blocks, - if unknown; 1, 2, ...: percent of the \
    points against that engine, with the number of comparisons if it varies\n";

impl Report {
    /// Returns the tables and the faults as text, with a newline at the end.
    pub fn text(&self) -> String {
        let mut text = self.engines().text();
        if self.standings.games() > 0 {
            text.push('\n');
            text += &self.seats().text();
            text += &output::explanation(&self.legend());
        }
        let uncounted: Vec<String> =
            self.uncounted().into_iter().map(|sentence| sentence + "\n").collect();
        let fairness = &self.fairness;
        let parts = [
            (!uncounted.is_empty()).then(|| uncounted.concat()),
            self.head_to_head().map(|compared| compared.text()),
            self.ratings().map(|rows| explained(rows, RATINGS_LEGEND)),
            fairness.rows().map(|rows| explained(rows, FAIRNESS_LEGEND)),
            self.summary().map(|summary| summary + "\n"),
            self.adjusted_summary().map(|summary| summary + "\n"),
        ];
        for part in parts.into_iter().flatten() {
            text.push('\n');
            text += &part;
        }
        let remarks = fairness.suspects().into_iter().chain(self.remarks());
        for line in remarks.chain(fairness.warning()) {
            text += &format!("\n{line}\n");
        }
        if self.faults > 0 {
            // Writing to a string never fails.
            let _ = writeln!(text, "\nFaults: {}", self.faults);
            for described in self.listed.values() {
                text.push_str(described);
            }
            let more = self.faults - self.listed.len();
            if more > 0 {
                let _ = writeln!(text, "  and {more} more");
            }
        }
        output::fitted(&text)
    }

    /// Explanation of the columns of both tables, in lines that end with a newline.
    pub fn legend(&self) -> String {
        let mut legend = COLUMNS_LEGEND.to_string();
        if has_luck(&self.standings) {
            legend += LUCK_LEGEND;
        }
        if has_winnings(&self.standings) {
            legend += WINNINGS_LEGEND;
        }
        if has_flaws(&self.standings) {
            legend += FLAWS_LEGEND;
        }
        if self.standings.seats().len() > 2 && self.standings.head_to_head().is_some() {
            legend += SCORE_LEGEND;
        }
        legend
    }

    /// Sentences on the games that do not count.
    pub fn uncounted(&self) -> Vec<String> {
        let (is_tested, games) = (self.test.is_some(), self.left_out);
        let left_out = match (games, is_tested) {
            (0, _) => None,
            (1, _) => Some("1 game is not counted: its block is not complete".to_string()),
            (_, false) => {
                Some(format!("{games} games are not counted: their blocks are not complete"))
            }
            (_, true) => Some(format!(
                "{games} games are not counted: their blocks, or earlier ones, are not complete"
            )),
        };
        self.repeats().into_iter().chain(left_out).collect()
    }

    /// Returns a line about games that ended before the rules ended them, if they are many, and one about values that
    /// never depend on a draw.
    pub fn remarks(&self) -> Vec<String> {
        let [games, cut] = self.lengths;
        let of_length = (cut * MANY_CUT > games).then(|| {
            format!(
                "{cut} of {games} games were ended by the limit of their length, and their seats share places: \
                 see --max-plies"
            )
        });
        let [measured, without] = self.luck;
        let of_luck = (measured >= MIN_MEASURED_GAMES && without == measured).then(|| {
            format!(
                "luck is 0 in all {measured} games: the values never depend on what is drawn, or there was no time to \
                 ask for them"
            )
        });
        of_length.into_iter().chain(of_luck).collect()
    }
}

/// A table with the explanation of its columns below.
pub fn explained(rows: Rows, legend: &str) -> String {
    rows.text() + &output::explanation(legend)
}

/// If a game ended by an illegal move, returns the position and the legal moves; otherwise nothing.
pub fn what_was_legal(record: &GameRecord) -> Vec<String> {
    if !record.endings.contains(&Ending::IllegalMove) {
        return Vec::new();
    }
    // A record whose moves cannot be replayed has no such position.
    Replay::of(record).map_or(Vec::new(), |replay| {
        vec![
            format!("position: {}", ends_of(&replay.last.to_string())),
            format!("legal: {}", replay.last.legal_actions().join(" ")),
        ]
    })
}

/// Describes the fault of a game in one line, with quotes; `None` if there was none.
pub(super) fn describe_fault(record: &GameRecord) -> Option<String> {
    let (fault, name, ending) = record.named_fault()?;
    let mut text = format!(
        "  game {}, seat {}, {}: {ending}: {}\n",
        record.game,
        fault.seat,
        printable(name),
        printable(&fault.reason)
    );
    let said = fault.evidence.iter().flat_map(|evidence| &evidence.lines);
    let last = said.rev().find(|line| line.from == Speaker::Engine);
    if let Some(line) = last {
        let _ = writeln!(text, "    last said: {}", printable(&line.text));
    }
    for line in what_was_legal(record) {
        let _ = writeln!(text, "    {line}");
    }
    for line in first_and_last(&fault.stderr) {
        let _ = writeln!(text, "    stderr: {}", printable(&line));
    }
    Some(text)
}

/// Engines in the order of their table: by share above par, best first.
pub fn engines_by_lead(standings: &Standings) -> Vec<(&str, &Tally)> {
    let mut engines: Vec<(&str, &Tally)> = standings.engines().collect();
    let lead =
        |tally: &Tally| tally.share().zip(tally.par()).map_or(0.0, |(share, par)| share / par);
    engines.sort_by(|(_, one), (_, other)| lead(other).total_cmp(&lead(one)));
    engines
}

impl Report {
    /// Table of engines, in the order of [`engines_by_lead`].
    pub fn engines(&self) -> Rows {
        let standings = &self.standings;
        let mut columns = columns("engine", standings);
        columns.extend(["depth", "ms/move"].map(Column::right));
        let has_flaws = has_flaws(standings);
        columns.extend(has_flaws.then(|| Column::right("flaws")));
        columns.push(Column::left("endings"));
        let rows = engines_by_lead(standings).into_iter().map(|(name, tally)| {
            let mut row = row(name.to_string(), tally, standings);
            let depth = tally.mean_depth();
            row.push(depth.map_or("-".into(), |depth| format!("{depth:.1}")));
            let ms = tally.mean_ms();
            row.push(ms.map_or("-".into(), |ms| format!("{ms:.1}")));
            row.extend(has_flaws.then(|| tally.turns.flaws.to_string()));
            row.push(endings(tally));
            row
        });
        Rows { columns, rows: rows.collect() }
    }

    /// Table of seats, over all engines.
    pub fn seats(&self) -> Rows {
        let standings = &self.standings;
        let seats = standings.seats().iter().enumerate();
        Rows {
            columns: columns("seat", standings),
            rows: seats
                .map(|(index, tally)| row((index + 1).to_string(), tally, standings))
                .collect(),
        }
    }
}

/// `true` if any engine's answers had flaws; only then the table has a column for them.
fn has_flaws(standings: &Standings) -> bool {
    standings.engines().any(|(_, tally)| tally.turns.flaws > 0)
}

/// `true` if the luck of a complete block was measured; only then the tables have luck-adjusted columns.
fn has_luck(standings: &Standings) -> bool {
    let mut seats = standings.seats().iter();
    seats.any(|tally| tally.adjusted_share().is_some())
}

/// `true` if a complete block has winnings; only then the tables have columns for them.
fn has_winnings(standings: &Standings) -> bool {
    let mut seats = standings.seats().iter();
    seats.any(|tally| tally.winnings().is_some())
}

/// Columns of both tables, the most important first: shares, games, points and places.
fn columns(first: &'static str, standings: &Standings) -> Vec<Column> {
    let mut columns = vec![Column::left(first)];
    columns.extend(["share", "±"].map(Column::right));
    if has_luck(standings) {
        columns.extend(["adjusted", "±"].map(Column::right));
    }
    if has_winnings(standings) {
        columns.extend(["winnings", "±"].map(Column::right));
    }
    columns.extend(["par", "games", "points"].map(Column::right));
    columns.extend(Column::places(standings.seats().len()));
    columns
}

fn row(first: String, tally: &Tally, standings: &Standings) -> Vec<String> {
    let in_percent = |part: Option<f64>| part.map_or("-".into(), percent);
    let amount = |number: Option<f64>| number.map_or("-".into(), |number| decimals(number, 2));
    let mut row = vec![first];
    row.extend([tally.share(), tally.error()].map(in_percent));
    if has_luck(standings) {
        let (raw, adjusted) = (tally.error(), tally.adjusted_error());
        row.extend(if adjusted.zip(raw).is_some_and(|(adjusted, raw)| adjusted >= raw) {
            [NO_GAIN.to_string(), "-".to_string()]
        } else {
            [tally.adjusted_share(), adjusted].map(in_percent)
        });
    }
    if has_winnings(standings) {
        row.extend([tally.winnings(), tally.winnings_error()].map(amount));
    }
    row.extend([in_percent(tally.par()), tally.games.to_string(), decimals(tally.points, 1)]);
    row.extend(tally.places.iter().map(u64::to_string));
    row
}

fn endings(tally: &Tally) -> String {
    let counts = Ending::ALL.iter().zip(tally.endings);
    let named: Vec<String> = counts
        .filter(|&(_, count)| count > 0)
        .map(|((_, name), count)| format!("{count} {name}"))
        .collect();
    named.join(", ")
}

#[derive(Clone, Debug)]
pub struct HeadToHead {
    /// Names of the two engines.
    pub title: String,
    /// Labels with their values.
    pub lines: Vec<(&'static str, String)>,
}

impl HeadToHead {
    /// Returns the title and the lines, with a newline at the end.
    pub fn text(&self) -> String {
        let lines = self.lines.iter().map(|(label, text)| format!("  {label:10}  {text}\n"));
        format!("{}\n{}", self.title, lines.collect::<String>())
    }
}

impl Report {
    /// Details of the result of the first engine against the second; `None` unless there are exactly two engines.
    pub fn head_to_head(&self) -> Option<HeadToHead> {
        let standings = &self.standings;
        let title = title(standings)?;
        let adjusted = standings.adjusted().filter(|_| standings.gains_by_luck());
        let mut lines =
            standings.head_to_head().map_or(Vec::new(), |scores| details(scores, adjusted));
        lines.extend(self.test.as_ref().map(|test| ("LLR", state(test))));
        (!lines.is_empty()).then_some(HeadToHead { title, lines })
    }

    /// Result in one line, for a headline: the better of two engines, if the interval of its score excludes equality,
    /// or else as [`Report::summary`]. The luck-adjusted score follows the raw one and decides, if it is more precise.
    /// `None` before the first complete block.
    pub fn verdict_in_words(&self) -> Option<String> {
        let standings = &self.standings;
        let names: Vec<_> = standings.engines().map(|(name, _)| printable(name)).collect();
        let [one, other] = names.as_slice() else {
            let adjusted = self.adjusted_result().filter(|_| standings.gains_by_luck());
            let adjusted = adjusted.map(|result| format!("; luck-adjusted: {result}"));
            return Some(self.summary()? + &adjusted.unwrap_or_default());
        };
        let raw = standings
            .head_to_head()
            .and_then(BlockScores::mean_score)
            .map(|score| score.interval());
        let adjusted = standings
            .adjusted()
            .filter(|_| standings.gains_by_luck())
            .and_then(AdjustedScores::score);
        let Some(score) = adjusted.or(raw) else {
            return self.summary();
        };
        let of_the_better = |Interval { value, low, high }| {
            if score.high < 0.5 {
                Interval { value: 1.0 - value, low: 1.0 - high, high: 1.0 - low }
            } else {
                Interval { value, low, high }
            }
        };
        let [raw, adjusted] =
            [raw, adjusted].map(|score| score.map(|score| in_percent(&of_the_better(score))));
        let adjusted = adjusted.map(|score| format!("luck-adjusted {score}"));
        let scores = raw.into_iter().chain(adjusted).collect::<Vec<_>>().join(", ");
        let scores = format!("{}{scores}", score_label(standings));
        Some(match score {
            Interval { low, .. } if low > 0.5 => format!("{one} beats {other}: {scores}"),
            Interval { high, .. } if high < 0.5 => format!("{other} beats {one}: {scores}"),
            _ => format!("{one} against {other}: undecided, {scores}"),
        })
    }

    /// Strength in one line, to be quoted: the score of the first of two engines, or the ranking of more; for a single
    /// engine, the shares of the seats. `None` before the first complete block.
    pub fn summary(&self) -> Option<String> {
        let standings = &self.standings;
        let Some(title) = title(standings) else {
            let ranking = ranking(standings, standings.ratings());
            return ranking.or_else(|| shares_of_seats(standings, Tally::share, Tally::error));
        };
        let scores = standings.head_to_head()?;
        let blocks = blocks(scores.blocks(), scores.games_per_block());
        let compared = match scores.mean_score() {
            Some(score) => comparison(&score.interval(), &score.elo(), Some(score.superiority())),
            None => percent(scores.mean()?),
        };
        Some(format!("{title}: {}{compared}, {blocks}", score_label(standings)))
    }

    /// Luck-adjusted strength in one line, with its precision and the evaluator of the luck; `None` unless the luck of
    /// a complete block was measured.
    pub fn adjusted_summary(&self) -> Option<String> {
        let (standings, result) = (&self.standings, self.adjusted_result()?);
        let (result, gained) = if standings.gains_by_luck() {
            let games = standings.equivalent_games();
            (result, games.filter(|&games| games > standings.games_in_blocks()))
        } else {
            ("no gain from adjustment".to_string(), None)
        };
        let gained =
            gained.map(|games| format!("; as precise as {games} games without adjustment"));
        let by: Vec<String> = standings.luck_by().keys().map(|by| in_words(by)).collect();
        let (measured, games) = (standings.luck_by().values().sum::<u64>(), standings.games());
        let flags: Vec<String> = standings.luck_by().keys().map(|by| flag(by)).collect();
        let part = match (measured < games, flags.as_slice()) {
            (true, [flag]) => format!(
                ", in only {measured} of {games} games; `arbiter report FILE {flag}` measures the rest"
            ),
            (true, _) => format!(", in only {measured} of {games} games"),
            _ => String::new(),
        };
        let (gained, by) = (gained.unwrap_or_default(), printable(&by.join(" and ")).into_owned());
        Some(format!("luck-adjusted: {result}{gained}; luck by {by}{part}"))
    }

    /// Luck-adjusted counterpart of [`Report::summary`].
    fn adjusted_result(&self) -> Option<String> {
        let standings = &self.standings;
        let Some(scores) = standings.adjusted() else {
            let ratings = standings.adjusted_ratings();
            let ranking = ratings.and_then(|ratings| ranking(standings, ratings));
            return ranking.or_else(|| {
                shares_of_seats(standings, Tally::adjusted_share, Tally::adjusted_error)
            });
        };
        let blocks = blocks(scores.blocks(), scores.games_per_block());
        let compared = match scores.score().zip(scores.elo()) {
            Some((score, elo)) => comparison(&score, &elo, scores.superiority()),
            None => percent(scores.mean()?),
        };
        Some(format!("{}{compared}, {blocks}", score_label(standings)))
    }

    /// Crosstable with the ratings, best first; `None` for fewer than three engines, where Elo says the same.
    pub fn ratings(&self) -> Option<Rows> {
        let standings = &self.standings;
        let engines = by_rating(standings, standings.ratings());
        if engines.len() < 3 {
            return None;
        }
        let mut columns = vec![Column::right("#"), Column::left("engine")];
        columns.extend(["rating", "±"].map(Column::right));
        let adjusted = standings.adjusted_ratings();
        if adjusted.is_some() {
            columns.extend(["adjusted", "±"].map(Column::right));
        }
        columns.extend(Column::numbered(engines.len()));
        let between = |one, other| standings.crosstable().between(one, other);
        let mut counts = engines.iter().flat_map(|&(one, ..)| {
            let others = engines.iter().filter(move |&&(other, ..)| other != one);
            others.map(move |&(other, ..)| between(one, other).pairs)
        });
        let first = counts.next();
        let varies = counts.any(|count| Some(count) != first);
        let cell = |one: usize, other: usize| {
            let found = between(one, other);
            match found.score() {
                _ if one == other => String::new(),
                None => "-".to_string(),
                Some(score) if varies => format!("{:.0}/{}", 100.0 * score, found.pairs),
                Some(score) => format!("{:.1}", 100.0 * score),
            }
        };
        let row = |(number, &(index, name, rating)): (usize, &(usize, &str, Rating))| {
            let mut row = vec![(number + 1).to_string(), name.to_string()];
            let in_words = |rating: Rating| {
                let error = rating.error.map(|error| format!("{error:.0}"));
                [signed(rating.rating, 0), error.unwrap_or("-".to_string())]
            };
            row.extend(in_words(rating));
            if let Some(adjusted) = adjusted.as_ref().map(|ratings| ratings[index]) {
                let errors = adjusted.error.zip(rating.error);
                row.extend(if errors.is_some_and(|(adjusted, raw)| adjusted >= raw) {
                    [NO_GAIN.to_string(), "-".to_string()]
                } else {
                    in_words(adjusted)
                });
            }
            row.extend(engines.iter().map(|&(other, ..)| cell(index, other)));
            row
        };
        Some(Rows { columns, rows: engines.iter().enumerate().map(row).collect() })
    }
}

/// Names of the two engines; `None` if there are more or fewer.
fn title(standings: &Standings) -> Option<String> {
    let names: Vec<&str> = standings.engines().map(|(name, _)| name).collect();
    let [one, other] = names[..] else {
        return None;
    };
    Some(format!("{} against {}", printable(one), printable(other)))
}

/// Word before a score where it is not the share of the points, since an engine has several seats in a game.
fn score_label(standings: &Standings) -> &'static str {
    if standings.seats().len() > 2 { "score " } else { "" }
}

/// Results of pairs of games and normalized Elo, one line each.
fn details(scores: &BlockScores, adjusted: Option<&AdjustedScores>) -> Vec<(&'static str, String)> {
    let mut lines = Vec::new();
    if let Some(pairs) = scores.as_pentanomial() {
        let points = ["0", "0.5", "1", "1.5", "2"].iter().zip(pairs);
        let counts: Vec<String> =
            points.map(|(points, count)| format!("{count} of {points}")).collect();
        lines.push(("pairs", format!("{} points", counts.join(", "))));
    }
    let in_words = |elo: Interval| format!("{} Elo", self::elo(&elo));
    let normalized = scores.normalized_elo().map_or("-".to_string(), in_words);
    let adjusted = adjusted.and_then(AdjustedScores::normalized_elo).map(in_words);
    let adjusted = adjusted.map(|elo| format!(", luck-adjusted {elo}"));
    lines.push(("normalized", normalized + &adjusted.unwrap_or_default()));
    lines
}

fn comparison(score: &Interval, elo: &Interval, superiority: Option<f64>) -> String {
    let (elo, superiority) = (self::elo(elo), superiority.map_or("-".into(), percent));
    format!("{}, Elo {elo}, LOS {superiority}", in_percent(score))
}

fn in_percent(score: &Interval) -> String {
    let score = score.map(|share| 100.0 * share);
    with_bounds(&score, " %", |percent| decimals(percent, 1))
}

/// Number of blocks in words.
fn blocks(blocks: u64, games_per_block: u32) -> String {
    match (blocks, games_per_block) {
        (1, 2) => "1 pair of games".to_string(),
        (pairs, 2) => format!("{pairs} pairs of games"),
        (1, games) => format!("1 block of {games} games"),
        (blocks, games) => format!("{blocks} blocks of {games} games"),
    }
}

/// Ratings of several engines, best first.
fn ranking(standings: &Standings, ratings: Vec<Rating>) -> Option<String> {
    let games = standings.games_in_blocks();
    if games == 0 || standings.engines().count() < 2 {
        return None;
    }
    let ratings: Vec<String> = by_rating(standings, ratings)
        .into_iter()
        .map(|(_, name, rating)| {
            let known = match rating.error {
                Some(error) => format!("± {error:.0}"),
                None => "(error unknown)".to_string(),
            };
            format!("{} {} {known}", printable(name), signed(rating.rating, 0))
        })
        .collect();
    Some(format!("{} (Elo, {games} games)", ratings.join(", ")))
}

/// Shares of the seats of a single engine, which show the advantage of each seat.
fn shares_of_seats(
    standings: &Standings,
    share: impl Fn(&Tally) -> Option<f64>,
    error: impl Fn(&Tally) -> Option<f64>,
) -> Option<String> {
    if standings.engines().count() != 1 || standings.games() == 0 {
        return None;
    }
    let shares: Vec<String> = standings
        .seats()
        .iter()
        .enumerate()
        .map(|(index, tally)| {
            let error = error(tally).map(|error| format!(" ± {:.1}", 100.0 * error));
            let share = percent(share(tally)?);
            Some(format!("seat {} {share}{}", index + 1, error.unwrap_or_default()))
        })
        .collect::<Option<_>>()?;
    let games = standings.games();
    Some(format!("{} of the points ({games} games)", shares.join(", ")))
}

fn elo(interval: &Interval) -> String {
    with_bounds(interval, "", |elo| match elo {
        f64::INFINITY => "infinity".to_string(),
        f64::NEG_INFINITY => "minus infinity".to_string(),
        elo => signed(elo, 1),
    })
}

/// Formats an estimate with its error, or with both bounds if they differ much, or with the only finite bound, or alone
/// if the bounds are the same infinity.
fn with_bounds(interval: &Interval, unit: &str, number: impl Fn(f64) -> String) -> String {
    let [value, low, high] = [interval.value, interval.low, interval.high].map(&number);
    if interval.is_symmetric() {
        return format!("{value}{unit} ± {}", decimals(interval.error(), 1));
    }
    match (interval.low.is_finite(), interval.high.is_finite()) {
        (true, false) => format!("{value}{unit}, at least {low}"),
        (false, true) => format!("{value}{unit}, at most {high}"),
        _ if interval.low == interval.high => format!("{value}{unit}"),
        _ => format!("{value}{unit} ({low} to {high})"),
    }
}

/// Formats the LLR with its bounds and the result of the test.
fn state(test: &Test) -> String {
    let (elo0, elo1) = test.sprt.hypotheses();
    let (low, high) = test.sprt.bounds();
    let unit = match test.sprt.model() {
        EloModel::Logistic => "Elo",
        EloModel::Normalized => "normalized Elo",
    };
    let meaning = match test.verdict {
        Verdict::H1 => format!("H1 accepted: {unit} {elo1} rather than {elo0}"),
        Verdict::H0 => format!("H0 accepted: {unit} {elo0} rather than {elo1}"),
        Verdict::Open => format!("undecided: {unit} {elo0} or {elo1}"),
    };
    let luck = if test.sprt.uses_luck() { "luck-adjusted " } else { "" };
    format!("{luck}{:.2}, bounds {low:.2} and {high:.2}; {meaning}", test.llr)
}

/// Index, name and rating of each engine, best first.
fn by_rating(standings: &Standings, ratings: Vec<Rating>) -> Vec<(usize, &str, Rating)> {
    let mut engines: Vec<(usize, &str, Rating)> = standings
        .engines()
        .zip(ratings)
        .enumerate()
        .map(|(index, ((name, _), rating))| (index, name, rating))
        .collect();
    engines.sort_by(|(_, _, one), (_, _, other)| other.rating.total_cmp(&one.rating));
    engines
}
