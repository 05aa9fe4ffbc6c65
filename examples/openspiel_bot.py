#!/usr/bin/env python3
"""An engine for the games of rules/openspiel.py: OpenSpiel's Monte Carlo tree search with random playouts. The first
argument names the game, as there. With `Simulations` 0 every move is random."""

import random
import sys
from pathlib import Path

import pyspiel

sys.path.insert(0, str(Path(__file__).parent / "rules"))

import openspiel  # noqa: E402

OPTIONS = {"Simulations": 100, "Seed": 1}


def best_move(position, simulations, generator):
    if not simulations or len(position.actions) == 1:
        return generator.choice(list(position.actions))
    evaluator = pyspiel.RandomRolloutEvaluator(1, generator.getrandbits(31))
    seed, exploration, megabytes = generator.getrandbits(31), 2, 1000
    bot = pyspiel.MCTSBot(position.game, evaluator, exploration, simulations, megabytes, True, seed, False)
    number = bot.step(position.state)
    return next(word for word, action in position.actions.items() if action == number)


def play(text):
    options, position, generator = dict(OPTIONS), None, random.Random(OPTIONS["Seed"])
    for line in sys.stdin:
        match line.split():
            case ["uci"]:
                print("id name openspiel\nid author the OpenSpiel authors")
                for name, value in OPTIONS.items():
                    print(f"option name {name} type spin default {value} min 0 max 1000000")
                print("uciok")
            case ["isready"]:
                print("readyok")
            case ["setoption", "name", name, "value", value] if name in OPTIONS:
                options[name] = int(value)
                generator = random.Random(options["Seed"])
            case ["position", "startpos", *words]:
                position = openspiel.reach(position, text, words)
            case ["go", *_]:
                print("bestmove", best_move(position, options["Simulations"], generator))
            case ["quit"]:
                break
        sys.stdout.flush()


if __name__ == "__main__":
    play(sys.argv[1])
