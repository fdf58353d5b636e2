"""What can be set, and which values are allowed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from pydantic_settings import BaseSettings, SettingsConfigDict

from loopwatch.detectors.preset import DEFAULT
from loopwatch.engine.events import Channel  # noqa: TC001 - pydantic reads the annotations
from loopwatch.engine.plan import Language, ToolProtocol, Unanswered  # noqa: TC001

if TYPE_CHECKING:
    from pydantic_settings import PydanticBaseSettingsSource

PREFIX = "LOOPWATCH_"

_UNITS = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0}


def seconds(value: Any) -> Any:
    """A duration as seconds: ``60``, ``"60s"``, ``"1.5m"``, ``"2h"``.

    Raises:
        ValueError: a text that is none.
    """
    if not isinstance(value, str):
        return value
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([smh]?)\s*", value)
    if found is None:
        raise ValueError("write a duration such as 60s, 1.5m or 2h")
    return float(found[1]) * _UNITS[found[2]]


def _or_none(value: Any) -> Any:
    """TOML and the environment have no null: the word ``none`` stands for it."""
    return None if isinstance(value, str) and value.strip().lower() == "none" else value


Count: TypeAlias = Annotated[Annotated[int, Field(ge=1)] | None, BeforeValidator(_or_none)]
Duration: TypeAlias = Annotated[
    Annotated[float, Field(gt=0)] | None, BeforeValidator(seconds), BeforeValidator(_or_none)
]
Money: TypeAlias = Annotated[Annotated[float, Field(gt=0)] | None, BeforeValidator(_or_none)]


class LimitSettings(BaseModel):
    """What a run may use; ``none`` means no limit."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    turns: Count = 100
    tokens: Count = None
    seconds: Duration = None
    cost: Money = None
    """US dollars."""
    errors: Count = None
    """Consecutive tool errors."""
    no_progress: Count = 30
    """The breaker's count."""


class PresetSettings(BaseModel):
    """A preset of one's own, or changes to one that ships (the table then has that one's name)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    base: str = ""
    """The preset this one starts from; empty means from the one of the same name, or from nothing."""
    title: str = ""
    description: str = ""
    rules: dict[str, dict[str, Any]] = Field(default_factory=dict)


class Settings(BaseSettings):
    """Everything that can be set. The field's name is the key in a file and, in capitals, in the environment."""

    model_config = SettingsConfigDict(
        frozen=True,
        extra="forbid",
        env_prefix=PREFIX,
        env_nested_delimiter="_",
        env_nested_max_split=1,
        env_ignore_empty=True,
    )

    model: str = ""
    base_url: str = "https://api.openai.com/v1"
    api_key_env: str = Field(default="OPENAI_API_KEY", pattern=r"^[A-Z][A-Z0-9_]*$")
    """Name of the environment variable that holds the key. The key itself is never a setting."""
    tool_protocol: ToolProtocol = "auto"
    preset: str = DEFAULT
    policy: Literal["ask", "accept", "observe"] = "ask"
    wait: Duration = None
    """How long a question waits for a person; ``none`` means until somebody answers."""
    unanswered: Unanswered = "dismiss"
    channel: Channel = "user_message"
    language: Language = "en"
    """Of the reminders."""
    reminders: str = ""
    """Path of a TOML file with one's own wording of reminders."""
    theme: str = ""
    limits: LimitSettings = LimitSettings()
    presets: dict[str, PresetSettings] = Field(default_factory=dict)

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],  # noqa: ARG003 - the signature is the base's
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Take only what ``load`` has layered: it must know which layer each value came from."""
        return (init_settings,)
