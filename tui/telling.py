"""Events that are no calls, as one line each of the timeline."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopwatch.detectors.finding import Level
from loopwatch.engine import events
from loopwatch.engine.events import Action
from loopwatch.tui.safe_text import Safe, line, own
from loopwatch.tui.words import amount, brief, plural

if TYPE_CHECKING:
    from loopwatch.engine.events import AnyEvent, DecisionMade, EndReason

Told = tuple[str, str, Safe, Safe, int]
"""kind, state, head, text, level."""

CHANNELS = {"user_message": "as a user message", "tool_result": "inside the last tool result"}
_ACTIONS = {
    Action.ACCEPT: "accepted",
    Action.EDIT: "accepted with changes",
    Action.OVERRIDE: "said it in other words",
    Action.BLOCK: "blocked the call",
    Action.STOP: "stopped the run",
    Action.SNOOZE: "snoozed",
    Action.DISMISS: "dismissed",
    Action.EXPIRED: "nobody answered in time",
    Action.WITHDRAWN: "withdrawn",
}
_UNANSWERED = {"accept": "accepted for you", "dismiss": "dismissed", "stop": "stopped the run"}
_DECIDERS = {"operator": "you", "policy": "policy", "standing": "standing answer", "timeout": "", "supervisor": ""}
_ENDINGS = {
    "done": "finished",
    "turn_limit": "turn limit reached",
    "token_limit": "token limit reached",
    "time_limit": "time is up",
    "cost_limit": "cost limit reached",
    "errors": "too many errors in a row",
    "diminishing": "diminishing returns",
    "breaker": "stopped by the breaker",
    "operator": "stopped by you",
    "policy": "stopped by policy",
    "provider": "the model's endpoint failed",
    "fault": "loopwatch failed",
    "unknown": "ended, nobody knows why",
}


def ending(reason: EndReason) -> Safe:
    """Why a run ended, in words."""
    return own(_ENDINGS.get(reason.value, reason.value))


def of(event: AnyEvent) -> Told | None:  # noqa: C901, PLR0911 - one answer per kind of event
    """The row for an event; ``None`` for events that are shown elsewhere or not at all."""
    match event:
        case events.FindingMade():
            return "finding", event.level, own(event.level), line(event.message), Level[event.level.upper()].value
        case events.DecisionMade():
            return "decision", "decision", own("decision"), _decision(event), 0
        case events.Injected():
            cost = f", {amount(event.tokens)} tokens" if event.tokens else ""
            text = f"{CHANNELS.get(event.channel, event.channel)}{cost}: {event.text}"
            return "injection", "queued", own("reminder"), line(text), 0
        case events.Receipt():
            return "receipt", event.status, own("receipt"), _receipt(event), 0
        case events.ApprovalAsked():
            return (
                "approval",
                event.answer,
                own("approval"),
                line(f"{event.answer}: {event.command}  {event.reason}"),
                0,
            )
        case events.Spoke():
            return "person", "person", own("you"), line(event.text), 0
        case events.Compacted():
            text = f"conversation compacted: {amount(event.before)} → {amount(event.after)} {event.unit}"
            return "compaction", "compaction", own("memory"), line(text), 0
        case events.Note():
            return "note", event.level, own("note"), line(event.text), 0
        case events.RunEnded():
            text = ending(event.reason) + (f": {event.message}" if event.message else "")
            return "end", event.reason.value, own("end"), line(text), 0
        case events.Unknown():
            return "note", "warning", own("note"), line(f"event of a newer loopwatch: {event.type}"), 0
    return None


def _decision(event: DecisionMade) -> Safe:
    who = _DECIDERS.get(event.by, event.by)
    words = [who] if who else []
    words.append(_ACTIONS.get(event.action, event.action.value))
    if event.action is Action.SNOOZE:
        words.append(f"for {plural(event.steps, 'step')}")
    if event.action is Action.EXPIRED and event.unanswered:
        words[-1] += f": {_UNANSWERED.get(event.unanswered, event.unanswered)}"
    if event.always:
        words.append("always")
    if event.by == "operator" and event.seconds >= 1:
        words.append(f"after {brief(event.seconds)}")
    said = " ".join(words)
    detail = event.text if event.action in {Action.EDIT, Action.OVERRIDE} else event.reason
    return line(f"{said}: {detail}" if detail else said)


def _receipt(event: events.Receipt) -> Safe:
    if event.status == "delivered":
        return line(f"the model has read it: message {event.position + 1} of {event.of} in turn {event.turn}")
    return line(f"{event.status}: {event.reason or 'no request carried the reminder'}")
