"""The demo's targets, run by path: an AutoGen program that knows nothing of Outtake (`team.py`), and the same team in
plain Python (`plain_team.py`). `programs` says which of them is run."""
