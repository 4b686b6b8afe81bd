"""Attacks on Outtake, bounded in count and time: `scripts/attack NAME` runs one and prints its figures.

Each module beside this one is one attack: a function `attack(size)` that gives a `Result`.  Traffic goes to this
machine only.
"""
