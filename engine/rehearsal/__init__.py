"""The rehearsal model: scripted scenarios behind a real OpenAI-compatible endpoint; no key, no network."""
