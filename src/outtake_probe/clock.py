"""The probe's own clock: the functions of `time` as they were when it was loaded.

A program, a test of its above all, may put others in their place, and is not to meet the probe's uses of them.
"""

from time import monotonic, sleep, time

__all__ = ["monotonic", "sleep", "time"]
