"""The engine: starts debugged processes, controls them, and re-executes runs as forks."""
