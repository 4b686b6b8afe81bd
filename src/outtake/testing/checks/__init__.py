"""The checks: each is given a rig, and raises `Broken` where the target does not do what is promised."""
