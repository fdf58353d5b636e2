"""Named settings of all detectors and responses, as TOML files."""
