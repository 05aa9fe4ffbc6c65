#!/usr/bin/env python3
"""An example engine for Hase und Igel with two to six players, on both boards, written only from
protocol.md, docs/rules.md and docs/formats.md. It keeps its own position and looks one move ahead. Read it, copy it,
improve it."""

import sys
from dataclasses import dataclass, field

CARDS = {"behind": 2, "draw": 2, "restore": 2, "half": 2, "free": 2, "show": 2, "give": 2, "shuffle": 1}
LETTERS = dict(zip("BDRHFSG", CARDS))
FINISH = 64


def board(text):
    return "S" + text.replace(" ", "") + "*"


# h hare, c carrot, L lettuce, ^ hedgehog, F flag; digits are number squares.
FIRST = "hch3chL^42 ^3ch^F24^3 cL2^hc432^ hFch23^chc 2L^34h2Fc^ h324c^Lhc2 hLh"
LATER = "hch3chF24L ^3ch^F24^3 cL2^hc432^ hFch23^chc 2L^34h2Fc^ h324c^LhcF chc"
VARIANTS = {"hase-und-igel": (board(FIRST), 68), "hare-and-tortoise": (board(LATER), 65)}


def price(steps):
    return steps * (steps + 1) // 2


@dataclass
class Hare:
    square: int = 0
    carrots: int = 0
    lettuces: int = 3
    misses: bool = False


@dataclass
class Race:
    board: str
    start: int
    hares: list
    turn: int = 0
    paid: int | None = None  # carrots that the hare to draw a card has paid for its move
    finished: list = field(default_factory=list)
    drawn: list = field(default_factory=list)

    @classmethod
    def at_start(cls, variant, players):
        squares, carrots = VARIANTS[variant]
        return cls(squares, carrots, [Hare(carrots=carrots) for _ in range(players)])

    @classmethod
    def parse(cls, variant, text):
        hares, turn, finished, drawn = text.split()
        race = cls.at_start(variant, 0)
        for hare in hares.split("/"):
            square, carrots, lettuces = hare.removesuffix("!").split(",")
            race.hares.append(Hare(int(square), int(carrots), int(lettuces), hare.endswith("!")))
        seat, _, paid = turn.partition("?")
        race.turn, race.paid = int(seat) - 1, int(paid) if paid else None
        race.finished = [int(seat) - 1 for seat in finished.split(",")] if finished != "-" else []
        race.drawn = [LETTERS[letter] for letter in drawn] if drawn != "-" else []
        return race

    def copy(self):
        hares = [Hare(**vars(hare)) for hare in self.hares]
        return Race(self.board, self.start, hares, self.turn, self.paid, self.finished[:], self.drawn[:])

    def is_over(self):
        return len(self.finished) >= len(self.hares) - 1

    def place(self, hare):
        return 1 + sum(other.square > hare.square for other in self.hares)

    def income(self, hare):
        kind, place = self.board[hare.square], self.place(hare)
        pays = "156" if kind == "F" else kind
        return 10 * place if not hare.misses and str(place) in pays else 0

    def is_free(self, square):
        return square in (0, FINISH) or all(hare.square != square for hare in self.hares)

    def hedgehog_behind(self, hare):
        return max((square for square in range(hare.square) if self.board[square] == "^"), default=None)

    def moves(self):
        """Legal moves as numbers; `0` is the forced stay."""
        if self.is_over() or self.paid is not None:
            return []
        hare = self.hares[self.turn]
        if hare.misses:
            return [0]
        carrots = hare.carrots + self.income(hare)
        moves = []
        behind = self.hedgehog_behind(hare)
        if behind is not None and self.is_free(behind):
            moves.append(behind - hare.square)
        for steps in range(1, FINISH - hare.square + 1):
            left, square = carrots - price(steps), hare.square + steps
            if left < 0 or not self.is_free(square) or self.board[square] == "^":
                continue
            if self.board[square] == "L" and hare.lettuces == 0:
                continue
            if square == FINISH and (hare.lettuces > 0 or left > 10 * (len(self.finished) + 1)):
                continue
            moves.append(steps)
        if self.board[hare.square] == "c":
            moves += [1001] + [1002] * (carrots >= 10)
        return moves or [0]

    def play(self, move):
        hare = self.hares[self.turn]
        if hare.misses:
            hare.misses = False
            if self.board[hare.square] == "L":
                hare.lettuces -= 1
                self.gain(hare, 10 * self.place(hare))
            return self.pass_turn()
        self.gain(hare, self.income(hare))
        self.step(hare, move)

    def step(self, hare, move):
        if move == 0:
            # No other move is legal: the hare goes back to the start and moves again.
            hare.square, hare.carrots = 0, self.start
            return
        if move in (1001, 1002):
            self.gain(hare, 10 if move == 1001 else -10)
        elif move < 0:
            hare.square += move
            self.gain(hare, -10 * move)
        else:
            hare.square += move
            self.gain(hare, -price(move))
            if hare.square == FINISH:
                self.finished.append(self.turn)
            hare.misses = self.board[hare.square] == "L"
            if self.board[hare.square] == "h":
                self.paid = price(move)
                return
        self.pass_turn()

    def pass_turn(self):
        if not self.is_over():
            self.turn = (self.turn + 1) % len(self.hares)
            while self.turn in self.finished:
                self.turn = (self.turn + 1) % len(self.hares)

    @staticmethod
    def gain(hare, carrots):
        hare.carrots = min(65535, hare.carrots + carrots)

    def draw(self, card):
        hare, paid, self.paid = self.hares[self.turn], self.paid, None
        others = [other for other in self.hares if other is not hare and other.square != FINISH]
        behind = [other for other in others if other.square < hare.square]
        self.drawn.append(card)
        again = False
        match card:
            case "behind":
                again = len(behind) <= self.place(hare) - 1
                hare.misses = not again
            case "draw":
                self.gain(hare, 10 * hare.lettuces)
                hare.misses = hare.lettuces == 0
            case "restore":
                hare.carrots = 65
            case "half":
                hare.carrots -= hare.carrots // 2
            case "free":
                self.gain(hare, paid)
            case "give":
                each = next((gift for gift in (10, 5, 1) if hare.carrots >= gift * len(behind)), 0)
                for other in behind:
                    self.gain(other, each)
                    hare.carrots -= each
            case "shuffle":
                for other in others:
                    taken = min(1, other.carrots)
                    other.carrots -= taken
                    self.gain(hare, taken)
                self.drawn = []
        if not again:
            self.pass_turn()

    def worth(self, seat):
        """Static evaluation of a seat: progress, few lettuces, and just the carrots needed for the way home."""
        hare = self.hares[seat]
        if hare.square == FINISH:
            return 1000 - 100 * self.finished.index(seat)
        needed = 3 * (FINISH - hare.square) + 10
        return hare.square - 12 * hare.lettuces - abs(hare.carrots - needed) / 4


class Engine:
    def __init__(self):
        self.variant = "hase-und-igel"
        self.race = Race.at_start(self.variant, 2)

    def position(self, words):
        start, moves = words, []
        if "moves" in words:
            start, moves = words[: words.index("moves")], words[words.index("moves") + 1 :]
        match start:
            case ["startpos"]:
                race = Race.at_start(self.variant, 2)
            case ["startpos", "players", players]:
                race = Race.at_start(self.variant, int(players))
            case ["fen", *text]:
                race = Race.parse(self.variant, " ".join(text))
        for word in moves:
            race.draw(word[1:]) if word.startswith("+") else race.play(int(word))
        self.race = race

    def best_move(self, asked):
        moves = [move for move in self.race.moves() if not asked or str(move) in asked]

        def worth(move):
            after = self.race.copy()
            after.play(move)
            return after.worth(self.race.turn)

        return max(moves, key=worth, default="(none)")

    def obey(self, words):
        match words:
            case ["uci"]:
                print("id name hare", "id author you", sep="\n")
                print("option name UCI_Variant type combo default hase-und-igel", end="")
                print("".join(f" var {name}" for name in VARIANTS))
                print("uciok")
            case ["isready"]:
                print("readyok")
            case ["setoption", "name", "UCI_Variant", "value", variant] if variant in VARIANTS:
                self.variant = variant
                self.race = Race.at_start(variant, 2)
            case ["position", *rest]:
                self.position(rest)
            case ["go", *limits]:
                asked = limits[limits.index("searchmoves") + 1 :] if "searchmoves" in limits else []
                print("bestmove", self.best_move(asked))
            case ["quit"]:
                return False
        return True


engine = Engine()
for line in sys.stdin:
    if not engine.obey(line.split()):
        break
    sys.stdout.flush()
