"""What the screen shows while the session is made: nothing yet, so that the first frame need not wait for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopwatch.engine.log import EventLog
from loopwatch.engine.session import Capability, Limits, Reading

if TYPE_CHECKING:
    from collections.abc import Callable

    from loopwatch.detectors.preset import Preset
    from loopwatch.detectors.sameness.facts import Facts
    from loopwatch.detectors.step import Step


class Opening:
    """A ``Session`` of which nothing is known and with which nothing can be done."""

    def __init__(self) -> None:
        self.log = EventLog("")
        self.journal = None
        self.capabilities = Capability(0)
        self.desk = None
        self.held = False
        self._reading = Reading(limits=Limits(turns=None, no_progress=None))

    @property
    def preset(self) -> Preset:
        """The default; asked for by nobody as long as the screen does not offer to tune."""
        from loopwatch.detectors import preset

        return preset.bundled(preset.DEFAULT)

    def on_step(self, listener: Callable[[Step, Facts], None]) -> Callable[[], None]:  # noqa: ARG002
        """There are no steps."""
        return lambda: None

    async def execute(self) -> None:
        """There is nothing to execute."""

    def reading(self) -> Reading:
        """Nothing used."""
        return self._reading

    def retune(self, preset: Preset) -> None:
        """There is nothing to tune."""

    def hold(self, *, on: bool) -> None:
        """There is nobody to hold."""

    def stop(self, reason: str) -> None:
        """There is nothing to stop."""

    def speak(self, text: str) -> None:
        """There is nobody to listen."""
