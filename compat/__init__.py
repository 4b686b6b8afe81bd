"""Programs and test suites of the frameworks themselves, plainly and under Outtake; run by `scripts/compat`."""
