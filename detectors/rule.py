"""What a rule is: settings in, ``observe`` per step, zero or more findings out.

A rule does constant work and keeps bounded memory per step. Its settings are a pydantic model whose field metadata is
the slider on the tune screen; there is no second list of thresholds anywhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field

if TYPE_CHECKING:
    from collections.abc import Iterable

    from loopwatch.detectors.finding import Finding
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


class Rule:
    """Base of all rules. One instance watches one agent of one run."""

    id: ClassVar[str]
    """Stable name, used in presets, journals, reminders and SARIF."""
    title: ClassVar[str]
    """What a person reads on the tune screen."""
    Settings: ClassVar[type[RuleSettings]]

    def __init__(self, settings: RuleSettings) -> None:
        self.settings = settings

    def before(self, facts: Facts) -> Iterable[Finding]:  # noqa: ARG002 - most rules have nothing to say here
        """Judge a call that has not run yet (D5). ``facts`` has no result. Must not change what ``observe`` counts."""
        return ()

    def observe(self, facts: Facts, step: Step) -> Iterable[Finding]:
        """Take in one finished step."""
        raise NotImplementedError

    def reset(self) -> None:
        """Forget everything: a person spoke, or a new task began."""
        raise NotImplementedError

    def save(self) -> Any:
        """State as plain JSON, for saving mid-run."""
        raise NotImplementedError

    def restore(self, state: Any) -> None:
        """Take back what ``save`` gave."""
        raise NotImplementedError
