"""The scenarios that ship with loopwatch, one TOML file each."""
