"""Verdicts against labels: did an alarm come, in time, and only where it should?

An alarm is a finding of level ``warn`` or higher, a hard one is ``strong`` or ``critical``; a ``notice`` never counts.
Only the first alarm of a stuck run is judged: what an operator is told first is what they act on.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from statistics import median
from typing import TYPE_CHECKING, Any

from loopwatch.detectors.finding import Level

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from loopwatch.detectors.finding import Finding

GRACE = 3
"""Steps around ``onset`` that count as in time where a label gives no window of its own."""


class LabelError(ValueError):
    """A label that cannot be judged by; the message names the field."""


class Verdict(StrEnum):
    """What an alarm, or its absence, was worth."""

    IN_TIME = "in_time"
    LATE = "late"
    """After the window, while the loop still went on."""
    EARLY = "early"
    """Before there was a loop: false."""
    MISSED = "missed"
    QUIET = "quiet"
    """Healthy and left alone."""
    SOFT = "soft"
    """Healthy, told mildly, and labelled as bearing that."""
    WRONG = "wrong"
    HARD_WRONG = "hard_wrong"
    """Healthy, and told to stop or change."""


@dataclass(frozen=True, slots=True)
class Label:
    """What a careful person says of a run. Steps are 0-based; all of a healthy run's are ``None``."""

    stuck: bool
    kind: str = ""
    onset: int | None = None
    """Step at which a careful person would step in; delays are counted from it."""
    first: int | None = None
    """First step at which an alarm is in time."""
    deadline: int | None = None
    """Last step at which an alarm is in time."""
    last: int | None = None
    """Last step at which a late alarm is still of use."""
    soft_ok: bool = False
    """Healthy, but a mild notice is acceptable."""


@dataclass(frozen=True, slots=True)
class Score:
    """The verdict on one run."""

    verdict: Verdict
    first: Finding | None = None
    """The first alarm; for a healthy run with a hard alarm the first hard one."""
    delay: int | None = None
    """Steps from ``onset`` to the alarm, for alarms in time and late ones."""


@dataclass(frozen=True, slots=True)
class Tally:
    """Verdicts counted. ``stuck`` is the sum of in time, late, early and missed; ``wrong`` includes ``hard_wrong``."""

    stuck: int = 0
    in_time: int = 0
    late: int = 0
    missed: int = 0
    early: int = 0
    healthy: int = 0
    wrong: int = 0
    hard_wrong: int = 0
    median_delay: float | None = None
    """Over alarms in time and late ones; ``None`` where there were none."""


def label_of(header: Mapping[str, Any], steps: int) -> Label:
    """The label in a trace's header.

    Args:
        header: ``label``, ``kind``, ``onset`` and either ``loop_start`` with ``deadline`` or ``last``; ``soft_ok``.
        steps: Length of the run.

    Raises:
        LabelError: no label, or a stuck one without ``onset``.
    """
    word = header.get("label")
    kind = str(header.get("kind") or "")
    if word == "healthy":
        return Label(stuck=False, kind=kind, soft_ok=bool(header.get("soft_ok")))
    if word != "stuck":
        raise LabelError(f"label must be 'stuck' or 'healthy' (got {word!r})")
    onset = _step(header, "onset")
    if onset is None:
        raise LabelError("onset must be a step number where the label is 'stuck' (got none)")
    start, deadline, last = (_step(header, name) for name in ("loop_start", "deadline", "last"))
    return Label(
        stuck=True,
        kind=kind,
        onset=onset,
        first=max(0, onset - GRACE) if start is None else start,
        deadline=onset + GRACE if deadline is None else deadline,
        last=steps - 1 if last is None else last,
    )


def judge(label: Label, findings: Iterable[Finding]) -> Score:
    """The verdict on a run in which these findings were made, in any order."""
    alarms = sorted(
        (finding for finding in findings if finding.level >= Level.WARN),
        key=lambda finding: (finding.step, -finding.level),
    )
    return _stuck(label, alarms) if label.stuck else _healthy(label, alarms)


def tally(scores: Iterable[tuple[Label, Score]]) -> Tally:
    """Count verdicts."""
    judged = list(scores)
    counts = {verdict: sum(score.verdict is verdict for _, score in judged) for verdict in Verdict}
    delays = [score.delay for _, score in judged if score.delay is not None]
    stuck = sum(label.stuck for label, _ in judged)
    return Tally(
        stuck=stuck,
        in_time=counts[Verdict.IN_TIME],
        late=counts[Verdict.LATE],
        missed=counts[Verdict.MISSED],
        early=counts[Verdict.EARLY],
        healthy=len(judged) - stuck,
        wrong=counts[Verdict.WRONG] + counts[Verdict.HARD_WRONG],
        hard_wrong=counts[Verdict.HARD_WRONG],
        median_delay=median(delays) if delays else None,
    )


def _stuck(label: Label, alarms: list[Finding]) -> Score:
    if not alarms:
        return Score(Verdict.MISSED)
    alarm = alarms[0]
    onset, first, deadline, last = label.onset or 0, label.first or 0, label.deadline or 0, label.last or 0
    if alarm.step < first:
        return Score(Verdict.EARLY, alarm)
    if alarm.step <= deadline:
        return Score(Verdict.IN_TIME, alarm, alarm.step - onset)
    if alarm.step <= last:
        return Score(Verdict.LATE, alarm, alarm.step - onset)
    return Score(Verdict.MISSED, alarm)


def _healthy(label: Label, alarms: list[Finding]) -> Score:
    hard = [alarm for alarm in alarms if alarm.level >= Level.STRONG]
    if hard:
        return Score(Verdict.HARD_WRONG, hard[0])
    if not alarms:
        return Score(Verdict.QUIET)
    return Score(Verdict.SOFT if label.soft_ok else Verdict.WRONG, alarms[0])


def _step(header: Mapping[str, Any], name: str) -> int | None:
    value = header.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int):
        raise LabelError(f"{name} must be a step number (got {value!r})")
    return value
