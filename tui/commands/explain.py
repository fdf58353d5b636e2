"""``loopwatch check --explain``: a step's call and result as they came beside what they are compared by."""

from __future__ import annotations

import shutil
import textwrap
from itertools import zip_longest
from typing import TYPE_CHECKING

from loopwatch.tui.commands.base import Refusal, say
from loopwatch.tui.safe_text import line

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from loopwatch.detectors.sameness.facts import Facts
    from loopwatch.engine.sources.formats import Recording

LINE_LIMIT = 60
"""Lines shown of each text; what is left out is said."""
SMALLEST_COLUMN = 30


def explain_step(files: Sequence[Path], index: int) -> int:
    """Show one step of each run that has it.

    Raises:
        Refusal: no run has such a step.
        UnreadableError: a file is no recording.
    """
    from loopwatch.engine.sources.formats import read_all

    recordings = [recording for file in files for recording in read_all(file)]
    long_enough = [recording for recording in recordings if index < len(recording.steps)]
    if not long_enough:
        longest = max(recordings, key=lambda recording: len(recording.steps))
        raise Refusal(f"{longest.name}: has no step {index}; it holds {len(longest.steps)}, counted from 0")
    for recording in long_enough:
        _show(recording, index)
    return 0


def _show(recording: Recording, index: int) -> None:
    from loopwatch.detectors.sameness import Sameness
    from loopwatch.engine.check import position

    sameness = Sameness(workspace=recording.workspace)
    for step in recording.steps[:index]:
        sameness.facts(step)  # what was learnt on the way counts
    said = sameness.explain(recording.steps[index])
    facts = said.facts
    at = position(recording, index)
    say(f"{recording.name}: step {index}" + (f", {recording.counts} {at}" if at is not None else ""))
    say(f"  {_nature(facts)}")
    say(f"  compared by: call {facts.call or '-'}, result {facts.result or '-'}, error {facts.error or '-'}")
    _beside("call", said.raw_call, said.canonical_call, said.call_because)
    _beside("result", said.raw_result, said.canonical_result, said.result_because)


def _nature(facts: Facts) -> str:
    """Tool, family, effects and outcome in one line."""
    if not facts.tool:
        return "message without a call"
    effects = ", ".join(str(effect.name).lower() for effect in facts.effect) or "nothing known"
    outcome = "failed, and waiting may mend it" if facts.transient else "failed" if facts.failed else "did not fail"
    weak = "; the result is a constant acknowledgement" if facts.weak else ""
    return f"{facts.tool}: family {facts.family}, effect {effects}; {outcome}{weak}"


def _beside(title: str, raw: str, canonical: str, because: Sequence[str]) -> None:
    """Two texts in two columns, as came on the left, as compared on the right."""
    say(f"  {title}, as it came | as it is compared" + (f" ({', '.join(because)})" if because else ""))
    width = max(SMALLEST_COLUMN, (shutil.get_terminal_size((120, 24)).columns - 7) // 2)
    for left, right in zip_longest(_wrapped(raw, width), _wrapped(canonical, width), fillvalue=""):
        say(f"    {left:<{width}} | {right}".rstrip())


def _wrapped(text: str, width: int) -> list[str]:
    lines: list[str] = []
    for one in text[: LINE_LIMIT * width * 2].splitlines():
        lines += textwrap.wrap(
            line(one, LINE_LIMIT * width * 2), width, drop_whitespace=False, break_on_hyphens=False
        ) or [""]
        if len(lines) > LINE_LIMIT:
            return [*lines[:LINE_LIMIT], f"… {len(text):,} characters in all"]
    return lines
