#!/usr/bin/env python3
"""Compares two groups of numbers, such as the figures of two fuzzers' repeated runs.

Each group is a file with one number a line, or, with --key, one JSON object a line whose member
KEY is the number; `-` is the standard input. Empty lines are skipped. Prints each group's size,
median, least and greatest number, and the Vargha-Delaney effect size A12: the probability that a
number of the first group is greater than one of the second, ties counting half. 0.5 means no
difference; the usual names for its distance from 0.5 are small from 0.06, medium from 0.14 and
large from 0.21 (Vargha and Delaney, 2000).
"""

import argparse
import json
import statistics
import sys


def numbers(name, key):
    """The numbers of a file; exits with a message that names the place of a bad one."""
    try:
        with open(0 if name == "-" else name, encoding="utf-8") as file:
            lines = file.read().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        sys.exit(f"error: cannot read {name}: {error}")
    group = []
    for place, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            group.append(float(json.loads(line)[key] if key else line))
        except (ValueError, TypeError, KeyError) as error:
            sys.exit(f"error: {name}:{place}: no number: {error!r}")
    if not group:
        sys.exit(f"error: {name}: no numbers")
    return group


def a12(first, second):
    """P(x > y) + P(x = y) / 2 for x of the first group and y of the second."""
    wins = sum((x > y) + (x == y) / 2 for x in first for y in second)
    return wins / (len(first) * len(second))


def size(effect):
    """The usual name of an effect size."""
    distance = round(abs(effect - 0.5), 9)
    names = ((0.21, "large"), (0.14, "medium"), (0.06, "small"))
    return next((name for least, name in names if distance >= least), "negligible")


def main():
    """Reads the command line and prints the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("first", help="file of the first group")
    parser.add_argument("second", help="file of the second group")
    parser.add_argument("--key", help="member of the JSON objects, for example edges_valid")
    arguments = parser.parse_args()

    groups = [numbers(name, arguments.key) for name in (arguments.first, arguments.second)]
    print(f"{'group':<8}{'n':>5}{'median':>14}{'min':>14}{'max':>14}")
    for name, group in zip(("first", "second"), groups):
        figures = (statistics.median(group), min(group), max(group))
        print(f"{name:<8}{len(group):>5}" + "".join(f"{figure:>14.10g}" for figure in figures))
    effect = a12(*groups)
    print(f"A12 {effect:.3f} ({size(effect)})")


if __name__ == "__main__":
    main()
