"""SWE-agent ``.traj`` and mini-swe-agent ``.traj.json``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from loopwatch.detectors.step import Call, Result
from loopwatch.engine.sources.formats.assembly import Assembly
from loopwatch.engine.sources.formats.content import text_of
from loopwatch.engine.sources.formats.kind import DocumentFormat
from loopwatch.engine.sources.formats.messages import are_messages, arguments, call_tools, flat

if TYPE_CHECKING:
    from collections.abc import Iterable

    from loopwatch.detectors.step import Step
    from loopwatch.engine.sources.formats.recording import Notes

_BLOCK = re.compile(r"```(?:mswea_bash_command|bash)\s*\n(.*?)\n?```", re.DOTALL)
_RETURNED = re.compile(r"\s*<returncode>(-?\d+)</returncode>\s*(?:<output>\n?(.*?)\n?</output>)?\s*\Z", re.DOTALL)
_MINI = "mini-swe-agent"


def _is_traj(document: Any) -> bool:
    if not isinstance(document, dict) or not isinstance(document.get("trajectory"), list):
        return False
    return any(_is_step(step) for step in document["trajectory"])


def _is_step(value: Any) -> bool:
    return isinstance(value, dict) and "action" in value and "observation" in value


def _traj_steps(document: Any, notes: Notes) -> Iterable[Step]:
    """One entry of ``trajectory`` is one step; the calls' structure is in ``history``, where the model made any."""
    assembly = Assembly(notes)
    history = [entry for entry in _list(document.get("history")) if isinstance(entry, dict)]
    said = [entry for entry in history if entry.get("message_type") == "action" and not entry.get("is_demo")]
    trajectory = document["trajectory"]
    structured = said if len(said) == len(trajectory) else [{}] * len(trajectory)
    notes.task = next((flat(entry.get("content")) for entry in history if entry.get("role") == "user"), "")
    notes.header = document["info"] if isinstance(document.get("info"), dict) else {}
    notes.skipped["history entry"] += len(history) - (len(said) if structured is said else 0)
    assembly.person(notes.task)
    for at, (step, entry) in enumerate(zip(trajectory, structured, strict=True)):
        if not _is_step(step):
            notes.strange("entry without action and observation", at)
            continue
        assembly.turn(str(at), at=at)
        assembly.say(text_of(step.get("thought") or step.get("response")))
        call = _action(text_of(step["action"]), entry)
        if call is None:
            assembly.nudge()  # the harness answers what it could not parse with its own words
            continue
        told = step.get("state")
        state = told if isinstance(told, dict) else {}
        opened = text_of(state.get("open_file"))
        notes.workspace = notes.workspace or text_of(state.get("working_dir"))
        assembly.call(call, at=at, extra={"open_file": opened} if opened else {})
        seconds = step.get("execution_time")
        seconds = float(seconds) if isinstance(seconds, int | float) else None
        assembly.answer(Result(text=text_of(step["observation"]), seconds=seconds))
    return assembly.steps()


def _action(action: str, entry: dict[str, Any]) -> Call | None:
    """The call of a step, from the model's own tool call or from the action's text: a command and its operands."""
    calls = [call for call in _list(entry.get("tool_calls")) if isinstance(call, dict)]
    function = calls[0].get("function") if calls else None
    if isinstance(function, dict):
        given, malformed = arguments(function.get("arguments"))
        return Call(text_of(function.get("name")), given, text_of(calls[0].get("id")), malformed)
    word, _, rest = action.strip().partition(" ")
    if "\n" in word:
        word, _, rest = action.strip().partition("\n")
    return Call(word, rest) if word else None


def _is_mini(document: Any) -> bool:
    if isinstance(document, dict):
        return text_of(document.get("trajectory_format")).startswith(_MINI)
    return are_messages(document) and any(
        message.get("role") == "assistant" and _BLOCK.search(flat(message.get("content")))
        for message in document[:10]
        if isinstance(message, dict)
    )


def _mini_steps(document: Any, notes: Notes) -> Iterable[Step]:
    assembly = Assembly(notes)
    if isinstance(document, dict):
        info = document.get("info")
        notes.header = info if isinstance(info, dict) else {}
    waits = False
    for at, message in enumerate(document if isinstance(document, list) else _list(document.get("messages"))):
        if not isinstance(message, dict):
            notes.strange("message that is no object", at)
            continue
        role, text = message.get("role"), flat(message.get("content"))
        match role:
            case "assistant":
                waits = _mini_call(at, message, text, assembly)
            case "user" | "tool":
                waits = _mini_answer(message, text, assembly, waits=waits)
            case "system" | "exit":
                notes.skipped[f"{role} message"] += 1
            case _:
                notes.strange(f"message of role {role}", at)
    return assembly.steps()


def _mini_call(at: int, message: dict[str, Any], text: str, assembly: Assembly) -> bool:
    """Take in a response; whether it made a call."""
    assembly.turn(str(at), at=at)
    if message.get("tool_calls"):
        assembly.say(text)
        call_tools(message, assembly, at=at)
        return True
    blocks = _BLOCK.findall(text)
    assembly.say(_BLOCK.sub("", text).strip() if len(blocks) == 1 else text)
    if len(blocks) != 1:
        return False  # the harness refuses all but exactly one
    assembly.call(Call("bash", {"command": blocks[0]}), at=at)
    return True


def _mini_answer(message: dict[str, Any], text: str, assembly: Assembly, *, waits: bool) -> bool:
    """Take in what was sent to the model; whether a call still waits afterwards."""
    call_id = text_of(message.get("tool_call_id"))
    if not waits:
        if assembly.has_begun:
            assembly.nudge()  # a complaint about the form of an answer
        else:
            assembly.person(text)
        return False
    found = _RETURNED.match(text)
    answer = Result(text=found[2] or "", exit_code=int(found[1])) if found else Result(text=text)
    if call_id:
        assembly.result(call_id, answer)
        return True
    assembly.answer(answer)
    return False


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


TRAJ = DocumentFormat("swe-agent", "swe-agent", _is_traj, _traj_steps)
MINI = DocumentFormat(_MINI, _MINI, _is_mini, _mini_steps)
