#!/usr/bin/env python3
"""The rules of Pig with one fault: passes on the answers of another program, until it has given a number of them, and
as long as a file does not exist. Arguments: that program, the fault, the number, the file."""

import os
import subprocess
import sys
import time

program, fault, number, mended = sys.argv[1:]
rules = subprocess.Popen([sys.executable, program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
given = 0
for line in sys.stdin:
    rules.stdin.write(line)
    rules.stdin.flush()
    if line.startswith("position"):
        continue
    answer = rules.stdout.readline()
    while line == "ugi\n" and answer != "ugiok\n":
        answer = rules.stdout.readline()
    given += 1
    if given > int(number) and line == "query state\n" and not os.path.exists(mended):
        match fault:
            case "hang":
                time.sleep(1000)
            case "crash":
                print("out of dice", file=sys.stderr, flush=True)
                os._exit(3)
            case "garbage":
                answer = "response 1 2 3\n"
            case "offer":
                answer = "response 1 legal roll roll\n"
            case "refuse":
                answer = f"info string error: I have changed my mind\n{answer}"
            case "flood":
                while True:
                    sys.stdout.write("x" * 65536)
    print(answer, end="", flush=True)
