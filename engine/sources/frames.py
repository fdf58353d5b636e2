"""Recordings cut into frames: what is told at one moment, and the steps that are complete with it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from loopwatch.engine import events
from loopwatch.engine.journal import read_journal
from loopwatch.engine.session import Limits
from loopwatch.engine.sources.formats import content, recognise
from loopwatch.engine.sources.formats.own import is_journal
from loopwatch.engine.sources.formats.recording import UnreadableError
from loopwatch.engine.steps import StepAssembler

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from loopwatch.detectors.step import Call, Step
    from loopwatch.engine.events import Event
    from loopwatch.engine.sources.formats.recording import Recording

PACE = 0.4
"""Seconds between two steps of a recording that tells no times."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One moment of a recording."""

    time: float
    """Seconds; Unix time where the recording has it."""
    events: tuple[Event, ...]
    steps: tuple[Step, ...] = ()
    """Complete after these events."""


@dataclass(frozen=True, slots=True)
class Film:
    """A recording ready to be played."""

    frames: tuple[Frame, ...]
    run: str = ""
    workspace: str = ""
    judged: bool = True
    """It has no findings of its own: they are made while it is played."""
    preset: str = ""
    settings: dict[str, Any] = field(default_factory=dict)
    """Of the preset at the time; empty where the recording has none."""
    limits: Limits = field(default_factory=lambda: Limits(turns=None, no_progress=None))
    remarks: tuple[str, ...] = ()
    """What a viewer should know, one sentence each."""


def load(path: Path, part: str = "") -> Film:
    """Read a journal or a transcript.

    Raises:
        UnreadableError: the file cannot be read or is in no known format.
        JournalError: the file is a journal that holds no event.
    """
    try:
        content.refuse_endless(path)
        own = is_journal(path)
    except OSError as error:
        raise UnreadableError(f"{path}: cannot be read: {error.strerror or error}") from None
    return _journal(path) if own else _transcript(recognise.read(path, part))


def _journal(path: Path) -> Film:
    recorded = read_journal(path)
    known: list[Event] = [event for event in recorded.events if not isinstance(event, events.Unknown)]
    started = next((event for event in known if isinstance(event, events.RunStarted)), events.RunStarted())
    return Film(
        frames=tuple(_cut(known)),
        run=started.run,
        workspace=started.workspace,
        judged=not any(isinstance(event, events.FindingMade) for event in known),
        preset=started.preset,
        settings=dict(started.settings),
        limits=_limits(started.limits),
        remarks=recorded.remarks,
    )


def _cut(known: Sequence[Event]) -> Iterator[Frame]:
    """One frame an event; a step is complete before what was found about it, as it was in the run."""
    assembler = StepAssembler()
    complete = -1
    for event in known:
        if isinstance(event, events.FindingMade) and not event.before_call and event.step > complete:
            steps = assembler.settle(event.agent)
            if not any(step.index >= event.step for step in steps):
                steps += assembler.end_turn(event.agent)
            complete = max((step.index for step in steps), default=complete)
            yield Frame(event.time, (), tuple(steps))
        steps = assembler.take(event)
        complete = max((step.index for step in steps), default=complete)
        yield Frame(event.time, (event,), tuple(steps))
    rest = tuple(assembler.flush())
    if rest:
        yield Frame(known[-1].time, (), rest)


def _limits(recorded: dict[str, float | None]) -> Limits:
    def whole(name: str) -> int | None:
        value = recorded.get(name)
        return None if value is None else int(value)

    return Limits(
        turns=whole("turns"),
        tokens=whole("tokens"),
        seconds=recorded.get("seconds"),
        cost=recorded.get("cost"),
        errors=whole("errors"),
        no_progress=whole("no_progress"),
    )


def _transcript(recording: Recording) -> Film:
    started = events.RunStarted(
        task=recording.task, source=recording.agent, model=recording.model, workspace=recording.workspace
    )
    first = next((step.time for step in recording.steps if step.time is not None), 0.0)
    frames = [Frame(first, (started,))]
    now, turn, number = first, None, 0
    for step in recording.steps:
        begins = step.turn is None or step.turn != turn
        number += begins
        turn = step.turn
        now = now + PACE if step.time is None else max(now, step.time)
        frames.append(Frame(now, tuple(_told(step, number, begins=begins)), (step,)))
    if not recording.torn:
        ended = events.RunEnded(reason=events.EndReason.UNKNOWN, message="the recording ends here", exit_code=0)
        frames.append(Frame(now, (ended,)))
    remarks = [recording.torn] if recording.torn else []
    if recording.unknown:
        kinds = ", ".join(f"{kind} ({count})" for kind, count in sorted(recording.unknown.items())[:5])
        remarks.append(f"{sum(recording.unknown.values())} records are not understood and were left out: {kinds}")
    return Film(frames=tuple(frames), run=recording.name, workspace=recording.workspace, remarks=tuple(remarks))


def _told(step: Step, turn: int, *, begins: bool) -> Iterator[Event]:
    """A step as the events that would have led to it."""
    agent = step.agent
    if step.person:
        yield events.Spoke(agent=agent, text="")
    if step.compacted:
        yield events.Compacted(agent=agent)
    if begins:
        yield events.TurnStarted(agent=agent, turn=turn)
    if step.reasoning:
        yield events.ReasoningCame(agent=agent, turn=turn, text=step.reasoning)
    if step.text:
        yield events.TextCame(agent=agent, turn=turn, text=step.text)
    if step.finish_reason:
        yield events.Finished(agent=agent, turn=turn, reason=step.finish_reason)
    if step.usage:
        usage = step.usage
        yield events.UsageReported(
            agent=agent,
            turn=turn,
            input=usage.input,
            output=usage.output,
            cached=usage.cached,
            reasoning=usage.reasoning,
            estimated=usage.estimated,
        )
    if step.call is not None:
        yield from _call_told(step, step.call, turn)


def _call_told(step: Step, call: Call, turn: int) -> Iterator[Event]:
    agent, result = step.agent, step.result
    call_id = call.id or f"#{step.index}"
    yield events.CallMade(
        agent=agent, turn=turn, call_id=call_id, tool=call.tool, arguments=call.arguments, malformed=call.malformed
    )
    if step.changes is not None:
        changes = tuple(
            events.FileChange(path=one.path, kind=one.kind, before=one.before, after=one.after) for one in step.changes
        )
        yield events.WorkspaceChanged(agent=agent, call_id=call_id, changes=changes)
    if result is not None:
        yield events.ResultCame(
            agent=agent,
            turn=turn,
            call_id=call_id,
            text=result.text,
            is_error=result.is_error,
            exit_code=result.exit_code,
            seconds=result.seconds,
            digest=result.digest,
            synthetic=result.synthetic,
        )
