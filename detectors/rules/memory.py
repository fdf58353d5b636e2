"""Small bounded memories that several rules keep."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from loopwatch.detectors.rule import EVIDENCE_LIMIT

if TYPE_CHECKING:
    from collections import OrderedDict

Key = TypeVar("Key")
Kept = TypeVar("Kept")


def note(steps: list[int], index: int) -> None:
    """Add a step to the evidence, dropping the oldest beyond the limit."""
    steps.append(index)
    if len(steps) > EVIDENCE_LIMIT:
        del steps[0]


def keep(memory: OrderedDict[Key, Kept], key: Key, value: Kept, size: int) -> Kept:
    """Put a value in as the newest, forgetting the oldest beyond ``size``."""
    memory[key] = value
    memory.move_to_end(key)
    if len(memory) > size:
        memory.popitem(last=False)
    return value
