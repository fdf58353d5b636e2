"""Plays a scenario through the real stack: own agent, real HTTP, real files and commands, real rules."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from loopwatch.engine import events
from loopwatch.engine.desk import Decision
from loopwatch.engine.events import Action
from loopwatch.engine.plan import Policy
from loopwatch.engine.rehearsal.demo import open_demo

if TYPE_CHECKING:
    from loopwatch.engine.desk import Question
    from loopwatch.engine.rehearsal.demo import Demo

E = TypeVar("E")


@dataclass
class ScriptedDesk:
    """A person who knows beforehand what to answer; dismisses what comes after that."""

    answers: list[Decision]
    asked: list[Question] = field(default_factory=list)

    async def decide(self, question: Question) -> Decision:
        self.asked.append(question)
        return self.answers.pop(0) if self.answers else Decision(Action.DISMISS)


@dataclass
class Played:
    """What came of it."""

    demo: Demo
    events: list[Any]

    def all(self, kind: type[E]) -> list[E]:
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def end(self) -> events.RunEnded:
        return self.all(events.RunEnded)[0]

    @property
    def calls(self) -> list[tuple[str, Any]]:
        return [(call.tool, call.arguments) for call in self.all(events.CallMade)]

    @property
    def alarms(self) -> list[events.FindingMade]:
        return [finding for finding in self.all(events.FindingMade) if finding.level != "notice"]

    @property
    def requests(self) -> list[dict[str, Any]]:
        return self.demo.server.requests

    def request_after(self, event: Any) -> dict[str, Any]:
        """The first request that was sent after an event."""
        turn = next(one.turn for one in self.all(events.TurnStarted) if one.seq > event.seq)
        return self.requests[turn - 1]


async def play(name: str, mode: str = "ask", *answers: Decision, **settings: Any) -> Played:
    """Play a scenario under a policy, or with a person's answers."""
    desk = ScriptedDesk(list(answers)) if mode == "ask" else None
    demo = open_demo(name, policy=Policy(mode=mode), desk=desk, pace=0, **settings)
    told: list[Any] = []
    demo.log.subscribe(told.append)
    await demo.execute()
    assert not demo.run.plan.workspace.exists()
    return Played(demo, told)
