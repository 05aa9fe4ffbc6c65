#!/usr/bin/env python3
"""The rules of the dice game Pig, for two to six seats. A seat rolls as often as it likes and adds up the numbers, or
holds and scores their sum; a 1 ends its turn without a score. The first seat with 100 points wins."""

import sys


class Pig:
    def __init__(self, seats, actions):
        if not 2 <= seats <= 6:
            raise ValueError(f"{seats} seats: expected 2 to 6")
        self.scores = [0] * seats
        self.mover = 0
        self.sum = 0  # of the mover's rolls in this turn
        self.rolling = False
        for action in actions:
            self.play(action)

    def actions(self):
        if max(self.scores) >= 100:
            return []
        return ["+1", "+2", "+3", "+4", "+5", "+6"] if self.rolling else ["roll", "hold"]

    def play(self, action):
        if action not in self.actions():
            raise ValueError(f"{action[:20]!r}: expected one of {self.actions()}")
        self.rolling = action == "roll"
        if action == "hold":
            self.scores[self.mover] += self.sum
        if action in ("hold", "+1"):
            self.mover, self.sum = (self.mover + 1) % len(self.scores), 0
        elif action != "roll":
            self.sum += int(action)

    def state(self):
        if not self.actions():
            return ["over", "places"] + [1 + sum(other > own for other in self.scores) for own in self.scores]
        if self.rolling:
            return ["card", self.mover + 1, "weights"] + [f"{number} 1" for number in self.actions()]
        return [self.mover + 1, "legal"] + self.actions()


game = Pig(2, [])
for line in sys.stdin:
    match line.split():
        case ["ugi"]:
            print("id name pig", "ugiok", sep="\n")
        case ["position", "startpos", "players", seats, *words]:
            try:
                game = Pig(int(seats), words[1:])  # after the word `moves`
            except ValueError as error:
                print("info string error:", error)
        case ["position", *_]:
            print("info string error: expected `startpos players N`")
        case ["query", "state"]:
            print("response", *game.state())
        case ["query", "players"]:
            print("response", len(game.scores))
        case ["query", "picture"]:
            print("response scores", *game.scores, "and this turn", game.sum)
        case ["query", *_]:
            print("response")
        case ["quit"]:
            break
    sys.stdout.flush()
