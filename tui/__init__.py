"""Shows a run and asks the operator. Knows engine and detectors; nobody knows it."""
