"""The temporary workspace that a scenario is played in."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from loopwatch.engine.rehearsal.scenario import Scenario

_NUMBER = re.compile(r"\{(copy|line)\}")


def set_stage(scenario: Scenario, folder: Path) -> None:
    """Write the scenario's files into an existing folder."""
    for file in scenario.files:
        for copy in range(1, file.copies + 1):
            path = folder / _numbered(file.path, copy, 0)
            path.parent.mkdir(parents=True, exist_ok=True)
            body = file.text.removeprefix("\n")
            path.write_text(
                "".join(_numbered(body, copy, line) for line in range(1, file.repeat + 1)), encoding="utf-8"
            )
            if file.executable:
                path.chmod(0o755)


def _numbered(text: str, copy: int, line: int) -> str:
    return _NUMBER.sub(lambda match: str(copy if match[1] == "copy" else line), text)
