"""Between the agent and whoever decides: events in, directives out. No UI, no network.

The supervisor listens to the run's log, has the suite judge each finished step, has what it finds deliberated at the
boundaries where the agent can wait, and checks that what was decided really reached the model.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Protocol

from loopwatch.detectors.finding import Level
from loopwatch.detectors.step import MAIN_AGENT, Call
from loopwatch.engine import events
from loopwatch.engine.budget import estimated_tokens
from loopwatch.engine.events import EndReason
from loopwatch.engine.receipts import Awaited, sighting
from loopwatch.engine.standing import Raised
from loopwatch.engine.steps import StepAssembler
from loopwatch.engine.supervision import Clearance, Directive, Injection

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from loopwatch.detectors.finding import Finding
    from loopwatch.detectors.preset import Preset
    from loopwatch.detectors.sameness.facts import Facts
    from loopwatch.detectors.step import Step
    from loopwatch.engine.deliberation import Deliberation
    from loopwatch.engine.events import AnyEvent, CallMade, Channel, LevelWord
    from loopwatch.engine.log import EventLog

MEMORY = 256
"""Steps whose comparable form is kept, to know which calls prove a finding."""
LEVEL_WORDS: dict[Level, LevelWord] = {
    Level.NOTICE: "notice",
    Level.WARN: "warn",
    Level.STRONG: "strong",
    Level.CRITICAL: "critical",
}
STOPPING = "This call was not run: the run is being stopped."


class Judge(Protocol):
    """What the supervisor needs of the suite."""

    @property
    def facts(self) -> Facts:
        """Of the step observed last."""
        ...

    def look(self, call: Call, *, agent: str = MAIN_AGENT) -> Facts:
        """The comparable form of a call that has not run; changes nothing."""
        ...

    def before(
        self, call: Call, *, index: int, turn: int, agent: str = MAIN_AGENT, person: bool = False
    ) -> tuple[Finding, ...]:
        """Judge a call before it runs."""
        ...

    def observe(self, step: Step) -> tuple[Finding, ...]:
        """Judge a finished step."""
        ...

    def retune(self, preset: Preset) -> None:
        """Put other settings in force."""
        ...


class Supervisor:
    """One run's supervisor; ``engine.supervision.Supervision`` for the agent, ``take`` for the log."""

    def __init__(
        self,
        log: EventLog,
        suite: Judge,
        deliberation: Deliberation,
        *,
        observes_only: bool = False,
        limit: Callable[[], Directive] = Directive,
    ) -> None:
        """Make a supervisor; subscribe its ``take`` to the log before anybody else.

        Args:
            log: Where findings, injections and receipts go.
            suite: Judges steps.
            deliberation: Has suggestions answered.
            observes_only: Nothing is ever proposed or said; the hard breaker still stops the run (B5).
            limit: Asked at each boundary whether the run has used up what it may.
        """
        self._log = log
        self._suite = suite
        self._deliberation = deliberation
        self._observes_only = observes_only
        self._limit = limit
        self._assembler = StepAssembler()
        self._facts: OrderedDict[int, Facts] = OrderedDict()
        self._listeners: list[Callable[[Step, Facts], None]] = []
        self._raised: list[Raised] = []
        self._awaited: list[Awaited] = []
        self._speech: list[str] = []
        self._spoken = asyncio.Event()
        self._released = asyncio.Event()
        self._released.set()
        self._stop: Directive | None = None
        self._injections = 0
        self._last = -1

    # What the log tells

    def take(self, event: AnyEvent) -> None:
        """Take in an event of the run; judges the steps that it completes."""
        for step in self._assembler.take(event):
            self._judge(step)

    def on_step(self, listener: Callable[[Step, Facts], None]) -> Callable[[], None]:
        """Hand every judged step to ``listener``, before the findings about it are told."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    # What the agent asks

    async def before(self, call: CallMade) -> Clearance:
        """May this call run? Refuses what is blocked and asks about blocks that are proposed before the call (D5)."""
        if self._stop is not None:
            return Clearance(refusal=STOPPING)
        index, person = self._assembler.opened(call)
        asked = Call(tool=call.tool, arguments=call.arguments, id=call.call_id, malformed=call.malformed)
        standing = self._deliberation.standing
        if person:
            standing.forget()
        if standing.blocks:
            fingerprint = self._suite.look(asked, agent=call.agent).call
            block = standing.blocked(fingerprint, agent=call.agent, step=index)
            if block is not None:
                return self._refused(call, block.text, suggestion=block.suggestion, rule=block.rule)
        waiting: list[Raised] = []
        for finding in self._suite.before(asked, index=index, turn=call.turn, agent=call.agent, person=person):
            raised = self._tell(finding, self._suite.look(asked, agent=call.agent))
            if raised is not None:
                (waiting if finding.response == "block" else self._raised).append(raised)
        if not waiting:
            return Clearance()
        # A person who speaks now is heard at the boundary; the call still needs its answer.
        outcome = await self._deliberation.settle(
            waiting, step=self._last, call_id=call.call_id, interrupted=asyncio.Event()
        )
        if outcome.stop is not None:
            self._stop = Directive(stop=outcome.stop, message=outcome.message)
            return Clearance(refusal=STOPPING)
        if outcome.refused_by is not None:
            by = outcome.refused_by
            return self._refused(call, outcome.refusal, suggestion=by.id, rule=by.rule)
        return Clearance()

    async def boundary(self, turn: int) -> Directive:  # noqa: ARG002 - part of the Protocol; the log knows the turn
        """All results of a turn are in: settle what is to be said, and hold the agent while somebody must decide."""
        for step in self._assembler.end_turn(MAIN_AGENT):
            self._judge(step)
        stop = self._stop or self._limit()
        if stop.stop is not None:
            return stop
        raised, self._raised = self._raised, []
        outcome = await self._deliberation.settle(raised, step=self._last, interrupted=self._spoken)
        if outcome.stop is not None:
            self._stop = Directive(stop=outcome.stop, message=outcome.message)
            return self._stop
        await self._released.wait()
        reminders = [
            self._inject(text, channel=suggestion.channel, suggestion=suggestion.id, rule=suggestion.rule)
            for suggestion, text in outcome.inject
        ]
        return Directive(inject=(*reminders, *self._speeches()))

    def sent(self, turn: int, messages: Sequence[dict[str, Any]]) -> None:
        """Make out the receipts of what this request was to carry."""
        awaited, self._awaited = self._awaited, []
        for entry in awaited:
            seen = sighting(entry, messages)
            self._log.append(
                events.Receipt(
                    injection=entry.injection.id,
                    status="delivered" if seen.position >= 0 else "unconfirmed",
                    turn=turn,
                    position=seen.position,
                    of=len(messages),
                    reason=seen.reason,
                )
            )

    # What the operator does

    @property
    def held(self) -> bool:
        """Whether a hold is asked for."""
        return not self._released.is_set()

    def hold(self, *, on: bool) -> None:
        """Keep the agent at its next boundary, or let it go. Off and on again lets it go one boundary further."""
        if on == self.held:
            return
        if on:
            self._released.clear()
        else:
            self._released.set()
        self._log.append(events.Note(text="hold on" if on else "hold off", data={"hold": on}))

    def speak(self, text: str) -> None:
        """Queue a person's message for the next boundary; what waits for an answer there is withdrawn."""
        if text.strip():
            self._speech.append(text)
            self._spoken.set()

    def close(self, reason: str) -> None:
        """The run is over: judge what is left, withdraw what is pending, expire what was not sent."""
        for step in self._assembler.flush():
            self._judge(step)
        self._deliberation.withdraw(reason)
        for entry in self._awaited:
            self._log.append(events.Receipt(injection=entry.injection.id, status="expired", reason=reason))
        self._awaited.clear()
        for text in self._speech:
            self._log.append(events.Note(text=f"not delivered, {reason}: {text}", level="warning"))
        self._speech.clear()

    def _judge(self, step: Step) -> None:
        findings = self._suite.observe(step)
        facts = self._suite.facts
        self._last = max(self._last, step.index)
        self._facts[step.index] = facts
        if len(self._facts) > MEMORY:
            self._facts.popitem(last=False)
        for listener in tuple(self._listeners):
            listener(step, facts)
        standing = self._deliberation.standing
        if step.person:
            standing.forget()
        self._raised.extend(standing.wake(step.index, facts))
        for finding in findings:
            raised = self._tell(finding, facts)
            if raised is not None:
                self._raised.append(raised)

    def _tell(self, finding: Finding, facts: Facts) -> Raised | None:
        """Put a finding on record; returns it where something is to be proposed."""
        event = self._log.append(finding_made(finding))
        if finding.final:
            self._stop = self._stop or Directive(stop=EndReason.BREAKER, message=finding.message)
            return None
        if finding.level < Level.WARN or finding.response == "none" or self._observes_only:
            return None
        known = (self._facts[index].call for index in finding.steps if index in self._facts)
        calls = frozenset(call for call in (*known, facts.call) if call)
        return Raised(finding=finding, event=event, facts=facts, calls=calls)

    def _inject(
        self, text: str, *, channel: Channel, suggestion: str = "", rule: str = "", call_id: str = ""
    ) -> Injection:
        self._injections += 1
        injection = Injection(id=f"i{self._injections}", text=text, channel=channel)
        self._log.append(
            events.Injected(
                id=injection.id,
                suggestion=suggestion,
                rule=rule,
                text=text,
                channel=channel,
                tokens=estimated_tokens(text),
            )
        )
        self._awaited.append(Awaited(injection, call_id))
        return injection

    def _refused(self, call: CallMade, text: str, *, suggestion: str, rule: str) -> Clearance:
        self._inject(text, channel="tool_result", suggestion=suggestion, rule=rule, call_id=call.call_id)
        return Clearance(refusal=text)

    def _speeches(self) -> list[Injection]:
        """Everything the person said meanwhile, oldest first, after whatever reminders there are."""
        said, self._speech = self._speech, []
        self._spoken.clear()
        injections: list[Injection] = []
        for text in said:
            self._log.append(events.Spoke(text=text))
            injections.append(self._inject(text, channel="user_message"))
        return injections


def finding_made(finding: Finding) -> events.FindingMade:
    """A finding as an event."""
    return events.FindingMade(
        agent=finding.agent,
        rule=finding.rule,
        level=LEVEL_WORDS[finding.level],
        step=finding.step,
        steps=finding.steps,
        count=finding.count,
        threshold=finding.threshold,
        message=finding.message,
        key=finding.key,
        response=finding.response,
        tool=finding.tool,
        equal_because=finding.equal_because,
        resets_when=finding.resets_when,
        final=finding.final,
        before_call=finding.before_call,
    )
