#!/usr/bin/env python3
"""A whole engine: with `legal=on` the arbiter sends the legal moves with every `go`, and this one draws a move."""

import random
import sys

for line in sys.stdin:
    words = line.split()
    match words[:1]:
        case ["uci"]:
            print("id name twenty lines", "id author you", "uciok", sep="\n", flush=True)
        case ["isready"]:
            print("readyok", flush=True)
        case ["go"]:
            moves = words[words.index("searchmoves") + 1 :]
            print("bestmove", random.choice(moves), flush=True)
        case ["quit"]:
            break
