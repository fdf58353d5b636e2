"""The rules of one preset at work on one agent."""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from loopwatch.detectors.gate import Gate
from loopwatch.detectors.past import Past
from loopwatch.detectors.preset import known_rules
from loopwatch.detectors.rule import Rule
from loopwatch.detectors.rules.breaker import Breaker

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from loopwatch.detectors.finding import Finding
    from loopwatch.detectors.preset import Preset
    from loopwatch.detectors.sameness.facts import Facts
    from loopwatch.detectors.step import Step

    Observe = Callable[[Facts, Step], Iterable[Finding]]

SEEN = 256
"""Steps whose normalisations are remembered."""

KINDS = 4096
"""Kinds of steps for which is remembered whom they concern."""


class Watch:
    """One agent's rules, its past and its notice gate."""

    def __init__(self, preset: Preset) -> None:
        self.past = Past()
        self._gate = Gate(rank=self._rank, insists=self._insists)
        self._rules: dict[str, Rule] = {}
        self._turn: int | None = None
        self._seen: deque[tuple[int, str, str, tuple[str, ...]]] = deque(maxlen=SEEN)
        """Newest steps: raw call, raw result and what was normalised in them, for explanations."""
        self._gauge = Breaker(Breaker.Settings())
        self._gauge.past = self.past
        self.retune(preset)

    def retune(self, preset: Preset) -> None:
        """Put other settings in force; counts are kept, a rule that was off begins at nothing."""
        for name, kind in known_rules().items():
            settings = preset.settings(name)
            rule = self._rules.get(name)
            if settings is None:
                if rule is not None:
                    rule.settings = rule.settings.model_copy(update={"enabled": False})
            elif rule is None:
                rule = self._rules[name] = kind(settings)
                rule.past = self.past
            else:
                rule.settings = settings
        self._ranks = {name: rank for rank, name in enumerate(known_rules())}
        active = [self._rules[name] for name in self._ranks if name in self._rules]
        active = [rule for rule in active if rule.settings.enabled]
        self._active = active
        self._kinds: dict[tuple[object, ...], tuple[Observe, ...]] = {}
        self._by_tool = any(rule.settings.exempt_tools for rule in active)
        self._askers = tuple(
            (rule.before, frozenset(rule.settings.exempt_tools))
            for rule in active
            if type(rule).before is not Rule.before
        )
        self._enders: tuple[Callable[[], None], ...] = tuple(
            rule.turn_ended for rule in active if type(rule).turn_ended is not Rule.turn_ended
        )
        self._nudgees: tuple[Callable[[], None], ...] = tuple(
            rule.nudged for rule in active if type(rule).nudged is not Rule.nudged
        )
        breaker = self._rules.get(Breaker.id)
        self._meter = breaker if isinstance(breaker, Breaker) and breaker.settings.enabled else self._gauge

    @property
    def asks_before(self) -> bool:
        """Whether any rule judges calls before they run."""
        return bool(self._askers)

    @property
    def no_progress(self) -> int:
        """Calls without progress, as the breaker counts them (B5)."""
        return self._meter.count

    def before(self, facts: Facts) -> tuple[Finding, ...]:
        """Judge a call that has not run yet."""
        if facts.turn != self._turn:
            self._end_turn(facts.turn)
        said: list[Finding] = []
        for ask, exempt in self._askers:
            if facts.tool not in exempt:
                said.extend(ask(facts))
        return self._gate.sift(said) if said else ()

    def observe(self, facts: Facts, step: Step) -> tuple[Finding, ...]:
        """Take in one finished step that is neither replayed nor synthetic."""
        if facts.turn != self._turn:
            self._end_turn(facts.turn)
        if step.nudge:
            for nudged in self._nudgees:
                nudged()
        self.past.take(facts, step)
        self._seen.append((facts.index, facts.raw_call, facts.raw_result, facts.equal_because))
        if self._meter is self._gauge:
            self._gauge.observe(facts, step)
        said: list[Finding] = []
        for observe in self._observers(facts, everybody=step.compacted):
            found = observe(facts, step)
            if found:
                said.extend(found)
        return tuple(self._explained(finding) for finding in self._gate.sift(said)) if said else ()

    def _explained(self, finding: Finding) -> Finding:
        """The finding with how its steps were made equal; nothing is added where they were equal as they came."""
        rule = self._rules[finding.rule]
        if not rule.canonical or getattr(rule.settings, "exact", False):
            return finding
        named = set(finding.steps)
        seen = [entry for entry in self._seen if entry[0] in named]
        because: dict[str, None] = dict.fromkeys(finding.equal_because)
        if len({(call, result) for _, call, result, _ in seen}) > 1:
            because.update(dict.fromkeys(reason for *_, reasons in seen for reason in reasons))
        return replace(finding, equal_because=tuple(because)) if because else finding

    def _observers(self, facts: Facts, *, everybody: bool) -> tuple[Observe, ...]:
        """The rules that a step of this kind concerns."""
        kind = (
            facts.family,
            id(facts.effect),  # flags are one object a value, and their own hash is slow
            facts.failed,
            facts.transient,
            facts.weak,
            not facts.result,
            not facts.edits,
            facts.tool if self._by_tool else "",
            everybody,
        )
        found = self._kinds.get(kind)
        if found is None:
            if len(self._kinds) >= KINDS:
                self._kinds.clear()
            found = self._kinds[kind] = tuple(
                rule.observe
                for rule in self._active
                if facts.tool not in rule.settings.exempt_tools and (everybody or rule.concerns(facts))
            )
        return found

    def reset(self) -> None:
        """A person spoke: forget what was counted and what was said."""
        self.past.reset()
        self._gate.reset()
        for rule in self._rules.values():
            rule.reset()
        self._gauge.reset()

    def save(self) -> Any:
        """State as plain JSON."""
        return {
            "turn": self._turn,
            "past": self.past.save(),
            "gate": self._gate.save(),
            "seen": [[*entry[:3], list(entry[3])] for entry in self._seen],
            "gauge": self._gauge.save(),
            "rules": {name: rule.save() for name, rule in self._rules.items()},
        }

    def restore(self, state: Any) -> None:
        """Take back what ``save`` gave; rules that the preset does not have are left out."""
        self._turn = state["turn"]
        self.past.restore(state["past"])
        self._gate.restore(state["gate"])
        self._seen.clear()
        self._seen.extend((index, call, result, tuple(reasons)) for index, call, result, reasons in state["seen"])
        self._gauge.restore(state["gauge"])
        for name, rule in self._rules.items():
            if name in state["rules"]:
                rule.restore(state["rules"][name])

    def _end_turn(self, turn: int) -> None:
        if self._turn is not None:
            self.past.turn_ended()
            self._gate.turn_ended()
            for turn_ended in self._enders:
                turn_ended()
        self._turn = turn

    def _rank(self, rule: str) -> int:
        return self._ranks.get(rule, len(self._ranks))

    def _insists(self, rule: str) -> bool:
        return self._rules[rule].settings.insist
