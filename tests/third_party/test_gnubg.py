"""GNU Backgammon plays OpenSpiel's backgammon: both have the same moves, and the engine chooses the best of them."""

import ast
import random
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "examples"))

import gnubg  # noqa: E402
import openspiel  # noqa: E402

POSITIONS = 150
MEANS = 20
SETUP = [
    *(f"set automatic {what} off" for what in ("game", "roll", "bearoff", "move")),
    "set player 0 human",
    "set player 1 human",
    "set evaluation chequerplay evaluation plies 0",
    "set evaluation chequerplay evaluation cubeful off",
    "set jacoby off",
    "new game",
]
HINT = """>hint = gnubg.hint(5000); moves = hint['hint'] if hint else []; print('=', (gnubg.board(), \
[(gnubg.parsemove(move['move']), move['equity']) for move in moves]), flush=True)"""


def after(mine, theirs, steps):
    """Returns both sides' men after a move of GNU Backgammon."""
    mine, theirs = list(mine), list(theirs)
    for start, end in steps:
        mine[start - 1] -= 1
        if end > 0:
            mine[end - 1] += 1
            if theirs[24 - end]:
                theirs[24 - end] -= 1
                theirs[24] += 1
    return tuple(mine), tuple(theirs)


def turns(randomness):
    """Yields states of random games at the beginning of a turn, with the roll."""
    game = openspiel.load("backgammon(scoring_type=full_scoring)")
    while True:
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(randomness.choice(state.chance_outcomes())[0])
                continue
            text = str(state)
            if "Extra turn: 0" in text and randomness.random() < 0.1:
                yield state, text.split("Dice: ")[1][:2]
            state.apply_action(randomness.choice(state.legal_actions()))


@unittest.skipUnless(gnubg.program(), "needs gnubg")
class Backgammon(unittest.TestCase):
    def setUp(self):
        self.engine = gnubg.Gnubg("full_scoring")
        self.addCleanup(self.engine.process.communicate, "quit\n")
        self.engine.send(*SETUP)

    def hint(self, mine, theirs, dice):
        """Returns GNU Backgammon's own positions after this turn, each with its value."""
        board = f"({theirs}, {mine})"
        self.engine.send("set turn 1", f">gnubg.command('set board ' + gnubg.positionid({board}))")
        self.engine.send(f"set dice {dice[0]} {dice[1]}", HINT)
        line = ""
        while not line.startswith("= "):
            line = self.engine.process.stdout.readline()
        there, moves = ast.literal_eval(line[2:])
        self.assertEqual(there, (theirs, mine))
        return {after(mine, theirs, steps): value for steps, value in moves} or {(mine, theirs): None}

    def test_moves_and_values(self):
        doubles = 0
        for _, (state, dice) in zip(range(POSITIONS), turns(random.Random(7))):
            mover = state.current_player()
            mine, theirs = (tuple(gnubg.side(state, seat)) for seat in (mover, 1 - mover))
            doubles += dice[0] == dice[1]
            with self.subTest(position=str(state)):
                own = self.hint(mine, theirs, dice)
                self.assertEqual(set(gnubg.endings(state)), set(own))
                action, value = self.engine.choose(state, plies=0)
                self.assertIn(action, state.legal_actions())
                if len(own) > 1:
                    self.assertAlmostEqual(value, max(own.values()), places=4)
        self.assertGreater(doubles, POSITIONS // 20)

    def test_luck(self):
        """Luck is measured against the mean over all rolls; GNU Backgammon has the same mean."""
        for _, (state, _) in zip(range(MEANS), turns(random.Random(9))):
            before = state.child(state.legal_actions()[0])
            if not before.is_chance_node():
                continue
            mover = before.child(before.chance_outcomes()[0][0]).current_player()
            mean = sum(
                chance * self.engine.choose(before.child(roll), plies=0)[1]
                for roll, chance in before.chance_outcomes()
            )
            mine, theirs = (tuple(gnubg.side(before, seat)) for seat in (mover, 1 - mover))
            with self.subTest(position=str(before)):
                self.assertAlmostEqual(mean, -self.engine.values([(theirs, mine)], 1)[0], places=2)

    def test_ends(self):
        """The last man off wins one, two or three points, as in OpenSpiel."""
        for rival, value in (((*[0] * 5, 14, *[0] * 19), 1), ((*[0] * 5, 15, *[0] * 19), 2), ((*[0] * 23, 15, 0), 3)):
            self.assertEqual(self.engine.values([((0,) * 25, rival)], 0), [value])
