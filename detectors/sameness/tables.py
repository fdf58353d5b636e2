"""The word lists beside this module: what tools, programs, arguments and errors are called out there."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def table(name: str) -> dict[str, Any]:
    """One TOML file of this package.

    Args:
        name: Without the ending.
    """
    return tomllib.loads(files(__package__).joinpath(f"{name}.toml").read_text("utf-8"))


def words(name: str, section: str, key: str) -> frozenset[str]:
    """One list of words, written with white space between them."""
    return frozenset(table(name)[section][key].split())
