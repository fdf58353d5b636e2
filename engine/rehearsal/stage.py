"""The temporary workspace that a scenario is played in."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from loopwatch.engine.rehearsal.scenario import ScenarioError

if TYPE_CHECKING:
    from pathlib import Path

    from loopwatch.engine.rehearsal.scenario import Scenario, WorkspaceFile

_FIELD = re.compile(r"\{(copy|line|prose)\}")
_NOUNS = (
    "harbour",
    "ledger",
    "orchard",
    "signal",
    "valley",
    "engine",
    "curtain",
    "festival",
    "granite",
    "parcel",
    "voyage",
)
_VERBS = (
    "carries",
    "replaces",
    "follows",
    "measures",
    "hides",
    "outlasts",
    "crosses",
    "repairs",
    "announces",
    "divides",
)
_PLACES = (
    "at noon",
    "by the river",
    "in the archive",
    "after the rain",
    "on the third floor",
    "without a word",
    "in June",
)


def set_stage(scenario: Scenario, folder: Path) -> None:
    """Write the scenario's files into an existing folder.

    Raises:
        ScenarioError: a file cannot be written, as its name is too long or stands where a folder is needed.
    """
    for number, file in enumerate(scenario.files, 1):
        try:
            _write(file, folder)
        except OSError as error:
            raise ScenarioError(
                f"scenario {scenario.name}: file[{number}].path: cannot be written: {error.strerror or error}"
            ) from None


def _write(file: WorkspaceFile, folder: Path) -> None:
    """All copies of one file."""
    for copy in range(1, file.copies + 1):
        path = folder / _filled(file.path, copy, 0)
        path.parent.mkdir(parents=True, exist_ok=True)
        body = file.text.removeprefix("\n")
        path.write_text("".join(_filled(body, copy, line) for line in range(1, file.repeat + 1)), encoding="utf-8")
        if file.executable:
            path.chmod(0o755)


def _filled(text: str, copy: int, line: int) -> str:
    fields = {"copy": str(copy), "line": str(line), "prose": _prose(31 * copy + line)}
    return _FIELD.sub(lambda match: fields[match[1]], text)


def _prose(number: int) -> str:
    """A sentence that few other numbers share, so that files of one template do not look alike."""
    first, second, third = (_NOUNS[number * factor % len(_NOUNS)] for factor in (1, 5, 7))
    verbs = _VERBS[number % len(_VERBS)], _VERBS[number // 3 % len(_VERBS)]
    place = _PLACES[number // 2 % len(_PLACES)]
    return f"the {first} {verbs[0]} the {second} {place}, and the {third} {verbs[1]} it"
