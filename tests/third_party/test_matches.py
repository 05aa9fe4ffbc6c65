"""The arbiter referees buxtehude against Fairy-Stockfish."""

import json
import random
import tempfile
import unittest
from dataclasses import dataclass
from pathlib import Path

import chess
import chess.engine

import programs
import variant

BUXTEHUDE = "buxtehude"
FAIRY_STOCKFISH = "fairy-stockfish"
SAMPLED_GAMES = 40
OPENINGS_FOR_EACH_SIDE = 10


@dataclass
class Opening:
    """A position, its winner, and the maximum number of plies to the win, according to our engine."""

    fen: str
    winner: chess.Color
    plies: int


def solve(engine, board):
    """Returns `board` as an opening, solved by the engine."""
    answer = engine.play(board, chess.engine.Limit(depth=1), info=chess.engine.INFO_SCORE)
    moves = answer.info["score"].relative.mate()
    # A mover that wins with n own moves makes the last ply; one that loses makes the last but one.
    plies = 2 * moves - 1 if moves > 0 else -2 * moves
    return Opening(board.fen(), board.turn if moves > 0 else not board.turn, plies)


def longest_wins():
    """Returns the longest wins of each side in positions of random games, one of each length."""
    randomness = random.Random(5)
    wins = {chess.WHITE: {}, chess.BLACK: {}}
    with chess.engine.SimpleEngine.popen_uci(programs.BUXTEHUDE) as engine:
        for number in range(SAMPLED_GAMES):
            board = variant.random_game(variant.STARTS[number % 4], randomness)
            while board.move_stack:
                board.pop()
                position = board.copy(stack=False)
                position.halfmove_clock, position.fullmove_number = 0, 1
                opening = solve(engine, position)
                wins[opening.winner][opening.plies] = opening
    return [
        lengths[plies]
        for lengths in wins.values()
        for plies in sorted(lengths)[-OPENINGS_FOR_EACH_SIDE:]
    ]


def play(openings, limit):
    """Plays each of `openings` with each engine in both seats; returns the records."""
    with tempfile.TemporaryDirectory() as directory:
        file, record = Path(directory, "openings"), Path(directory, "record")
        file.write_text("\n".join(openings) + "\n")
        buxtehude = programs.engine(programs.BUXTEHUDE)
        fairy_stockfish = programs.engine("node", "--no-experimental-fetch", programs.FAIRY_STOCKFISH)
        programs.run(
            [programs.ARBITER, "match", "--variant", variant.NAME, "--margin", "2000"]
            + ["--openings", file, "--games", str(2 * len(openings)), "--record", record]
            + ["--engine", f"{buxtehude} name={BUXTEHUDE} {limit}"]
            + ["--engine", f"{fairy_stockfish} name={FAIRY_STOCKFISH} {limit}"]
        )
        programs.run([programs.ARBITER, "replay", record])
        return [json.loads(line) for line in record.read_text().splitlines()]


class Matches(unittest.TestCase):
    def check(self, record):
        """Asserts that the game ended by the rules; returns the winning side and the number of plies."""
        self.assertNotIn("fault", record)
        self.assertEqual(sorted(record["places"]), [1, 2], record)
        return record["places"][0] == 1, len(record["moves"].split())

    def test_won_positions(self):
        openings = longest_wins()
        for color in chess.COLORS:
            number = sum(opening.winner == color for opening in openings)
            self.assertEqual(number, OPENINGS_FOR_EACH_SIDE, f"of {chess.COLOR_NAMES[color]}")
        by_fen = {opening.fen: opening for opening in openings}
        records = play(by_fen, "nodes=5000")
        self.assertEqual(len(records), 2 * len(openings))
        for record in records:
            opening = by_fen[record["start"]]
            ours = record["seats"][0] == BUXTEHUDE
            with self.subTest(record=record):
                winner, plies = self.check(record)
                if opening.winner == ours:
                    self.assertEqual(winner, ours, "a won position was lost")
                    self.assertLessEqual(plies, opening.plies, "it took too long")

    def test_starts(self):
        starts = [f"fen {fen}" for fen in variant.STARTS] + ["startpos"]
        for record in play(starts, "nodes=5000"):
            with self.subTest(record=record):
                winner, _ = self.check(record)
                if record["seats"][1] == BUXTEHUDE:
                    self.assertEqual(winner, chess.BLACK, "the wolves win from every start")

    def test_clocks(self):
        for record in play(["startpos"], "tc=3+0.03"):
            with self.subTest(record=record):
                self.check(record)
