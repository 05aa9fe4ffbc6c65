"""The arbiter plays, stores, replays and reports games whose rules come from the programs of `examples/rules/`."""

import json
import sys
import tempfile
import unittest
from pathlib import Path

import programs
from test_openspiel import EXAMPLES, GAMES


class RandomGames(unittest.TestCase):
    """Random movers, which receive the legal moves, play each game."""

    def test_pig(self):
        for seats in range(2, 7):
            with self.subTest(seats=seats):
                self.play("pig", [EXAMPLES / "rules" / "pig.py"], seats)

    def test_openspiel(self):
        for number, (text, all_seats) in enumerate(GAMES.items()):
            for seats in all_seats:
                with self.subTest(game=text, seats=seats):
                    self.play(f"game-{number}", [EXAMPLES / "rules" / "openspiel.py", text], seats)

    def play(self, name, command, seats):
        rules = programs.engine(sys.executable, *command)
        engine = f"{programs.engine(sys.executable, EXAMPLES / 'engine.py')} legal=on"
        with tempfile.TemporaryDirectory() as directory:
            store, record = Path(directory, "m.db"), Path(directory, "record")
            programs.run(
                [programs.ARBITER, "match", "--rules", f"{rules} name={name}"]
                + ["--players", str(seats), "--games", str(programs.RANDOM_GAMES), "--concurrency", "2"]
                + ["--movetime", "1000", "--store", store, "--record", record]
                + ["--engine", f"{engine} name=one", "--engine", f"{engine} name=other"]
            )
            games = [json.loads(line) for line in record.read_text().splitlines()]
            self.assertGreaterEqual(len(games), programs.RANDOM_GAMES)
            for game in games:
                self.assertNotIn("fault", game)
                self.assertEqual(len(game["places"]), seats)
            programs.run([programs.ARBITER, "replay", store])
            self.assertIn(name, programs.run([programs.ARBITER, "report", store]))
