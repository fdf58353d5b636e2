"""How the screen says things: times, numbers, what a call is about. One manner for all panels."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from rich.cells import cell_len, set_cell_size

from loopwatch.tui.safe_text import Safe, line, own

if TYPE_CHECKING:
    from loopwatch.detectors.step import Json

MAIN_ARGUMENTS = (
    "command", "cmd", "path", "file_path", "filename", "file", "notebook_path", "pattern", "query", "url", "prompt",
    "description", "task", "message", "text",
)  # fmt: skip
"""Arguments that say by themselves what a call is about, most telling first."""
SUMMARY_LIMIT = 300

_MINUTE = 60
_HOUR = 3600


def clock(seconds: float) -> Safe:
    """A span of time: ``0:41``, ``12:05``, ``1:02:05``."""
    whole = max(0, int(seconds))
    hours, rest = divmod(whole, _HOUR)
    minutes, left = divmod(rest, _MINUTE)
    return own(f"{hours}:{minutes:02}:{left:02}" if hours else f"{minutes}:{left:02}")


def brief(seconds: float) -> Safe:
    """How long something took: ``0.02 s``, ``12 s``, ``3:10``."""
    if seconds < 10:  # noqa: PLR2004 - below, fractions say something
        return own(f"{seconds:.2g} s" if seconds else "0 s")
    return own(f"{seconds:.0f} s") if seconds < 2 * _MINUTE else clock(seconds)


def amount(number: float) -> Safe:
    """A count that stays short: ``940``, ``26.1k``, ``1.20M``."""
    if number < 10_000:  # noqa: PLR2004 - four digits are still short
        return own(f"{number:,.0f}")
    return own(f"{number / 1e3:.1f}k" if number < 1e6 else f"{number / 1e6:.2f}M")  # noqa: PLR2004 - a million


def money(dollars: float) -> Safe:
    """US dollars: ``$0.0041``, ``$0.12``, ``$12.30``."""
    return own(f"${dollars:.4f}" if 0 < dollars < 0.01 else f"${dollars:.2f}")  # noqa: PLR2004 - a cent


def plural(count: int, word: str) -> Safe:
    """``1 step``, ``3 steps``."""
    return own(f"{count:,} {word}" if count == 1 else f"{count:,} {word}s")


def summary(arguments: Json) -> Safe:
    """A call's arguments in one line: the telling one bare and first, the others as ``name=value``."""
    if arguments is None:
        return own("")
    if not isinstance(arguments, dict):
        return line(_plain(arguments), SUMMARY_LIMIT)
    main = next((name for name in MAIN_ARGUMENTS if arguments.get(name)), None)
    parts = [] if main is None else [_plain(arguments[main])]
    parts += [f"{name}={_plain(value)}" for name, value in arguments.items() if name != main]
    return line("  ".join(parts), SUMMARY_LIMIT)


def _plain(value: Json) -> str:
    if isinstance(value, str):
        return value[: 2 * SUMMARY_LIMIT]
    return json.dumps(value, ensure_ascii=False)[: 2 * SUMMARY_LIMIT]


def fit_path(text: str, width: int) -> str:
    """As ``fit``; of a lone absolute path the end is kept, which tells more than where it begins."""
    if len(text) <= width or not text.startswith("/") or " " in text or not text.isascii() or width < 2:  # noqa: PLR2004
        return fit(text, width)
    return "…" + text[len(text) - width + 1 :]


def fit(text: str, width: int) -> str:
    """``text`` in exactly ``width`` cells: padded, or cut with ``…``. Wide characters count as two."""
    if width <= 0:
        return ""
    if text.isascii():
        return text.ljust(width) if len(text) <= width else text[: width - 1] + "…"
    size = cell_len(text)
    if size <= width:
        return text + " " * (width - size)
    return set_cell_size(text, width - 1) + "…"
