#!/usr/bin/env python3
"""The rules of a race of ten steps for two or three seats, with the fault that the argument names, if there is one.
With `stake` the winner takes 3 if a rival has not come half the way, and otherwise 1."""

import random
import sys
import time

fault = sys.argv[1] if len(sys.argv) > 1 else "none"
GOAL = 10**9 if fault == "endless" else 10
MOVES = ["1", "2", "3", "4", "5", "6"]
if fault == "process":
    random.shuffle(MOVES)


class Race:
    def __init__(self, steps, arrived=(), mover=0):
        self.steps, self.arrived, self.mover = steps, list(arrived), mover

    def is_over(self):
        return len(self.arrived) >= len(self.steps) - 1 or fault == "over"

    def play(self, word):
        word = word.lstrip("+") if fault == "kind" else word
        if self.is_over() or word not in MOVES or (fault == "listed" and word == "6"):
            raise ValueError(f"{word[:20]!r} is illegal")
        self.steps[self.mover] += int(word)
        if self.steps[self.mover] >= GOAL:
            self.arrived.append(self.mover)
        while not self.is_over():
            self.mover = (self.mover + 1) % len(self.steps)
            if self.mover not in self.arrived:
                break

    def state(self):
        order = self.arrived
        if self.is_over():
            order = order + [seat for seat in range(len(self.steps)) if seat not in order]
            order = order[::-1] if fault == "places" else order
        places = [order.index(seat) + 1 if seat in order else "-" for seat in range(len(self.steps))]
        moves = random.sample(MOVES, 6) if fault == "order" else MOVES
        winnings = []
        if self.is_over() and fault == "stake":
            amount = 3 if min(self.steps) < GOAL // 2 else 1
            winnings = ["winnings", *(amount if place == 1 else 0 for place in places)]
        return [*(["over"] if self.is_over() else [self.mover + 1, "legal", *moves]), "places", *places, *winnings]

    def text(self):
        if fault in ("seats", "endless"):
            return ""
        mover = 0 if fault == "text" else self.mover
        return f"{','.join(map(str, self.steps))} {','.join(map(str, self.arrived)) or '-'} {mover}"


def parse(words):
    match words:
        case ["startpos", "players", seats, *words]:
            if seats not in ("2", "3"):
                raise ValueError("expected 2 or 3 players")
            parsed = Race([0] * int(seats))
        case ["fen", steps, arrived, mover, *words]:
            numbers = [] if arrived == "-" else [int(seat) for seat in arrived.split(",")]
            parsed = Race([int(number) for number in steps.split(",")], numbers, int(mover))
        case _:
            raise ValueError("no such position")
    for word in words[1:]:
        parsed.play(word)
    return parsed


race, known = Race([0, 0]), []
for line in sys.stdin:
    match line.split():
        case ["ugi"]:
            print("ugiok")
        case ["position", *words]:
            try:
                if fault == "jump" and len(words) < len(known) and words[:4] == known[:4]:
                    continue
                race, known = parse(words), words
            except ValueError as error:
                if fault != "silent" or "moves" not in words:
                    print("info string error:", error)
                race = Race([0, 0]) if fault == "lose" else race
        case ["query", "state"]:
            print("response", *race.state())
        case ["query", "text"]:
            print("response", race.text())
        case ["query", "players"]:
            print("response", len(race.steps) + (fault == "seats" and max(race.steps) > 0))
        case ["query", "stake"] if fault == "stake":
            print("response 3")
        case ["query", "weather"] if fault == "mute":
            pass
        case ["query", *_]:
            print("response")
        case ["quit"] if fault != "stay":
            break
        case ["hop"] if fault == "crash":
            raise SystemExit("cannot hop")
        case ["hop"] if fault == "chatter":
            print("response what?")
    sys.stdout.flush()
while fault == "deaf":
    time.sleep(1)
