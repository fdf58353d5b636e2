"""A run as one stream of immutable events.

Every event carries the run's id, the acting agent's id, a sequence number and a time; ``EventLog.append`` stamps them.
The stream is written to a journal before it is shown; whatever is on screen is a projection of it.

One JSON object a line. ``v`` is the format's version; a reader keeps and counts what it does not know.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError, WrapValidator

from loopwatch.detectors.step import MAIN_AGENT

if TYPE_CHECKING:
    from pydantic import ValidatorFunctionWrapHandler

VERSION = 1

LevelWord: TypeAlias = Literal["notice", "warn", "strong", "critical"]
ResponseWord: TypeAlias = Literal["none", "remind", "block", "stop"]
Channel: TypeAlias = Literal["user_message", "tool_result"]
"""Where a reminder goes: a user message of its own at the end, or inside the last tool result (injection rule 2)."""


def _kept(value: Any, check: ValidatorFunctionWrapHandler) -> Any:
    """Models write what they like: arguments nested beyond what JSON libraries take are kept as text."""
    try:
        return check(value)
    except ValidationError:
        return repr(value) if isinstance(value, list | dict | tuple) else str(value)


Arguments: TypeAlias = Annotated[JsonValue, WrapValidator(_kept)]


class EventBase(BaseModel):
    """What all events share."""

    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="strings")

    v: Literal[1] = 1
    run: str = ""
    """Run id, stamped by the log."""
    seq: int = 0
    """Position in the stream, from 1, without gaps; stamped by the log."""
    time: float = 0.0
    """Unix time in seconds, stamped by the log."""
    agent: str = MAIN_AGENT


class RunStarted(EventBase):
    """The first event of every run."""

    type: Literal["run"] = "run"
    task: str = ""
    source: str = "own"
    """``own``, ``demo:<scenario>``, or the name of the foreign source."""
    model: str = ""
    endpoint: str = ""
    """Base URL without user info or query."""
    workspace: str = ""
    preset: str = ""
    settings: dict[str, JsonValue] = Field(default_factory=dict)
    """The preset's rule settings as they were at the start, so that a replay can judge alike."""
    policy: str = "ask"
    limits: dict[str, float | None] = Field(default_factory=dict)
    """``turns``, ``tokens``, ``seconds``, ``errors``, ``no_progress``; ``None`` or absent means unlimited."""
    program: str = ""
    """Name and version of the writer."""


class TurnStarted(EventBase):
    """A request goes to the model."""

    type: Literal["turn"] = "turn"
    turn: int
    """From 1."""
    messages: int = 0
    """Number of messages in the request."""
    phase: Literal["action", "thinking"] = "action"


class TextCame(EventBase):
    """A piece of what the model says, in order; concatenate the pieces of a turn."""

    type: Literal["text"] = "text"
    turn: int
    text: str


class ReasoningCame(EventBase):
    """A piece of the model's reasoning, where the provider sends it."""

    type: Literal["reasoning"] = "reasoning"
    turn: int
    text: str


class CallMade(EventBase):
    """The model asked for a tool; the call has not run yet."""

    type: Literal["call"] = "call"
    turn: int
    call_id: str
    tool: str
    arguments: Arguments = None
    malformed: bool = False
    """The argument text was no valid JSON; ``arguments`` then holds it as it came."""


class ResultCame(EventBase):
    """What a tool gave back; results keep the order of their calls (A4)."""

    type: Literal["result"] = "result"
    turn: int
    call_id: str
    text: str
    is_error: bool | None = None
    exit_code: int | None = None
    seconds: float | None = None
    digest: str = ""
    """SHA-256 of the whole where ``text`` was cut."""
    cut: int = 0
    """Characters left out of ``text``."""
    synthetic: bool = False
    """loopwatch's own answer to a call that was blocked or cancelled."""


class UsageReported(EventBase):
    """Tokens and cost of one request."""

    type: Literal["usage"] = "usage"
    turn: int
    input: int = 0
    output: int = 0
    cached: int = 0
    reasoning: int = 0
    estimated: bool = False
    cost: float | None = None
    """US dollars; ``None`` where no price is known."""


class Finished(EventBase):
    """The model's answer of this turn is complete."""

    type: Literal["finish"] = "finish"
    turn: int
    reason: str
    """The provider's word: ``stop``, ``tool_calls``, ``length``, …"""


class FindingMade(EventBase):
    """A detector spoke. Fields as in ``loopwatch.detectors.finding.Finding``."""

    type: Literal["finding"] = "finding"
    rule: str
    level: LevelWord
    step: int
    steps: tuple[int, ...] = ()
    count: int = 0
    threshold: int = 0
    message: str = ""
    key: str = ""
    response: ResponseWord = "none"
    tool: str = ""
    equal_because: tuple[str, ...] = ()
    resets_when: str = ""
    final: bool = False
    before_call: bool = False


class SuggestionMade(EventBase):
    """A finding became a proposal that somebody must answer."""

    type: Literal["suggestion"] = "suggestion"
    id: str
    """Unique within the run: ``s1``, ``s2``, …"""
    finding: int
    """``seq`` of the finding."""
    rule: str
    level: LevelWord
    response: ResponseWord
    text: str
    """Proposed reminder, or the text of the synthetic result for a block, or the reason for a stop."""
    channel: Channel = "user_message"
    call_id: str = ""
    """The call that waits, for a proposal made before it runs."""


class Action(StrEnum):
    """What can be decided about a suggestion."""

    ACCEPT = "accept"
    EDIT = "edit"
    """Accept with the suggested text changed."""
    OVERRIDE = "override"
    """The operator's own words instead."""
    BLOCK = "block"
    """Refuse the next identical call (or the one that waits)."""
    STOP = "stop"
    SNOOZE = "snooze"
    DISMISS = "dismiss"
    EXPIRED = "expired"
    """Nobody answered in time; what then happened is in ``unanswered``."""
    WITHDRAWN = "withdrawn"
    """The loop ended, or the run did, before anything was delivered."""


class DecisionMade(EventBase):
    """The answer to a suggestion."""

    type: Literal["decision"] = "decision"
    suggestion: str
    action: Action
    text: str = ""
    """Final text for ``accept``, ``edit`` and ``override``."""
    steps: int = 0
    """For ``snooze``: how many steps."""
    always: bool = False
    """The same answer for this rule from now on in this run."""
    by: Literal["operator", "policy", "standing", "timeout", "supervisor"] = "operator"
    unanswered: Literal["", "accept", "dismiss", "stop"] = ""
    reason: str = ""
    seconds: float = 0.0
    """How long the suggestion waited."""


class Injected(EventBase):
    """Text was put into the conversation for the next request."""

    type: Literal["injection"] = "injection"
    id: str
    """``i1``, ``i2``, …"""
    suggestion: str = ""
    """Empty for text that no suggestion led to (scheduled reminders, the operator speaking)."""
    rule: str = ""
    text: str
    channel: Channel
    tokens: int = 0
    """Estimated cost of the text."""


class Receipt(EventBase):
    """Proof, or its absence, that a request carried an injection. Checked on what was sent."""

    type: Literal["receipt"] = "receipt"
    injection: str
    status: Literal["delivered", "expired", "rejected", "unconfirmed"]
    turn: int = 0
    position: int = -1
    """Index of the message in the request that carried it."""
    of: int = 0
    """Number of messages in that request."""
    reason: str = ""


class ApprovalAsked(EventBase):
    """A dangerous command waits for, or got, the operator's word (A16)."""

    type: Literal["approval"] = "approval"
    call_id: str
    command: str
    reason: str
    answer: Literal["pending", "yes", "no", "edited"] = "pending"
    edited: str = ""
    by: Literal["", "operator", "policy", "timeout", "settings"] = ""


class FileChange(BaseModel):
    """One changed file."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: str
    kind: Literal["created", "modified", "deleted"]
    before: str = ""
    after: str = ""


class WorkspaceChanged(EventBase):
    """Files changed while a call ran; an empty list says that it was watched and nothing did."""

    type: Literal["workspace"] = "workspace"
    call_id: str = ""
    changes: tuple[FileChange, ...] = ()


class Compacted(EventBase):
    """Older messages were shortened or left out."""

    type: Literal["compaction"] = "compaction"
    before: int = 0
    after: int = 0
    unit: Literal["messages", "characters", "tokens"] = "characters"


class Spoke(EventBase):
    """A person's message entered the conversation."""

    type: Literal["person"] = "person"
    text: str


class Note(EventBase):
    """Something worth telling that is none of the above: a retry, a degraded watch, a changed setting."""

    type: Literal["note"] = "note"
    text: str
    level: Literal["info", "warning", "error"] = "info"
    data: dict[str, JsonValue] = Field(default_factory=dict)


class EndReason(StrEnum):
    """Why a run ended."""

    DONE = "done"
    """The model made no call."""
    TURN_LIMIT = "turn_limit"
    TOKEN_LIMIT = "token_limit"  # noqa: S105 - not a password
    TIME_LIMIT = "time_limit"
    COST_LIMIT = "cost_limit"
    ERRORS = "errors"
    """Consecutive tool errors (C3)."""
    DIMINISHING = "diminishing"
    BREAKER = "breaker"
    OPERATOR = "operator"
    """Stopped by a decision, a key or a signal."""
    POLICY = "policy"
    """Stopped by an unattended policy's decision."""
    PROVIDER = "provider"
    """The model's endpoint failed for good."""
    FAULT = "fault"
    """A fault of loopwatch itself."""
    UNKNOWN = "unknown"


class RunEnded(EventBase):
    """The last event of a run that ended in order; a killed run has none."""

    type: Literal["end"] = "end"
    reason: EndReason
    message: str = ""
    exit_code: int = 0


class Unknown(EventBase):
    """A line of a newer format: kept, counted, never judged."""

    model_config = ConfigDict(frozen=True, extra="allow")

    type: str
    v: int = VERSION  # type: ignore[assignment]  # any version


Event: TypeAlias = (
    RunStarted
    | TurnStarted
    | TextCame
    | ReasoningCame
    | CallMade
    | ResultCame
    | UsageReported
    | Finished
    | FindingMade
    | SuggestionMade
    | DecisionMade
    | Injected
    | Receipt
    | ApprovalAsked
    | WorkspaceChanged
    | Compacted
    | Spoke
    | Note
    | RunEnded
)
KnownEvent: TypeAlias = Annotated[Event, Field(discriminator="type")]
AnyEvent: TypeAlias = Event | Unknown

EXIT_CODES: dict[EndReason, int] = dict.fromkeys(EndReason, 3) | {
    EndReason.DONE: 0,
    EndReason.TURN_LIMIT: 1,
    EndReason.UNKNOWN: 1,
    EndReason.PROVIDER: 4,
    EndReason.FAULT: 4,
    EndReason.OPERATOR: 130,
}
"""Process exit status for each reason (design: 0 finished, 1 not finished, 3 breaker or budget, 4 provider, 130)."""


def plain(event: EventBase) -> dict[str, Any]:
    """The event as JSON-ready data."""
    return event.model_dump(mode="json")
