"""A board of Rabbits and Wolves for python-chess, which does not support the game.

>>> import chess.engine, python_chess_board
>>> board = python_chess_board.Board()
>>> with chess.engine.SimpleEngine.popen_uci("buxtehude") as engine:
...     while not board.is_game_over():
...         board.push(engine.play(board, chess.engine.Limit(time=0.1)).move)
>>> board.result()
'0-1'
"""

import chess

NAME = "fox-and-hounds"
STARTS = [
    f"1h1h1h1h/8/8/8/8/8/8/{bottom_row} w - - 0 1"
    for bottom_row in ("F7", "2F5", "4F3", "6F1")
]
"""The rabbit on a1, c1, e1 (the usual start) or g1."""


class Board(chess.Board):
    """A board of the variant: white has the rabbit, black the wolves.

    Both are stored as bishops, so that python-chess can make their moves unchanged.
    """

    uci_variant = NAME
    starting_fen = STARTS[2]

    def __init__(self, fen=starting_fen, chess960=False):
        super().__init__(fen, chess960=chess960)

    def reset(self):
        self.set_fen(self.starting_fen)

    def board_fen(self, *, promoted=False):
        return super().board_fen(promoted=promoted).translate({ord("B"): "F", ord("b"): "h"})

    def _set_board_fen(self, fen):
        super()._set_board_fen(fen.translate({ord("F"): "B", ord("h"): "b"}))

    def is_rabbit_home(self):
        return bool(self.occupied_co[chess.WHITE] & chess.BB_RANK_8)

    def generate_legal_moves(self, from_mask=chess.BB_ALL, to_mask=chess.BB_ALL):
        if self.is_rabbit_home():
            return
        free = chess.BB_DARK_SQUARES & ~self.occupied & to_mask
        for origin in chess.scan_forward(self.occupied_co[self.turn] & from_mask):
            for target in chess.scan_forward(chess.BB_KING_ATTACKS[origin] & free):
                if self.turn == chess.WHITE or target < origin:
                    yield chess.Move(origin, target)

    def is_legal(self, move):
        return move in self.generate_legal_moves()

    def is_variant_end(self):
        return not any(self.generate_legal_moves())

    def is_variant_loss(self):
        return self.is_variant_end()

    def is_variant_win(self):
        return False

    def has_insufficient_material(self, color):
        return False
