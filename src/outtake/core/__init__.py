"""Runs and what can be said about them without clock, files or waiting: the run tree, edits, differences."""
