//! Tiny engines for tests, and games between them.

use std::time::{Duration, Instant};

use buxtehude::rules::{Turn, VARIANTS};
use matches::plan::schedule::{ScheduledGame, SeatedEngine};
use matches::plan::{EngineSpec, Limit, Opening, Plan, RefereeLimits};
use matches::play::engine::{Engine, Placement};
use matches::play::interrupt::Interrupt;
use matches::play::log::Log;
use matches::play::referee::{Abandoned, Game, Referee};
use matches::record::GameRecord;

/// The engine `engines/engine.sh` with its arguments.
pub fn tiny(arguments: &[&str]) -> EngineSpec {
    let script = super::ENGINE;
    let arguments = arguments.iter().map(|argument| argument.to_string());
    EngineSpec {
        args: [script.to_string()].into_iter().chain(arguments).collect(),
        legal: true,
        ..EngineSpec::new("tiny", "/bin/sh", Limit::nodes(1))
    }
}

/// A game of engines in seat order, by default of at most six plies.
pub struct Table {
    pub plan: Plan,
    pub game: ScheduledGame,
    pub log: Log,
    pub interrupt: Interrupt,
}

pub struct Played {
    pub result: Result<GameRecord, Abandoned>,
    /// Engines of the seats that were still playing after the opening.
    pub engines: Vec<Engine>,
    pub took: Duration,
}

impl Table {
    pub fn new(engines: Vec<EngineSpec>) -> Table {
        let seats = engines.len();
        let seated = (0..seats).map(|engine| SeatedEngine { engine, copy: 0 });
        Table {
            game: ScheduledGame {
                number: 1,
                block: 1,
                seats: seated.collect(),
                opening: Opening::usual(seats),
                deck_seed: 5.into(),
            },
            plan: Plan {
                referee_limits: RefereeLimits { max_plies: 6, ..RefereeLimits::default() },
                ..Plan::new(&VARIANTS[0], seats, engines)
            },
            log: Log::none(),
            interrupt: Interrupt::new(),
        }
    }

    pub fn play(&self) -> Played {
        let timeout = self.plan.referee_limits.ready;
        let start = |spec| {
            Engine::start(
                spec,
                self.plan.rules.name(),
                Placement::anywhere(None),
                timeout,
                &self.log,
                &self.interrupt,
            )
        };
        let mut engines: Vec<Option<Engine>> =
            self.plan.engines.iter().map(|spec| Some(start(spec).unwrap())).collect();
        let begun = Instant::now();
        let game = Game::new(&self.game, Referee::new(&self.plan, &self.interrupt));
        let result = game.and_then(|game| game.play(&mut engines));
        Played { took: begun.elapsed(), result, engines: engines.into_iter().flatten().collect() }
    }
}

impl Played {
    pub fn record(&self) -> &GameRecord {
        let record = self.result.as_ref().unwrap();
        check_moves(record);
        record
    }
}

/// Reruns the record: all moves are legal, and each move after the opening has its turn.
fn check_moves(record: &GameRecord) {
    let mut position = VARIANTS[0].parse(&record.start).unwrap();
    let mut moves = 0;
    for word in record.moves.split_whitespace() {
        moves += usize::from(matches!(position.turn(), Turn::Seat(_)));
        if let Err(error) = position.play(word) {
            panic!("{error} in {record:?}\n{}", position.picture());
        }
    }
    assert!(record.turns.len() <= moves, "{record:?}");
}
