"""Reads theme files.

A theme is a TOML file: a title, whether it is dark, and colours as ``#rrggbb``. Every key is required, so that a theme
never mixes with another one's colours by accident.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

COLLISIONS = 8
"""How many colours collisions are told apart by."""

_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")
_TABLES: dict[str, tuple[str, ...]] = {
    "colors": (
        "primary", "secondary", "accent", "foreground", "background", "surface", "panel", "success", "warning", "error",
    ),
    "levels": ("notice", "warn", "strong", "critical"),
    "lines": ("border", "focus", "muted", "cursor", "lit"),
}  # fmt: skip


class ThemeError(ValueError):
    """A theme file that cannot be used; the message names the file, the key and what is wanted."""


@dataclass(frozen=True, slots=True)
class ThemeFile:
    """The colours of one theme."""

    name: str
    title: str
    dark: bool
    colors: Mapping[str, str]
    variables: Mapping[str, str]
    """``lw-…``: levels, lines, and ``lw-collision-0`` to ``lw-collision-7``."""


def names() -> tuple[str, ...]:
    """The themes that ship with loopwatch, in alphabetical order."""
    folder = resources.files("loopwatch.themes")
    return tuple(sorted(entry.name[:-5] for entry in folder.iterdir() if entry.name.endswith(".toml")))


def bundled(name: str) -> ThemeFile:
    """A theme that ships with loopwatch.

    Raises:
        ThemeError: there is none of that name.
    """
    if name not in names():
        raise ThemeError(f"no theme {name!r}; there are: {', '.join(names())}")
    return parse(name, resources.files("loopwatch.themes").joinpath(f"{name}.toml").read_text(encoding="utf-8"))


def read(path: Path) -> ThemeFile:
    """A theme of the person's own; it is named as its file is.

    Raises:
        ThemeError: the file cannot be read or used.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ThemeError(f"theme {path}: {error}") from None
    return parse(path.stem, text, origin=str(path))


def parse(name: str, text: str, *, origin: str = "") -> ThemeFile:
    """Build a theme from TOML.

    Raises:
        ThemeError: with the file, the key and what is wanted there.
    """
    origin = origin or f"{name}.toml"
    try:
        data = tomllib.loads(text)
    except ValueError as error:  # Python's own refusal of a number with thousands of digits too
        raise ThemeError(f"theme {origin}: {error}") from None
    except RecursionError:
        raise ThemeError(f"theme {origin}: values are nested too deep") from None
    _refuse_unknown(origin, "", data, ("title", "dark", "collisions", *_TABLES))
    dark = data.get("dark")
    if not isinstance(dark, bool):
        raise ThemeError(f"theme {origin}: dark must be true or false")
    title = data.get("title", name)
    if not isinstance(title, str):
        raise ThemeError(f"theme {origin}: title must be a text")
    tables = {table: _colours(origin, data, table, keys) for table, keys in _TABLES.items()}
    variables = {f"lw-{key}": value for table in ("levels", "lines") for key, value in tables[table].items()}
    variables |= {f"lw-collision-{number}": colour for number, colour in enumerate(_palette(origin, data))}
    return ThemeFile(name=name, title=title, dark=dark, colors=tables["colors"], variables=variables)


def _colours(origin: str, data: dict[str, Any], table: str, keys: tuple[str, ...]) -> dict[str, str]:
    values = data.get(table)
    if not isinstance(values, dict):
        raise ThemeError(f"theme {origin}: table [{table}] is missing")
    _refuse_unknown(origin, f"{table}.", values, keys)
    return {key: _colour(origin, f"{table}.{key}", values.get(key)) for key in keys}


def _palette(origin: str, data: dict[str, Any]) -> list[str]:
    table = data.get("collisions")
    palette = table.get("palette") if isinstance(table, dict) else None
    if not isinstance(palette, list) or len(palette) != COLLISIONS:
        raise ThemeError(f"theme {origin}: collisions.palette must hold {COLLISIONS} colours")
    return [_colour(origin, f"collisions.palette[{number}]", value) for number, value in enumerate(palette)]


def _colour(origin: str, key: str, value: Any) -> str:
    if not isinstance(value, str) or not _COLOUR.fullmatch(value):
        raise ThemeError(f'theme {origin}: {key} must be a colour like "#6fb7e9", not {value!r}')
    return value


def _refuse_unknown(origin: str, prefix: str, data: dict[str, Any], known: tuple[str, ...]) -> None:
    for key in data:
        if key not in known:
            raise ThemeError(f"theme {origin}: unknown key {prefix}{key}; known: {', '.join(known)}")
