"""What goes wrong between us and the model's endpoint."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from loopwatch.engine.agent.plain import one_line

if TYPE_CHECKING:
    from collections.abc import Callable

Trouble: TypeAlias = Literal["authentication", "refused", "limited", "server", "unreachable", "broken"]
"""``refused``: the request itself was at fault; ``limited``: too many requests, or no credit left; ``broken``: the
answer stopped or was no valid stream."""

_KEY_REFUSED = frozenset({401, 403})
_NOT_FOUND = 404
_SERVER = 500
"""Status codes from here on are the endpoint's own fault."""


class ProviderError(Exception):
    """The endpoint failed. ``str()`` is one clear line without any key."""

    def __init__(self, message: str, trouble: Trouble, *, detail: str = "") -> None:
        super().__init__(message)
        self.trouble: Trouble = trouble
        self.detail = detail
        """The provider's own words, for telling one refusal from another."""

    def is_about(self, *words: str) -> bool:
        """Whether the provider's own words name one of these."""
        said = self.detail.lower()
        return any(word in said for word in words)


def trouble(error: Exception, *, where: str, redact: Callable[[str], str], answering: bool = False) -> ProviderError:
    """Whatever the client raised, as one line for a person, without a key in it.

    Args:
        error: What was raised.
        where: The endpoint, for the person.
        redact: Takes keys out of a text.
        answering: The endpoint had begun to answer.
    """
    import openai

    said = redact(one_line(_own_words(error)))
    if isinstance(error, openai.APIStatusError):
        if error.status_code in _KEY_REFUSED:
            text = f"{where} refused the API key ({error.status_code}): check the key in the environment"
            return ProviderError(text, "authentication", detail=said)
        advice = " (check the base URL and the model's name)" if error.status_code == _NOT_FOUND else ""
        return ProviderError(
            f"{where} answered {error.status_code}: {said}{advice}", _kind(error.status_code), detail=said
        )
    if isinstance(error, openai.APIConnectionError):
        cause = error.__cause__ or error
        said = redact(one_line(str(cause) or type(cause).__name__))
        silent = isinstance(error, openai.APITimeoutError)
        if answering:
            return ProviderError(
                f"{where} broke off: {'silent for too long' if silent else said}", "broken", detail=said
            )
        text = f"{where} did not answer in time" if silent else f"cannot reach {where}: {said}"
        return ProviderError(text, "unreachable", detail=said)
    if isinstance(error, openai.APIError):
        return ProviderError(f"{where} broke off: {said}", "broken", detail=said)
    return ProviderError(f"{where} sent no valid stream: {said or type(error).__name__}", "broken", detail=said)


def _own_words(error: Exception) -> str:
    """The provider's message where there is one; the client's own wraps it in a dump of the body."""
    body = getattr(error, "body", None)
    said = body.get("message") if isinstance(body, dict) else None
    return said if isinstance(said, str) and said else str(error)


def _kind(status: int) -> Trouble:
    if status in {402, 429}:
        return "limited"
    return "server" if status >= _SERVER else "refused"
