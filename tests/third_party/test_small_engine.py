"""The small engine in `examples/` plays whole games, refereed by the arbiter."""

import json
import tempfile
import unittest
from pathlib import Path

import programs

ENGINE = Path(__file__).parents[2] / "examples" / "engine.py"


class SmallEngine(unittest.TestCase):
    def test_whole_games(self):
        for variant, players in (("hase-und-igel", 3), ("fox-and-hounds", 2)):
            with self.subTest(variant=variant), tempfile.TemporaryDirectory() as directory:
                record = Path(directory, "record")
                programs.run(
                    [programs.ARBITER, "match", "--variant", variant, "--players", str(players)]
                    + ["--games", "6", "--movetime", "1000", "--record", record]
                    + ["--engine", f"cmd=python3 args={ENGINE} name=small legal=on"]
                    + ["--engine", f"cmd={programs.BUXTEHUDE} name=buxtehude depth=2"]
                )
                for line in record.read_text().splitlines():
                    game = json.loads(line)
                    self.assertNotIn("fault", game)
                    self.assertIn("small", game["seats"])
