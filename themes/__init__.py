"""Theme files, and the few lines that load them."""
