"""The programs under test, and their paths, which the script `run` sets."""

import faulthandler
import os
import shlex
import subprocess

BUXTEHUDE = os.environ["BUXTEHUDE"]
ARBITER = os.environ["ARBITER"]
FAIRY_STOCKFISH = os.environ["FAIRY_STOCKFISH"]
"""The script that starts Fairy-Stockfish under node."""

RANDOM_GAMES = int(os.environ.get("RANDOM_GAMES", 3))
"""Number of random games of each game whose rules come from another program."""

MAX_RUN = 100 * max(3, RANDOM_GAMES)
"""Timeout for a program, in seconds."""

# A client may wait for a line for ever; then the tests end with a traceback.
faulthandler.dump_traceback_later(2 * MAX_RUN, exit=True)


def engine(*command):
    """Returns the words `cmd=` and `args=` for a command; those after `args=` are split a second time."""
    program, *arguments = map(str, command)
    words = f"cmd={shlex.quote(program)}"
    return f"{words} args={shlex.quote(shlex.join(arguments))}" if arguments else words


def show(variant, positions):
    """Returns the output of `d` for `positions`, each the argument of a `position` command.

    Each is a dictionary with the values of `Fen:`, `Legal:`, and `Result:` if there is one.
    """
    lines = [f"setoption name UCI_Variant value {variant}"]
    for position in positions:
        lines += [f"position {position}", "d"]
    shown = []
    for line in run([BUXTEHUDE], "\n".join(lines) + "\n").splitlines():
        key, _, value = line.partition(":")
        if key == "Fen":
            shown.append({})
        if key in ("Fen", "Legal", "Result"):
            shown[-1][key] = value.strip()
        elif key == "info string error":
            raise AssertionError(f"buxtehude rejects a position:{value}")
    return shown


def run(command, text=""):
    """Runs a program with the input `text`; returns its output, or raises an error with it."""
    finished = subprocess.run(
        command, input=text, capture_output=True, text=True, timeout=MAX_RUN
    )
    if finished.returncode != 0:
        raise AssertionError(
            f"{command} ended with {finished.returncode}: {finished.stdout}{finished.stderr}"
        )
    return finished.stdout
