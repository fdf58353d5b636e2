"""From findings to what is done about them: suggestions go to the desk, answers come back and take effect."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from loopwatch.engine import events
from loopwatch.engine.desk import Decision, Question
from loopwatch.engine.events import Action, EndReason
from loopwatch.engine.standing import BLOCK_LIFE, Block, Standing, loops

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from loopwatch.detectors.finding import Response
    from loopwatch.engine.desk import Desk
    from loopwatch.engine.events import Channel, SuggestionMade
    from loopwatch.engine.log import EventLog
    from loopwatch.engine.plan import Policy
    from loopwatch.engine.reminders import Wording
    from loopwatch.engine.standing import Raised

DEFAULT_SNOOZE = 10
"""Steps, where a snooze does not say how many."""

By: TypeAlias = Literal["operator", "policy", "standing", "timeout"]


@dataclass(frozen=True, slots=True)
class Proposal:
    """A suggestion that is out."""

    raised: Raised
    suggestion: SuggestionMade
    asked_at: float


@dataclass(slots=True)
class Outcome:
    """What the answers at one boundary come to."""

    inject: list[tuple[SuggestionMade, str]] = field(default_factory=list)
    """Texts for the next request, oldest suggestion first."""
    refusal: str = ""
    """For a call that waits: what answers it instead of running it."""
    refused_by: SuggestionMade | None = None
    stop: EndReason | None = None
    message: str = ""


class Deliberation:
    """Makes suggestions, has them answered, and keeps what stays in force."""

    def __init__(  # noqa: PLR0913 - the parts are handed in from outside
        self,
        log: EventLog,
        desk: Desk,
        policy: Policy,
        wording: Wording,
        *,
        task: str = "",
        channel: Channel = "user_message",
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.standing = Standing()
        self._log = log
        self.desk = desk
        self._policy = policy
        self._wording = wording
        self._task = task
        self._channel: Channel = channel
        self._clock = clock
        self._open: dict[str, Proposal] = {}
        self._made = 0

    async def settle(
        self, raised: Iterable[Raised], *, step: int, call_id: str = "", interrupted: asyncio.Event
    ) -> Outcome:
        """Propose, one suggestion a loop, and wait for every answer.

        Args:
            raised: What was found.
            step: Index of the newest step.
            call_id: The call that waits for this, if one does.
            interrupted: Set when a person speaks to the agent: what still waits is about what came before.
        """
        outcome = Outcome()
        proposals = [
            self._propose(entry, call_id)
            for entry in loops(raised)
            if not self.standing.quiet(entry) and not self.standing.settled(entry)
        ]
        if not proposals:
            return outcome
        questions: dict[asyncio.Future[Any], Proposal] = {}
        interruption: asyncio.Future[Any] = asyncio.ensure_future(interrupted.wait())
        try:
            for proposal in proposals:
                questions[asyncio.ensure_future(self._answer(proposal))] = proposal
            while questions and outcome.stop is None and not interrupted.is_set():
                await asyncio.wait({*questions, interruption}, return_when=asyncio.FIRST_COMPLETED)
                for answer in [one for one in questions if one.done()]:
                    self._decided(questions.pop(answer), answer.result(), outcome, step)
                await self._clear(questions, outcome, step)
            why = "a person spoke to the agent" if outcome.stop is None else "the run is being stopped"
            self.withdraw(why, proposals)
        finally:
            await _cancelled({*questions, interruption})
        outcome.inject.sort(key=lambda entry: entry[0].seq)
        return outcome

    async def _clear(self, questions: dict[asyncio.Future[Any], Proposal], outcome: Outcome, step: int) -> None:
        """Take off the desk what an answer has settled along with its own question."""
        for question, proposal in tuple(questions.items()):
            standing = self.standing.answer(proposal.raised)
            if standing is not None and proposal.suggestion.id in self._open:
                self._decided(proposal, standing, outcome, step)
            if proposal.suggestion.id not in self._open:
                del questions[question]
                await _cancelled({question})

    def withdraw(self, reason: str, proposals: Iterable[Proposal] | None = None) -> None:
        """Take back what is still open, all of it unless ``proposals`` says which."""
        for proposal in tuple(self._open.values()) if proposals is None else proposals:
            if self._open.pop(proposal.suggestion.id, None) is not None:
                self._log.append(
                    events.DecisionMade(
                        agent=proposal.suggestion.agent,
                        suggestion=proposal.suggestion.id,
                        action=Action.WITHDRAWN,
                        by="supervisor",
                        reason=reason,
                        seconds=self._clock() - proposal.asked_at,
                    )
                )

    def _propose(self, raised: Raised, call_id: str) -> Proposal:
        self._made += 1
        finding = raised.finding
        match finding.response:
            case "block":
                text = self._wording.refusal(finding, raised.facts, task=self._task)
            case "stop":
                text = self._wording.stop(finding, raised.facts, task=self._task)
            case _:
                text = self._reminder(raised)
        suggestion = self._log.append(
            events.SuggestionMade(
                agent=finding.agent,
                id=f"s{self._made}",
                finding=raised.event.seq,
                rule=finding.rule,
                level=raised.event.level,
                response=finding.response,
                text=text,
                channel="tool_result" if call_id else self._channel,
                call_id=call_id,
            )
        )
        proposal = Proposal(raised, suggestion, self._clock())
        self._open[suggestion.id] = proposal
        return proposal

    def _reminder(self, raised: Raised) -> str:
        finding = raised.finding
        return self._wording.reminder(finding, raised.facts, task=self._task, count=finding.count + raised.further)

    async def _answer(self, proposal: Proposal) -> Decision:
        standing = self.standing.answer(proposal.raised)
        if standing is not None:
            return standing
        wait = self._policy.wait if self._policy.mode == "ask" else None
        return await self.desk.decide(
            Question(
                suggestion=proposal.suggestion,
                finding=proposal.raised.event,
                asked_at=proposal.asked_at,
                expires_at=None if wait is None else proposal.asked_at + wait,
            )
        )

    def _decided(self, proposal: Proposal, decision: Decision, outcome: Outcome, step: int) -> None:
        """Put an answer on record and into effect, and let go of what it covers."""
        if outcome.stop is not None or proposal.suggestion.id not in self._open:
            return
        del self._open[proposal.suggestion.id]
        expired = decision.action is Action.EXPIRED
        effective = replace(decision, action=Action(self._policy.unanswered)) if expired else decision
        kind, text, reason = self._effect(proposal, effective)
        by = self._by(proposal, decision)
        steps = (decision.steps or DEFAULT_SNOOZE) if decision.action is Action.SNOOZE else 0
        self._log.append(
            events.DecisionMade(
                agent=proposal.suggestion.agent,
                suggestion=proposal.suggestion.id,
                action=decision.action,
                text=text,
                steps=steps,
                always=decision.always,
                by=by,
                unanswered=self._policy.unanswered if expired else "",
                reason=reason,
                seconds=self._clock() - proposal.asked_at,
            )
        )
        self.standing.answered(proposal.raised, step=step)
        if decision.always:
            self.standing.answer_always(proposal.raised, decision)
        if steps:
            self.standing.snooze(proposal.raised, until=step + steps)
        match kind:
            case "stop":
                outcome.stop = EndReason.OPERATOR if by in ("operator", "standing") else EndReason.POLICY
                outcome.message = f"stopped by decision on {proposal.suggestion.id}: {proposal.raised.finding.message}"
            case "block" if proposal.suggestion.call_id:
                outcome.refusal, outcome.refused_by = text, proposal.suggestion
            case "block":
                self._block(proposal, text, step)
            case "remind":
                outcome.inject.append((proposal.suggestion, text))
            case _:
                return
        self._cover(proposal)

    def _effect(self, proposal: Proposal, decision: Decision) -> tuple[Response, str, str]:
        """What an answer does, the text it does it with, and a remark where that is not what was asked for."""
        suggestion, response = proposal.suggestion, proposal.suggestion.response
        kind: Response
        match decision.action:
            case Action.ACCEPT:
                kind, text = response, "" if response == "stop" else suggestion.text
            case Action.EDIT | Action.OVERRIDE:
                if not decision.text.strip():
                    return "none", "", "there was nothing to say"
                keeps_kind = response == "block" and (suggestion.call_id or decision.action is Action.EDIT)
                kind, text = "block" if keeps_kind else "remind", decision.text
            case Action.BLOCK:
                kind, text = "block", decision.text.strip() and decision.text
            case Action.STOP:
                return "stop", "", ""
            case _:
                return "none", "", ""
        if kind != "block":
            return kind, text, ""
        if not proposal.raised.calls:
            return "remind", text or self._reminder(proposal.raised), "there is no call to block: said instead"
        if not text:
            text = self._wording.refusal(proposal.raised.finding, proposal.raised.facts, task=self._task)
        return "block", text, ""

    def _by(self, proposal: Proposal, decision: Decision) -> By:
        if decision.action is Action.EXPIRED:
            return "timeout"
        if self.standing.answer(proposal.raised) == decision:
            return "standing"
        return "operator" if self._policy.mode == "ask" else "policy"

    def _block(self, proposal: Proposal, text: str, step: int) -> None:
        self.standing.block(
            Block(
                calls=proposal.raised.calls,
                text=text,
                suggestion=proposal.suggestion.id,
                rule=proposal.suggestion.rule,
                agent=proposal.suggestion.agent,
                until=step + 1 + BLOCK_LIFE,
            )
        )

    def _cover(self, done: Proposal) -> None:
        """One answer is enough for suggestions that rest on the same steps and are no worse."""
        finding = done.raised.finding
        covered = [
            other
            for other in self._open.values()
            if other.suggestion.agent == done.suggestion.agent
            and other.raised.finding.level <= finding.level
            and set(other.raised.finding.steps) & set(finding.steps)
        ]
        self.withdraw(f"covered by the answer to {done.suggestion.id}", covered)


async def _cancelled(futures: Iterable[asyncio.Future[Any]]) -> None:
    """End what still waits, and wait until it has ended, so that nothing is left on the desk."""
    for future in futures:
        future.cancel()
    await asyncio.gather(*futures, return_exceptions=True)
