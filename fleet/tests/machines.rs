//! Machines of different speed and fitness: the store keeps which machine played a game; one that sent a wrong game is
//! set aside with all its games.

use fleet::signature::Signer;
use matches::archive::ArchiveError;
use matches::archive::store::{Extent, Store};
use matches::record::{GameRecord, Machine};
use nkeys::KeyPair;
use preconditions::needs;

use crate::common::{Fleet, MATCH, assert_whole, played_on_one_machine, program};
use crate::messages::{outcome, send};
use crate::rights::nkey;

pub fn games_of(fleet: &Fleet) -> Vec<GameRecord> {
    let mut games = Vec::new();
    let read = Store::open(&fleet.store()).unwrap().for_each_game(Extent::Whole, |game| {
        games.push(game.record);
        Ok::<(), ArchiveError>(())
    });
    read.unwrap();
    games
}

pub fn machine(record: &GameRecord) -> &Machine {
    record.machine.as_ref().unwrap()
}

#[needs(nats_server)]
#[test]
fn all_games_of_a_machine_that_is_set_aside_are_played_by_others() {
    let mut fleet = Fleet::new();
    let key = KeyPair::new_user();
    let flag = nkey(&fleet, "bad", &key);
    let mut coordinator = fleet.begin(MATCH);
    let mut bad = fleet.worker_by(&mut program(), &flag);
    fleet.await_games(2);
    bad.kill();
    let names = fleet.await_names(&fleet.store());
    let signer = Signer::read("--nkey", &fleet.path("bad.nk")).unwrap();
    let mut wrong: GameRecord = serde_json::from_str(&played_on_one_machine(MATCH)[11]).unwrap();
    wrong.moves.clear();
    send(&fleet, vec![outcome(&names, "bad", &signer, wrong)]);
    coordinator.await_words("not counted; given out again");
    // A resumed coordinator knows it, too.
    coordinator.kill();
    let mut coordinator = fleet.resume();
    let _good = fleet.worker("good");
    let output = assert_whole(&fleet, &mut coordinator, MATCH);
    let games = games_of(&fleet);
    assert!(games.iter().all(|record| machine(record).worker.starts_with("good-")));
    // The report names it, also when the match is only shown.
    let (_, reason) =
        output.split_once(&format!("machine bad-{} is set aside: ", signer.key().id())).unwrap();
    let (_, uncounted) = reason.split_once("; ").unwrap();
    let number: u32 = uncounted.split(' ').next().unwrap().parse().unwrap();
    assert!(number >= 2 && uncounted.contains("of its games are not counted"), "{output}");
    coordinator = fleet.resume();
    let shown = coordinator.ends(0, &["all stored in"]);
    assert!(shown.contains(reason.lines().next().unwrap()), "{shown}");
}

#[needs(nats_server)]
#[test]
fn times_are_scaled_by_the_speed_of_the_machine() {
    let mut fleet = Fleet::new();
    // The reference is far slower than any machine.
    let words = "--games 2 --movetime 80 --seed 7 --scale-time 1000";
    let mut coordinator = fleet.begin(words);
    let _worker = fleet.worker("one");
    let output = coordinator.ends(0, &["a machine with 1000 positions a second"]);
    assert!(output.lines().any(|line| line.trim().ends_with("0.125")), "{output}");
    let games = games_of(&fleet);
    assert_eq!(games.len(), 2);
    for record in &games {
        assert_eq!(machine(record).time_scale, Some(125));
        let micros: Vec<u64> = record.turns.iter().filter_map(|turn| turn.micros).collect();
        let mean = micros.iter().sum::<u64>() / micros.len() as u64;
        // They search for 10 ms per move; at 80 ms no machine would be so fast.
        assert!(mean < 60_000, "{mean}");
    }
    let store = fleet.store();
    let mut other = fleet.start(&format!("resume --scale-time 2000 {}", store.display()));
    // A complete match is only shown, and the flag is ignored.
    other.ends(0, &[]);
}
