"""The rules, one family a module."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from loopwatch.detectors.rule import Rule


def bundled() -> dict[str, type[Rule]]:
    """Every rule that ships with loopwatch, by id, in the order of the tune screen."""
    return {}
