"""Drives one rule with hand-made facts, without a suite: what a rule sees is what the test says."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from loopwatch.detectors.sameness.facts import Effect, Facts
from loopwatch.detectors.step import Call, Result, Step

if TYPE_CHECKING:
    from loopwatch.detectors.finding import Finding
    from loopwatch.detectors.rule import Rule

BLANK = Facts(
    index=0,
    agent="main",
    turn=0,
    tool="bash",
    family="shell",
    effect=Effect.EXECUTE,
    call="call",
    raw_call="call",
    signature="call",
    result="result",
    raw_result="result",
    target="",
    span=None,
    failed=False,
    transient=False,
    error="",
    error_text="",
    weak=False,
    declared_wait=0.0,
    synthetic=False,
    canonical_call="call",
    equal_because=(),
)


def fact(call: str = "call", result: str = "result", **changes: Any) -> Facts:
    """A step's facts: a successful shell call unless told otherwise; index and turn are set by ``drive``."""
    changes = {"raw_call": call, "signature": call, "canonical_call": call, "raw_result": result} | changes
    return replace(BLANK, call=call, result=result, **changes)


def failure(call: str = "call", error: str = "no such file", **changes: Any) -> Facts:
    """A step that failed; steps with one ``error`` have one error identity."""
    changes = {"error_text": error} | changes
    return fact(call, result=f"result of {error}", failed=True, error=error, **changes)


def step_of(facts: Facts, **changes: Any) -> Step:
    """The step that goes with the facts, for rules that look at it."""
    call = Call(tool=facts.tool, arguments={"call": facts.call}) if facts.tool else None
    result = Result(text=facts.result, is_error=facts.failed) if facts.result else None
    return Step(index=facts.index, call=call, result=result, turn=facts.turn, agent=facts.agent, **changes)


def drive(rule: Rule, *script: Facts | list[Facts]) -> list[Finding]:
    """Let the rule see the script; a list is one turn of parallel calls. Returns what it said, in order."""
    said: list[Finding] = []
    index = 0
    for turn, entry in enumerate(script):
        for facts in entry if isinstance(entry, list) else [entry]:
            placed = replace(facts, index=index, turn=turn)
            step = step_of(placed)
            rule.past.take(placed, step)
            said.extend(rule.observe(placed, step))
            index += 1
        rule.past.turn_ended()
        rule.turn_ended()
    return said
