#!/usr/bin/env python3
"""The rules of any OpenSpiel game in which seats move one after the other and see everything. The argument names it
as OpenSpiel does: `openspiel.py backgammon`, `openspiel.py "backgammon(scoring_type=full_scoring)"`."""

import difflib
import functools
import math
import re
import sys
from fractions import Fraction

import pyspiel

PROTOCOL_WORDS = {"moves", "legal", "places", "winnings", "weights", "ponder", "estimate", "-"}


def known(text):
    """Returns the game of that name; OpenSpiel's own error for an unknown name lists all of its games."""
    name = re.match(r"[^(]*", text)[0]
    if name not in pyspiel.registered_names():
        near = difflib.get_close_matches(name, pyspiel.registered_names(), 5)
        nearest = f"; the nearest are {', '.join(near)}" if near else ""
        raise ValueError(f"OpenSpiel has no game {name!r}{nearest}")
    return pyspiel.load_game(text)


def load(text, seats=None):
    """Returns the game for that number of seats, or for OpenSpiel's own number."""
    game = known(text)
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
    if seats is not None and not kind.min_num_players <= game.num_players() == seats <= kind.max_num_players:
        raise ValueError(f"{text}: not for {seats} seats; OpenSpiel's own number is {game.num_players()}")
    return game


@functools.lru_cache(maxsize=100_000)
def word_of(text, number, drawn):
    """Returns the text of an action as one word, without OpenSpiel's number before it."""
    text = re.sub(r"^chance outcome \d+ |^\d+ - ", "", text)
    word = re.sub(r"([^!-~]|[():,])+", "_", text).strip("_")[:150]
    if not word or word[0] == "+" or word in PROTOCOL_WORDS:
        word = f"action_{number}"
    return f"+{word}" if drawn else word


class Position:
    def __init__(self, game, state, words, before):
        self.game, self.state, self.words, self.before = game, state, words, before

    @functools.cached_property
    def actions(self):
        """OpenSpiel's number of each action by its word; a text that repeats gets the number behind it."""
        state, actions = self.state, {}
        drawn = state.is_chance_node()
        for number in [outcome for outcome, _ in state.chance_outcomes()] if drawn else state.legal_actions():
            word = word_of(state.action_to_string(number), number, drawn)
            actions[f"{word}#{number}" if word in actions else word] = number
        return actions

    def after(self, word):
        if word not in self.actions:
            raise ValueError(f"word {len(self.words) + 1}: {word[:50]!r} is none of {len(self.actions)} actions")
        return Position(self.game, self.state.child(self.actions[word]), [*self.words, word], self)

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
        """Returns the seat that would move after the last outcome, a die's highest number, or else the first seat."""
        state = self.state
        while state.is_chance_node():
            state = state.child(state.chance_outcomes()[-1][0])
        return max(state.current_player(), 0)

    def stake(self):
        """Returns the sum of all winnings if a result can be worth more than a win against every other seat, else 0."""
        game, kind = self.game, self.game.get_type()
        has_points = game.max_utility() > kind.max_num_players - 1 and kind.utility == pyspiel.GameType.Utility.ZERO_SUM
        return round(-game.min_utility()) * game.num_players() if has_points else 0

    def due(self):
        """Returns the answer to `query state`."""
        if self.state.is_terminal():
            values = [round(value, 6) for value in self.state.returns()]
            places = [1 + sum(other > own for other in values) for own in values]
            winnings = [round(value - self.game.min_utility()) for value in values]
            return ["over", "places", *places] + ["winnings", *winnings] * bool(self.stake())
        if self.state.is_chance_node():
            pairs = zip(self.actions, self.weights())
            return ["card", self.drawer() + 1, "weights", *(f"{word} {weight}" for word, weight in pairs)]
        return [self.state.current_player() + 1, "legal", *self.actions]


def start(text, seats=None):
    game = load(text, seats)
    return Position(game, game.new_initial_state(), [], None)


def reach(old, text, words):
    """Returns the position of `position startpos WORDS`, by playing only what `old` and those before it lack."""
    seats = int(words[1]) if words[:1] == ["players"] else 2
    played = words[words.index("moves") + 1 :] if "moves" in words else []
    while old and (old.game.num_players() != seats or old.words != played[: len(old.words)]):
        old = old.before
    position = old or start(text, seats)
    for word in played[len(position.words) :]:
        position = position.after(word)
    return position


def serve(text):
    position = start(text)
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
    except (ValueError, IndexError, pyspiel.SpielError) as error:
        reason = str(error).split("\n")[0][:300]
        print("info string error:", reason, flush=True)
        sys.exit(f"openspiel.py: {reason}")
