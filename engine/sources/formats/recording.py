"""What a reader gives back."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from loopwatch.detectors.step import Step


PLACES_LIMIT = 20
"""So many places of each kind of unknown record are remembered."""


class UnreadableError(ValueError):
    """A file that is no recording; the message names the file and what is wrong with it, in one line."""


@dataclass(frozen=True, slots=True)
class Recording:
    """One recorded run."""

    path: Path
    part: str
    """Which run of a file that holds several (a sample, a trial); empty where the file is one run."""
    format: str
    """Name of the format, for example ``claude-code`` or ``labelled-trace``."""
    agent: str
    """Name of the agent program that was recorded; the format's own where the file does not tell."""
    steps: tuple[Step, ...]
    """In call order. ``Step.extra["at"]`` is the line (from 1) or event (from 0) of the file the call stood at."""
    header: Mapping[str, Any] = field(default_factory=dict)
    """What the file says of itself: for a labelled trace the label and its windows."""
    model: str = ""
    task: str = ""
    """The person's first words, where the file has them."""
    workspace: str = ""
    counts: str = "line"
    """What ``extra["at"]`` counts: ``line`` or ``event``."""
    unknown: Mapping[str, int] = field(default_factory=dict)
    """Kinds of records that are not understood, with how many there were; they are kept out of the steps."""
    unknown_at: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """Where the first of each kind stand in the file."""
    skipped: Mapping[str, int] = field(default_factory=dict)
    """Kinds of records that are understood and say nothing about steps, with how many there were."""
    torn: str = ""
    """What is missing at the file's end, as a sentence; empty where it is whole."""

    @property
    def label(self) -> str:
        """``stuck``, ``healthy``, or empty for a run that nobody has labelled."""
        return str(self.header.get("label") or "")

    @property
    def name(self) -> str:
        """The file, and the part of it where there are several."""
        return f"{self.path}#{self.part}" if self.part else str(self.path)

    def __iter__(self) -> Iterator[Step]:
        """The steps, in call order."""
        return iter(self.steps)


@dataclass(slots=True)
class Notes:
    """What a reader learns of a run besides its steps; the fields are those of ``Recording``."""

    agent: str
    header: dict[str, Any] = field(default_factory=dict)
    model: str = ""
    task: str = ""
    workspace: str = ""
    unknown: Counter[str] = field(default_factory=Counter)
    unknown_at: dict[str, tuple[int, ...]] = field(default_factory=dict)
    skipped: Counter[str] = field(default_factory=Counter)

    def strange(self, kind: str, at: int) -> None:
        """A record at line or event ``at`` is not understood."""
        self.unknown[kind] += 1
        if self.unknown[kind] <= PLACES_LIMIT:
            self.unknown_at[kind] = (*self.unknown_at.get(kind, ()), at)
