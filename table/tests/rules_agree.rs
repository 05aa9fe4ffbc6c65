//! The server's answers agree with the rules.

use axum::http::StatusCode;
use buxtehude::pictures::MovePreview;
use buxtehude::rules::{AnyPosition, Seat, Turn};
use matches::score::{points, points_of_a_game};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

use crate::common::games::{game, random_words, starts};
use crate::common::server::Server;

/// Total number of random games, of all variants and numbers of players.
const GAMES: usize = 400;
/// Maximum length of a game.
const MAX_WORDS: usize = 120;

fn turn(position: &AnyPosition) -> Value {
    match position.turn() {
        Turn::Seat(seat) => json!({ "seat": seat.index() + 1, "due": "move" }),
        Turn::Card(seat) => json!({ "seat": seat.index() + 1, "due": "card" }),
        Turn::Over => Value::Null,
    }
}

fn places(position: &AnyPosition) -> Value {
    (0..position.seats() as u8).map(|seat| json!(position.place(Seat(seat)))).collect()
}

fn pieces(position: &AnyPosition) -> Value {
    let pieces = position.scene().pieces.into_iter();
    pieces.map(|piece| json!({ "seat": piece.seat.index() + 1, "name": piece.name, "square": piece.square })).collect()
}

fn facts(position: &AnyPosition) -> Value {
    let fact =
        |fact: buxtehude::pictures::Fact| json!({ "label": fact.label, "value": fact.value });
    let facts = position.scene().facts.into_iter();
    facts.map(|facts| facts.into_iter().map(fact).collect::<Value>()).collect()
}

fn move_of(mv: &str, preview: MovePreview) -> Value {
    let facts =
        preview.facts.into_iter().map(|fact| json!({ "label": fact.label, "value": fact.value }));
    let (piece, square) = (preview.piece, preview.square);
    json!({ "move": mv, "piece": piece, "square": square, "facts": facts.collect::<Value>() })
}

fn check_state(state: &Value, position: &AnyPosition) {
    assert_eq!(state["position"], json!(position.to_string()));
    assert_eq!(state["turn"], turn(position), "{position}");
    assert_eq!(state["places"], places(position), "{position}");
    assert_eq!(state["pieces"], pieces(position), "{position}");
    assert_eq!(state["facts"], facts(position), "{position}");
    let squares = state["board"]["squares"].as_array().unwrap().len();
    assert_eq!(squares, position.scene().board.squares.len());
    let moves = position.previews().into_iter().map(|(mv, preview)| move_of(&mv, preview));
    assert_eq!(state["moves"], moves.collect::<Value>(), "{position}");
    let reached: Vec<usize> =
        position.previews().iter().map(|(_, preview)| preview.square).collect();
    for (square, refusal) in state["refusals"].as_array().unwrap().iter().enumerate() {
        let expected = position.refusal(square).filter(|_| !reached.contains(&square));
        assert_eq!(refusal["rule"].as_str(), expected.as_ref().map(|refusal| refusal.rule));
        let numbers = expected.map_or(Vec::new(), |refusal| refusal.facts);
        assert_eq!(refusal["facts"].as_array().map_or(0, Vec::len), numbers.len(), "{position}");
    }
    let cards = position.outcomes().into_iter().map(|(card, number)| {
        let words = position.card_words(&card).unwrap();
        json!({ "card": card, "number": number, "words": words })
    });
    assert_eq!(state["cards"], cards.collect::<Value>(), "{position}");
}

#[tokio::test]
async fn random_games_are_as_the_rules_say() {
    let server = Server::new(&[]);
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let starts = starts();
    for number in 0..GAMES {
        let (variant, start) = starts[number % starts.len()];
        let words = random_words(start, MAX_WORDS, &mut random);
        let shown = server
            .content("/api/show", &json!({ "game": game(variant, start.seats(), &words) }))
            .await;
        assert_eq!(shown["first"]["position"], json!(start.to_string()));
        assert_eq!(shown["first"]["pieces"], pieces(&start));
        assert_eq!(shown["first"]["places"], places(&start));
        let mut position = start;
        let steps = shown["steps"].as_array().unwrap();
        assert_eq!(steps.len(), words.len());
        for (word, step) in words.iter().zip(steps) {
            let seat = position.turn().seat().unwrap().index() + 1;
            let words = position.card_words(word).unwrap_or_default();
            let preview = position.preview(word).map_or(Value::Null, |found| move_of(word, found));
            assert_eq!((&step["words"], &step["move"]), (&json!(words), &preview));
            position.play(word).unwrap();
            assert_eq!((&step["word"], &step["seat"]), (&json!(word), &json!(seat)));
            assert_eq!(step["position"], json!(position.to_string()));
            assert_eq!(step["pieces"], pieces(&position));
            assert_eq!(step["facts"], facts(&position));
            assert_eq!(step["turn"], turn(&position));
            assert_eq!(step["places"], places(&position));
        }
        check_state(&shown, &position);
        // The same position from its text, if that can be parsed, and one more word.
        let from_text = json!({ "variant": variant.name, "start": position.to_string() });
        check_state(&server.content("/api/new", &from_text).await, &position);
        let Some(word) = position.legal_actions().pop() else {
            continue;
        };
        let request = json!({ "game": shown["game"], "move": word, "draw": false });
        let took = server.content("/api/play", &request).await;
        let before = position;
        position.play(&word).unwrap();
        check_state(&took, &position);
        assert_eq!(took["steps"][0]["position"], json!(position.to_string()), "{before} {word}");
        assert_eq!(took["steps"].as_array().unwrap().len(), 1);
    }
}

#[tokio::test]
async fn a_game_is_played_to_its_end_with_the_cards_that_are_drawn() {
    let server = Server::new(&["--seed", "3"]);
    let mut random = ChaCha8Rng::seed_from_u64(2);
    for (variant, start) in starts() {
        let mut state = server
            .content("/api/new", &json!({ "variant": variant.name, "players": start.seats() }))
            .await;
        check_state(&state, &start);
        let mut position = start;
        for _ in 0..150 {
            let (path, request) = match position.turn() {
                Turn::Over => break,
                Turn::Card(_) => ("/api/draw", json!({ "game": state["game"] })),
                Turn::Seat(_) => {
                    let word = random_words(position, 1, &mut random).remove(0);
                    ("/api/play", json!({ "game": state["game"], "move": word }))
                }
            };
            state = server.content(path, &request).await;
            let words: Vec<&str> = state["steps"]
                .as_array()
                .unwrap()
                .iter()
                .map(|step| step["word"].as_str().unwrap())
                .collect();
            for word in &words {
                position.play(word).unwrap();
            }
            check_state(&state, &position);
            assert!(!matches!(position.turn(), Turn::Card(_)), "{position}");
            // The same request draws the same card.
            assert_eq!(server.content(path, &request).await, state);
        }
    }
}

#[tokio::test]
async fn places_are_worth_what_the_arbiter_pays() {
    let server = Server::new(&[]);
    for (variant, start) in starts() {
        let seats = start.seats();
        let state =
            server.content("/api/new", &json!({ "variant": variant.name, "players": seats })).await;
        let places: Vec<u32> = (1..=seats as u32).collect();
        let expected = points(&places)
            .into_iter()
            .map(|points| (1000.0 * points / points_of_a_game(seats)).round());
        let found: Vec<f64> = state["points"]
            .as_array()
            .unwrap()
            .iter()
            .map(|worth| worth.as_f64().unwrap())
            .collect();
        assert_eq!(found, Vec::from_iter(expected));
        assert_eq!(found.iter().sum::<f64>(), 1000.0);
    }
}

#[tokio::test]
async fn cards_come_as_often_as_their_numbers_say() {
    let server = Server::new(&[]);
    let game = json!({ "variant": "hase-und-igel", "players": 2, "moves": ["1"] });
    let left = server.content("/api/show", &json!({ "game": game })).await["cards"].clone();
    let all: f64 =
        left.as_array().unwrap().iter().map(|card| card["number"].as_f64().unwrap()).sum();
    const DRAWS: u32 = 4000;
    let mut drawn = std::collections::BTreeMap::<String, u32>::new();
    for _ in 0..DRAWS {
        let took = server.content("/api/draw", &json!({ "game": game })).await;
        *drawn.entry(took["steps"][0]["word"].as_str().unwrap().to_string()).or_default() += 1;
    }
    for card in left.as_array().unwrap() {
        let chance = card["number"].as_f64().unwrap() / all;
        let expected = chance * f64::from(DRAWS);
        let deviation = (expected * (1.0 - chance)).sqrt();
        let found = f64::from(drawn.remove(card["card"].as_str().unwrap()).unwrap_or_default());
        // Six standard deviations: exceeded once in hundreds of millions of runs.
        assert!((found - expected).abs() < 6.0 * deviation, "{card}: {found}, {expected} expected");
    }
    assert!(drawn.is_empty(), "{drawn:?}");
}

#[tokio::test]
async fn solved_games_are_known_to_the_end() {
    let server = Server::new(&[]);
    let mut random = ChaCha8Rng::seed_from_u64(4);
    for (variant, start) in starts() {
        let words = random_words(start, 5, &mut random);
        let request = json!({ "game": game(variant, start.seats(), &words) });
        let answer = server.post("/api/solved", &request).await;
        if start.solved().is_none() {
            let error = answer.error(StatusCode::BAD_REQUEST);
            assert!(error.contains("is not solved; expected"), "{error}");
            continue;
        }
        let mut position = start;
        words.iter().for_each(|word| position.play(word).unwrap());
        let expected = position.legal_actions().into_iter().map(|mv| {
            let mut after = position;
            after.play(&mv).unwrap();
            let outcome = after.solved().unwrap();
            json!({ "move": mv, "wins": outcome.winner.index() + 1, "plies": outcome.plies })
        });
        assert_eq!(answer.json["moves"], expected.collect::<Value>());
    }
}
