"""From events to steps: what the rules judge is put together as the events come.

A step is complete when its result is in and every earlier call of its turn is complete; it is handed out with the next
event that is not about the same call, or when somebody asks to ``settle``. So a workspace change may be told before or
after the result it belongs to. What the model said and what it cost stand on the turn's first step (``Step.text``).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from loopwatch.detectors.step import Call, Change, Result, Step, Usage
from loopwatch.engine import events

if TYPE_CHECKING:
    from loopwatch.engine.events import AnyEvent, EventBase


@dataclass(slots=True)
class _Open:
    """A call that waits for its result."""

    index: int
    call: Call
    time: float
    marks: _Marks
    result: Result | None = None
    changes: tuple[Change, ...] | None = None


@dataclass(slots=True)
class _Marks:
    """What came before the model since the last step."""

    person: bool = False
    nudge: bool = False
    compacted: bool = False


@dataclass(slots=True)
class _Turn:
    """One model response under way."""

    number: int | None = None
    time: float = 0.0
    answered: bool = False
    """Something of an answer came; a request that failed before leaves no step."""
    first_told: bool = False
    """The step that carries the turn's text is out."""
    called: bool = False
    text: list[str] = field(default_factory=list)
    reasoning: list[str] = field(default_factory=list)
    finish_reason: str = ""
    usage: Usage | None = None
    thinking: bool = False
    open: list[_Open] = field(default_factory=list)


class StepAssembler:
    """Takes events, gives steps. Bounded by the calls of the turns under way."""

    def __init__(self) -> None:
        self._turns: dict[str, _Turn] = {}
        self._marks: dict[str, _Marks] = {}
        self._next = 0

    def opened(self, call: events.CallMade) -> tuple[int, bool]:
        """Of a call that has not come back: its index, and whether a person spoke since the step before it."""
        turn = self._turns.get(call.agent)
        entry = _waiting(turn, call.call_id, newest=True)
        return (self._next, False) if entry is None else (entry.index, entry.marks.person)

    def take(self, event: AnyEvent) -> list[Step]:
        """Take in one event; returns the steps that it completes, in call order."""
        steps: list[Step] = []
        match event:
            case events.TurnStarted():
                steps = self._start(event)
            case events.TextCame() | events.ReasoningCame() | events.Finished() | events.UsageReported():
                steps = self._answer(event)
            case events.CallMade():
                steps = self._call(event)
            case events.ResultCame():
                steps = self._result(event)
            case events.WorkspaceChanged():
                self._workspace(event)
            case events.Spoke() | events.Injected() | events.Compacted():
                steps = self.settle(event.agent)
                self._mark(event)
            case events.RunEnded():
                steps = self.flush()
        return steps

    def settle(self, agent: str) -> list[Step]:
        """Hand out what is complete of an agent's turn, for whoever must judge it now."""
        turn = self._turns.get(agent)
        return self._ready(agent, turn) if turn else []

    def end_turn(self, agent: str) -> list[Step]:
        """The agent's turn is over: calls without a result, and a message without a call, become steps too."""
        turn = self._turns.pop(agent, None)
        if turn is None:
            return []
        steps = self._ready(agent, turn)
        while turn.open:
            steps.append(self._close(agent, turn, turn.open.pop(0)))
        if turn.thinking:
            # A thinking phase is no step of its own: what was thought belongs to the action that follows (A5).
            self._turns[agent] = _Turn(reasoning=[*turn.reasoning, *turn.text], usage=turn.usage, time=turn.time)
        elif turn.answered and not turn.called:
            steps.append(self._message(agent, turn))
        return steps

    def flush(self) -> list[Step]:
        """The run is over: everything under way becomes steps, in order."""
        steps = [step for agent in tuple(self._turns) for step in self.end_turn(agent)]
        return sorted(steps, key=lambda step: step.index)

    def _turn(self, event: EventBase, number: int) -> tuple[_Turn, list[Step]]:
        """The turn that an event belongs to. A source that tells no start begins one with the first event of it."""
        turn = self._turns.get(event.agent)
        if turn is not None and turn.number in (None, number):
            turn.number = number
            return turn, []
        steps = self.end_turn(event.agent)
        kept = self._turns.get(event.agent)
        turn = kept if kept is not None else _Turn(time=event.time)
        turn.number = number
        self._turns[event.agent] = turn
        return turn, steps

    def _start(self, event: events.TurnStarted) -> list[Step]:
        present = self._turns.get(event.agent)
        if present is not None and present.number == event.turn and not (present.called or present.thinking):
            del self._turns[event.agent]  # the request is made again: what came of the first attempt does not count
        steps = self.end_turn(event.agent)
        turn, _ = self._turn(event, event.turn)
        turn.time = event.time
        turn.thinking = event.phase == "thinking"
        return steps

    def _answer(
        self, event: events.TextCame | events.ReasoningCame | events.Finished | events.UsageReported
    ) -> list[Step]:
        turn, steps = self._turn(event, event.turn)
        turn.answered = True
        match event:
            case events.TextCame():
                turn.text.append(event.text)
            case events.ReasoningCame():
                turn.reasoning.append(event.text)
            case events.Finished():
                turn.finish_reason = event.reason
            case events.UsageReported():
                turn.usage = _sum(
                    turn.usage,
                    Usage(
                        input=event.input,
                        output=event.output,
                        cached=event.cached,
                        reasoning=event.reasoning,
                        estimated=event.estimated,
                    ),
                )
        return steps

    def _call(self, event: events.CallMade) -> list[Step]:
        turn, steps = self._turn(event, event.turn)
        steps += self._ready(event.agent, turn)
        turn.answered = turn.called = True
        call = Call(tool=event.tool, arguments=event.arguments, id=event.call_id, malformed=event.malformed)
        turn.open.append(_Open(self._take_index(), call, event.time, self._take_marks(event.agent)))
        return steps

    def _result(self, event: events.ResultCame) -> list[Step]:
        turn = self._turns.get(event.agent)
        entry = _waiting(turn, event.call_id)
        # The result completes this call; what it may complete of the calls before it was complete without it.
        steps = self._ready(event.agent, turn) if turn else []
        if entry is not None:
            entry.result = Result(
                text=event.text,
                is_error=event.is_error,
                exit_code=event.exit_code,
                digest=event.digest,
                seconds=event.seconds,
                synthetic=event.synthetic,
            )
        return steps

    def _workspace(self, event: events.WorkspaceChanged) -> None:
        turn = self._turns.get(event.agent)
        if turn is None or not turn.open:
            return
        entry = next((one for one in turn.open if one.call.id == event.call_id), None)
        if entry is None:
            if event.call_id:
                return
            entry = next((one for one in turn.open if one.result is None), turn.open[-1])
        changes = tuple(Change(one.path, one.kind, one.before, one.after) for one in event.changes)
        entry.changes = (entry.changes or ()) + changes

    def _ready(self, agent: str, turn: _Turn) -> list[Step]:
        steps: list[Step] = []
        while turn.open and turn.open[0].result is not None:
            steps.append(self._close(agent, turn, turn.open.pop(0)))
        return steps

    def _close(self, agent: str, turn: _Turn, entry: _Open) -> Step:
        step = Step(
            index=entry.index,
            call=entry.call,
            result=entry.result,
            turn=turn.number,
            agent=agent,
            time=entry.time,
            person=entry.marks.person,
            nudge=entry.marks.nudge,
            compacted=entry.marks.compacted,
            changes=entry.changes,
        )
        if turn.first_told:
            return step
        turn.first_told = True
        return replace(
            step,
            text="".join(turn.text),
            reasoning="".join(turn.reasoning),
            finish_reason=turn.finish_reason,
            usage=turn.usage,
        )

    def _message(self, agent: str, turn: _Turn) -> Step:
        marks = self._take_marks(agent)
        return Step(
            index=self._take_index(),
            turn=turn.number,
            agent=agent,
            text="".join(turn.text),
            reasoning="".join(turn.reasoning),
            finish_reason=turn.finish_reason,
            usage=turn.usage,
            time=turn.time,
            person=marks.person,
            nudge=marks.nudge,
            compacted=marks.compacted,
        )

    def _take_index(self) -> int:
        self._next += 1
        return self._next - 1

    def _mark(self, event: events.Spoke | events.Injected | events.Compacted) -> None:
        marks = self._marks.setdefault(event.agent, _Marks())
        match event:
            case events.Spoke():
                marks.person = True
            case events.Injected():
                # What a person says is put before the model too, and is no nudge.
                marks.nudge = marks.nudge or bool(event.suggestion or event.rule) or not marks.person
            case events.Compacted():
                marks.compacted = True

    def _take_marks(self, agent: str) -> _Marks:
        return self._marks.pop(agent, None) or _Marks()


def _waiting(turn: _Turn | None, call_id: str, *, newest: bool = False) -> _Open | None:
    """A call of that id without a result, the oldest one unless told otherwise; some servers use one id again."""
    if turn is None:
        return None
    entries = reversed(turn.open) if newest else turn.open
    return next((entry for entry in entries if entry.call.id == call_id and entry.result is None), None)


def _sum(first: Usage | None, second: Usage) -> Usage:
    if first is None:
        return second
    return Usage(
        input=first.input + second.input,
        output=first.output + second.output,
        cached=first.cached + second.cached,
        reasoning=first.reasoning + second.reasoning,
        estimated=first.estimated or second.estimated,
    )
