#!/usr/bin/env python3
"""The rules of any OpenSpiel game in which seats move one after the other and see everything. The argument names it
as OpenSpiel does: `openspiel.py backgammon`, `openspiel.py "backgammon(scoring_type=full_scoring)"`."""

import copy
import functools
import math
import re
import sys
from fractions import Fraction

import pyspiel

PROTOCOL_WORDS = {"moves", "legal", "places", "points", "weights", "ponder", "estimate", "-"}


def load(text, seats=None):
    """Returns the game for that number of seats, or for OpenSpiel's own number."""
    game = pyspiel.load_game(text)
    kind, parameters = game.get_type(), game.get_parameters()
    if kind.dynamics != pyspiel.GameType.Dynamics.SEQUENTIAL:
        raise ValueError(f"{text}: simultaneous moves; expected seats that take turns")
    if kind.information != pyspiel.GameType.Information.PERFECT_INFORMATION:
        raise ValueError(f"{text}: hidden information; expected none")
    if kind.chance_mode == pyspiel.GameType.ChanceMode.SAMPLED_STOCHASTIC:
        raise ValueError(f"{text}: unknown chances; expected a list of outcomes")
    if seats is not None and "players" in parameters and "players=" not in text:
        try:
            game = pyspiel.load_game(kind.short_name, parameters | {"players": seats})
        except pyspiel.SpielError:
            pass  # the number stays another
    if seats is not None and not game.num_players() == seats <= kind.max_num_players:
        raise ValueError(f"{text}: not for {seats} seats; OpenSpiel's own number is {game.num_players()}")
    return game


@functools.lru_cache(maxsize=100_000)
def word_of(text):
    """Returns the text of an action as one word, without OpenSpiel's number before it, or nothing."""
    text = re.sub(r"^chance outcome \d+ |^\d+ - ", "", text)
    word = re.sub(r"([^!-~]|[():,])+", "_", text).strip("_")[:150]
    return "" if word.startswith("+") or word in PROTOCOL_WORDS else word


class Position:
    def __init__(self, game):
        self.game, self.state = game, game.new_initial_state()
        self.words = []
        self.mover = 0  # the last seat that moved, counted from 0
        self.actions = self.numbers()

    def numbers(self):
        """Returns OpenSpiel's number of each action by its word; a text that repeats gets the number behind it."""
        state, numbers = self.state, {}
        drawn = state.is_chance_node()
        for number in [outcome for outcome, _ in state.chance_outcomes()] if drawn else state.legal_actions():
            word = word_of(state.action_to_string(number)) or f"action_{number}"
            word = f"+{word}" if drawn else word
            numbers[f"{word}#{number}" if word in numbers else word] = number
        return numbers

    def after(self, words):
        """Returns the position after `words`; the first of them led to this position."""
        new = copy.copy(self)
        new.state, new.words = self.state.clone(), list(words)
        for count, word in enumerate(words[len(self.words) :], len(self.words) + 1):
            if word not in new.actions:
                raise ValueError(f"word {count}: {word[:50]!r} is none of the {len(new.actions)} actions")
            if not new.state.is_chance_node():
                new.mover = new.state.current_player()
            new.state.apply_action(new.actions[word])
            new.actions = new.numbers()
        return new

    def weights(self):
        """Returns the smallest whole numbers in proportion to the chances."""
        chances = [chance for _, chance in self.state.chance_outcomes()]
        fractions = {chance: Fraction(chance).limit_denominator(1_000_000) for chance in set(chances)}
        whole = math.lcm(*(fraction.denominator for fraction in fractions.values()))
        numbers = {chance: int(fraction * whole) for chance, fraction in fractions.items()}
        weights = [numbers[chance] for chance in chances]
        if 0 in weights or sum(weights) != whole:
            raise ValueError("chances have no whole-number weights")
        return weights

    def drawer(self):
        """Returns the seat that would move after the last outcome, which for a die is its highest number."""
        state = self.state.clone()
        while state.is_chance_node():
            state.apply_action(state.chance_outcomes()[-1][0])
        return self.mover if state.is_terminal() else state.current_player()

    def stake(self):
        """Returns the sum of all points if a result can be worth more than a win against every other seat, else 0."""
        game, kind = self.game, self.game.get_type()
        has_points = game.max_utility() > kind.max_num_players - 1 and kind.utility == pyspiel.GameType.Utility.ZERO_SUM
        return round(-game.min_utility()) * game.num_players() if has_points else 0

    def due(self):
        """Returns the answer to `query state`."""
        if self.state.is_terminal():
            values = [round(value, 6) for value in self.state.returns()]
            places = [1 + sum(other > own for other in values) for own in values]
            points = [round(value - self.game.min_utility()) for value in values]
            return ["over", "places", *places] + ["points", *points] * bool(self.stake())
        if self.state.is_chance_node():
            pairs = zip(self.actions, self.weights())
            return ["card", self.drawer() + 1, "weights", *(f"{word} {weight}" for word, weight in pairs)]
        return [self.state.current_player() + 1, "legal", *self.actions]


def reach(old, text, words):
    """Returns the position of `position startpos WORDS`, by playing only the words that `old` does not have yet."""
    seats = int(words[1]) if words[:1] == ["players"] else 2
    played = words[words.index("moves") + 1 :] if "moves" in words else []
    is_new = old is None or old.game.num_players() != seats or played[: len(old.words)] != old.words
    return (Position(load(text, seats)) if is_new else old).after(played)


def serve(text):
    position = Position(load(text))
    for line in sys.stdin:
        match line.split():
            case ["ugi"]:
                print(f"id name {text}\nugiok")
            case ["position", "startpos", *words]:
                try:
                    position = reach(position, text, words)
                except (ValueError, pyspiel.SpielError) as error:
                    print("info string error:", *str(error).splitlines()[:1])
            case ["position", *_]:
                print("info string error: expected `startpos`")
            case ["query", "state"]:
                print("response", *position.due())
            case ["query", "players"]:
                print("response", position.game.num_players())
            case ["query", "picture"]:
                print("response", str(position.state).replace("\n", "\\n"))
            case ["query", "stake"] if position.stake():
                print("response", position.stake())
            case ["query", *_]:
                print("response")
            case ["quit"]:
                break
        sys.stdout.flush()


if __name__ == "__main__":
    try:
        serve(*sys.argv[1:])
    except (ValueError, pyspiel.SpielError) as error:
        print("info string error:", *str(error).splitlines()[:1], flush=True)
        sys.exit(f"openspiel.py: {error}")
