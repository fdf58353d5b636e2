"""What a rule is: settings in, ``observe`` per step, zero or more findings out.

A rule does constant work and keeps bounded memory per step. Its settings are a pydantic model whose field metadata is
the slider on the tune screen; there is no second list of thresholds anywhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field

from loopwatch.detectors.finding import Finding, Level, Response
from loopwatch.detectors.past import Past

if TYPE_CHECKING:
    from collections.abc import Iterable

    from loopwatch.detectors.sameness.facts import Facts
    from loopwatch.detectors.step import Step


def knob(  # noqa: PLR0913 - a slider has that many parts
    default: float,
    *,
    title: str,
    minimum: float,
    maximum: float,
    step: float = 1,
    unit: str = "",
    help: str,  # noqa: A002 - the word the screen uses
) -> Any:
    """A threshold: a settings field that carries its own slider.

    Args:
        default: The value where a preset says nothing.
        title: What stands beside the slider.
        minimum: Left end, inclusive; enforced.
        maximum: Right end, inclusive; enforced.
        step: Distance of two neighbouring values.
        unit: ``calls``, ``s``, ``%`` …
        help: One sentence for the help line, with the source of the number.
    """
    return Field(
        default,
        title=title,
        ge=minimum,
        le=maximum,
        description=help,
        json_schema_extra={"unit": unit, "step": step},
    )


class RuleSettings(BaseModel):
    """What every rule can be told. Subclasses add their knobs."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    enabled: bool = Field(default=True, title="On", description="Whether this rule speaks at all.")
    exempt_tools: tuple[str, ...] = Field(
        default=(), title="Exempt tools", description="Names of tools this rule never counts."
    )
    insist: bool = Field(
        default=False,
        title="Insist",
        description="Speak at every step at or over the threshold, not only when the count has doubled (A2).",
    )


PROPOSALS: dict[Level, Response] = {
    Level.NOTICE: "none",
    Level.WARN: "remind",
    Level.STRONG: "remind",
    Level.CRITICAL: "stop",
}
"""What a finding of each level proposes unless its rule knows better."""

EVIDENCE_LIMIT = 50
"""A finding names at most so many steps."""


class Rule:
    """Base of all rules. One instance watches one agent of one run.

    The suite does what rules share, so a rule need not: it never hands in replayed steps, synthetic results or exempt
    tools, it calls ``reset`` when a person speaks, and its notice gate silences a finding whose ``key`` it has let
    through before until the count has doubled or the level has risen. So a rule returns a finding at *every* step that
    adds evidence while its count is at the threshold or above, and returns nothing at steps that add none.

    Parallel calls of one turn (``facts.turn``) must not depend on their order: count a key once per turn, and let what
    resets a count take effect in ``turn_ended``.
    """

    id: ClassVar[str]
    """Stable name, used in presets, journals, reminders and SARIF."""
    title: ClassVar[str]
    """What a person reads on the tune screen."""
    Settings: ClassVar[type[RuleSettings]]
    canonical: ClassVar[bool] = True
    """Whether it compares canonical forms; the suite then adds to a finding how unequal steps were made equal."""

    def __init__(self, settings: RuleSettings) -> None:
        self.settings = settings
        self.past = Past()
        """What all rules of this agent share; the suite hands in the common one. Read only."""

    @classmethod
    def concerns(cls, facts: Facts) -> bool:  # noqa: ARG003 - most rules look at every step
        """Whether a step of this kind can matter; one that does not is not handed to ``observe``.

        Asked once for all steps that share family, effect, and whether they failed, were transient, are weak, have a
        result or ask for edits, so the answer may rest on nothing else. A step after a compaction always matters.
        """
        return True

    def before(self, facts: Facts) -> Iterable[Finding]:  # noqa: ARG002 - most rules have nothing to say here
        """Judge a call that has not run yet (D5). ``facts`` has no result. Must not change what ``observe`` counts."""
        return ()

    def observe(self, facts: Facts, step: Step) -> Iterable[Finding]:
        """Take in one finished step."""
        raise NotImplementedError

    def turn_ended(self) -> None:
        """Take note that the next step belongs to another turn. Rules that need it override it."""

    def nudged(self) -> None:
        """Take note that a reminder was put before the agent. Rules that need it override it."""

    def reset(self) -> None:
        """Forget everything: a person spoke, or a new task began."""
        raise NotImplementedError

    def save(self) -> Any:
        """State as plain JSON, for saving mid-run."""
        raise NotImplementedError

    def restore(self, state: Any) -> None:
        """Take back what ``save`` gave."""
        raise NotImplementedError

    def found(  # noqa: PLR0913 - a finding has that many parts
        self,
        facts: Facts,
        *,
        level: Level,
        steps: Iterable[int],
        count: int,
        threshold: int,
        message: str,
        key: str,
        response: Response | None = None,
        resets_when: str = "",
        equal_because: tuple[str, ...] = (),
        final: bool = False,
    ) -> Finding:
        """A finding of this rule about the step of ``facts``; ``response`` follows from the level unless given.

        ``equal_because`` is what only the rule knows; the suite adds what was normalised in the steps named.
        """
        return Finding(
            rule=self.id,
            level=level,
            step=facts.index,
            steps=tuple(steps)[-EVIDENCE_LIMIT:],
            count=count,
            threshold=threshold,
            message=message,
            key=key,
            response=response or PROPOSALS[level],
            agent=facts.agent,
            tool=facts.tool,
            equal_because=equal_because,
            resets_when=resets_when,
            final=final,
        )
