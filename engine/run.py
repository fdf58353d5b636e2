"""Wires one run together: log, journal, suite, supervisor, gauges and the agent."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import loopwatch
from loopwatch.detectors.rules.breaker import Breaker
from loopwatch.detectors.step import Usage
from loopwatch.detectors.suite import Suite
from loopwatch.engine import events
from loopwatch.engine.budget import Meters
from loopwatch.engine.deliberation import Deliberation
from loopwatch.engine.desk import OperatorDesk, PolicyDesk
from loopwatch.engine.endpoint import on_this_machine
from loopwatch.engine.events import EXIT_CODES, Action, EndReason, EventBase
from loopwatch.engine.hiding import hide_from_proc
from loopwatch.engine.journal import SUFFIX, Journal, new_run_id, runs_dir
from loopwatch.engine.links import LinkResolver
from loopwatch.engine.log import EventLog
from loopwatch.engine.plan import Policy, RunPlan
from loopwatch.engine.recorder import Recorder
from loopwatch.engine.redaction import known_secrets, redacted_endpoint
from loopwatch.engine.reminders import wording
from loopwatch.engine.session import Capability
from loopwatch.engine.sources.own import own_agent
from loopwatch.engine.supervision import Directive
from loopwatch.engine.supervisor import Supervisor

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from loopwatch.detectors.preset import Preset
    from loopwatch.detectors.sameness.facts import Facts
    from loopwatch.detectors.step import Step
    from loopwatch.engine.desk import Desk
    from loopwatch.engine.journal import JournalError
    from loopwatch.engine.session import Reading
    from loopwatch.engine.sources.own import Worker, Workshop

__all__ = ["Policy", "Run", "RunPlan", "open_run"]

E = TypeVar("E", bound=EventBase)


def open_run(plan: RunPlan, desk: Desk | None = None, *, workshop: Workshop | None = None) -> Run:
    """Make a run ready; ``execute`` starts it.

    Args:
        plan: What is to be done.
        desk: Who answers under the policy ``ask``; ``None`` means a new ``OperatorDesk``. The other policies answer
            themselves.
        workshop: Makes the worker; ``None`` means our own agent.

    Raises:
        JournalError: the journal cannot be created.
        ReminderError: the person's wording of reminders cannot be used.
        PresetError: the limit of calls without progress is out of the breaker's range.
    """
    plan = replace(plan, preset=_with_breaker(plan.preset, plan.limits.no_progress))
    texts = wording(plan.language, plan.reminders)
    run_id = new_run_id()
    secrets = known_secrets() | ({plan.api_key.get_secret_value()} if plan.api_key else set())
    hide_from_proc(secrets)
    journal = Journal(plan.journal or runs_dir() / f"{run_id}{SUFFIX}", secrets=secrets)
    recorder = Recorder(journal)
    log = EventLog(run_id, recorder)
    deliberation = Deliberation(log, _desk(plan.policy, desk), plan.policy, texts, task=plan.task, channel=plan.channel)
    suite = Suite(plan.preset, workspace=str(plan.workspace), resolve=LinkResolver(str(plan.workspace)))
    meters = Meters(limits=plan.limits)
    supervisor = Supervisor(
        log,
        suite,
        deliberation,
        observes_only=plan.policy.mode == "observe",
        limit=lambda: _cost_limit(meters),
    )
    return Run(plan, log, recorder, suite, supervisor, meters, workshop or own_agent, deliberation.desk)


def _desk(policy: Policy, desk: Desk | None) -> Desk:
    if policy.mode == "ask":
        return desk or OperatorDesk()
    return PolicyDesk(Action.DISMISS if policy.mode == "observe" else Action(policy.mode))


class Run:
    """A run of our own agent; a ``Session``."""

    def __init__(  # noqa: PLR0913, PLR0917 - the parts are handed in by open_run
        self,
        plan: RunPlan,
        log: EventLog,
        recorder: Recorder,
        suite: Suite,
        supervisor: Supervisor,
        meters: Meters,
        workshop: Workshop,
        desk: Desk,
    ) -> None:
        self.plan = plan
        self._log = log
        self._recorder = recorder
        self._suite = suite
        self._supervisor = supervisor
        self._desk = desk if isinstance(desk, OperatorDesk) else None
        self._workshop = workshop
        self._meters = meters
        self._work: asyncio.Task[tuple[EndReason, str]] | None = None
        self._stopping: tuple[EndReason, str] | None = None
        self._begun = False
        self._over = False
        recorder.on_failure = self._record_failed
        log.subscribe(supervisor.take)
        log.subscribe(self._meters.take)
        supervisor.on_step(self._meters.observe)

    @property
    def log(self) -> EventLog:
        """The stream; subscribe before ``execute``."""
        return self._log

    @property
    def journal(self) -> Path:
        """The file that records the run."""
        return self._recorder.journal.path

    @property
    def capabilities(self) -> Capability:
        """Everything."""
        return Capability.own()

    @property
    def desk(self) -> OperatorDesk | None:
        """Where questions wait for a person; ``None`` when a policy answers."""
        return self._desk

    @property
    def preset(self) -> Preset:
        """The detectors' settings in force."""
        return self._suite.preset

    @property
    def held(self) -> bool:
        """Whether a hold is asked for."""
        return self._supervisor.held

    def on_step(self, listener: Callable[[Step, Facts], None]) -> Callable[[], None]:
        """See ``Session.on_step``."""
        return self._supervisor.on_step(listener)

    def reading(self) -> Reading:
        """The gauges now."""
        breaker: Any = self._suite.preset.settings(Breaker.id)
        limit = breaker.limit if breaker is not None and breaker.enabled else None
        reading = self._meters.reading(no_progress=self._suite.no_progress)
        return replace(reading, limits=replace(reading.limits, no_progress=limit))

    def retune(self, preset: Preset) -> None:
        """Put other settings in force from the next step on; noted in the log."""
        if self._over:
            return
        self._suite.retune(preset)
        self._emit(
            events.Note(
                text=f"settings changed: {preset.name}", data={"preset": preset.name, "settings": _rules(preset)}
            )
        )

    def hold(self, *, on: bool) -> None:
        """Keep the agent waiting at its next boundary, or let it go."""
        if not self._over:
            self._supervisor.hold(on=on)

    def speak(self, text: str) -> None:
        """Queue a person's message for the next boundary."""
        if not self._over:
            self._supervisor.speak(text)

    def stop(self, reason: str) -> None:
        """End the run now: the running command dies, the journal is completed."""
        self._stop(EndReason.OPERATOR, reason)

    async def execute(self) -> None:
        """Run to the end. Cancelling it ends the run in order.

        Raises:
            RuntimeError: it was called before.
        """
        if self._begun:
            raise RuntimeError("a run can be executed once")
        self._begun = True
        self._start()
        self._work = asyncio.ensure_future(self._worked())
        if self._stopping is not None:
            self._work.cancel()
        try:
            await asyncio.wait({self._work})
        except asyncio.CancelledError:
            self._stop(EndReason.OPERATOR, "the run was cancelled")
            await asyncio.wait({self._work})
            raise
        finally:
            self._end(*self._ending(self._work))

    async def _worked(self) -> tuple[EndReason, str]:
        # What the agent needs takes a second to import: in a thread, so that the screen is there meanwhile.
        worker = await asyncio.to_thread(self._made)
        if self.plan.limits.cost is not None and self._price(Usage(input=1)) is None:
            self._emit(events.Note(text=f"no price is known for {self.plan.model}: no cost limit", level="warning"))
        outcome = await worker.run(self.plan.task)
        return outcome.reason, outcome.message

    def _made(self) -> Worker:
        if not on_this_machine(self.plan.base_url):
            self._meters.prices.load()
        return self._workshop(self.plan, self._supervisor, self._emit)

    def _price(self, usage: Usage) -> float | None:
        return self._meters.prices.of(usage, self.plan.model)

    def _ending(self, work: asyncio.Task[tuple[EndReason, str]]) -> tuple[EndReason, str]:
        """Why the run ended; a stop that came first beats what the worker made of it."""
        if self._stopping is not None:
            return self._stopping
        if work.cancelled():
            return EndReason.OPERATOR, "the run was cancelled"
        fault = work.exception()
        if fault is not None:
            return EndReason.FAULT, f"{type(fault).__name__}: {fault}"
        return work.result()

    def _stop(self, reason: EndReason, message: str) -> None:
        if self._over or self._stopping is not None:
            return
        self._stopping = (reason, message)
        if self._work is not None:
            self._work.cancel()

    def _record_failed(self, error: JournalError) -> None:
        self._stop(EndReason.FAULT, str(error))

    def _emit(self, event: E, /) -> E:
        """Take an event in, until the run is over: a late one changes nothing any more."""
        if self._over:
            return event
        if isinstance(event, events.UsageReported) and event.cost is None:
            usage = Usage(input=event.input, output=event.output, cached=event.cached)
            event = event.model_copy(update={"cost": self._price(usage)})
        return self._log.append(event)

    def _start(self) -> None:
        plan = self.plan
        self._emit(
            events.RunStarted(
                task=plan.task,
                source=plan.source,
                model=plan.model,
                endpoint=redacted_endpoint(plan.base_url or ""),
                workspace=str(plan.workspace),
                preset=plan.preset.name,
                settings=_rules(plan.preset),
                policy=plan.policy.mode,
                limits={
                    "turns": plan.limits.turns,
                    "tokens": plan.limits.tokens,
                    "seconds": plan.limits.seconds,
                    "cost": plan.limits.cost,
                    "errors": plan.limits.errors,
                    "no_progress": plan.limits.no_progress,
                },
                program=f"loopwatch {loopwatch.__version__}",
            )
        )

    def _end(self, reason: EndReason, message: str) -> None:
        try:
            self._supervisor.close(f"the run ended ({reason.value})")
        except Exception as fault:  # noqa: BLE001 - the run has its last event whatever a rule does
            reason, message = EndReason.FAULT, f"{type(fault).__name__}: {fault}"
        self._emit(events.RunEnded(reason=reason, message=message, exit_code=EXIT_CODES[reason]))
        self._over = True
        self._recorder.close()


def _with_breaker(preset: Preset, limit: int | None) -> Preset:
    """The preset with its breaker at the run's limit, where that is the lower of the two (B5)."""
    breaker: Any = preset.settings(Breaker.id)
    if limit is None or breaker is None or breaker.limit <= limit:
        return preset
    return preset.with_value(Breaker.id, "limit", limit)


def _cost_limit(meters: Meters) -> Directive:
    reading = meters.reading()
    limit = reading.limits.cost
    if limit is None or reading.cost is None or reading.cost < limit:
        return Directive()
    return Directive(stop=EndReason.COST_LIMIT, message=f"${reading.cost:.2f} of ${limit:.2f} are spent")


def _rules(preset: Preset) -> dict[str, Any]:
    """A preset's rule settings, all values spelled out."""
    rules: dict[str, Any] = preset.dump()["rules"]
    return rules
