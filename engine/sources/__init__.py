"""Where a run's events come from."""
