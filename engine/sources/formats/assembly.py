"""Puts steps together from what a recording says in its own order.

Files tell of calls and results apart, out of order, twice, or never. Readers report what they find; this keeps call
order, pairs results with calls by id, hangs a turn's text on its first step and turns a turn without calls into a
message.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from loopwatch.detectors.step import MAIN_AGENT, Call, Result, Step, Usage

if TYPE_CHECKING:
    from loopwatch.detectors.step import Json
    from loopwatch.engine.sources.formats.recording import Notes


@dataclass(slots=True)
class _Draft:
    """A step while its parts are still coming in."""

    at: int
    agent: str
    turn: int
    call: Call | None = None
    result: Result | None = None
    said: list[str] = field(default_factory=list)
    thought: list[str] = field(default_factory=list)
    usage: Usage | None = None
    finish_reason: str = ""
    time: float | None = None
    person: bool = False
    nudge: bool = False
    compacted: bool = False
    replayed: bool = False
    extra: dict[str, Json] = field(default_factory=dict)


@dataclass(slots=True)
class _Before:
    """What happened since the agent's last step."""

    person: bool = False
    nudge: bool = False
    compacted: bool = False


@dataclass(slots=True)
class _Turn:
    """One model response; parts of it may be recorded apart."""

    key: str
    number: int
    at: int
    time: float | None
    before: _Before
    said: list[str] = field(default_factory=list)
    thought: list[str] = field(default_factory=list)
    usage: Usage | None = None
    finish_reason: str = ""
    first: _Draft | None = None


class Assembly:
    """Collects the parts of a recorded run. All positions (``at``) are line or event numbers of the file."""

    def __init__(self, notes: Notes, *, ids_are_unique: bool = False) -> None:
        """``ids_are_unique``: a call id seen before is the same call told again, not another one that got its id."""
        self._notes = notes
        self._ids_are_unique = ids_are_unique
        self._drafts: list[_Draft] = []
        self._by_id: dict[str, _Draft] = {}
        self._early: dict[str, Result] = {}
        self._turns: dict[str, _Turn] = {}
        self._turn_count = 0
        self._before: dict[str, _Before] = {}

    @property
    def has_begun(self) -> bool:
        """Whether any model response was told."""
        return self._turn_count > 0

    def turn(self, key: str, *, at: int, time: float | None = None, agent: str = MAIN_AGENT) -> bool:
        """A model response, or a further part of the one with this ``key``, begins.

        Args:
            key: Identity of the response within its agent; parts of one response share it.
            at: Where in the file.
            time: Seconds, any origin.
            agent: Who responds.

        Returns:
            Whether the response is a new one.
        """
        present = self._turns.get(agent)
        if present is not None and present.key == key:
            return False
        self._close(agent)
        self._turn_count += 1
        self._turns[agent] = _Turn(
            key=key, number=self._turn_count, at=at, time=time, before=self._before.pop(agent, _Before())
        )
        return True

    def say(self, text: str, *, agent: str = MAIN_AGENT) -> None:
        """The present turn's text, or a piece of it."""
        turn = self._turns.get(agent)
        if text and turn is not None:
            (turn.said if turn.first is None else turn.first.said).append(text)

    def think(self, text: str, *, agent: str = MAIN_AGENT) -> None:
        """The present turn's reasoning, or a piece of it."""
        turn = self._turns.get(agent)
        if text and turn is not None:
            (turn.thought if turn.first is None else turn.first.thought).append(text)

    def use(self, usage: Usage | None, *, finish_reason: str = "", agent: str = MAIN_AGENT) -> None:
        """The present turn's tokens and why it ended; the last word counts, as files repeat it while it grows."""
        turn = self._turns.get(agent)
        if turn is None:
            return
        holder: _Turn | _Draft = turn if turn.first is None else turn.first
        holder.usage = usage or holder.usage
        holder.finish_reason = finish_reason or holder.finish_reason

    def call(
        self,
        call: Call,
        *,
        at: int,
        time: float | None = None,
        agent: str = MAIN_AGENT,
        extra: dict[str, Json] | None = None,
    ) -> None:
        """The present turn asks for a tool."""
        turn = self._turns[agent]
        draft = _Draft(at=at, agent=agent, turn=turn.number, time=turn.time if time is None else time, call=call)
        draft.extra |= extra or {}
        self._drafts.append(draft)
        if turn.first is None:
            turn.first = draft
            _hand_over(turn, draft)
        if call.id:
            draft.replayed = self._ids_are_unique and call.id in self._by_id
            self._by_id[call.id] = draft
            draft.result = self._early.pop(call.id, None)

    def result(self, call_id: str, result: Result) -> None:
        """What came back for a call; may come before it. The first answer to a call counts."""
        draft = self._by_id.get(call_id)
        if draft is None:
            self._early.setdefault(call_id, result)
        elif draft.result is None:
            draft.result = result

    def answer(self, result: Result) -> None:
        """What came back for the last call, where the file has no ids."""
        draft = self._drafts[-1] if self._drafts else None
        if draft is None or draft.call is None:
            self._notes.unknown["result without a call"] += 1
        elif draft.result is None:
            draft.result = result

    def person(self, text: str = "", *, agent: str = MAIN_AGENT) -> None:
        """A person spoke."""
        self._close(agent)
        self._flags(agent).person = True
        if not self._notes.task and agent == MAIN_AGENT:
            self._notes.task = text.strip()

    def nudge(self, *, agent: str = MAIN_AGENT) -> None:
        """A harness put text before the model."""
        self._flags(agent).nudge = True

    def compacted(self, *, agent: str = MAIN_AGENT) -> None:
        """The conversation was compacted."""
        self._close(agent)
        self._flags(agent).compacted = True

    def steps(self) -> tuple[Step, ...]:
        """All steps, in call order. Results that answer no call are counted as unknown."""
        for agent in tuple(self._turns):
            self._close(agent)
        if self._early:
            self._notes.unknown["result without a call"] += len(self._early)
            self._early.clear()
        # A message is known to be one only when its turn ends; until then other agents may have acted.
        self._drafts.sort(key=lambda draft: draft.at)
        return tuple(_finished(index, draft) for index, draft in enumerate(self._drafts))

    def _close(self, agent: str) -> None:
        """End the agent's present turn; one that made no call is a message."""
        turn = self._turns.pop(agent, None)
        if turn is None or turn.first is not None:
            return
        draft = _Draft(at=turn.at, agent=agent, turn=turn.number, time=turn.time)
        self._drafts.append(draft)
        _hand_over(turn, draft)

    def _flags(self, agent: str) -> _Before:
        return self._before.setdefault(agent, _Before())


def _hand_over(turn: _Turn, draft: _Draft) -> None:
    """Give a turn's first step what belongs to the turn."""
    draft.said, draft.thought = turn.said, turn.thought
    draft.usage, draft.finish_reason = turn.usage, turn.finish_reason
    draft.person, draft.nudge, draft.compacted = turn.before.person, turn.before.nudge, turn.before.compacted


def _finished(index: int, draft: _Draft) -> Step:
    return Step(
        index=index,
        call=draft.call,
        result=draft.result,
        turn=draft.turn,
        agent=draft.agent,
        text="\n".join(draft.said),
        reasoning="\n".join(draft.thought),
        finish_reason=draft.finish_reason,
        usage=draft.usage,
        time=draft.time,
        person=draft.person,
        nudge=draft.nudge,
        compacted=draft.compacted,
        replayed=draft.replayed,
        extra={"at": draft.at, **draft.extra},
    )
