"""What a run is to be: everything ``run.py`` needs to know, decided beforehand."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

from loopwatch.engine.session import Limits

if TYPE_CHECKING:
    from pathlib import Path

    from pydantic import SecretStr

    from loopwatch.detectors.preset import Preset
    from loopwatch.engine.events import Channel

PolicyMode: TypeAlias = Literal["ask", "accept", "observe", "dismiss", "stop", "block"]
Unanswered: TypeAlias = Literal["accept", "dismiss", "stop"]
ToolProtocol: TypeAlias = Literal["auto", "native", "text"]
Language: TypeAlias = Literal["en", "zh"]


@dataclass(frozen=True, slots=True)
class Policy:
    """Who answers suggestions, and what happens when nobody does."""

    mode: PolicyMode = "ask"
    """``ask`` holds the agent until a person answers; ``observe`` neither asks nor says anything to the agent; the
    others answer every suggestion so at once. The hard breaker stops a run under every policy (B5)."""
    wait: float | None = None
    """Seconds a question waits for its answer under ``ask``; ``None`` means for ever."""
    unanswered: Unanswered = "dismiss"
    """What happens to a question that nobody answered in time."""


@dataclass(frozen=True, slots=True)
class RunPlan:
    """One supervised run of our own agent."""

    task: str
    model: str
    preset: Preset
    workspace: Path
    """Existing folder; the agent is confined to it."""
    base_url: str | None = None
    """OpenAI-compatible endpoint; ``None`` leaves it to the client's own default."""
    api_key: SecretStr | None = None
    policy: Policy = field(default_factory=Policy)
    limits: Limits = field(default_factory=Limits)
    tool_protocol: ToolProtocol = "auto"
    journal: Path | None = None
    """Where to record; ``None`` means a new file in the state folder."""
    source: str = "own"
    """As in ``RunStarted.source``."""
    language: Language = "en"
    """Of the reminders."""
    reminders: Path | None = None
    """The person's own wording; ``None`` means the file in the configuration folder, if there is one."""
    channel: Channel = "user_message"
    """Where reminders go unless the operator says otherwise."""
