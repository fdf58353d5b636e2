"""Runs the rules of a preset over one run.

The suite owns what rules share: the comparable form of a step, computed once; one set of rules an agent; resets; the
notice gate. It is pure: the same steps give the same findings, whatever comes after them.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

from loopwatch.detectors.sameness import Sameness
from loopwatch.detectors.step import MAIN_AGENT
from loopwatch.detectors.watch import Watch

if TYPE_CHECKING:
    from loopwatch.detectors.finding import Finding
    from loopwatch.detectors.preset import Preset
    from loopwatch.detectors.sameness import PathResolver
    from loopwatch.detectors.sameness.facts import Facts
    from loopwatch.detectors.step import Call, Step

AGENTS = 256
"""Agents of a run remembered at a time; the one that began first is forgotten first."""

ASKED_MEMORY = 256
"""Calls judged before they ran that may still be waiting for their results."""


class Suite:
    """All rules of a preset, watching one run."""

    def __init__(self, preset: Preset, *, workspace: str = "", resolve: PathResolver | None = None) -> None:
        """``workspace`` and ``resolve`` make paths comparable; both may be left out for recordings."""
        self._preset = preset
        self._sameness = Sameness(workspace=workspace, resolve=resolve)
        self._watches: dict[str, Watch] = {}
        self._asked: deque[tuple[str, int]] = deque(maxlen=ASKED_MEMORY)
        self._facts: Facts | None = None

    @property
    def preset(self) -> Preset:
        """The settings in force."""
        return self._preset

    @property
    def facts(self) -> Facts:
        """The comparable form of the step observed last.

        Raises:
            RuntimeError: nothing was observed yet.
        """
        if self._facts is None:
            raise RuntimeError("no step was observed yet")
        return self._facts

    @property
    def no_progress(self) -> int:
        """Calls without progress in this run so far, all agents together, as the breaker counts them (B5)."""
        return sum(watch.no_progress for watch in self._watches.values())

    def before(
        self, call: Call, *, index: int, turn: int, agent: str = MAIN_AGENT, person: bool = False
    ) -> tuple[Finding, ...]:
        """Judge a call before it runs (D5).

        Args:
            call: The call as the model asked for it.
            index: The step it will be.
            turn: The model response it belongs to.
            agent: Who calls.
            person: A person spoke since that agent's last step; what was counted is forgotten at once.
        """
        watch = self._watch(agent)
        if person:
            watch.reset()
        if not watch.asks_before:
            return ()
        self._asked.append((agent, index))
        return watch.before(self._sameness.before(call, index=index, turn=turn, agent=agent))

    def look(self, call: Call, *, agent: str = MAIN_AGENT) -> Facts:
        """The comparable form of a call that has not run; changes nothing."""
        return self._sameness.before(call, index=-1, turn=-1, agent=agent)

    def observe(self, step: Step) -> tuple[Finding, ...]:
        """Take in a finished step. Calls that nobody asked about ``before`` are judged here."""
        facts = self._sameness.facts(step)
        self._facts = facts
        watch = self._watch(step.agent)
        asked = bool(self._asked) and (step.agent, step.index) in self._asked
        if step.person:
            watch.reset()
        if step.replayed or facts.synthetic:
            return ()
        early = watch.before(facts) if watch.asks_before and not asked and step.call is not None else ()
        late = watch.observe(facts, step)
        return early + late if early else late

    def feed(self, step: Step) -> tuple[Finding, ...]:
        """Judge one step of a recording: what would have been said before the call and after its result."""
        return self.observe(step)

    def retune(self, preset: Preset) -> None:
        """Put other settings in force from the next step on; what was counted is kept."""
        self._preset = preset
        for watch in self._watches.values():
            watch.retune(preset)

    def save(self) -> Any:
        """State as plain JSON; give it to a suite made with the same preset and workspace."""
        return {
            "asked": [list(asked) for asked in self._asked],
            "agents": {agent: watch.save() for agent, watch in self._watches.items()},
        }

    def restore(self, state: Any) -> None:
        """Take back what ``save`` gave."""
        self._asked.clear()
        self._asked.extend((agent, index) for agent, index in state["asked"])
        self._watches = {}
        for agent, saved in state["agents"].items():
            self._watch(agent).restore(saved)

    def _watch(self, agent: str) -> Watch:
        watch = self._watches.get(agent)
        if watch is None:
            watch = self._watches[agent] = Watch(self._preset)
            if len(self._watches) > AGENTS:
                del self._watches[next(iter(self._watches))]
        return watch
