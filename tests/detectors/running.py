"""Makes steps as an agent would and feeds them to a suite."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from loopwatch.detectors.preset import bundled
from loopwatch.detectors.step import Call, Result, Step
from loopwatch.detectors.suite import Suite

if TYPE_CHECKING:
    from loopwatch.detectors.finding import Finding


def made(tool: str, arguments: Any, result: str | None = "done", *, failed: bool | None = False, **more: Any) -> Step:
    """A call and its result; index and turn are set by ``feed``."""
    answer = None if result is None else Result(text=result, is_error=failed)
    return Step(index=0, call=Call(tool=tool, arguments=arguments), result=answer, **more)


def failing(tool: str, arguments: Any, error: str = "Error: no such file or directory", **more: Any) -> Step:
    """A call that failed."""
    return made(tool, arguments, error, failed=True, **more)


def said(text: str, **more: Any) -> Step:
    """A message without a call."""
    return Step(index=0, text=text, **more)


def placed(*script: Step | list[Step]) -> list[Step]:
    """The script with indices and turns; a list is one turn of parallel calls."""
    from dataclasses import replace

    steps: list[Step] = []
    for turn, entry in enumerate(script):
        for step in entry if isinstance(entry, list) else [entry]:
            own = turn if step.turn is None else step.turn
            steps.append(replace(step, index=len(steps), turn=own))
    return steps


def feed(preset: str | Suite, *script: Step | list[Step]) -> list[Finding]:
    """Everything the preset's suite says about the script, in order."""
    suite = Suite(bundled(preset)) if isinstance(preset, str) else preset
    return [finding for step in placed(*script) for finding in suite.feed(step)]


def brief(findings: list[Finding]) -> list[tuple[int, str, int]]:
    """Step, level and count of each finding."""
    return [(finding.step, finding.level.word, finding.count) for finding in findings]
