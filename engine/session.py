"""What a screen needs to know of whatever it shows: our own run, a replay, a foreign agent.

The screen enables exactly what ``capabilities`` says and tells why the rest is off.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Flag, auto
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from loopwatch.detectors.preset import Preset
    from loopwatch.detectors.sameness.facts import Facts
    from loopwatch.detectors.step import Step
    from loopwatch.engine.desk import OperatorDesk
    from loopwatch.engine.log import EventLog


class Capability(Flag):
    """What can be done with a source."""

    WATCH = auto()
    HOLD = auto()
    """Keep the agent waiting at the next boundary."""
    INJECT = auto()
    BLOCK = auto()
    STOP = auto()
    EDIT_CALL = auto()
    SPEAK = auto()
    """A person's message can be queued for the agent."""
    SEEK = auto()
    """A recording: step, play, change speed."""

    @classmethod
    def own(cls) -> Capability:
        """Everything that a run of our own agent allows."""
        return cls.WATCH | cls.HOLD | cls.INJECT | cls.BLOCK | cls.STOP | cls.SPEAK


@dataclass(frozen=True, slots=True)
class Limits:
    """What a run may use. ``None`` means no limit."""

    turns: int | None = 100
    tokens: int | None = None
    seconds: float | None = None
    cost: float | None = None
    """US dollars."""
    errors: int | None = None
    """Consecutive tool errors (C3)."""
    no_progress: int | None = 30
    """The breaker's count (B5)."""


@dataclass(frozen=True, slots=True)
class Reading:
    """The gauges at one moment; a projection of the events so far."""

    limits: Limits
    turns: int = 0
    steps: int = 0
    failed_steps: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    reasoning_tokens: int = 0
    recent_tokens: tuple[int, ...] = ()
    """Tokens of the last turns, oldest first, at most 30."""
    estimated: bool = False
    """At least one figure is our own estimate."""
    cost: float | None = None
    errors: int = 0
    """Consecutive failed steps up to now."""
    no_progress: int = 0
    """Steps without progress towards the breaker."""
    cut_off: int = 0
    """Consecutive answers that hit the output cap."""
    seconds: float = 0.0
    """Wall time since the run began, up to now or to its end."""

    @property
    def tokens(self) -> int:
        """Input and output together."""
        return self.input_tokens + self.output_tokens


class Session(Protocol):
    """Something that can be shown and, where its capabilities allow, steered."""

    @property
    def log(self) -> EventLog:
        """The stream; subscribe before ``execute``."""
        ...

    @property
    def journal(self) -> Path | None:
        """Where the run is being recorded; ``None`` where nothing is."""
        ...

    @property
    def capabilities(self) -> Capability:
        """What can be done here."""
        ...

    @property
    def desk(self) -> OperatorDesk | None:
        """Where questions wait for a person; ``None`` when a policy answers."""
        ...

    @property
    def preset(self) -> Preset:
        """The detectors' settings in force."""
        ...

    def on_step(self, listener: Callable[[Step, Facts], None]) -> Callable[[], None]:
        """Hand every finished step with its comparable form to ``listener``, after the events it came from.

        Returns the way to stop that.
        """
        ...

    async def execute(self) -> None:
        """Run, play or follow to the end. Cancelling it ends the run in order."""
        ...

    def reading(self) -> Reading:
        """The gauges now."""
        ...

    def retune(self, preset: Preset) -> None:
        """Put other settings in force from the next step on; noted in the log."""
        ...

    def hold(self, *, on: bool) -> None:
        """Keep the agent waiting at its next boundary, or let it go."""
        ...

    @property
    def held(self) -> bool:
        """Whether a hold is asked for."""
        ...

    def stop(self, reason: str) -> None:
        """End the run now: the running command dies, the journal is completed."""
        ...

    def speak(self, text: str) -> None:
        """Queue a person's message for the next boundary."""
        ...


class Recording(Session, Protocol):
    """What a session with ``Capability.SEEK`` can do beyond the others; ``held`` says whether it is paused."""

    @property
    def speed(self) -> float | None:
        """Times faster than it happened; ``None`` is as fast as possible."""
        ...

    @property
    def position(self) -> tuple[int, int]:
        """How much was played, of how much."""
        ...

    def play(self, speed: float | None) -> None:
        """Go on by itself, at this speed."""
        ...

    def step(self) -> None:
        """Go on to the end of the next step, and stay there."""
        ...
