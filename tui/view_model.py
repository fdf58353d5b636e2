"""What the screen shows, as a projection of the run's events: rows, groups of equal calls, details, what happens now.

Knows no widget. A row is a plain tuple of numbers and safe texts: 100,000 of them are cheap to keep and to collect, and
a tuple is its own cache key when it is drawn.
"""

from __future__ import annotations

from array import array
from collections import Counter, OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from loopwatch.detectors.finding import Level
from loopwatch.detectors.step import MAIN_AGENT
from loopwatch.engine import events
from loopwatch.tui import telling
from loopwatch.tui.safe_text import Safe, line, own
from loopwatch.tui.words import summary

if TYPE_CHECKING:
    from loopwatch.detectors.sameness.facts import Facts
    from loopwatch.detectors.step import Step
    from loopwatch.engine.events import AnyEvent, CallMade, FindingMade, RunEnded, RunStarted

Row: TypeAlias = "tuple[str, int, float, Safe, Safe, str, int, str, int, Safe]"
"""kind, step (-1: none), seconds since the run began, head, text, fingerprint, occurrence, state, level, outcome.

Kinds: ``call message finding decision injection receipt approval person note compaction end``.
State of a call: ``pending ran ok failed blocked``; of other rows the word that their glyph follows.
"""

DETAIL_CHARACTERS = 32_000_000
"""Characters of calls and results that are kept for the detail panel; the oldest go first."""
SAID_CHARACTERS = 200_000
"""Characters of the model's words that are kept for the panel that streams them."""


OUTCOME_LIMIT = 160
NOTHING = own("")


@dataclass(slots=True)
class Group:
    """All steps with one fingerprint."""

    fingerprint: str
    tool: Safe
    text: Safe
    order: int = -1
    """Which collision of the run this is, from 0: its colour. -1 while there is only one member."""
    failed: int = 0
    steps: array[int] = field(default_factory=lambda: array("l"))
    because: tuple[str, ...] = ()
    """What was normalised in any member."""

    @property
    def code(self) -> Safe:
        """Four characters that stand for the fingerprint everywhere."""
        return own(self.fingerprint[:4])


class Details:
    """The newest steps in full, within a budget of characters."""

    def __init__(self, budget: int = DETAIL_CHARACTERS) -> None:
        self._budget = budget
        self._used = 0
        self._kept: OrderedDict[int, tuple[Step, Facts, int]] = OrderedDict()

    def put(self, step: Step, facts: Facts) -> None:
        """Keep a step, and let the oldest go when there is no room."""
        size = len(step.text) + len(step.reasoning) + (len(step.result.text) if step.result else 0) + 500
        self._kept[step.index] = (step, facts, size)
        self._used += size
        while self._used > self._budget and len(self._kept) > 1:
            _, (_, _, freed) = self._kept.popitem(last=False)
            self._used -= freed

    def newest(self, count: int) -> list[Step]:
        """The newest steps that are kept, oldest first."""
        return [entry[0] for entry in list(self._kept.values())[-count:]]

    def get(self, index: int) -> tuple[Step, Facts] | None:
        """The step, or ``None`` when it is not kept (any more)."""
        entry = self._kept.get(index)
        return None if entry is None else entry[:2]


class RunView:
    """Takes a run's events and judged steps; holds what the panels draw."""

    def __init__(self) -> None:
        self.started: RunStarted | None = None
        self.ended: RunEnded | None = None
        self.rows: list[Row] = []
        self.groups: dict[str, Group] = {}
        self.collisions: list[Group] = []
        """Groups of two and more, in the order in which they first collided."""
        self.details = Details()
        self.findings: dict[int, list[FindingMade]] = {}
        """What was said about a step, by its index."""
        self.last_loud: FindingMade | None = None
        """The newest finding of ``warn`` and above."""
        self.last_step = -1
        self.alarms: Counter[str] = Counter()
        """How often each rule spoke with ``warn`` or more."""
        self.doing: tuple[Safe, Safe] = (own("starting"), own(""))
        """What happens now: a verb and its object."""
        self.doing_since = 0.0
        self.last_time = 0.0
        self.touched: set[int] = set()
        """Rows that changed since somebody last drew them."""
        self.said: list[tuple[str, str]] = []
        """Kind (``turn text reasoning person``) and raw text that the stream panel has not taken yet."""
        self._row_of_step: dict[int, int] = {}
        self._pending: list[tuple[str, str, int]] = []
        """Agent, call id and row of calls that are not finished, oldest first."""

    def row_of_step(self, index: int) -> int | None:
        """Where a step stands in ``rows``."""
        return self._row_of_step.get(index)

    def group_of(self, row: Row) -> Group | None:
        """The collision a row belongs to; ``None`` when its call was made just once."""
        group = self.groups.get(row[5])
        return group if group is not None and group.order >= 0 else None

    def subject(self, row: int) -> int:
        """The row of the step that a row is about: a finding's is the step it was made at."""
        entry = self.rows[row]
        about = self._row_of_step.get(entry[1]) if entry[0] == "finding" else None
        return row if about is None else about

    def take(self, event: AnyEvent) -> None:
        """Take in one event, in the stream's order."""
        self.last_time = event.time
        match event:
            case events.RunStarted():
                self.started = event
                self.doing_since = event.time
            case events.TurnStarted():
                self.said.append(("turn", str(event.turn)))
                self._do("thinking", "", event.time)
            case events.TextCame():
                self.said.append(("text", event.text))
                if self.doing[0] != "writing":
                    self._do("writing", "", event.time)
            case events.ReasoningCame():
                self.said.append(("reasoning", event.text))
            case events.CallMade():
                self._called(event)
            case events.ResultCame():
                self._answered(event)
            case events.FindingMade():
                self._found(event)
            case events.RunEnded():
                self.ended = event
                self._do("ended", event.reason.value, event.time)
                self._tell(event)
            case _:
                self._tell(event)

    def step(self, step: Step, facts: Facts) -> None:
        """Take in a finished step, after the events it came from."""
        self.last_step = step.index
        self.details.put(step, facts)
        group = self._join(step, facts)
        row = self._take_pending(step)
        if row is None:
            row = len(self.rows)
            self.rows.append(self._fresh(step))
        kind, _, at, head, text, _, _, _, _, _ = self.rows[row]
        state = "blocked" if facts.synthetic else "failed" if facts.failed else "ok"
        occurrence = len(group.steps) if group else 0
        fingerprint = facts.call if group else ""
        level = self._level_of(step.index)
        self.rows[row] = (
            kind,
            step.index,
            at,
            head,
            text,
            fingerprint,
            occurrence,
            state,
            level,
            _outcome(step, facts),
        )
        self._row_of_step[step.index] = row
        self.touched.add(row)

    def next_row(self, start: int, kinds: frozenset[str], direction: int) -> int | None:
        """The nearest row of one of ``kinds`` after (1) or before (-1) row ``start``."""
        stop = len(self.rows) if direction > 0 else -1
        return next((at for at in range(start + direction, stop, direction) if self.rows[at][0] in kinds), None)

    def find(self, text: str, start: int, direction: int = 1) -> int | None:
        """The nearest row that contains ``text``, ignoring case, from row ``start`` on; wraps around."""
        wanted = text.casefold()
        count = len(self.rows)
        for distance in range(count):
            at = (start + direction * distance) % count
            row = self.rows[at]
            if wanted in row[4].casefold() or wanted in row[3].casefold() or (row[5] and row[5].startswith(wanted)):
                return at
        return None

    def _since_start(self, time: float) -> float:
        return time - self.started.time if self.started else 0.0

    def _do(self, verb: str, what: str, time: float) -> None:
        self.doing = (line(verb, 80), line(what))
        self.doing_since = time

    def _called(self, event: CallMade) -> None:
        head = line(event.tool if event.agent == MAIN_AGENT else f"{event.agent}▸{event.tool}", 60)
        text = summary(event.arguments)
        self._pending.append((event.agent, event.call_id, len(self.rows)))
        self.rows.append(("call", -1, self._since_start(event.time), head, text, "", 0, "pending", 0, NOTHING))
        self._running(event.time)

    def _answered(self, event: events.ResultCame) -> None:
        for agent, call_id, row in self._pending:
            kind, step, at, head, text, fingerprint, occurrence, state, level, outcome = self.rows[row]
            if (agent, call_id, state) == (event.agent, event.call_id, "pending"):
                self.rows[row] = (kind, step, at, head, text, fingerprint, occurrence, "ran", level, outcome)
                self.touched.add(row)
                break
        self._running(event.time)

    def _running(self, time: float) -> None:
        """Say which call runs, and how many more do; after the last one the model has the word."""
        waiting = [row for _, _, row in self._pending if self.rows[row][7] == "pending"]
        if not waiting:
            self._do("thinking", "", time)
            return
        _, _, at, head, text, *_ = self.rows[waiting[0]]
        more = f" and {len(waiting) - 1} more" if len(waiting) > 1 else ""
        self._do(f"running {head}{more}", text, at + (self.started.time if self.started else 0.0))

    def _take_pending(self, step: Step) -> int | None:
        if step.call is None:
            return None
        for position, (agent, call_id, row) in enumerate(self._pending):
            if agent == step.agent and call_id == step.call.id:
                del self._pending[position]
                return row
        return None

    def _fresh(self, step: Step) -> Row:
        """A row for a step that no call announced: a message, or a source that tells steps only."""
        at = self._since_start(step.time) if step.time is not None else 0.0
        if step.call is None:
            return ("message", step.index, at, own("says"), line(step.text.strip()), "", 0, "ok", 0, NOTHING)
        return ("call", step.index, at, line(step.call.tool, 60), summary(step.call.arguments), "", 0, "ok", 0, NOTHING)

    def _join(self, step: Step, facts: Facts) -> Group | None:
        if not facts.call or step.call is None:
            return None
        group = self.groups.get(facts.call)
        if group is None:
            group = Group(facts.call, line(step.call.tool, 60), summary(step.call.arguments))
            self.groups[facts.call] = group
        group.steps.append(step.index)
        group.failed += facts.failed
        if facts.equal_because:
            group.because = tuple(dict.fromkeys(group.because + facts.equal_because))
        if group.order < 0 and len(group.steps) > 1:
            group.order = len(self.collisions)
            self.collisions.append(group)
            self._touch(group.steps[0])
        return group

    def _found(self, event: FindingMade) -> None:
        self.findings.setdefault(event.step, []).append(event)
        row = self._row_of_step.get(event.step)
        if row is not None:
            self.rows[row] = (*self.rows[row][:8], self._level_of(event.step), self.rows[row][9])
            self.touched.add(row)
        if event.level != "notice":
            self.alarms[event.rule] += 1
            self.last_loud = event
            self._tell(event)

    def _level_of(self, index: int) -> int:
        return max((Level[one.level.upper()].value for one in self.findings.get(index, ())), default=0)

    def _touch(self, index: int) -> None:
        row = self._row_of_step.get(index)
        if row is not None:
            self.touched.add(row)

    def _tell(self, event: AnyEvent) -> None:
        told = telling.of(event)
        if told is None:
            return
        kind, state, head, text, level = told
        step = event.step if isinstance(event, events.FindingMade) else -1
        self.rows.append((kind, step, self._since_start(event.time), head, text, "", 0, state, level, NOTHING))


def _outcome(step: Step, facts: Facts) -> Safe:
    """What came back, in a few words: the error's telling line, or the result's first one."""
    if step.result is None:
        return NOTHING
    said = facts.error_text or step.result.text[: 4 * OUTCOME_LIMIT].lstrip().split("\n", 1)[0]
    return line(said, OUTCOME_LIMIT)
