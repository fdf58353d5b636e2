"""When two calls, two results or two errors are the same, and what a step does."""
