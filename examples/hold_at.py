#!/usr/bin/env python3
"""An engine for the game of rules/pig.py: it rolls until the sum of its turn reaches the number in its argument."""

import sys

limit = int(sys.argv[1])
for line in sys.stdin:
    match line.split():
        case ["uci"]:
            print(f"id name hold at {limit}", "uciok", sep="\n")
        case ["isready"]:
            print("readyok")
        case ["position", *words]:
            turn = 0
            for word in words:
                if word in ("hold", "+1"):
                    turn = 0
                elif word.startswith("+"):
                    turn += int(word)
        case ["go", *_]:
            print("bestmove", "hold" if turn >= limit else "roll")
        case ["quit"]:
            break
    sys.stdout.flush()
