"""The programs under test: `run` says where they are."""

import faulthandler
import os
import subprocess

BUXTEHUDE = os.environ["BUXTEHUDE"]
ARBITER = os.environ["ARBITER"]
FAIRY_STOCKFISH = os.environ["FAIRY_STOCKFISH"]
"""The script that starts Fairy-Stockfish under node."""

LONGEST_RUN = 300
"""Seconds after which a program that does not end is killed."""

# A client that waits for a line that never comes waits for ever: the tests then end, and say where.
faulthandler.dump_traceback_later(2 * LONGEST_RUN, exit=True)


def show(variant, positions):
    """What `d` of buxtehude says of `positions`, each the argument of a `position` command.

    For each of them a dictionary: what stands behind `Fen:`, `Legal:`, and `Result:` if there is one.
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
            raise AssertionError(f"buxtehude refuses a position:{value}")
    return shown


def run(command, text=""):
    """The output of a program that is sent `text`; all that it said is shown if it fails."""
    finished = subprocess.run(
        command, input=text, capture_output=True, text=True, timeout=LONGEST_RUN
    )
    if finished.returncode != 0:
        raise AssertionError(
            f"{command} ended with {finished.returncode}: {finished.stdout}{finished.stderr}"
        )
    return finished.stdout
