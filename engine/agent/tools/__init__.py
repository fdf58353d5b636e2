"""The tools of our own agent, confined to a workspace."""
