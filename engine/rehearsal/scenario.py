"""A scenario: a task, a workspace, and a model's side of the story, as a TOML file.

::

    title = "Retries a file that is not there"
    task = "Read secret_key.txt and tell me the key."

    [[file]]
    path = "README.md"
    text = "The key is handed out by the operations team."

    [[scene]]
    until = { intervened = true }       # plays its turns over and over until this holds …
    at_most = 12                        # … or so many turns were played
    [[scene.turn]]
    text = "Trying again ({n})."
    calls = [{ tool = "read_file", arguments = { path = "secret_key.txt" } }]

    [[scene]]
    when = { intervened = true }        # is skipped unless this holds
    [[scene.turn]]
    text = "I cannot find it. Can you help?"

Scenes play in order. Texts and arguments may hold ``{n}`` (turn of the scene, from 1), ``{workspace}``, ``{python}``
(an interpreter, quoted for a shell), ``{said}`` (what the agent was told last) and ``{result}`` (its newest result);
these two come on one line and shortened.
"""

from __future__ import annotations

import tomllib
from importlib import resources
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    ValidationError,
    model_validator,
)

from loopwatch.engine import toml_text
from loopwatch.engine.rehearsal.condition import Condition

_FOLDER = "loopwatch.engine.rehearsal.scenarios"


class ScenarioError(ValueError):
    """A scenario that cannot be played; names the file, the key and what is wrong there."""


def _inside(path: str) -> str:
    pure = PurePosixPath(path)
    if pure.is_absolute() or ".." in pure.parts or not pure.parts or "\0" in path:
        raise ValueError("must be a relative path inside the workspace")
    return path


RelativePath = Annotated[str, AfterValidator(_inside)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class WorkspaceFile(_Part):
    """A file that is there when the run begins."""

    path: RelativePath
    text: str = ""
    """A line end right at the beginning is left out, so that the text can start on a line of its own. ``{prose}`` is a
    sentence that is different from copy to copy and from line to line."""
    copies: int = Field(default=1, ge=1, le=1_000)
    """So many files; ``{copy}`` in path and text is the number of each, from 1."""
    repeat: int = Field(default=1, ge=1, le=10_000)
    """The text is written so many times; ``{line}`` in it is the number of the repetition, from 1."""
    executable: bool = False


class ScriptedCall(_Part):
    """A tool call that the model makes."""

    tool: str = Field(min_length=1)
    arguments: dict[str, JsonValue] = Field(default_factory=dict)
    raw: str | None = None
    """Argument text sent as it is instead, for arguments that are no JSON."""


class UsageOverride(_Part):
    """Figures to report instead of the counted ones."""

    input: int | None = Field(default=None, ge=0)
    output: int | None = Field(default=None, ge=0)


class Turn(_Part):
    """One answer of the model."""

    text: str = ""
    reasoning: str = ""
    calls: tuple[ScriptedCall, ...] = ()
    finish_reason: Literal["stop", "tool_calls", "length", "content_filter"] | None = None
    """Follows from the answer unless given."""
    usage: UsageOverride = UsageOverride()

    @model_validator(mode="after")
    def _says_something(self) -> Turn:
        if not (self.text or self.reasoning or self.calls or self.finish_reason):
            raise ValueError("says and does nothing: give it text, reasoning, calls or a finish_reason")
        return self


class Scene(_Part):
    """Turns that belong together."""

    name: str = ""
    when: Condition = Condition()
    """Skipped unless this holds when its time comes."""
    until: Condition | None = None
    """Its turns are repeated until this holds; looked at before each turn but the first."""
    at_most: int | None = Field(default=None, ge=1, le=10_000)
    """With ``until``: ends after so many turns in any case."""
    last: bool = False
    """The story ends with this scene when it is played."""
    turns: tuple[Turn, ...] = Field(alias="turn", min_length=1)

    @model_validator(mode="after")
    def _ends(self) -> Scene:
        if (self.until is None) != (self.at_most is None):
            raise ValueError("until and at_most go together: a repeated scene must end even if nobody intervenes")
        return self

    @property
    def length(self) -> int:
        """Turns it plays at most."""
        return self.at_most or len(self.turns)


class ScenarioLimits(_Part):
    """Limits of the run unless the person sets others; as in ``loopwatch.engine.session.Limits``."""

    turns: int = Field(default=40, ge=1)
    tokens: int | None = Field(default=None, ge=1)
    errors: int | None = Field(default=None, ge=1)
    no_progress: int | None = Field(default=30, ge=1)


class Pace(_Part):
    """How slowly the model answers, in seconds, before the demo's pace is applied."""

    think: float = Field(default=0.5, ge=0, le=10)
    """Before the first delta."""
    delta: float = Field(default=0.015, ge=0, le=1)
    """Between deltas."""


class Scenario(_Part):
    """All of it."""

    name: str
    title: str = Field(min_length=1)
    description: str = ""
    task: str = Field(min_length=1)
    """What the agent is asked to do."""
    preset: str = "balanced"
    model: str = "rehearsal"
    output_cap: int | None = Field(default=None, ge=1)
    """The model's output limit in tokens: an answer that is longer is cut there and finishes with ``length``."""
    limits: ScenarioLimits = ScenarioLimits()
    pace: Pace = Pace()
    files: tuple[WorkspaceFile, ...] = Field(default=(), alias="file")
    scenes: tuple[Scene, ...] = Field(alias="scene", min_length=1)
    closing: str = "That is all I can do here."
    """Said when the agent goes on asking after the story has ended."""


def scenario_names() -> tuple[str, ...]:
    """The scenarios that ship with loopwatch: the original demonstration first, then by name."""
    found = sorted(
        entry.name.removesuffix(".toml") for entry in resources.files(_FOLDER).iterdir() if entry.name.endswith(".toml")
    )
    return tuple(sorted(found, key=lambda name: name != "secret-key"))


def load_scenario(name: str) -> Scenario:
    """A scenario that ships with loopwatch, or the one in a file whose name ends in ``.toml``.

    Raises:
        ScenarioError: there is none of that name, or the file cannot be used.
    """
    if name.endswith(".toml"):
        try:
            text = Path(name).read_text(encoding="utf-8")
        except OSError as error:
            raise ScenarioError(f"{name}: cannot be read: {error.strerror or error}") from None
        except UnicodeDecodeError:
            raise ScenarioError(f"{name}: is not UTF-8 text") from None
        return parse_scenario(text, name=Path(name).stem, where=name)
    if name not in scenario_names():
        raise ScenarioError(f"no scenario {name!r}; there are: {', '.join(scenario_names())}")
    text = resources.files(_FOLDER).joinpath(f"{name}.toml").read_text(encoding="utf-8")
    return parse_scenario(text, name=name, where=f"{name}.toml")


def parse_scenario(text: str, *, name: str, where: str) -> Scenario:
    """Read a scenario's TOML; ``where`` is named in errors.

    Raises:
        ScenarioError: with the file, the key (or line) and what is wrong.
    """
    try:
        data: dict[str, Any] = toml_text.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ScenarioError(f"{where}: {error}") from None
    if "name" in data:
        raise ScenarioError(f"{where}: name: a scenario is named by its file")
    try:
        return Scenario.model_validate({**data, "name": name})
    except ValidationError as error:
        detail = error.errors(include_url=False)[0]
        message = detail["msg"].removeprefix("Value error, ")
        raise ScenarioError(f"{where}: {_key(detail['loc']) or 'file'}: {message[:1].lower()}{message[1:]}") from None


def _key(loc: tuple[int | str, ...]) -> str:
    """``scene[2].turn[1].text``, counted from 1 as a person does."""
    key = ""
    for part in loc:
        if isinstance(part, int):
            key += f"[{part + 1}]"
        else:
            key += f".{part}" if key else part
    return key
