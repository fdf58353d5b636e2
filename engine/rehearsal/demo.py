"""A demo: our own agent in a temporary workspace against the rehearsal model, supervised like any other run."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import SecretStr

from loopwatch.detectors.preset import bundled
from loopwatch.engine.plan import Policy, RunPlan
from loopwatch.engine.rehearsal.scenario import load_scenario, scenario_names
from loopwatch.engine.rehearsal.server import RehearsalServer
from loopwatch.engine.rehearsal.stage import set_stage
from loopwatch.engine.run import open_run
from loopwatch.engine.session import Limits

if TYPE_CHECKING:
    from collections.abc import Callable

    from loopwatch.detectors.preset import Preset
    from loopwatch.detectors.sameness.facts import Facts
    from loopwatch.detectors.step import Step
    from loopwatch.engine.desk import Desk, OperatorDesk
    from loopwatch.engine.events import Channel
    from loopwatch.engine.log import EventLog
    from loopwatch.engine.plan import Language
    from loopwatch.engine.rehearsal.scenario import Scenario
    from loopwatch.engine.run import Run
    from loopwatch.engine.session import Capability, Reading

__all__ = ["Demo", "open_demo", "scenario_names"]


def open_demo(  # noqa: PLR0913 - a run has that many settings
    name: str,
    *,
    desk: Desk | None = None,
    preset: Preset | None = None,
    policy: Policy | None = None,
    limits: Limits | None = None,
    language: Language = "en",
    reminders: Path | None = None,
    channel: Channel = "user_message",
    journal: Path | None = None,
    request_log: Path | None = None,
    pace: float = 1.0,
) -> Demo:
    """Make a demo ready; ``execute`` plays it.

    Args:
        name: A scenario that ships with loopwatch, or a scenario file of one's own.
        desk: Who answers under the policy ``ask``; ``None`` means a new ``OperatorDesk``.
        preset: ``None`` means the scenario's.
        policy: ``None`` means ``ask``, without a limit on waiting.
        limits: ``None`` means the scenario's.
        language: Of the reminders.
        reminders: As in ``RunPlan``.
        channel: As in ``RunPlan``.
        journal: As in ``RunPlan``.
        request_log: Every request body is appended to this file as a line of JSON.
        pace: Factor on the model's own slowness; 0 plays as fast as the machine can.

    Raises:
        ScenarioError: there is no such scenario, or its file cannot be used.
        PresetError: the scenario's preset does not exist.
        JournalError: the journal cannot be created.
        ReminderError: the person's wording of reminders cannot be used.
    """
    scenario = load_scenario(name)
    preset = preset or bundled(scenario.preset)
    folder = tempfile.TemporaryDirectory(prefix=f"loopwatch-{scenario.name}-", ignore_cleanup_errors=True)
    workspace = Path(folder.name).resolve()
    server = RehearsalServer(scenario, workspace=str(workspace), request_log=request_log, pace=pace)
    plan = RunPlan(
        task=scenario.task,
        model=scenario.model,
        preset=preset,
        workspace=workspace,
        base_url=server.base_url,
        api_key=SecretStr("no-key-is-needed"),
        policy=policy or Policy(),
        limits=limits or scenario_limits(scenario),
        tool_protocol="native",
        journal=journal,
        source=f"demo:{scenario.name}",
        language=language,
        reminders=reminders,
        channel=channel,
    )
    try:
        run = open_run(plan, desk)
    except BaseException:
        server.close()
        folder.cleanup()
        raise
    return Demo(scenario, run, server, folder)


def scenario_limits(scenario: Scenario) -> Limits:
    """What a scenario's run may use unless the person says otherwise."""
    chosen = scenario.limits
    return Limits(turns=chosen.turns, tokens=chosen.tokens, errors=chosen.errors, no_progress=chosen.no_progress)


class Demo:
    """A scenario's run; a ``Session``. Everything but ``execute`` is the run's own."""

    def __init__(
        self,
        scenario: Scenario,
        run: Run,
        server: RehearsalServer,
        folder: tempfile.TemporaryDirectory[str],
    ) -> None:
        self.scenario = scenario
        self.run = run
        self.server = server
        self._folder = folder

    async def execute(self) -> None:
        """Set the stage, play to the end, and clear it away. Cancelling ends the run in order."""
        try:
            await asyncio.to_thread(set_stage, self.scenario, self.run.plan.workspace)
            async with self.server:
                await self.run.execute()
        finally:
            self.close()

    def close(self) -> None:
        """Give back the port and the folder; needed only for a demo that is not executed."""
        self.server.close()
        self._folder.cleanup()

    @property
    def log(self) -> EventLog:
        """The stream; subscribe before ``execute``."""
        return self.run.log

    @property
    def journal(self) -> Path:
        """The file that records the run."""
        return self.run.journal

    @property
    def capabilities(self) -> Capability:
        """Everything that a run of our own allows."""
        return self.run.capabilities

    @property
    def desk(self) -> OperatorDesk | None:
        """Where questions wait for a person; ``None`` when a policy answers."""
        return self.run.desk

    @property
    def preset(self) -> Preset:
        """The detectors' settings in force."""
        return self.run.preset

    @property
    def held(self) -> bool:
        """Whether a hold is asked for."""
        return self.run.held

    def on_step(self, listener: Callable[[Step, Facts], None]) -> Callable[[], None]:
        """See ``Session.on_step``."""
        return self.run.on_step(listener)

    def reading(self) -> Reading:
        """The gauges now."""
        return self.run.reading()

    def retune(self, preset: Preset) -> None:
        """See ``Session.retune``."""
        self.run.retune(preset)

    def hold(self, *, on: bool) -> None:
        """See ``Session.hold``."""
        self.run.hold(on=on)

    def stop(self, reason: str) -> None:
        """See ``Session.stop``."""
        self.run.stop(reason)

    def speak(self, text: str) -> None:
        """See ``Session.speak``."""
        self.run.speak(text)
