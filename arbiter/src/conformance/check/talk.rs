//! The talk with the engine that is checked: every line of it is kept, to be shown where something is wrong.

use std::time::{Duration, Instant};

use buxtehude::protocol::{BestMove, Command, Info, OptionOffer, PositionCommand, Reply, Start};
use buxtehude::rules::{AnyPosition, Turn, VARIANTS, Variant};

use super::tables::tables;
use super::{Profile, Settings};
use crate::conformance::transcript::{NoLine, Program, ProgramError, mask};
use matches::record::printable::{printable, shortened};

/// The most lines of a talk that are shown.
const SHOWN_LINES: usize = 60;

/// The most characters of a line from the engine that are shown.
const LONGEST_SHOWN: usize = 1000;

/// Why a check did not pass.
#[derive(Clone, Debug)]
pub enum Fault {
    /// Something was otherwise than expected: what.
    Wrong(String),
    /// It could not be asked: why.
    Skipped(String),
}

/// What came of a `go`.
#[derive(Clone, Debug)]
pub struct Search {
    /// All lines before `bestmove`.
    pub lines: Vec<String>,
    /// The info lines with facts among them.
    pub infos: Vec<Info>,
    /// The answer.
    pub best: BestMove,
    /// From `go` to the answer.
    pub elapsed: Duration,
}

/// A running engine, and what was said.
pub struct Talk {
    program: Program,
    settings: Settings,
    transcript: Vec<String>,
    /// The options that it offers, once it was asked.
    offers: Vec<OptionOffer>,
    is_open: bool,
    /// The variant that it plays, once that is known.
    variant: Option<&'static Variant>,
    /// The position set last, where its moves go along with each `go`.
    position: Option<AnyPosition>,
    /// Whether it plays the variant in which a check begins.
    is_home: bool,
    note: Option<String>,
}

/// `Err` with what was wrong. That a list of lines or numbers is empty is said in words.
pub fn wrong<T>(reason: impl Into<String>) -> Result<T, Fault> {
    Err(Fault::Wrong(reason.into().replace("[]", "nothing")))
}

/// What was wrong, unless `holds`.
pub fn expect(holds: bool, reason: impl FnOnce() -> String) -> Result<(), Fault> {
    if holds { Ok(()) } else { wrong(reason()) }
}

/// A line from the engine as it is shown.
fn shown(line: &str) -> String {
    shortened(&mask(&printable(line)), LONGEST_SHOWN).into_owned()
}

impl Talk {
    /// Starts the engine.
    pub fn start(settings: &Settings) -> Result<Talk, ProgramError> {
        Ok(Talk {
            program: Program::start(&settings.program, &settings.arguments)?,
            settings: settings.clone(),
            transcript: Vec::new(),
            offers: Vec::new(),
            is_open: true,
            is_home: false,
            variant: None,
            position: None,
            note: None,
        })
    }

    /// Whether the engine can be asked more: it was not told to end.
    pub fn is_open(&self) -> bool {
        self.is_open
    }

    /// The engine was told to end.
    pub fn close(&mut self) {
        self.is_open = false;
    }

    /// Begins another check: the engine has introduced itself, is idle, and what was said is forgotten.
    pub fn begin(&mut self) -> Result<(), Fault> {
        self.transcript.clear();
        if self.offers.is_empty() {
            self.introduce()?;
        }
        let lines = self.fence()?;
        expect(lines.is_empty(), || {
            format!("unsolicited output: {:?}", lines[0])
        })?;
        self.transcript.clear();
        if !self.is_home
            && let Some(home) = self.home()
        {
            self.choose(home)?;
            self.is_home = true;
        }
        if self.home().is_none() {
            self.variant = None;
        }
        let beginning = self.beginning()?;
        self.set(&[beginning])
    }

    /// The command for the start of a game for two, up to where a seat has a choice: dice may be due before.
    pub fn beginning(&self) -> Result<String, Fault> {
        let words = self.first_moves(0)?;
        Ok(match words.is_empty() {
            true => "position startpos".into(),
            false => format!("position startpos moves {words}"),
        })
    }

    /// The variant in which a check begins that asks for none: the first one that the engine offers.
    fn home(&self) -> Option<&'static Variant> {
        let asked = tables(&self.settings);
        let mut variants = asked.into_iter().map(|(variant, _)| variant);
        variants.find(|variant| self.offers_variant(variant))
    }

    /// So many moves at the beginning of a game for two, as words of a list with what is drawn: no card is, if the game
    /// has such moves.
    pub fn first_moves(&self, count: usize) -> Result<String, Fault> {
        let asked = tables(&self.settings);
        let variant = self.home().or(asked.first().map(|(variant, _)| *variant));
        match variant {
            Some(variant) => Ok(first_words(variant, count)?.0.join(" ")),
            None => Err(Fault::Skipped("no known variant".into())),
        }
    }

    fn introduce(&mut self) -> Result<(), Fault> {
        self.send("uci")?;
        let lines = self.until("uciok")?;
        for line in lines {
            if let Ok(Reply::Option(offer)) = line.parse() {
                self.offers.push(offer);
            }
        }
        Ok(())
    }

    /// Says something of the check, whether or not it passes.
    pub fn note(&mut self, note: String) {
        self.note = Some(note);
    }

    /// What was said of the check.
    pub fn take_note(&mut self) -> Option<String> {
        self.note.take()
    }

    /// Forgets what was said: it was in order, and there is much of it.
    pub fn forget(&mut self) {
        self.transcript.clear();
    }

    /// The number of the engine's process.
    pub fn process(&self) -> u32 {
        self.program.process()
    }

    /// The dialect that the engine speaks.
    pub fn profile(&self) -> Profile {
        self.settings.profile
    }

    /// The options that the engine offers.
    pub fn offers(&self) -> &[OptionOffer] {
        &self.offers
    }

    /// How long to wait for an answer that is due.
    pub fn patience(&self) -> Duration {
        self.settings.patience
    }

    /// What was said, as a transcript; the middle is left out where it is long.
    pub fn transcript(&self) -> String {
        let lines = &self.transcript;
        if lines.len() <= SHOWN_LINES {
            return lines.join("\n");
        }
        let (start, end) = (SHOWN_LINES / 2, lines.len() - SHOWN_LINES / 2);
        let left_out = format!("# {} lines omitted", end - start);
        [&lines[..start], &[left_out], &lines[end..]]
            .concat()
            .join("\n")
    }

    /// Sends a line; a `go` with the legal moves, where the engine is to get them.
    pub fn send(&mut self, line: &str) -> Result<(), Fault> {
        if self.settings.legal {
            match line.parse() {
                Ok(Command::Position(set)) => self.position = self.position_of(&set),
                Ok(Command::Go(mut go)) if go.searchmoves.is_empty() => {
                    let moves = self.position.map(|position| position.legal_actions());
                    go.searchmoves = moves.unwrap_or_default();
                    return self.send_bytes(format!("{}\n", Command::Go(go)).as_bytes());
                }
                _ => {}
            }
        }
        self.send_bytes(format!("{line}\n").as_bytes())
    }

    fn position_of(&self, set: &PositionCommand) -> Option<AnyPosition> {
        let variant = self.variant.unwrap_or(&VARIANTS[0]);
        let mut position = match &set.start {
            Start::Startpos { players } => variant.start(players.unwrap_or(2) as usize).ok()?,
            Start::Fen(text) => variant.parse(text).ok()?,
            Start::Etude(line) => variant.parse_etude(line).ok()?,
        };
        set.moves
            .iter()
            .try_for_each(|word| position.play(word))
            .ok()?;
        Some(position)
    }

    /// Sends bytes as they are.
    pub fn send_bytes(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        let text = String::from_utf8_lossy(bytes);
        let shown: String = text.trim_end_matches('\n').chars().take(300).collect();
        self.transcript.push(format!("> {}", printable(&shown)));
        let sent = self.program.send_bytes(bytes);
        sent.or_else(|error| wrong(error.to_string()))
    }

    /// The next line, if it comes in time.
    pub fn line_within(&mut self, patience: Duration) -> Result<Option<String>, Fault> {
        match self.program.line(patience) {
            Ok(line) => {
                self.transcript.push(format!("< {}", shown(&line)));
                Ok(Some(line))
            }
            Err(NoLine::Silence) => Ok(None),
            Err(NoLine::End) => wrong("the program has ended, or closed its output"),
        }
    }

    /// The next line.
    pub fn line(&mut self) -> Result<String, Fault> {
        let patience = self.patience();
        match self.line_within(patience)? {
            Some(line) => Ok(line),
            None => wrong(format!("no answer within {} ms", patience.as_millis())),
        }
    }

    /// The lines until one of which the first word is `word`, which is among them.
    pub fn until(&mut self, word: &str) -> Result<Vec<String>, Fault> {
        self.until_that(word, |line| line.split_whitespace().next() == Some(word))
    }

    /// The lines until one that begins with `beginning`, which is among them.
    pub fn until_line(&mut self, beginning: &str) -> Result<Vec<String>, Fault> {
        self.until_that(beginning, |line| line.starts_with(beginning))
    }

    fn until_that(
        &mut self,
        word: &str,
        is_it: impl Fn(&str) -> bool,
    ) -> Result<Vec<String>, Fault> {
        let deadline = Instant::now() + self.patience();
        let mut lines = Vec::new();
        loop {
            let line = self.line()?;
            let is_last = is_it(&line);
            lines.push(line);
            if is_last {
                return Ok(lines);
            }
            if Instant::now() > deadline {
                let patience = self.patience().as_millis();
                return wrong(format!("no {word} within {patience} ms, only other lines"));
            }
        }
    }

    /// What comes before the answer to `isready`.
    pub fn fence(&mut self) -> Result<Vec<String>, Fault> {
        self.send("isready")?;
        let mut lines = self.until("readyok")?;
        lines.pop();
        Ok(lines)
    }

    /// What is answered to a line that is no `go`.
    pub fn ask(&mut self, line: &str) -> Result<Vec<String>, Fault> {
        self.send(line)?;
        self.fence()
    }

    /// Sends lines that have no answer, or whose answer does not matter.
    pub fn set(&mut self, lines: &[String]) -> Result<(), Fault> {
        for line in lines {
            self.send(line)?;
        }
        self.fence().map(drop)
    }

    /// Sends a `go`, and reads to its `bestmove`.
    pub fn go(&mut self, line: &str) -> Result<Search, Fault> {
        let begun = Instant::now();
        self.send(line)?;
        self.best_move(begun)
    }

    /// Reads to the `bestmove` of a `go` that was sent at `begun`.
    pub fn best_move(&mut self, begun: Instant) -> Result<Search, Fault> {
        let mut lines = self.until("bestmove")?;
        let elapsed = begun.elapsed();
        let last = lines.pop().unwrap_or_default();
        let Ok(Reply::BestMove(best)) = last.parse() else {
            return wrong(format!("malformed: {last:?}"));
        };
        let infos = lines.iter().filter_map(|line| match line.parse() {
            Ok(Reply::Info(info)) => Some(info),
            _ => None,
        });
        Ok(Search {
            infos: infos.collect(),
            lines,
            best,
            elapsed,
        })
    }

    /// The variants that can be asked about: those that the engine offers, or the only one asked for.
    pub fn plays(&self, variant: &Variant) -> bool {
        self.offers_variant(variant) || self.settings.variant.is_some()
    }

    /// Whether the variant is offered, and no other is the only one asked for.
    pub fn is_asked_about(&self, variant: &Variant) -> bool {
        let only = self.settings.variant;
        only.is_none_or(|only| only.name == variant.name) && self.offers_variant(variant)
    }

    fn offers_variant(&self, variant: &Variant) -> bool {
        self.offers.iter().any(|offer| {
            offer.name == "UCI_Variant" && offer.kind.to_string().contains(variant.name)
        })
    }

    /// Chooses a variant, or skips. An engine that gets its moves plays any, and need not be told.
    pub fn choose(&mut self, variant: &'static Variant) -> Result<(), Fault> {
        if self.settings.legal && !self.offers_variant(variant) {
            self.variant = Some(variant);
            return Ok(());
        }
        if !self.plays(variant) {
            return Err(Fault::Skipped(format!(
                "it does not offer {}",
                variant.name
            )));
        }
        self.is_home = false;
        self.variant = Some(variant);
        self.set(&[format!("setoption name UCI_Variant value {}", variant.name)])
    }

    /// The command that sets a position which came of a start by moves and cards.
    pub fn position(&self, seats: usize, actions: &[String]) -> String {
        let players = match self.profile() {
            Profile::Match if seats == 2 => String::new(),
            Profile::Full | Profile::Match => format!(" players {seats}"),
            Profile::Uci => String::new(),
        };
        let moves = match actions {
            [] => String::new(),
            actions => format!(" moves {}", actions.join(" ")),
        };
        format!("position startpos{players}{moves}")
    }
}

/// The words of so many moves at the beginning of a game for two, and of more until a seat has a choice; and the
/// position in which it has.
pub fn first_words(
    variant: &'static Variant,
    count: usize,
) -> Result<(Vec<String>, AnyPosition), Fault> {
    let start = variant.start(2);
    let mut position = start.map_err(|error| Fault::Skipped(error.to_string()))?;
    let mut words = Vec::new();
    let mut moves = 0;
    let has_choice = |position: &AnyPosition| {
        matches!(position.turn(), Turn::Seat(_)) && position.legal_actions().len() > 1
    };
    while moves < count || !has_choice(&position) {
        let after = |word: String| {
            let mut next = position;
            next.play(&word).ok()?;
            Some((word, next))
        };
        let mut children: Vec<_> = position
            .legal_actions()
            .into_iter()
            .filter_map(after)
            .collect();
        let is_card_due = |next: &AnyPosition| matches!(next.turn(), Turn::Card(_));
        if is_card_due(&position) {
            // Not the same each time: what is rolled for all alike can go round for ever.
            let number = children.len().max(1);
            children.rotate_left(words.len() % number);
        } else {
            children.sort_by_key(|(_, next)| is_card_due(next));
        }
        let Some((word, next)) = children.into_iter().next() else {
            return wrong("the game is over already");
        };
        moves += usize::from(!is_card_due(&position));
        words.push(word);
        position = next;
    }
    Ok((words, position))
}

/// Whether the word is a move that can be played in the position.
pub fn is_legal(position: &AnyPosition, word: &str) -> bool {
    matches!(position.turn(), Turn::Seat(_)) && position.legal_actions().iter().any(|mv| mv == word)
}
