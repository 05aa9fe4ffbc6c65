"""The variant for python-chess from `examples/`, and random play."""

import sys
from pathlib import Path

import chess

sys.path.insert(0, str(Path(__file__).parents[2] / "examples"))

from python_chess_board import NAME, STARTS, Board  # noqa: E402, F401


def random_game(fen, randomness):
    """Plays a random game from `fen`; returns the final board."""
    board = Board(fen)
    while not board.is_variant_end():
        board.push(randomness.choice(list(board.generate_legal_moves())))
    return board


def random_placement(randomness):
    """Returns a board with a rabbit and four wolves on random dark squares, either side to move.

    If the rabbit is home, the wolves are to move, as in a game.
    """
    board = Board(None)
    squares = randomness.sample(list(chess.SquareSet(chess.BB_DARK_SQUARES)), 5)
    for number, square in enumerate(squares):
        board.set_piece_at(square, chess.Piece(chess.BISHOP, number == 0))
    board.turn = not board.is_rabbit_home() and randomness.random() < 0.5
    return board
