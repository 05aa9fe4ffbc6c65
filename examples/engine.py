#!/usr/bin/env python3
"""A complete engine: with `legal=on` the arbiter sends the legal moves with every `go`, and it plays a random one."""

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
