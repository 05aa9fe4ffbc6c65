"""python-chess's UCI client drives buxtehude without a complaint."""

import logging
import unittest

import chess.engine
from chess.engine import Limit

import programs
import variant

WOLVES_MATE_IN_ONE = "8/8/8/8/8/2h5/1h5h/F3h3 b - - 0 1"
RABBIT_HOME = "1F1h1h1h/h7/8/8/8/8/8/8 b - - 0 1"


class UciClient(unittest.TestCase):
    def setUp(self):
        self.complaints = []
        handler = logging.Handler()
        handler.emit = self.note_complaint
        chess.engine.LOGGER.setLevel(logging.DEBUG)
        chess.engine.LOGGER.addHandler(handler)
        self.addCleanup(chess.engine.LOGGER.removeHandler, handler)
        self.engine = chess.engine.SimpleEngine.popen_uci(programs.BUXTEHUDE, timeout=60)
        self.addCleanup(self.engine.close)

    def tearDown(self):
        self.engine.quit()
        self.assertEqual(self.engine.returncode.result(timeout=60), 0)
        self.assertEqual(self.complaints, [])

    def note_complaint(self, record):
        """Collects the client's complaints about our lines, and ours about its lines, from its log."""
        message = record.getMessage()
        if record.levelno >= logging.WARNING or "info string error" in message:
            self.complaints.append(message)

    def test_handshake(self):
        self.assertTrue(self.engine.id["name"].startswith("buxtehude"), self.engine.id)
        self.assertIn(variant.NAME, self.engine.options["UCI_Variant"].var)
        self.assertEqual(self.engine.options["Hash"].default, 16)
        self.engine.ping()

    def test_options(self):
        board = variant.Board()
        preset = self.engine.options["Preset"]
        presets = ["best", "tree", "search", "article", "article-best", "faith", "hybrid"]
        self.assertEqual((preset.default, preset.var), ("best", presets))
        for preset in reversed(presets):
            with self.subTest(preset=preset):
                self.engine.configure({"Hash": 4, "Move Overhead": 20, "Preset": preset})
                answer = self.engine.play(board, Limit(depth=4), info=chess.engine.INFO_ALL)
                self.assertTrue(board.is_legal(answer.move), answer)
                self.assertEqual(answer.info["pv"][0], answer.move)
        with self.assertRaises(chess.engine.EngineError):
            self.engine.configure({"Hash": 0})

    def test_limits(self):
        for limit in (
            Limit(depth=6),
            Limit(nodes=1000),
            Limit(time=0.05),
            Limit(white_clock=5, black_clock=5, white_inc=0.1, black_inc=0.1),
            Limit(white_clock=5, black_clock=5, remaining_moves=10),
        ):
            with self.subTest(limit=limit):
                board = variant.Board()
                answer = self.engine.play(board, limit, info=chess.engine.INFO_ALL)
                self.assertTrue(board.is_legal(answer.move), answer)
                self.assertEqual(answer.info["pv"][0], answer.move)
                self.assertIn("score", answer.info)
                self.assertGreater(answer.info["nodes"], 0)

    def test_root_moves(self):
        move = chess.Move.from_uci("e1f2")
        answer = self.engine.play(variant.Board(), Limit(depth=2), root_moves=[move])
        self.assertEqual(answer.move, move)

    def test_mate_score(self):
        board = variant.Board(WOLVES_MATE_IN_ONE)
        answer = self.engine.play(board, Limit(depth=4), info=chess.engine.INFO_SCORE)
        self.assertEqual(answer.info["score"].relative, chess.engine.Mate(1))
        board.push(answer.move)
        self.assertEqual(board.result(), "0-1")

    def test_finished_game(self):
        answer = self.engine.play(variant.Board(RABBIT_HOME), Limit(depth=4))
        self.assertIsNone(answer.move)

    def test_game(self):
        for ponder in (False, True):
            with self.subTest(ponder=ponder):
                board = variant.Board()
                while not board.is_variant_end():
                    limit = Limit(white_clock=1, black_clock=1, white_inc=0.01, black_inc=0.01)
                    answer = self.engine.play(board, limit, game=ponder, ponder=ponder)
                    # An illegal move raises an exception.
                    board.push(answer.move)
                self.assertEqual(board.result(), "0-1", board.fen())

    def test_analysis_until_stopped(self):
        board = variant.Board()
        with self.engine.analysis(board, multipv=2) as analysis:
            lines = {}
            for info in analysis:
                if "pv" in info:
                    lines[info["multipv"]] = info["pv"][0]
                if len(lines) == 2:
                    analysis.stop()
            best = analysis.wait()
        self.assertEqual(set(lines.values()), set(board.legal_moves))
        self.assertTrue(board.is_legal(best.move), best)
