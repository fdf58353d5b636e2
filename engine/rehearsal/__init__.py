"""A model that plays scripted scenarios over real HTTP: no key, no network."""
