"""When two calls, two results or two errors are the same, and what a step does.

The judge compiles a thousand patterns when it is imported; whoever only needs to know what ``Facts`` are does not pay.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from loopwatch.detectors.sameness.judge import Explanation, Sameness
    from loopwatch.detectors.sameness.paths import PathResolver

__all__ = ["Explanation", "PathResolver", "Sameness"]

_HOMES = {"Explanation": "judge", "Sameness": "judge", "PathResolver": "paths"}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
