"""What an agent did: calls, results and the steps they form.

These are the facts every source is translated into and the only thing a rule ever sees of the world. They are frozen
slotted dataclasses, not pydantic models: validation happens at the edge (events, file readers), and a run has 100,000
of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"

MAIN_AGENT = "main"


@dataclass(frozen=True, slots=True)
class Call:
    """One tool call as the model asked for it."""

    tool: str
    """The tool's name in the agent's own vocabulary, for example ``Bash`` or ``read_file``."""
    arguments: Json = None
    """The decoded arguments; a plain string for free-form tools or where the JSON could not be decoded."""
    id: str = ""
    """The provider's call id; empty where the source has none."""
    malformed: bool = False
    """The argument text was no valid JSON (``arguments`` then holds it as it came), or was cut off."""


@dataclass(frozen=True, slots=True)
class Result:
    """What came back for a call."""

    text: str
    is_error: bool | None = None
    """What the agent's own harness said; ``None`` where it says nothing."""
    exit_code: int | None = None
    """Process exit status where the source tells it apart from the text."""
    digest: str = ""
    """Hash of the whole result where ``text`` was cut for keeping; two results with different digests differ."""
    seconds: float | None = None
    """How long the call took."""
    synthetic: bool = False
    """loopwatch's own answer to a blocked or cancelled call: never evidence, progress or failure."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one model request."""

    input: int = 0
    output: int = 0
    cached: int = 0
    """Part of ``input`` that was served from the prompt cache."""
    reasoning: int = 0
    """Part of ``output`` spent on reasoning."""
    estimated: bool = False
    """Counted by us because the provider sent no usage."""


@dataclass(frozen=True, slots=True)
class Change:
    """A file of the workspace that changed between two steps."""

    path: str
    """Relative to the workspace, with ``/``."""
    kind: Literal["created", "modified", "deleted"]
    before: str = ""
    """Content digest before the change; empty where unknown or absent."""
    after: str = ""
    """Content digest after the change; empty where deleted."""


@dataclass(frozen=True, slots=True)
class Step:
    """A call and its result, or a message without a call (``call is None``)."""

    index: int
    """0-based position in the run, in call order."""
    call: Call | None = None
    result: Result | None = None
    """``None`` for a message, and for a call whose result never came."""
    turn: int | None = None
    """Model response the call belongs to; parallel calls share it. ``None`` where the source does not tell."""
    agent: str = MAIN_AGENT
    """Which agent of the run acted; subagents have ids of their own."""
    text: str = ""
    """What the model said in this turn, on the turn's first step only."""
    reasoning: str = ""
    finish_reason: str = ""
    usage: Usage | None = None
    time: float | None = None
    """Seconds; only differences matter."""
    person: bool = False
    """A person spoke since the step before."""
    nudge: bool = False
    """A harness, or loopwatch itself, put text before the model since the step before."""
    compacted: bool = False
    """The conversation was compacted since the step before."""
    replayed: bool = False
    """Repeats an earlier call id (a resumed or replayed transcript): counts once."""
    changes: tuple[Change, ...] | None = None
    """Workspace changes this step made; ``()`` means watched and nothing changed, ``None`` not watched."""
    extra: dict[str, Json] = field(default_factory=dict, compare=False)
    """Whatever else a source knows (file, line number); rules do not read it."""
