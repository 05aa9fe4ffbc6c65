"""OpenSpiel's games by `examples/rules/openspiel.py` keep the rules protocol and end with OpenSpiel's results."""

import random
import subprocess
import sys
import unittest
from pathlib import Path

import programs

EXAMPLES = Path(__file__).parents[2] / "examples"
sys.path.insert(0, str(EXAMPLES / "rules"))

import openspiel  # noqa: E402

GAMES = {
    "backgammon": [2],
    "backgammon(scoring_type=full_scoring)": [2],
    "chinese_checkers": [2, 3, 6],
    "connect_four": [2],
    "einstein_wurfelt_nicht": [2],
    "maedn": [2, 3, 4],
    "pig": [2, 3, 4, 5, 6],
    "yacht": [2],
}
RESERVED = {"moves", "legal", "places", "winnings", "weights", "ponder", "estimate", "(none)", "-"}
MAX_LINE_LENGTH = 1 << 20


class Names(unittest.TestCase):
    def test_an_unknown_name_is_explained_by_its_first_words(self):
        command = [sys.executable, EXAMPLES / "rules" / "openspiel.py", "backgamon"]
        done = subprocess.run(command, input="ugi\n", capture_output=True, text=True)
        reason = "OpenSpiel has no game 'backgamon'; the nearest are backgammon"
        self.assertEqual(done.stdout, f"info string error: {reason}\n")
        self.assertEqual(done.stderr.splitlines()[-1], f"openspiel.py: {reason}")

    def test_the_page_gives_the_number_of_games(self):
        names, games = openspiel.pyspiel.registered_names(), 0
        for name in names:
            try:
                game = openspiel.load(name)
            except (ValueError, IndexError, openspiel.pyspiel.SpielError):
                continue
            games += 2 <= game.num_players() <= 6
        page = " ".join((EXAMPLES.parent / "docs" / "games.md").read_text().split())
        self.assertIn(f"of its {len(names)} names, {games} are games of two to six seats", page)


class Laws(unittest.TestCase):
    def test_random_games(self):
        for text, numbers in GAMES.items():
            for seats in numbers:
                with self.subTest(game=text, seats=seats):
                    randomness = random.Random(f"{text} {seats}")
                    for _ in range(programs.RANDOM_GAMES):
                        self.play(text, seats, randomness)

    def play(self, text, seats, randomness):
        """Plays a random game and asserts that each answer keeps the protocol."""
        start = ["players", str(seats), "moves"]
        position, words = openspiel.reach(None, text, start), []
        anew = randomness.randrange(100)
        while True:
            answer = " ".join(map(str, position.due()))
            self.assertLess(len(answer), MAX_LINE_LENGTH)
            if len(words) == anew:
                self.assertEqual(openspiel.reach(None, text, start + words).due(), position.due())
            match answer.split():
                case ["over", "places", *rest]:
                    return self.check_end(position, seats, rest)
                case ["card", seat, "weights", *pairs]:
                    actions, weights = pairs[::2], [int(weight) for weight in pairs[1::2]]
                    self.assertGreaterEqual(min(weights), 1)
                    self.check_chances(position, actions, weights)
                case [seat, "legal", *actions]:
                    weights = [1] * len(actions)
                    self.assertEqual(len(actions), len(position.state.legal_actions()))
            self.assertIn(int(seat), range(1, seats + 1))
            self.check_words(actions, position.state.is_chance_node())
            words.append(randomness.choices(actions, weights)[0])
            position = openspiel.reach(position, text, start + words)

    def check_words(self, words, drawn):
        self.assertEqual(len(words), len(set(words)))
        self.assertTrue(all(word.isascii() and word.isprintable() for word in words), words)
        self.assertLessEqual(max(map(len, words)), 200)
        self.assertEqual({word.startswith("+") for word in words}, {drawn})
        self.assertFalse(RESERVED.intersection(words))

    def check_chances(self, position, words, weights):
        chances, whole = dict(position.state.chance_outcomes()), sum(weights)
        self.assertEqual(len(words), len(chances))
        differences = [chances[position.actions[word]] - weight / whole for word, weight in zip(words, weights)]
        self.assertLess(max(map(abs, differences)), 1e-9)

    def check_end(self, position, seats, rest):
        returns = position.state.returns()
        places, winnings = rest[:seats], rest[seats:]
        self.assertEqual(sorted(zip(places, returns)), sorted(zip(places, returns), key=lambda pair: -pair[1]))
        self.assertEqual(len(set(places)), len(set(returns)))
        self.assertEqual(bool(winnings), bool(position.stake()))
        if winnings:
            self.assertEqual(sum(map(int, winnings[1:])), position.stake())
            self.assertEqual(int(winnings[1]) - int(winnings[2]), returns[0] - returns[1])


class Refusals(unittest.TestCase):
    def serve(self, game, text):
        command = [sys.executable, EXAMPLES / "rules" / "openspiel.py", game]
        return subprocess.run(command, input=text, capture_output=True, text=True, timeout=60)

    def test_games(self):
        for game, reason in {
            "kuhn_poker": "hidden information",
            "goofspiel": "simultaneous moves",
            "stones_and_gems": "unknown chances",
            "mensch": "OpenSpiel has no game 'mensch'",
        }.items():
            with self.subTest(game=game):
                ended = self.serve(game, "ugi\n")
                self.assertNotEqual(ended.returncode, 0)
                self.assertRegex(ended.stdout, f"^info string error: .*{reason}")
                self.assertIn(reason, ended.stderr)

    def test_positions(self):
        for game, position in {
            "backgammon": "startpos players 3",
            "chinese_checkers": "startpos players 5",
            "pig": "startpos players 0",
            "pig(players=3)": "startpos players 2",
            "connect_four": "startpos players 2 moves x0 x1",
            "maedn": "startpos players 0",
            "yacht": "fen 1",
        }.items():
            with self.subTest(game=game):
                ended = self.serve(game, f"query state\nposition {position}\nquery state\n")
                self.assertEqual(ended.returncode, 0, ended.stderr)
                before, refusal, after = ended.stdout.splitlines()
                self.assertTrue(refusal.startswith("info string error: "), refusal)
                self.assertEqual(before, after)
