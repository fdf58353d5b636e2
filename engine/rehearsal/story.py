"""Plays a scenario: given a request, what does the model answer?"""

from __future__ import annotations

import re
import shlex
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from loopwatch.engine.rehearsal.condition import Seen, see
from loopwatch.engine.rehearsal.scenario import ScriptedCall, Turn

if TYPE_CHECKING:
    from collections.abc import Mapping

    from loopwatch.engine.rehearsal.scenario import Scenario, Scene

_FIELD = re.compile(r"\{(n|workspace|python|said|result)\}")
_ECHO = 160
"""Characters of what was said or came back that an answer repeats."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where in the story a turn stands; of use to tests and to whoever writes a scenario."""

    scene: str
    n: int
    """Turn of the scene, from 1."""


class Story:
    """The model's side of one run. A request that comes again, as clients do after a fault, gets the same answer."""

    def __init__(self, scenario: Scenario, *, workspace: str = "") -> None:
        self.scenario = scenario
        self._fixed = {"workspace": workspace, "python": shlex.quote(sys.executable)}
        self._scene = 0
        self._played = 0
        self._reminders = 0
        self._over = False
        self._body: Mapping[str, Any] | None = None
        self._answer: tuple[Turn, Place] | None = None

    def answer(self, body: Mapping[str, Any]) -> tuple[Turn, Place]:
        """The next turn, with everything filled in, and where it stands."""
        if self._answer is None or body != self._body:
            self._body = body
            self._answer = self._next(see(body, task=self.scenario.task, reminders_before=self._reminders))
        return self._answer

    def _next(self, seen: Seen) -> tuple[Turn, Place]:
        self._reminders = seen.reminders
        scene = self._scene_for(seen)
        if scene is None:
            return Turn(text=self.scenario.closing), Place("closing", 1)
        self._played += 1
        turn = scene.turns[(self._played - 1) % len(scene.turns)]
        return self._filled(turn, seen), Place(scene.name, self._played)

    def _scene_for(self, seen: Seen) -> Scene | None:
        scenes = self.scenario.scenes
        while not self._over and self._scene < len(scenes):
            scene = scenes[self._scene]
            if self._played == 0:
                if scene.when.holds(seen):
                    return scene
            elif self._played < scene.length and not (scene.until and scene.until.holds(seen)):
                return scene
            else:
                self._over = scene.last
            self._scene += 1
            self._played = 0
        return None

    def _filled(self, turn: Turn, seen: Seen) -> Turn:
        fields = {
            **self._fixed,
            "n": str(self._played),
            "said": _echo(seen.told[-1] if seen.told else ""),
            "result": _echo(seen.results[-1] if seen.results else ""),
        }
        return turn.model_copy(
            update={
                "text": _fill(turn.text, fields),
                "reasoning": _fill(turn.reasoning, fields),
                "calls": tuple(
                    ScriptedCall(tool=call.tool, arguments=_fill(call.arguments, fields), raw=call.raw)
                    for call in turn.calls
                ),
            }
        )


def _fill(value: Any, fields: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        return _FIELD.sub(lambda match: fields[match[1]], value)
    if isinstance(value, list):
        return [_fill(item, fields) for item in value]
    if isinstance(value, dict):
        return {key: _fill(item, fields) for key, item in value.items()}
    return value


def _echo(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _ECHO else line[: _ECHO - 1].rstrip() + "…"
