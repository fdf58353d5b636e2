"""Several suggestions at once: what one answer does to the others."""

import asyncio

from loopwatch.detectors.finding import Finding, Level
from loopwatch.engine import events
from loopwatch.engine.deliberation import Deliberation
from loopwatch.engine.desk import Decision, OperatorDesk
from loopwatch.engine.events import Action
from loopwatch.engine.log import EventLog
from loopwatch.engine.plan import Policy
from loopwatch.engine.reminders import wording
from loopwatch.engine.standing import Raised


class Table:
    """A deliberation with an operator's desk, and what came of it."""

    def __init__(self, **policy):
        self.log, self.desk, self.told = EventLog("r"), OperatorDesk(), []
        self.log.subscribe(self.told.append)
        self.deliberation = Deliberation(self.log, self.desk, Policy(**policy), wording("en"), task="t")
        self.interrupted = asyncio.Event()

    def raised(self, rule, *steps, level=Level.WARN):
        finding = Finding(rule, level, steps[-1], steps, len(steps), 3, "m", rule, "remind", tool="read_file")
        event = self.log.append(events.FindingMade(rule=rule, level=level.word, step=steps[-1]))
        return Raised(finding, event, None, frozenset({"x"}))

    def settle(self, *raised):
        return asyncio.ensure_future(self.deliberation.settle(raised, step=9, interrupted=self.interrupted))

    async def pending(self, *wanted):
        for _ in range(100):
            found = tuple(question.suggestion.id for question in self.desk.pending)
            if found == wanted:
                return
            await asyncio.sleep(0)
        raise AssertionError(f"{found} are pending, not {wanted}")

    def decisions(self):
        return [(event.suggestion, event.action, event.by) for event in self.told if event.type == "decision"]


async def test_an_accepted_reminder_covers_a_milder_suggestion_about_the_same_steps():
    """A suggestion whose loop is dealt with is withdrawn and says so."""
    table = Table()
    settling = table.settle(table.raised("a", 1, 2, 3, 4, level=Level.STRONG), table.raised("b", 4, 5, 6))
    await table.pending("s1", "s2")
    table.desk.resolve("s1", Decision(Action.ACCEPT))

    outcome = await settling
    assert [suggestion.id for suggestion, _ in outcome.inject] == ["s1"]
    assert table.decisions() == [("s1", Action.ACCEPT, "operator"), ("s2", Action.WITHDRAWN, "supervisor")]
    assert "covered by the answer to s1" in table.told[-1].reason
    assert table.desk.pending == ()


async def test_a_dismissed_suggestion_covers_nothing():
    table = Table()
    settling = table.settle(table.raised("a", 1, 2, 3, 4), table.raised("b", 4, 5, 6))
    await table.pending("s1", "s2")
    table.desk.resolve("s1", Decision(Action.DISMISS))
    await table.pending("s2")
    table.desk.resolve("s2", Decision(Action.ACCEPT))

    assert [suggestion.id for suggestion, _ in (await settling).inject] == ["s2"]


async def test_always_answers_what_waits_of_the_same_rule_too():
    table = Table()
    first, second, other = table.raised("a", 1, 2), table.raised("a", 7, 8), table.raised("c", 5, 6)
    second = Raised(
        Finding("a", Level.WARN, 8, (7, 8), 2, 2, "m", "another key", "remind"), second.event, None, frozenset()
    )
    settling = table.settle(first, second, other)
    await table.pending("s1", "s2", "s3")
    table.desk.resolve("s1", Decision(Action.DISMISS, always=True))
    await table.pending("s3")
    table.desk.resolve("s3", Decision(Action.DISMISS))
    await settling

    assert table.decisions()[:2] == [("s1", Action.DISMISS, "operator"), ("s2", Action.DISMISS, "standing")]


async def test_only_the_question_on_top_runs_out_of_time():
    table = Table(wait=0.02, unanswered="dismiss")
    settling = table.settle(table.raised("a", 1, 2), table.raised("b", 5, 6))
    await table.pending("s1", "s2")
    top, below = table.desk.pending
    assert top.expires_at is not None
    assert below.expires_at is None
    await settling

    assert table.decisions() == [("s1", Action.EXPIRED, "timeout"), ("s2", Action.EXPIRED, "timeout")]
    first, second = (event for event in table.told if event.type == "decision")
    assert second.seconds > first.seconds


async def test_a_block_without_a_call_to_block_is_said_instead():
    table = Table()
    raised = table.raised("chant", 3)
    settling = table.settle(Raised(raised.finding, raised.event, None, frozenset()))
    await table.pending("s1")
    table.desk.resolve("s1", Decision(Action.BLOCK))

    ((_, text),) = (await settling).inject
    assert text
    assert "no call to block" in table.told[-1].reason
