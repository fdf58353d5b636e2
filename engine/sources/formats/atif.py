"""ATIF, the Agent Trajectory Interchange Format of Harbor, and older dialects that share its shape."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from loopwatch.detectors.step import Call, Result, Usage
from loopwatch.engine.sources.formats.assembly import Assembly
from loopwatch.engine.sources.formats.content import text_of, timestamp
from loopwatch.engine.sources.formats.kind import DocumentFormat
from loopwatch.engine.sources.formats.messages import arguments, flat, hear

if TYPE_CHECKING:
    from collections.abc import Iterable

    from loopwatch.detectors.step import Step
    from loopwatch.engine.sources.formats.recording import Notes

_ANSWERS = re.compile(r"\ATool result for (\S+)")


def _recognises(document: Any) -> bool:
    if not isinstance(document, dict) or not isinstance(document.get("steps"), list):
        return False
    steps = document["steps"]
    return "schema_version" in document and any(isinstance(step, dict) and "source" in step for step in steps)


def _steps(document: Any, notes: Notes) -> Iterable[Step]:
    assembly = Assembly(notes)
    agent = document.get("agent")
    if isinstance(agent, dict):
        notes.agent = text_of(agent.get("name")) or notes.agent
        notes.model = text_of(agent.get("model_name") or agent.get("model"))
    for at, step in enumerate(document["steps"]):
        match step.get("source") if isinstance(step, dict) else None:
            case "user":
                hear(flat(step.get("message")), assembly)
            case "agent":
                _agent(at, step, assembly)
            case "system":
                # Dialects that tell a result in a step of its own, which may stand before the call it answers.
                if not _observe(step, assembly):
                    notes.skipped["system step"] += 1
            case source:
                notes.strange(f"step of source {source}", at)
    return assembly.steps()


def _agent(at: int, step: dict[str, Any], assembly: Assembly) -> None:
    time = timestamp(step.get("timestamp"))
    assembly.turn(str(at), at=at, time=time)
    assembly.say(flat(step.get("message")))
    assembly.think(text_of(step.get("reasoning_content")))
    assembly.use(_usage(step.get("metrics")))
    calls = step.get("tool_calls")
    for call in calls if isinstance(calls, list) else ():
        if isinstance(call, dict):
            given, malformed = arguments(call.get("arguments"))
            name = text_of(call.get("function_name") or call.get("name"))
            made = Call(name, given, text_of(call.get("tool_call_id") or call.get("id")), malformed)
            assembly.call(made, at=at, time=time)
    _observe(step, assembly)


def _observe(step: dict[str, Any], assembly: Assembly) -> bool:
    """Take in the results in a step; whether there were any."""
    observation = step.get("observation")
    if not isinstance(observation, dict):
        return False
    results = observation.get("results")
    if not isinstance(results, list):
        found = _ANSWERS.match(flat(step.get("message")))
        results = [{**observation, "source_call_id": found[1] if found else None}]
    for result in results:
        if not isinstance(result, dict):
            continue
        told = result.get("result")
        success = told.get("success") if isinstance(told, dict) else None
        answer = Result(flat(result.get("content")), is_error=not success if isinstance(success, bool) else None)
        if result.get("source_call_id"):
            assembly.result(text_of(result["source_call_id"]), answer)
        else:
            assembly.answer(answer)
    return bool(results)


def _usage(metrics: Any) -> Usage | None:
    if not isinstance(metrics, dict):
        return None
    names = ("prompt_tokens", "completion_tokens", "cached_tokens")
    counts = [metrics.get(name) for name in names]
    if not any(isinstance(count, int) for count in counts):
        return None
    known = [count if isinstance(count, int) else 0 for count in counts]
    return Usage(input=known[0], output=known[1], cached=known[2])


ATIF = DocumentFormat("atif", "unknown agent", _recognises, _steps)
