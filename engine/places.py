"""Where loopwatch keeps its files: the platform's folders, or what the environment says instead."""

from __future__ import annotations

import os
from pathlib import Path

STATE_DIR_VARIABLE = "LOOPWATCH_STATE_DIR"
CONFIG_DIR_VARIABLE = "LOOPWATCH_CONFIG_DIR"


def state_dir() -> Path:
    """What loopwatch writes by itself: journals."""
    override = os.environ.get(STATE_DIR_VARIABLE)
    if override:
        return Path(override)
    from platformdirs import user_state_path

    return user_state_path("loopwatch", appauthor=False)


def config_dir() -> Path:
    """What a person writes: settings, reminders, presets."""
    override = os.environ.get(CONFIG_DIR_VARIABLE)
    if override:
        return Path(override)
    from platformdirs import user_config_path

    return user_config_path("loopwatch", appauthor=False)
