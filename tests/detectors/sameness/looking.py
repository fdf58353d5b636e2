"""Short ways to ask sameness one thing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from loopwatch.detectors.sameness import Sameness
from loopwatch.detectors.step import Call, Result, Step

if TYPE_CHECKING:
    from loopwatch.detectors.sameness.facts import Facts

WORKSPACE = "/home/ann/shop"


def facts(tool: str, arguments: Any, text: str = "", *, flag: bool | None = None, **result: Any) -> Facts:
    """What is read of one step in a workspace of its own."""
    step = Step(0, Call(tool, arguments), Result(text, flag, **result))
    return Sameness(workspace=WORKSPACE).facts(step)


def shell(command: Any, text: str = "", *, flag: bool | None = None, **result: Any) -> Facts:
    """What is read of a shell command."""
    return facts("Bash", {"command": command}, text, flag=flag, **result)


def call_of(tool: str, arguments: Any) -> str:
    """Fingerprint of the canonical call."""
    return facts(tool, arguments).call


def result_of(text: str, tool: str = "Bash", arguments: Any = None) -> str:
    """Fingerprint of the canonical result, by default of a program's output."""
    return facts(tool, {"command": "./ship.sh"} if arguments is None else arguments, text).result
