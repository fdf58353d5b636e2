"""How findings say things: short names, ordinals, lists of steps. One manner for all rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from loopwatch.detectors.sameness.facts import Facts

QUOTE_LIMIT = 80


def quoted(text: str, limit: int = QUOTE_LIMIT) -> str:
    """One line of ``text`` in quotation marks, shortened to ``limit`` characters."""
    line = " ".join(text[: 4 * limit].split())
    return f"“{line[: limit - 1]}…”" if len(line) > limit else f"“{line}”"


def times(count: int) -> str:
    """``once``, ``twice``, ``5 times``."""
    return {1: "once", 2: "twice"}.get(count, f"{count} times")


def what(facts: Facts) -> str:
    """The call in a few words: tool and target."""
    name = facts.tool or "message"
    return f"{name} {quoted(facts.target, 60)}" if facts.target else name
