"""The model at the other end: streaming chat completions of any OpenAI-compatible endpoint.

The openai client is imported on first use, in a thread: it costs a second that no screen should stand still for.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from loopwatch.detectors.step import Usage
from loopwatch.engine.agent.assembly import CallAssembler, RequestedCall
from loopwatch.engine.agent.errors import ProviderError, trouble
from loopwatch.engine.agent.plain import string, whole
from loopwatch.engine.budget import estimated_tokens
from loopwatch.engine.endpoint import on_this_machine
from loopwatch.engine.redaction import Redactor, redacted_endpoint

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping, Sequence

    from pydantic import SecretStr

CONNECT_SECONDS = 15.0


@dataclass(frozen=True, slots=True)
class Accepted:
    """The endpoint has taken the request and begins to answer."""


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


StreamPart: TypeAlias = Accepted | Piece | Answer


@dataclass(slots=True)
class _Draft:
    """What has come so far of one answer."""

    text: list[str] = field(default_factory=list)
    reasoning: list[str] = field(default_factory=list)
    calls: CallAssembler = field(default_factory=CallAssembler)
    finish_reason: str = ""
    usage: Usage | None = None
    begun: bool = False
    """Whether there was anything of an answer, be it an empty one."""


class ChatModel:
    """One model at one endpoint."""

    def __init__(
        self,
        *,
        model: str,
        base_url: str | None = None,
        api_key: SecretStr | None = None,
        timeout: float = 600.0,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        """Describe the endpoint; nothing is imported or sent yet.

        Args:
            model: As the endpoint knows it.
            base_url: Up to and with ``/v1``.
            api_key: Never shown, logged or put into an error.
            timeout: Longest silence in seconds. A local model may read a long prompt for minutes before its first word.
            options: Further fields of every request, for example ``temperature`` or ``seed``.
        """
        self.model = model
        self._options = dict(options or {})
        self._base_url = base_url
        self._api_key = api_key
        self._timeout = timeout
        self._client: Any = None
        self._asks_for_usage = True
        self._redact = Redactor([self._key()])

    async def stream(
        self, messages: Sequence[dict[str, Any]], tools: Sequence[dict[str, Any]] = ()
    ) -> AsyncGenerator[StreamPart]:
        """Send a request; yields pieces as they come and the whole ``Answer`` last.

        Raises:
            ProviderError: the endpoint could not be reached, refused, or broke off.
        """
        draft = _Draft()
        answering = False
        await self.open()
        try:
            response = await self._request(messages, tools)
            answering = True
            async with response:
                yield Accepted()
                async for chunk in response:
                    for piece in _take(chunk, draft):
                        yield piece
        except Exception as error:  # noqa: BLE001 - whatever a client raises over a stranger's bytes
            raise trouble(error, where=self._where(), redact=self._redact, answering=answering) from None
        if not draft.begun:
            # A web page instead of the API, or an endpoint that does not stream: silence is no finished task.
            raise ProviderError(f"{self._where()} sent no answer (check that the base URL is the API's)", "broken")
        text = "".join(draft.text)
        reasoning = "".join(draft.reasoning)
        calls = draft.calls.calls()
        usage = draft.usage or _estimate(messages, tools, [text, reasoning, *(call.tool + call.raw for call in calls)])
        yield Answer(text=text, reasoning=reasoning, calls=calls, finish_reason=draft.finish_reason, usage=usage)

    async def open(self) -> None:
        """Import the client and make it ready; idempotent.

        Raises:
            ProviderError: no key is set and none can be done without, or the base URL is none.
        """
        if self._client is not None:
            return
        if not self._key() and self._base_url is None:
            raise ProviderError(
                "no API key: set OPENAI_API_KEY, or name a local endpoint with --base-url", "authentication"
            )
        try:
            self._client = await asyncio.to_thread(self._made)
        except Exception as error:  # noqa: BLE001 - a base URL can be wrong in many ways
            raise trouble(error, where=self._where(), redact=self._redact) from None

    async def close(self) -> None:
        """Close the connections."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    async def _request(self, messages: Sequence[dict[str, Any]], tools: Sequence[dict[str, Any]]) -> Any:
        import openai

        request: dict[str, Any] = {**self._options, "model": self.model, "messages": list(messages), "stream": True}
        if tools:
            request["tools"] = list(tools)
        if self._asks_for_usage:
            try:
                return await self._client.chat.completions.create(**request, stream_options={"include_usage": True})
            except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
                if "stream_options" not in str(error) and "include_usage" not in str(error):
                    raise
                self._asks_for_usage = False
        return await self._client.chat.completions.create(**request)

    def _made(self) -> Any:
        """The client, with everything it imports: in a thread, since that takes a second."""
        import openai

        client = openai.AsyncOpenAI(
            # Local endpoints want no key, but the client insists on one.
            api_key=self._key() or "unused",
            base_url=self._base_url,
            timeout=openai.Timeout(self._timeout, connect=min(self._timeout, CONNECT_SECONDS)),
            max_retries=2,
            # A proxy that is set for the world outside cannot reach an endpoint on this machine.
            http_client=openai.DefaultAsyncHttpxClient(trust_env=False) if on_this_machine(self._base_url) else None,
        )
        _ = client.chat.completions  # imported on first use
        return client

    def _key(self) -> str:
        return self._api_key.get_secret_value() if self._api_key is not None else ""

    def _where(self) -> str:
        return redacted_endpoint(self._base_url) if self._base_url else "the default endpoint"


def _take(chunk: Any, draft: _Draft) -> list[Piece]:
    """Fold one chunk into the draft; what of it can be shown at once."""
    if (usage := getattr(chunk, "usage", None)) is not None:
        draft.usage = _usage(usage) or draft.usage
    choices = getattr(chunk, "choices", None)
    if not isinstance(choices, list) or not choices:
        return []
    choice = choices[0]
    draft.finish_reason = string(getattr(choice, "finish_reason", None)) or draft.finish_reason
    draft.begun = draft.begun or bool(draft.finish_reason)
    delta = getattr(choice, "delta", None)
    if delta is None:
        return []
    draft.begun = True
    pieces: list[Piece] = []
    reasoning = getattr(delta, "reasoning_content", None) or getattr(delta, "reasoning", None)
    if isinstance(reasoning, str) and reasoning:
        draft.reasoning.append(whole(reasoning))
        pieces.append(Piece("reasoning", draft.reasoning[-1]))
    for text in (getattr(delta, "content", None), getattr(delta, "refusal", None)):
        if isinstance(text, str) and text:
            draft.text.append(whole(text))
            pieces.append(Piece("text", draft.text[-1]))
    calls = getattr(delta, "tool_calls", None)
    draft.calls.feed(calls if isinstance(calls, list) else ())
    return pieces


def _usage(sent: Any) -> Usage | None:
    """The provider's figures; ``None`` where it sends the field and nothing in it."""

    def count(holder: Any, name: str) -> int:
        value = getattr(holder, name, None)
        return int(value) if isinstance(value, int | float) and value > 0 else 0

    usage = Usage(
        input=count(sent, "prompt_tokens"),
        output=count(sent, "completion_tokens"),
        cached=count(getattr(sent, "prompt_tokens_details", None), "cached_tokens"),
        reasoning=count(getattr(sent, "completion_tokens_details", None), "reasoning_tokens"),
    )
    return usage if usage.input or usage.output else None


def _estimate(messages: Sequence[dict[str, Any]], tools: Sequence[dict[str, Any]], output: list[str]) -> Usage:
    sent = sum(
        estimated_tokens(str(message.get("content") or "") + str(message.get("tool_calls") or ""))
        for message in messages
    )
    return Usage(
        input=sent + (estimated_tokens(str(tools)) if tools else 0),
        output=sum(estimated_tokens(text) for text in output),
        estimated=True,
    )
