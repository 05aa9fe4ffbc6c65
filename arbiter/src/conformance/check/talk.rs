//! Communication with the checked engine. Every line is kept, to be shown with a failure.

use std::time::{Duration, Instant};

use buxtehude::protocol::{
    BestMove, Command, Info, OptionOffer, PositionCommand, Reply, Score, Start,
};
use buxtehude::rules::{AnyPosition, Turn, VARIANTS, Variant};

use super::{Profile, Settings};
use crate::conformance::transcript::{NoLine, Program, ProgramError, mask};
use matches::record::printable::{printable, shortened};

/// Maximum number of lines shown.
const SHOWN_LINES: usize = 60;

/// Maximum number of characters shown of an engine's line.
const LONGEST_SHOWN: usize = 1000;

/// Reasons for a check not to pass.
#[derive(Clone, Debug)]
pub enum Fault {
    /// The engine did not meet the expectation; with the reason.
    Wrong(String),
    /// The check does not apply to the engine; with the reason.
    Skipped(String),
}

/// Every other error is the engine's, or of a program that cannot go on.
impl<E: std::error::Error> From<E> for Fault {
    fn from(error: E) -> Fault {
        Fault::Wrong(error.to_string())
    }
}

/// Output of a `go`.
#[derive(Clone, Debug)]
pub struct Search {
    /// All lines before `bestmove`.
    pub lines: Vec<String>,
    /// The `info` lines among them that have fields.
    pub infos: Vec<Info>,
    pub best: BestMove,
    /// Time from `go` to `bestmove`.
    pub elapsed: Duration,
}

/// A running engine and the transcript of its communication.
pub struct Talk {
    program: Program,
    settings: Settings,
    transcript: Vec<String>,
    /// The options that it offers; empty before the introduction.
    offers: Vec<OptionOffer>,
    is_open: bool,
    /// The variant that it plays, if known.
    variant: Option<&'static Variant>,
    /// The last position set, if the legal moves are sent with each `go`.
    position: Option<AnyPosition>,
    /// `true` if the engine plays the variant where checks begin.
    is_home: bool,
    note: Option<String>,
}

/// `Err` with a reason; spells out an empty list in it.
pub fn wrong<T>(reason: impl Into<String>) -> Result<T, Fault> {
    Err(Fault::Wrong(reason.into().replace("[]", "nothing")))
}

/// Fails with the reason unless `holds`.
pub fn expect(holds: bool, reason: impl FnOnce() -> String) -> Result<(), Fault> {
    if holds { Ok(()) } else { wrong(reason()) }
}

/// Fails unless there are no lines.
pub fn nothing(lines: &[String]) -> Result<(), Fault> {
    expect(lines.is_empty(), || format!("{:?} came", lines[0]))
}

/// `true` if the engine rejects a line with this answer.
pub fn is_refusal(line: &str) -> bool {
    line.starts_with("info string error: ")
}

/// `true` if the value of a search is exact, since the game is solved or ends soon.
pub fn is_mate(info: &Info) -> bool {
    matches!(info.score, Some(Score::Mate(_)))
}

/// An engine's line as shown in a transcript.
fn shown(line: &str) -> String {
    shortened(&mask(&printable(line)), LONGEST_SHOWN).into_owned()
}

impl Talk {
    pub fn start(settings: &Settings) -> Result<Talk, ProgramError> {
        Ok(Talk {
            program: Program::start(&settings.program, &settings.arguments, settings.isolation)?,
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

    /// `true` if the engine can run another check, since it was not told to quit.
    pub fn is_open(&self) -> bool {
        self.is_open
    }

    /// Notes that the engine was told to quit.
    pub fn close(&mut self) {
        self.is_open = false;
    }

    /// Prepares for the next check: the engine is introduced, idle and at the start, and the transcript is empty.
    pub fn begin(&mut self) -> Result<(), Fault> {
        self.transcript.clear();
        if self.offers.is_empty() {
            for line in self.introduction()? {
                if let Ok(Reply::Option(offer)) = line.parse() {
                    self.offers.push(offer);
                }
            }
        }
        nothing(&self.fence()?)?;
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
        self.set_beginning()
    }

    /// The command for the first position of a game for two where a seat has a choice; dice may be due before.
    pub fn beginning(&self) -> Result<String, Fault> {
        let words = self.first_moves(0)?;
        Ok(match words.is_empty() {
            true => "position startpos".into(),
            false => format!("position startpos moves {words}"),
        })
    }

    /// The default variant of checks: the first one that the engine offers.
    fn home(&self) -> Option<&'static Variant> {
        let asked = self.settings.tables();
        let mut variants = asked.into_iter().map(|(variant, _)| variant);
        variants.find(|variant| self.offers_variant(variant))
    }

    /// The first `count` moves of a game for two, with the cards drawn; avoids cards if the game has moves that draw
    /// none.
    pub fn first_moves(&self, count: usize) -> Result<String, Fault> {
        let asked = self.settings.tables();
        let variant = self.home().or(asked.first().map(|(variant, _)| *variant));
        match variant {
            Some(variant) => Ok(first_words(variant, count)?.0.join(" ")),
            None => Err(Fault::Skipped("no known variant".into())),
        }
    }

    /// Adds a note to the outcome, passed or not.
    pub fn note(&mut self, note: String) {
        self.note = Some(note);
    }

    /// Takes the note of the check.
    pub fn take_note(&mut self) -> Option<String> {
        self.note.take()
    }

    /// Clears the transcript, which is long and shows no failure.
    pub fn forget(&mut self) {
        self.transcript.clear();
    }

    /// Process id of the engine.
    pub fn process(&self) -> u32 {
        self.program.process()
    }

    pub fn profile(&self) -> Profile {
        self.settings.profile
    }

    pub fn offers(&self) -> &[OptionOffer] {
        &self.offers
    }

    /// Timeout for an expected answer.
    pub fn patience(&self) -> Duration {
        self.settings.patience
    }

    /// The transcript; if it is long, without its middle.
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

    /// Sends a line; adds the legal moves to a `go` if the settings say so.
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

    /// Sends raw bytes.
    pub fn send_bytes(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        let text = String::from_utf8_lossy(bytes);
        let shown: String = text.trim_end_matches('\n').chars().take(300).collect();
        self.transcript.push(format!("> {}", printable(&shown)));
        Ok(self.program.send_bytes(bytes)?)
    }

    /// Returns the next line, or `None` after the timeout.
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

    /// Returns the next line; fails after the timeout.
    pub fn line(&mut self) -> Result<String, Fault> {
        let patience = self.patience();
        match self.line_within(patience)? {
            Some(line) => Ok(line),
            None => wrong(format!("no answer within {} ms", patience.as_millis())),
        }
    }

    /// Reads up to and including a line whose first word is `word`.
    pub fn until(&mut self, word: &str) -> Result<Vec<String>, Fault> {
        let deadline = Instant::now() + self.patience();
        let goes_on = |rest: &str| rest.starts_with(char::is_alphanumeric);
        let mut lines = Vec::new();
        loop {
            let line = self.line()?;
            let is_last = line.strip_prefix(word).is_some_and(|rest| !goes_on(rest));
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

    /// Returns the answer to `uci`.
    pub fn introduction(&mut self) -> Result<Vec<String>, Fault> {
        self.send("uci")?;
        self.until("uciok")
    }

    /// Sends `isready` and returns the lines before its answer.
    pub fn fence(&mut self) -> Result<Vec<String>, Fault> {
        self.send("isready")?;
        let mut lines = self.until("readyok")?;
        lines.pop();
        Ok(lines)
    }

    /// Returns the answer to a line other than `go`.
    pub fn ask(&mut self, line: &str) -> Result<Vec<String>, Fault> {
        self.send(line)?;
        self.fence()
    }

    /// Fails if a line has another answer.
    pub fn expect_answer(&mut self, line: &str, expected: &[String]) -> Result<(), Fault> {
        let answer = self.ask(line)?;
        expect(answer == expected, || {
            format!("{line}: expected {expected:?}, got {answer:?}")
        })
    }

    /// Fails unless `d` shows these lines, and perhaps others.
    pub fn expect_shown(&mut self, lines: &[String]) -> Result<(), Fault> {
        let shown = self.ask("d")?;
        let missing = lines.iter().find(|line| !shown.contains(line));
        expect(missing.is_none(), || {
            format!(
                "no line {:?} in {shown:?}",
                missing.unwrap_or(&String::new())
            )
        })
    }

    /// Sends lines and ignores their answers.
    pub fn set(&mut self, lines: &[String]) -> Result<(), Fault> {
        for line in lines {
            self.send(line)?;
        }
        self.fence().map(drop)
    }

    /// Sends a `go` and reads up to its `bestmove`.
    pub fn go(&mut self, line: &str) -> Result<Search, Fault> {
        let begun = Instant::now();
        self.send(line)?;
        self.best_move(begun)
    }

    /// Sends a `go` to which a move must be the answer.
    pub fn go_for_a_move(&mut self, line: &str) -> Result<Search, Fault> {
        let search = self.go(line)?;
        expect(search.best.best.is_some(), || "no move".into())?;
        Ok(search)
    }

    /// Sets the position where checks begin.
    pub fn set_beginning(&mut self) -> Result<(), Fault> {
        self.set(&[self.beginning()?])
    }

    /// Skips the check unless the engine offers an option.
    pub fn need_option(&self, name: &str) -> Result<(), Fault> {
        match self.offers.iter().any(|offer| offer.name == name) {
            true => Ok(()),
            false => Err(Fault::Skipped(format!("it does not offer {name}"))),
        }
    }

    /// Reads up to the `bestmove` of a `go` sent at `begun`.
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

    /// `true` if the engine offers the variant, or the user selected one.
    pub fn plays(&self, variant: &Variant) -> bool {
        self.offers_variant(variant) || self.settings.variant.is_some()
    }

    /// `true` if the engine offers the variant and the user did not select another.
    pub fn is_asked_about(&self, variant: &Variant) -> bool {
        let only = self.settings.variant;
        only.is_none_or(|only| only.name == variant.name) && self.offers_variant(variant)
    }

    fn offers_variant(&self, variant: &Variant) -> bool {
        self.offers.iter().any(|offer| {
            offer.name == "UCI_Variant" && offer.kind.to_string().contains(variant.name)
        })
    }

    /// Selects a variant; skips the check if the engine does not offer it. An engine that receives its legal moves
    /// plays any variant, and needs no command.
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

    /// The command for a position reached from the start by moves and cards.
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

/// The first `count` moves of a game for two, with cards, and further ones until a seat has a choice; and the position
/// reached.
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
            // Rotate through the cards: the same roll for every seat could repeat for ever.
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

/// `true` if `word` is a legal move of the seat to move.
pub fn is_legal(position: &AnyPosition, word: &str) -> bool {
    matches!(position.turn(), Turn::Seat(_)) && position.legal_actions().iter().any(|mv| mv == word)
}
