#!/usr/bin/env python3
"""An engine for the backgammon of rules/openspiel.py, played by GNU Backgammon, which runs as a process of its own. The
argument is the game's name, `backgammon` unless `scoring_type` is given as there.

OpenSpiel says where each move leads, and GNU Backgammon what that is worth, so that no move needs a translation."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "rules"))

import openspiel  # noqa: E402

BAR = 100  # OpenSpiel's number
CANDIDATES = 8
AT_A_TIME = 100


def program():
    """Returns the path of GNU Backgammon, or None."""
    return shutil.which("gnubg", path=os.environ["PATH"] + ":/usr/games")


def side(state, seat):
    """Returns a seat's men on its points 1 to 24 and on the bar."""
    points = [state.board(seat, point) for point in range(24)]
    return (points[::-1] if seat == 0 else points) + [state.board(seat, BAR)]


def endings(state):
    """Returns the positions after this turn as (mover's men, rival's men), each with a first action that leads there.
    OpenSpiel plays a double as two actions of the same seat."""
    mover, found = state.current_player(), {}
    for action in state.legal_actions():
        child = state.child(action)
        again = child.current_player() == mover
        for end in [child.child(second) for second in child.legal_actions()] if again else [child]:
            found.setdefault((tuple(side(end, mover)), tuple(side(end, 1 - mover))), action)
    return found


class Gnubg:
    def __init__(self, scoring):
        if program() is None:
            sys.exit("gnubg.py: gnubg is missing; install GNU Backgammon")
        self.process = subprocess.Popen(
            [program(), "--tty", "--quiet", "--no-rc"],
            cwd="/",  # not where its Python would find this file as the module `gnubg`
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        # Chances of a win, a gammon or better, a backgammon; the same two of the rival.
        self.worth = {
            "winloss_scoring": lambda win, *_: 2 * win - 1,
            "enable_gammons": lambda win, gammon, _, lost, __: 2 * win - 1 + gammon - lost,
            "full_scoring": lambda win, gammon, most, lost, worst: 2 * win - 1 + gammon - lost + most - worst,
        }[scoring]
        # Without gammons every game is a match to one point; with them each is played for its points, without a cube.
        length = 1 if scoring == "winloss_scoring" else 0
        self.send(f">game = gnubg.cubeinfo(1, -1, 0, {length}, (0, 0), 0, 0); game['jacoby'] = 0")

    def send(self, *lines):
        """Sends lines; after `>` GNU Backgammon reads Python."""
        self.process.stdin.write("".join(line + "\n" for line in lines))
        self.process.stdin.flush()

    def values(self, positions, plies):
        """Returns what each position is worth to its mover, whose rival is to roll."""
        values = []
        self.send(f">depth = gnubg.evalcontext(0, {plies}, 1, 0, 0.0)")
        for start in range(0, len(positions), AT_A_TIME):
            asked = positions[start : start + AT_A_TIME]
            self.send(*(f">print('=', *gnubg.evaluate({position}, game, depth), flush=True)" for position in asked))
            while len(values) < start + len(asked):
                words = self.process.stdout.readline().split()
                if not words and self.process.poll() is not None:
                    sys.exit("gnubg.py: gnubg ended")
                if words[:1] == ["="]:
                    win, gammon, most, lost, worst, _ = map(float, words[1:])
                    values.append(-self.worth(win, gammon, most, lost, worst))
        return values

    def choose(self, state, plies):
        """Returns the best action and its value to the mover."""
        found = endings(state)
        values = dict(zip(found, self.values(list(found), 0)))
        best = sorted(values, key=values.get, reverse=True)[:CANDIDATES]
        if plies and len(best) > 1:
            values = dict(zip(best, self.values(best, plies)))
        best = max(best, key=values.get)
        return found[best], values[best]


def play(text):
    game = openspiel.load(text, 2)
    gnubg = Gnubg(game.get_parameters()["scoring_type"])
    position, plies = None, 0
    for line in sys.stdin:
        match line.split():
            case ["uci"]:
                print("id name gnubg\nid author the GNU Backgammon authors")
                print("option name Plies type spin default 0 min 0 max 3\nuciok")
            case ["isready"]:
                print("readyok")
            case ["setoption", "name", "Plies", "value", value]:
                plies = int(value)
            case ["position", "startpos", *words]:
                position = openspiel.reach(position, text, words)
            case ["go", *_]:
                number, value = gnubg.choose(position.state, plies)
                word = next(word for word, action in position.actions.items() if action == number)
                own = round(500 + 500 * value / game.max_utility())
                first = own if position.state.current_player() == 0 else 1000 - own
                print("bestmove", word, "estimate", first, 1000 - first)
            case ["quit"]:
                gnubg.send("quit")
                break
        sys.stdout.flush()


if __name__ == "__main__":
    play(*sys.argv[1:] or ["backgammon"])
