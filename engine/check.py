"""Judges recordings: what would the detectors have said of this run?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from loopwatch.detectors.suite import Suite

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from loopwatch.detectors.finding import Finding, Level
    from loopwatch.detectors.preset import Preset
    from loopwatch.engine.sources.formats import Recording


@dataclass(frozen=True, slots=True)
class Checked:
    """A recording and what was found in it."""

    recording: Recording
    findings: tuple[Finding, ...]
    """In the order in which they were made."""

    def reached(self, level: Level) -> bool:
        """Whether a finding is of this level or a worse one."""
        return any(finding.level >= level for finding in self.findings)


def findings(recording: Recording, preset: Preset) -> Iterator[Finding]:
    """What a preset's rules say of a recording, step by step."""
    suite = Suite(preset, workspace=recording.workspace)
    for step in recording:
        yield from suite.feed(step)


def check(recording: Recording, preset: Preset) -> Checked:
    """Judge a recording to its end."""
    return Checked(recording, tuple(findings(recording, preset)))


def report(checked: Sequence[Checked]) -> dict[str, Any]:
    """The findings as JSON-ready data; steps are 0-based, ``at`` is the line or event of the source file."""
    return {"files": [_file(one) for one in checked]}


def _file(checked: Checked) -> dict[str, Any]:
    recording = checked.recording
    return {
        "file": str(recording.path),
        "run": recording.part,
        "format": recording.format,
        "agent": recording.agent,
        "model": recording.model,
        "steps": len(recording.steps),
        "unknown": dict(recording.unknown),
        "unknown_at": {kind: list(places) for kind, places in recording.unknown_at.items()},
        "skipped": dict(recording.skipped),
        "torn": recording.torn,
        "findings": [_finding(finding, recording) for finding in checked.findings],
    }


def _finding(finding: Finding, recording: Recording) -> dict[str, Any]:
    return {
        "rule": finding.rule,
        "level": finding.level.word,
        "step": finding.step,
        "steps": list(finding.steps),
        "count": finding.count,
        "threshold": finding.threshold,
        "message": finding.message,
        "agent": finding.agent,
        "tool": finding.tool,
        "response": finding.response,
        "equal_because": list(finding.equal_because),
        "resets_when": finding.resets_when,
        recording.counts: position(recording, finding.step),
    }


def position(recording: Recording, step: int) -> int | None:
    """Line or event number of a step in its file; ``None`` where the file gives none."""
    if not 0 <= step < len(recording.steps):
        return None
    at = recording.steps[step].extra.get("at")
    return at if isinstance(at, int) else None
