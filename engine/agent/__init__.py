"""Our own agent: a tool-calling loop on an OpenAI-compatible endpoint."""
