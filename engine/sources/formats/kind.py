"""What a reader is made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from loopwatch.detectors.step import Step
    from loopwatch.engine.sources.formats.content import Numbered
    from loopwatch.engine.sources.formats.recording import Notes

Part: TypeAlias = tuple[str, Any]
"""A run's name within its file, and its data."""


def whole(document: Any) -> Iterable[Part]:
    """A document that is one run."""
    yield "", document


@dataclass(frozen=True, slots=True)
class LineFormat:
    """JSON Lines that are one run, told record by record."""

    name: str
    agent: str
    """The agent that writes it, where a file does not say."""
    recognises: Callable[[list[Any]], bool]
    """Whether the first records are of this format."""
    steps: Callable[[Iterable[Numbered], Notes], Iterable[Step]]


@dataclass(frozen=True, slots=True)
class DocumentFormat:
    """One JSON value that holds one run or several."""

    name: str
    agent: str
    recognises: Callable[[Any], bool]
    steps: Callable[[Any, Notes], Iterable[Step]]
    """Reads one run."""
    runs: Callable[[Any], Iterable[Part]] = whole
    """Takes the document apart."""
