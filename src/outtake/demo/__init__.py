"""The demo's target: an ordinary AutoGen program that knows nothing of Outtake (`team.py`, run by path)."""
