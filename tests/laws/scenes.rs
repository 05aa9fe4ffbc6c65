//! Guarantees for programs that draw positions.

use buxtehude::rules::{Game, Piece, Scene, Seat};

/// Asserts that board, labels and pieces match the start.
pub fn check_scene<G: Game>(rules: &'static G::Rules, position: &G) {
    let scene = position.scene();
    let start = G::start(rules, position.seats()).unwrap().scene();
    assert_eq!(scene.board, start.board, "{position:?}");
    assert_eq!(scene.facts.len(), position.seats(), "{position:?}");
    let labels = |scene: &Scene| -> Vec<Vec<&str>> {
        let facts = scene.facts.iter();
        facts.map(|facts| facts.iter().map(|fact| fact.label).collect()).collect()
    };
    assert_eq!(labels(&scene), labels(&start), "{position:?}");
    let pieces = |scene: &Scene| -> Vec<(Seat, &str)> {
        let pieces = scene.pieces.iter();
        pieces.map(|piece| (piece.seat, piece.name)).collect()
    };
    assert_eq!(pieces(&scene), pieces(&start), "{position:?}");
    for piece in scene.pieces {
        let squares = scene.board.squares.len();
        assert!(piece.square < squares, "{piece:?} in {position:?}");
    }
}

/// Asserts that a preview shows one piece of the mover at its new square, and that its facts equal the facts of the
/// scene after the move.
pub fn check_previews<G: Game>(position: &G) {
    let scene = position.scene();
    for mv in position.legal_moves() {
        let preview = position.preview(mv);
        let seat = scene.pieces[preview.piece].seat;
        assert_eq!(Some(seat), position.turn().seat(), "{mv}: {position:?}");
        let after = position.play_unchecked(mv).scene();
        let stands = |piece: &Piece| piece.seat == seat && piece.square == preview.square;
        assert!(after.pieces.iter().any(stands), "{mv}: {position:?}");
        for fact in preview.facts {
            let facts = &after.facts[seat.index()];
            let same = facts.iter().find(|known| known.label == fact.label);
            assert!(same.is_none_or(|same| *same == fact), "{mv} {fact:?}: {position:?}");
        }
    }
}
