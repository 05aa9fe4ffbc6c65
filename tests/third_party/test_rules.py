"""Legal moves, positions and results agree with Fairy-Stockfish's rules in pyffish."""

import random
import unittest

import pyffish

import programs
import variant

# pyffish takes about 4 ms for each answer.
GAMES_FROM_EACH_START = 20
PLACEMENTS = 2000


class Rules(unittest.TestCase):
    def check(self, positions):
        """Compares `positions`, each a FEN and its further moves; returns the number of finished games."""
        arguments = [
            f"fen {fen} moves {' '.join(moves)}" if moves else f"fen {fen}"
            for fen, moves in positions
        ]
        shown = programs.show(variant.NAME, arguments)
        self.assertEqual(len(shown), len(positions))
        finished = 0
        for (fen, moves), argument, ours in zip(positions, arguments, shown):
            with self.subTest(position=argument):
                legal = sorted(pyffish.legal_moves(variant.NAME, fen, moves))
                self.assertEqual(sorted(ours["Legal"].split()), legal)
                if legal:
                    self.assertNotIn("Result", ours)
                else:
                    finished += 1
                    self.check_end(fen, moves, ours)
        return finished

    def check_end(self, fen, moves, ours):
        """Compares the last position of a game and its result."""
        self.assertEqual(pyffish.game_result(variant.NAME, fen, moves), -pyffish.VALUE_MATE)
        board, turn = pyffish.get_fen(variant.NAME, fen, moves).split()[:2]
        # The counters have no meaning in this game, and buxtehude does not update them.
        self.assertEqual(ours["Fen"], f"{board} {turn} - - 0 1")
        self.assertEqual(ours.get("Result"), {"w": "places 2 1", "b": "places 1 2"}[turn])

    def test_games_from_each_start(self):
        for fen in variant.STARTS:
            randomness = random.Random(fen)
            positions = []
            for _ in range(GAMES_FROM_EACH_START):
                moves = [move.uci() for move in variant.random_game(fen, randomness).move_stack]
                positions += [(fen, moves[:plies]) for plies in range(len(moves) + 1)]
            self.assertGreater(len(positions), 10 * GAMES_FROM_EACH_START)
            self.assertEqual(self.check(positions), GAMES_FROM_EACH_START)

    def test_random_placements(self):
        randomness = random.Random(8)
        boards = [variant.random_placement(randomness) for _ in range(PLACEMENTS)]
        finished = self.check([(board.fen(), []) for board in boards])
        self.assertGreater(finished, PLACEMENTS // 100)
