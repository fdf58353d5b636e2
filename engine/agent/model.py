"""The model at the other end: streaming chat completions of any OpenAI-compatible endpoint.

The openai client is imported on first use, in a thread: it costs a second that no screen should stand still for.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from loopwatch.detectors.step import Usage
from loopwatch.engine.agent.assembly import CallAssembler, RequestedCall

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Sequence

    from pydantic import SecretStr

CHARACTERS_A_TOKEN = 4
"""Rule of thumb for English text and code; used only where the provider sends no usage, and marked so."""


class ProviderError(Exception):
    """The endpoint failed for good; the message is one line and holds no key."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of streamed text."""

    kind: Literal["text", "reasoning"]
    text: str


@dataclass(frozen=True, slots=True)
class Answer:
    """A complete answer."""

    text: str
    reasoning: str
    calls: tuple[RequestedCall, ...]
    finish_reason: str
    """The provider's word; empty where the stream ended without one."""
    usage: Usage


StreamPart: TypeAlias = Piece | Answer


@dataclass(slots=True)
class _Draft:
    """What has come so far of one answer."""

    text: list[str] = field(default_factory=list)
    reasoning: list[str] = field(default_factory=list)
    calls: CallAssembler = field(default_factory=CallAssembler)
    finish_reason: str = ""
    usage: Usage | None = None


class ChatModel:
    """One model at one endpoint."""

    def __init__(
        self, *, model: str, base_url: str | None = None, api_key: SecretStr | None = None, timeout: float = 600.0
    ) -> None:
        self.model = model
        self._base_url = base_url
        self._api_key = api_key
        self._timeout = timeout
        self._client: Any = None
        self._asks_for_usage = True

    async def stream(
        self, messages: Sequence[dict[str, Any]], tools: Sequence[dict[str, Any]] = ()
    ) -> AsyncGenerator[StreamPart]:
        """Send a request; yields pieces as they come and the whole ``Answer`` last.

        Raises:
            ProviderError: the endpoint could not be reached, refused, or broke off.
        """
        import openai

        draft = _Draft()
        try:
            response = await self._request(messages, tools)
            async with response:
                async for chunk in response:
                    for piece in _take(chunk, draft):
                        yield piece
        except openai.OpenAIError as error:
            raise ProviderError(self._one_line(error)) from None
        except (OSError, ValueError) as error:
            raise ProviderError(self._one_line(error)) from None
        text = "".join(draft.text)
        reasoning = "".join(draft.reasoning)
        calls = draft.calls.calls()
        usage = draft.usage or _estimate(messages, tools, [text, reasoning, *(call.raw for call in calls)])
        yield Answer(text=text, reasoning=reasoning, calls=calls, finish_reason=draft.finish_reason, usage=usage)

    async def open(self) -> None:
        """Import the client and make it ready; idempotent.

        Raises:
            ProviderError: no key is set and none can be done without.
        """
        if self._client is not None:
            return
        openai = await asyncio.to_thread(_import_openai)
        key = self._api_key.get_secret_value() if self._api_key is not None else ""
        if not key and self._base_url is None:
            raise ProviderError("no API key: set OPENAI_API_KEY, or name a local endpoint with --base-url")
        # Local endpoints want no key, but the client insists on one.
        self._client = openai.AsyncOpenAI(
            api_key=key or "unused", base_url=self._base_url, timeout=self._timeout, max_retries=2
        )

    async def close(self) -> None:
        """Close the connections."""
        if self._client is not None:
            await self._client.close()
            self._client = None

    async def _request(self, messages: Sequence[dict[str, Any]], tools: Sequence[dict[str, Any]]) -> Any:
        import openai

        await self.open()
        request: dict[str, Any] = {"model": self.model, "messages": list(messages), "stream": True}
        if tools:
            request["tools"] = list(tools)
        if self._asks_for_usage:
            try:
                return await self._client.chat.completions.create(**request, stream_options={"include_usage": True})
            except openai.BadRequestError as error:
                if "stream_options" not in str(error):
                    raise
                self._asks_for_usage = False
        return await self._client.chat.completions.create(**request)

    def _one_line(self, error: BaseException) -> str:
        """What went wrong, for a person; never with the key in it."""
        import openai

        where = self._base_url or "the default endpoint"
        text = " ".join(str(error).split())[:300]
        if self._api_key is not None and (key := self._api_key.get_secret_value()):
            text = text.replace(key, "•••")
        if isinstance(error, openai.AuthenticationError):
            return f"{where} refused the API key (401): check the key in the environment"
        if isinstance(error, openai.APITimeoutError):
            return f"{where} did not answer within {self._timeout:g} s"
        if isinstance(error, openai.APIConnectionError):
            cause = error.__cause__ or error
            return f"cannot reach {where}: {' '.join(str(cause).split())[:200] or type(cause).__name__}"
        if isinstance(error, openai.APIStatusError):
            return f"{where} answered {error.status_code}: {text}"
        return f"{where}: {text or type(error).__name__}"


def _import_openai() -> Any:
    import openai

    return openai


def _take(chunk: Any, draft: _Draft) -> list[Piece]:
    """Fold one chunk into the draft; what of it can be shown at once."""
    if (usage := getattr(chunk, "usage", None)) is not None:
        draft.usage = _usage(usage)
    choices = getattr(chunk, "choices", None)
    if not choices:
        return []
    choice = choices[0]
    draft.finish_reason = getattr(choice, "finish_reason", None) or draft.finish_reason
    delta = getattr(choice, "delta", None)
    if delta is None:
        return []
    pieces: list[Piece] = []
    reasoning = getattr(delta, "reasoning_content", None) or getattr(delta, "reasoning", None)
    if isinstance(reasoning, str) and reasoning:
        draft.reasoning.append(reasoning)
        pieces.append(Piece("reasoning", reasoning))
    text = getattr(delta, "content", None)
    if isinstance(text, str) and text:
        draft.text.append(text)
        pieces.append(Piece("text", text))
    draft.calls.feed(getattr(delta, "tool_calls", None) or ())
    return pieces


def _usage(sent: Any) -> Usage:
    def count(holder: str, name: str) -> int:
        return getattr(getattr(sent, holder, None), name, None) or 0

    return Usage(
        input=getattr(sent, "prompt_tokens", None) or 0,
        output=getattr(sent, "completion_tokens", None) or 0,
        cached=count("prompt_tokens_details", "cached_tokens"),
        reasoning=count("completion_tokens_details", "reasoning_tokens"),
    )


def estimate_tokens(text: str) -> int:
    """Roughly how many tokens ``text`` is."""
    return -(-len(text) // CHARACTERS_A_TOKEN)


def _estimate(messages: Sequence[dict[str, Any]], tools: Sequence[dict[str, Any]], output: list[str]) -> Usage:
    sent = sum(
        estimate_tokens(str(message.get("content") or "") + str(message.get("tool_calls") or ""))
        for message in messages
    )
    return Usage(
        input=sent + (estimate_tokens(str(tools)) if tools else 0),
        output=sum(estimate_tokens(text) for text in output),
        estimated=True,
    )
