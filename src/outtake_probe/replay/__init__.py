"""Replay: what a record holds, and when which part of it is served."""
