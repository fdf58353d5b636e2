"""A recorded run, played: our own journals as they were, other agents' transcripts judged as they pass."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

from loopwatch.detectors import preset as presets
from loopwatch.detectors.suite import Suite
from loopwatch.engine import events
from loopwatch.engine.budget import Meters
from loopwatch.engine.log import EventLog
from loopwatch.engine.session import Capability
from loopwatch.engine.sources.frames import Frame, load
from loopwatch.engine.supervisor import finding_made

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from loopwatch.detectors.preset import Preset
    from loopwatch.detectors.sameness.facts import Facts
    from loopwatch.detectors.step import Step
    from loopwatch.engine.desk import OperatorDesk
    from loopwatch.engine.session import Reading
    from loopwatch.engine.sources.frames import Film

SPEEDS: tuple[float | None, ...] = (1.0, 4.0, None)
"""Times faster than it happened; ``None`` means as fast as possible."""
LONGEST_WAIT = 2.0
"""Seconds at 1×; nobody sits through the minutes that somebody once thought about an answer."""
SLICE = 0.01
"""Seconds of playing at full speed before others get a turn."""
_ABOUT_A_STEP = (events.FindingMade, events.SuggestionMade, events.DecisionMade, events.Injected, events.Note)


def open_replay(path: Path, *, part: str = "", preset: Preset | None = None, speed: float | None = 1.0) -> Replay:
    """Make a recording ready to be played; ``execute`` plays it.

    Args:
        path: A journal of ours, or a transcript of another agent in any known format.
        part: Which run of the file, where it holds several.
        preset: Judges a recording that has no findings of its own; ``None`` means the settings it was recorded with,
            or the default.
        speed: See ``SPEEDS``.

    Raises:
        UnreadableError: the file cannot be read or is in no known format.
        JournalError: the file is a journal that holds no event.
    """
    film = load(path, part)
    return Replay(film, preset or _recorded(film) or presets.bundled(presets.DEFAULT), speed=speed)


def _recorded(film: Film) -> Preset | None:
    """The settings in force when the run was recorded, as far as this version knows them."""
    if not film.settings:
        return None
    try:
        return presets.parse(film.preset or "recorded", {"title": "as recorded", "rules": film.settings})
    except presets.PresetError:
        return None


class Replay:
    """A recording as a ``Session``."""

    def __init__(self, film: Film, preset: Preset, *, speed: float | None = 1.0) -> None:
        self._film = film
        self._now = film.frames[0].time if film.frames else 0.0
        self._log = EventLog(film.run or "replay", clock=lambda: self._now)
        self._suite = Suite(preset, workspace=film.workspace)
        self._meters = Meters(limits=film.limits, clock=lambda: self._now)
        self._meters.prices.load()
        self._log.subscribe(self._meters.take)
        self._listeners: list[Callable[[Step, Facts], None]] = []
        self._speed = speed
        self._paused = False
        self._single = False
        """One more step although paused."""
        self._landing = False
        """That step is shown; what was found and decided about it still belongs to it."""
        self._stopped = False
        self._played = 0
        self._changed = asyncio.Event()

    @property
    def log(self) -> EventLog:
        """The stream; subscribe before ``execute``."""
        return self._log

    @property
    def journal(self) -> None:
        """A recording is not recorded again."""
        return

    @property
    def capabilities(self) -> Capability:
        """A recording can be watched and sought through."""
        return Capability.WATCH | Capability.SEEK

    @property
    def desk(self) -> OperatorDesk | None:
        """Nobody is asked: what was decided was decided."""
        return None

    @property
    def preset(self) -> Preset:
        """The settings that judge, where the recording has no findings of its own."""
        return self._suite.preset

    @property
    def judged(self) -> bool:
        """Whether the findings are made now, not recorded."""
        return self._film.judged

    @property
    def held(self) -> bool:
        """Whether it is paused."""
        return self._paused

    @property
    def speed(self) -> float | None:
        """See ``SPEEDS``."""
        return self._speed

    @property
    def position(self) -> tuple[int, int]:
        """Frames played, of all."""
        return self._played, len(self._film.frames)

    def on_step(self, listener: Callable[[Step, Facts], None]) -> Callable[[], None]:
        """See ``Session.on_step``."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def reading(self) -> Reading:
        """The gauges at the present place of the recording."""
        return self._meters.reading(no_progress=self._suite.no_progress)

    def retune(self, preset: Preset) -> None:
        """Judge by other settings from the next step on."""
        self._suite.retune(preset)

    def play(self, speed: float | None) -> None:
        """Go on at this speed."""
        self._speed, self._paused, self._single, self._landing = speed, False, False, False
        self._changed.set()

    def hold(self, *, on: bool) -> None:
        """Pause, or go on."""
        self._paused, self._single, self._landing = on, False, False
        self._changed.set()

    def step(self) -> None:
        """Play the next step and what was found and decided about it, and pause there."""
        self._paused = self._single = True
        self._landing = False
        self._changed.set()

    def stop(self, reason: str) -> None:  # noqa: ARG002 - nothing is recorded of a replay
        """End the playing."""
        self._stopped = True
        self._changed.set()

    def speak(self, text: str) -> None:
        """Nobody listens in a recording."""

    async def execute(self) -> None:
        """Play to the end."""
        breath = time.monotonic()
        for frame in self._film.frames:
            await self._wait_for(frame)
            if self._stopped:
                return
            self._show(frame)
            if time.monotonic() - breath > SLICE:
                await asyncio.sleep(0)
                breath = time.monotonic()
        for remark in self._film.remarks:
            self._log.append(events.Note(text=remark, level="warning"))

    async def _wait_for(self, frame: Frame) -> None:
        """Keep the recording's own pace, and stand still while paused."""
        wait = min(max(0.0, frame.time - self._now), LONGEST_WAIT)
        due = time.monotonic()
        if self._landing and not all(isinstance(event, _ABOUT_A_STEP) for event in frame.events):
            self._single = self._landing = False
        while not self._stopped:
            self._changed.clear()
            if self._paused and not self._single:
                await self._changed.wait()
                continue
            if self._speed is None or self._single:
                return
            left = due + wait / self._speed - time.monotonic()
            if left <= 0:
                return
            try:
                await asyncio.wait_for(self._changed.wait(), left)
            except TimeoutError:
                return

    def _show(self, frame: Frame) -> None:
        self._now = max(self._now, frame.time)
        self._played += 1
        for event in frame.events:
            if self._film.judged:
                self._log.append(event)
            else:
                self._log.pass_on(event)
        for step in frame.steps:
            self._judge(step)
        if frame.steps and self._single:
            self._landing = True

    def _judge(self, step: Step) -> None:
        findings = self._suite.feed(step)
        facts = self._suite.facts
        self._meters.observe(step, facts)
        for listener in tuple(self._listeners):
            listener(step, facts)
        if self._film.judged:
            for finding in findings:
                self._log.append(finding_made(finding))
