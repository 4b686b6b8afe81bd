"""How fast Outtake is, always as ratios of things measured side by side in one run.  `scripts/bench` runs this."""
