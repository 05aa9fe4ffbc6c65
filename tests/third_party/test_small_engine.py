"""The small engines of `examples/` play whole games, refereed by the arbiter."""

import json
import tempfile
import unittest
from pathlib import Path

import programs

EXAMPLES = Path(__file__).parents[2] / "examples"
ENGINE = EXAMPLES / "engine.py"
HARE = EXAMPLES / "hare.py"


class SmallEngine(unittest.TestCase):
    def test_whole_games(self):
        for variant, players in (("hase-und-igel", 3), ("fox-and-hounds", 2)):
            with self.subTest(variant=variant), tempfile.TemporaryDirectory() as directory:
                record = Path(directory, "record")
                programs.run(
                    [programs.ARBITER, "match", "--variant", variant, "--players", str(players)]
                    + ["--games", "6", "--movetime", "1000", "--record", record]
                    + ["--engine", f"{programs.engine('python3', ENGINE)} name=small legal=on"]
                    + ["--engine", f"{programs.engine(programs.BUXTEHUDE)} name=buxtehude depth=2"]
                )
                for line in record.read_text().splitlines():
                    game = json.loads(line)
                    self.assertNotIn("fault", game)
                    self.assertIn("small", game["seats"])


class OwnPosition(unittest.TestCase):
    """The engine that keeps its own position receives no legal moves."""

    def test_it_passes_the_check_for_matches(self):
        programs.run([programs.ARBITER, "check", "--profile", "match", "python3", HARE])

    def test_whole_games(self):
        for variant in ("hase-und-igel", "hare-and-tortoise"):
            for players in range(2, 7):
                with self.subTest(variant=variant, players=players):
                    self.play(variant, players)

    def play(self, variant, players):
        with tempfile.TemporaryDirectory() as directory:
            record = Path(directory, "record")
            programs.run(
                [programs.ARBITER, "match", "--variant", variant, "--players", str(players)]
                + ["--random-plies", "2", "--movetime", "1000", "--record", record]
                + ["--engine", f"{programs.engine('python3', HARE)} name=hare"]
                + ["--engine", f"{programs.engine(programs.BUXTEHUDE)} name=buxtehude nodes=20"]
            )
            games = [json.loads(line) for line in record.read_text().splitlines()]
            self.assertTrue(games)
            for game in games:
                self.assertNotIn("fault", game)
                self.assertIn("hare", game["seats"])
