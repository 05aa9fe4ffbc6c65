"""The variant for python-chess, as `examples/` has it, and random play with it."""

import sys
from pathlib import Path

import chess

sys.path.insert(0, str(Path(__file__).parents[2] / "examples"))

from python_chess_board import NAME, STARTS, Board  # noqa: E402, F401


def random_game(fen, randomness):
    """A board at the end of a game from `fen` in which every move was drawn."""
    board = Board(fen)
    while not board.is_variant_end():
        board.push(randomness.choice(list(board.generate_legal_moves())))
    return board


def random_placement(randomness):
    """A board with a rabbit and four wolves anywhere on dark squares, either side to move.

    A rabbit that is home already has the wolves to move, as it would in a game.
    """
    board = Board(None)
    squares = randomness.sample(list(chess.SquareSet(chess.BB_DARK_SQUARES)), 5)
    for number, square in enumerate(squares):
        board.set_piece_at(square, chess.Piece(chess.BISHOP, number == 0))
    board.turn = not board.is_rabbit_home() and randomness.random() < 0.5
    return board
