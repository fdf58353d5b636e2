"""What the rules of one agent share: how far it has come since the run, or its person's last word, began."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from loopwatch.detectors.sameness.facts import Effect

if TYPE_CHECKING:
    from loopwatch.detectors.sameness.facts import Facts
    from loopwatch.detectors.step import Step

MEMORY = 1024
"""Different changing calls remembered at a time."""

IDLE = Effect.PLAN | Effect.POLL | Effect.ASK | Effect.TALK


class Past:
    """Counts of real changes and of reminders. The suite moves it on; rules compare its figures with what they noted.

    A *real change* is a step whose watched workspace changed, or, where nobody watches, a successful write that is not
    just the same write with the same result once more. It takes effect when its turn ends, so that
    parallel calls may stand in any order.
    """

    __slots__ = ("_before_nudge", "_pending", "_waiting", "_writes", "changes", "era", "nudges")

    def __init__(self) -> None:
        self.changes = 0
        """Turns with a real change so far."""
        self.nudges = 0
        """Reminders put before the agent so far, by anybody."""
        self.era = 0
        """Goes up with every change, and with every reminder after which the agent did something else first: what was
        counted in an earlier era is no evidence any more, and running it once more is verification."""
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
        if facts.call:
            self._before_nudge = facts.call
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
        ]

    def restore(self, state: Any) -> None:
        """Take back what ``save`` gave."""
        self.changes, self.nudges, self.era, self._pending, self._waiting, self._before_nudge, writes = state
        self._writes = OrderedDict((call, result) for call, result in writes)

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
