"""Runs and watches agents: event log, supervisor, desk, injection, budgets, the own agent and its sources."""
