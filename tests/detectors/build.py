"""Builds small runs step by step and lets one rule watch them through real sameness."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from loopwatch.detectors.sameness import Sameness
from tests.detectors.running import made, placed, said

if TYPE_CHECKING:
    from loopwatch.detectors.finding import Finding
    from loopwatch.detectors.rule import Rule
    from loopwatch.detectors.step import Step


def act(tool: str, arguments: Any = None, result: str = "done", *, failed: bool | None = None, **changes: Any) -> Step:
    """A call and its result, of a harness that does not say whether it failed unless told."""
    return made(tool, arguments, result, failed=failed, **changes)


def sh(command: str, result: str = "done", **changes: Any) -> Step:
    """A shell command and its output."""
    return act("bash", {"command": command}, result, **changes)


def read(path: str, content: str = "", **changes: Any) -> Step:
    """A whole file read."""
    return act("read_file", {"path": path}, content or f"content of {path}", **changes)


def write(path: str, content: str, result: str = "ok", **changes: Any) -> Step:
    """A whole file written."""
    return act("write_file", {"path": path, "content": content}, result, **changes)


def edit(path: str, old: str, new: str, result: str = "Edit applied.", **changes: Any) -> Step:
    """A replacement in a file."""
    return act("edit_file", {"path": path, "old_string": old, "new_string": new}, result, **changes)


def say(text: str = "", **changes: Any) -> Step:
    """A message without a call."""
    return said(text, **changes)


def observe(rule: Rule, run: list[Step], sameness: Sameness, *, turn: int | None = None) -> list[Finding]:
    """Let the rule see placed steps as a suite would, after a step of ``turn``. Returns what it said, in order."""
    found: list[Finding] = []
    for step in run:
        facts = sameness.facts(step)
        if turn is not None and facts.turn != turn:
            rule.past.turn_ended()
            rule.turn_ended()
        turn = facts.turn
        if step.person:
            rule.past.reset()
            rule.reset()
        if step.nudge:
            rule.nudged()
        rule.past.take(facts, step)
        found.extend(rule.observe(facts, step))
    return found


def watch(rule: Rule, *script: Step | list[Step]) -> list[Finding]:
    """Let the rule see the script; a list is one turn of parallel calls."""
    return observe(rule, placed(*script), Sameness())


def steps_of(said: list[Finding]) -> list[int]:
    """At which steps the rule spoke."""
    return [finding.step for finding in said]
