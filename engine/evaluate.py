"""Measures presets on labelled traces: what is caught, what is missed, who is bothered for nothing."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from loopwatch.detectors.finding import Level
from loopwatch.detectors.score import LabelError, Score, Tally, Verdict, judge, label_of, tally
from loopwatch.engine.check import findings
from loopwatch.engine.sources.formats import UnreadableError, read

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from loopwatch.detectors.finding import Finding
    from loopwatch.detectors.preset import Preset
    from loopwatch.detectors.score import Label
    from loopwatch.engine.sources.formats import Recording

SUFFIX = ".jsonl"
FALSE = (Verdict.EARLY, Verdict.WRONG, Verdict.HARD_WRONG)
AMISS = (Verdict.MISSED, *FALSE)


@dataclass(frozen=True, slots=True)
class Trace:
    """A labelled recording."""

    id: str
    recording: Recording
    label: Label


@dataclass(frozen=True, slots=True)
class Judged:
    """One trace under one preset."""

    trace: Trace
    score: Score
    notices: int
    """Findings below an alarm; they count for nothing and tell how near a miss was."""


@dataclass(frozen=True, slots=True)
class Measured:
    """One preset over all traces."""

    preset: str
    judged: tuple[Judged, ...]
    steps: int
    seconds: float
    """Time in the detectors alone, reading not included."""

    @property
    def tally(self) -> Tally:
        """All verdicts counted."""
        return _tally(self.judged)

    def by(self, group: Callable[[Trace], str]) -> dict[str, Tally]:
        """The verdicts counted apart for each group (kind, agent), names in order."""
        names = sorted({group(one.trace) for one in self.judged})
        return {name: _tally(one for one in self.judged if group(one.trace) == name) for name in names}

    @property
    def missed(self) -> tuple[Judged, ...]:
        """Stuck runs that nobody was told of in time to be of use."""
        return tuple(one for one in self.judged if one.score.verdict is Verdict.MISSED)

    @property
    def false_alarms(self) -> tuple[Judged, ...]:
        """Alarms on healthy runs, and before there was a loop."""
        return tuple(one for one in self.judged if one.score.verdict in FALSE)


def traces(folders: Iterable[Path]) -> list[Trace]:
    """All labelled traces in folders (searched deeply) or named one by one, ordered by path.

    Raises:
        UnreadableError: a file that is no labelled trace, or none at all.
    """
    found: list[Trace] = []
    for folder in folders:
        files = sorted(folder.rglob(f"*{SUFFIX}")) if folder.is_dir() else [folder]
        if not files:
            raise UnreadableError(f"{folder}: holds no labelled trace (*{SUFFIX})")
        found += [_trace(file) for file in files]
    return found


def measure(preset: Preset, over: Sequence[Trace], *, clock: Callable[[], float] = time.perf_counter) -> Measured:
    """Let a preset judge every trace to its end and score it against its label."""
    begun = clock()
    judged: list[Judged] = []
    for trace in over:
        said = tuple(findings(trace.recording, preset))
        notices = sum(finding.level < Level.WARN for finding in said)
        judged.append(Judged(trace, judge(trace.label, said), notices))
    return Measured(
        preset=preset.name,
        judged=tuple(judged),
        steps=sum(len(trace.recording.steps) for trace in over),
        seconds=clock() - begun,
    )


def reason(judged: Judged) -> str:
    """Why a verdict is a miss or a false alarm, in one sentence."""
    label, first = judged.trace.label, judged.score.first
    if first is None:
        near = f"; {judged.notices} notices came" if judged.notices else ""
        return f"nothing said by step {label.last}; a person would step in at {label.onset}{near}"
    said = f"{first.rule} ({first.level.word}, {first.count} of {first.threshold}) at step {first.step}"
    match judged.score.verdict:
        case Verdict.MISSED:
            return f"{said}, after the loop's end at {label.last}: {first.message}"
        case Verdict.EARLY:
            return f"{said}, before step {label.first}: {first.message}"
        case _:
            return f"{said}: {first.message}"


def report(measured: Sequence[Measured]) -> dict[str, Any]:
    """The figures as JSON-ready data."""
    return {"presets": {one.preset: _figures(one) for one in measured}}


def _figures(measured: Measured) -> dict[str, Any]:
    return {
        **asdict(measured.tally),
        "steps": measured.steps,
        "seconds": round(measured.seconds, 3),
        "by_kind": {name: asdict(counts) for name, counts in measured.by(lambda trace: trace.label.kind).items()},
        "by_agent": {name: asdict(counts) for name, counts in measured.by(lambda trace: trace.recording.agent).items()},
        "traces": [
            {
                "id": one.trace.id,
                "label": one.trace.recording.label,
                "kind": one.trace.label.kind,
                "verdict": one.score.verdict.value,
                "first": _first(one.score.first),
                "delay": one.score.delay,
                "reason": reason(one) if one.score.verdict in AMISS else "",
            }
            for one in measured.judged
        ],
    }


def _first(alarm: Finding | None) -> dict[str, Any] | None:
    return None if alarm is None else {"step": alarm.step, "level": alarm.level.word, "rule": alarm.rule}


def _tally(judged: Iterable[Judged]) -> Tally:
    return tally((one.trace.label, one.score) for one in judged)


def _trace(file: Path) -> Trace:
    recording = read(file)
    try:
        label = label_of(recording.header, len(recording.steps))
    except LabelError as error:
        raise UnreadableError(f"{file}:1: {error}") from None
    return Trace(str(recording.header.get("id") or file.stem), recording, label)
