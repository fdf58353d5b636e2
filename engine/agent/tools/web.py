"""Fetching a page."""

from __future__ import annotations

import asyncio
import re
from html.parser import HTMLParser
from typing import Any

from pydantic import Field, field_validator

from loopwatch.engine.agent.tools.files import Arguments
from loopwatch.engine.agent.tools.workspace import ToolError, shown_bytes

MOST_BYTES = 500_000
MOST_CHARACTERS = 30_000
SECONDS = 30.0


class FetchUrl(Arguments):
    """Fetch a URL and get its text; HTML comes without its markup."""

    url: str = Field(description="http or https")

    @field_validator("url")
    @classmethod
    def _is_web(cls, url: str) -> str:
        if not re.match(r"https?://[^/\s]", url.strip(), re.IGNORECASE):
            raise ValueError("must begin with http:// or https://")
        return url.strip()


async def fetch_url(arguments: FetchUrl) -> str:
    """Status line and text, at most 30,000 characters.

    Raises:
        ToolError: it could not be reached, or answered with an error status.
    """
    http = await asyncio.to_thread(_client_library)
    data = bytearray()
    try:
        async with (
            asyncio.timeout(SECONDS),
            http.AsyncClient(follow_redirects=True, timeout=SECONDS) as client,
            client.stream("GET", arguments.url) as response,
        ):
            async for chunk in response.aiter_bytes():
                data += chunk
                if len(data) > MOST_BYTES:
                    break
    except TimeoutError:
        raise ToolError(f"cannot fetch {arguments.url}: timed out after {SECONDS:g} s") from None
    except (http.HTTPError, http.InvalidURL, ValueError) as error:
        raise ToolError(f"cannot fetch {arguments.url}: {str(error) or type(error).__name__}") from None
    text = shown_bytes(bytes(data[:MOST_BYTES]))
    if "html" in response.headers.get("content-type", ""):
        text = _text_of(text)
    if len(text) > MOST_CHARACTERS:
        text = f"{text[:MOST_CHARACTERS]}\n[{len(text) - MOST_CHARACTERS} characters left out]"
    line = f"HTTP {response.status_code} {response.reason_phrase}".rstrip()
    if response.is_error:
        raise ToolError(f"{line}\n{text}")
    return f"{line}\n{text}"


def _client_library() -> Any:
    """Imported on first use, in a thread: it takes its time."""
    import httpx2

    return httpx2


class _Text(HTMLParser):
    """Collects what a reader would see."""

    _HIDDEN = frozenset({"script", "style", "template", "noscript", "svg"})
    _BLOCKS = frozenset({"p", "div", "li", "tr", "br", "h1", "h2", "h3", "h4", "h5", "h6", "section", "pre", "table"})

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._hidden = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        if tag in self._HIDDEN:
            self._hidden += 1
        elif tag in self._BLOCKS:
            self.parts.append("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag in self._HIDDEN and self._hidden:
            self._hidden -= 1

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.parts.append(data)


def _text_of(html: str) -> str:
    parser = _Text()
    parser.feed(html)
    text = re.sub(r"[ \t\r\f]+", " ", "".join(parser.parts))
    return re.sub(r" ?\n[ \n]*\n ?", "\n\n", text).strip()
