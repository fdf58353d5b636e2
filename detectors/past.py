"""What the rules of one agent share: how far it has come since the run, or its person's last word, began."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any, NamedTuple

from loopwatch.detectors.sameness.facts import Effect

if TYPE_CHECKING:
    from loopwatch.detectors.sameness.facts import Facts
    from loopwatch.detectors.step import Step

MEMORY = 1024
"""Different calls remembered at a time; the ones made first are forgotten first."""

IDLE = Effect.PLAN | Effect.POLL | Effect.ASK | Effect.TALK


class Earlier(NamedTuple):
    """An answered call, as rules compare it with the next one of its kind."""

    result: str
    era: int
    turn: int
    step: int


class Past:
    """Counts of real changes and of reminders. The suite moves it on; rules compare its figures with what they noted.

    A *real change* is a step whose watched workspace changed, or, where nobody watches, a successful write that is not
    just the same write with the same result once more. It takes effect when its turn ends, so that
    parallel calls may stand in any order.
    """

    __slots__ = ("_before_nudge", "_calls", "_pending", "_waiting", "_writes", "changes", "earlier", "era", "nudges")

    def __init__(self) -> None:
        self.changes = 0
        """Turns with a real change so far."""
        self.nudges = 0
        """Reminders put before the agent so far, by anybody."""
        self.era = 0
        """Goes up with every change, and with every reminder after which the agent did something else first: what was
        counted in an earlier era is no evidence any more, and running it once more is verification."""
        self.earlier: Earlier | None = None
        """When the call of the step under way was answered last; ``None`` for a call that is new."""
        self._calls: OrderedDict[str, Earlier] = OrderedDict()
        self._pending = False
        self._waiting = False
        self._before_nudge = ""
        self._writes: OrderedDict[str, str] = OrderedDict()
        """Changing call to its last result."""

    def take(self, facts: Facts, step: Step) -> None:
        """Take in a step, before the rules see it."""
        if step.nudge:
            self.nudges += 1
            self._waiting = True
        if self._waiting and facts.call:
            self._waiting = False
            if facts.call != self._before_nudge:
                self.era += 1
        self.earlier = None
        if facts.call:
            self._before_nudge = facts.call
            if facts.result:
                self._note_call(facts)
        if step.changes is not None:
            self._pending = self._pending or bool(step.changes)
        elif facts.effect.has(Effect.WRITE) and not facts.failed and facts.result:
            self._note_write(facts)

    def turn_ended(self) -> None:
        """Let the turn's changes take effect."""
        if self._pending:
            self._pending = False
            self.changes += 1
            self.era += 1

    def reset(self) -> None:
        """A person spoke: whatever was counted is over."""
        self.era += 1
        self._pending = self._waiting = False
        self._before_nudge = ""
        self._writes.clear()
        self._calls.clear()
        self.earlier = None

    def save(self) -> Any:
        """State as plain JSON."""
        return [
            self.changes,
            self.nudges,
            self.era,
            self._pending,
            self._waiting,
            self._before_nudge,
            list(self._writes.items()),
            [[call, *earlier] for call, earlier in self._calls.items()],
        ]

    def restore(self, state: Any) -> None:
        """Take back what ``save`` gave."""
        *figures, self._before_nudge, writes, calls = state
        self.changes, self.nudges, self.era, self._pending, self._waiting = figures
        self._calls = OrderedDict((call, Earlier(*earlier)) for call, *earlier in calls)
        self.earlier = None
        self._writes = OrderedDict((call, result) for call, result in writes)

    def _note_call(self, facts: Facts) -> None:
        self.earlier = self._calls.get(facts.call)
        self._calls[facts.call] = Earlier(facts.result, self.era, facts.turn, facts.index)
        if self.earlier is None and len(self._calls) > MEMORY:
            self._calls.popitem(last=False)

    def _note_write(self, facts: Facts) -> None:
        if facts.effect.has(IDLE) and not facts.effect.has(Effect.EXECUTE):
            return
        if self._writes.get(facts.call) == facts.result:
            self._writes.move_to_end(facts.call)
            return
        self._writes[facts.call] = facts.result
        if len(self._writes) > MEMORY:
            self._writes.popitem(last=False)
        self._pending = True
