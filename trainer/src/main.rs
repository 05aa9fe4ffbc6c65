//! The trainer as a program.

use std::path::PathBuf;
use std::time::Instant;

use buxtehude::eval::net::{Looks, Net, Weights};
use buxtehude::rules::hase::{HARE_AND_TORTOISE, HASE_UND_IGEL};
use clap::Parser;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use trainer::learner::Learner;
use trainer::self_play;

#[derive(Parser)]
struct Args {
    #[arg(long)]
    versus: Vec<PathBuf>,
    #[arg(long, default_value_t = 20000)]
    games: usize,
    #[arg(long, default_value = "hase-und-igel")]
    variant: String,
    #[arg(long)]
    seats: usize,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[arg(long, default_value_t = 400)]
    rounds: u64,
    #[arg(long)]
    output: PathBuf,
}

const ROUND: usize = 100_000;

fn main() {
    let args = Args::parse();
    let ruleset = if args.variant == "hase-und-igel" {
        &HASE_UND_IGEL
    } else {
        &HARE_AND_TORTOISE
    };
    let looks = Looks::of(ruleset);
    let mut random = ChaCha8Rng::seed_from_u64(args.seed);
    if let [a, b] = args.versus.as_slice() {
        let read = |p: &PathBuf| Weights::from_bytes(&std::fs::read(p).unwrap()).unwrap();
        let nets = [a, b].map(|p| Net::new(ruleset, &read(p)));
        let learners = [a, b].map(|p| Learner::from_weights(ruleset, read(p)));
        self_play::versus(&nets, &learners, &looks, ruleset, &mut random, args.games);
        return;
    }
    let mut learner = Learner::new(ruleset, &args.variant, args.seats, &mut random);
    let mut samples = Vec::new();
    let begun = Instant::now();
    let mut play_time = 0.0;
    for round in 0..args.rounds {
        let t = Instant::now();
        let net = Net::new(ruleset, &learner.weights);
        samples.clear();
        let mut games = 0;
        while samples.len() < ROUND {
            self_play::play(&net, &looks, ruleset, &mut random, &mut samples);
            games += 1;
        }
        play_time += t.elapsed().as_secs_f64();
        let mut loss = 0.0;
        let mut pairs = 0;
        for sample in samples.iter().step_by(20) {
            let (l, p) = learner.loss(sample);
            loss += f64::from(l);
            pairs += p;
        }
        samples.shuffle(&mut random);
        let done = round as f32 / args.rounds as f32;
        let rate = (1.0 - done).powi(2).max(0.01);
        for sample in &samples {
            learner.learn(sample, rate);
        }
        if round % 10 == 9 || round < 10 {
            println!(
                "round {round} games {games} len {:.1} loss {:.4} time {:.1} play {:.1}",
                samples.len() as f64 / games as f64,
                loss / f64::from(pairs),
                begun.elapsed().as_secs_f64(),
                play_time
            );
            std::fs::write(&args.output, learner.weights.to_bytes()).unwrap();
        }
    }
    std::fs::write(&args.output, learner.weights.to_bytes()).unwrap();
}
