"""Rows: how often something happened, when last, and at which steps.

A row is a plain list ``[turn, count, *newest steps]``: rules keep thousands of them, and JSON takes them as they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias, TypeVar

from loopwatch.detectors.rule import EVIDENCE_LIMIT

if TYPE_CHECKING:
    from collections import OrderedDict

    from loopwatch.detectors.sameness.facts import Facts

Row: TypeAlias = list[int]

K = TypeVar("K")
V = TypeVar("V")


def begin(facts: Facts) -> Row:
    """A row of one."""
    return [facts.turn, 1, facts.index]


def grow(row: Row, facts: Facts) -> int:
    """Take the step into the row; returns the new count. Only the newest steps are kept."""
    row[0] = facts.turn
    row[1] += 1
    row.append(facts.index)
    if len(row) > EVIDENCE_LIMIT + 2:
        del row[2]
    return row[1]


def seen(row: Row, facts: Facts) -> list[int]:
    """The row's steps, with the step of ``facts`` where another call of its turn was counted for it."""
    return row[2:] if row[-1] == facts.index else [*row[2:], facts.index]


def put(table: OrderedDict[K, V], key: K, value: V, limit: int) -> None:
    """Set an entry, forgetting the one set first when there are more than ``limit``."""
    table[key] = value
    if len(table) > limit:
        table.popitem(last=False)
