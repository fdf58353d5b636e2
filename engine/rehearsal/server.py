"""The rehearsal model's endpoint: a real HTTP server on a free loopback port, in the running event loop."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import socket
import time
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from loopwatch.engine.rehearsal.story import Story
from loopwatch.engine.rehearsal.wire import as_chunks, as_object, complete, prompt_tokens

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path
    from types import TracebackType
    from typing import Self

    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

    from loopwatch.engine.rehearsal.scenario import Scenario
    from loopwatch.engine.rehearsal.wire import Completion

_HOST = "127.0.0.1"


class RehearsalServer:
    """Serves one scenario to one agent. The port is taken when it is made, requests are answered inside ``async with``.

    Args:
        scenario: what the model says.
        workspace: fills ``{workspace}`` in the scenario.
        request_log: every request's body is appended to this file as a line of JSON, readable by its owner alone.
        pace: factor on the scenario's own delays; 0 answers as fast as it can.
    """

    def __init__(
        self, scenario: Scenario, *, workspace: str = "", request_log: Path | None = None, pace: float = 1.0
    ) -> None:
        self.scenario = scenario
        self.requests: list[dict[str, Any]] = []
        """The body of every chat request, oldest first."""
        self._story = Story(scenario, workspace=workspace)
        self._request_log = request_log
        self._pace = pace
        self._socket = socket.create_server((_HOST, 0), backlog=32)
        self._stop = asyncio.Event()
        self._serving: asyncio.Task[None] | None = None

    @property
    def base_url(self) -> str:
        """What an OpenAI client takes as ``base_url``."""
        return f"http://{_HOST}:{self._socket.getsockname()[1]}/v1"

    async def __aenter__(self) -> Self:
        self._serving = asyncio.create_task(self._serve(), name="rehearsal model")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        if self._serving is not None:
            await self._serving
        self.close()

    def close(self) -> None:
        """Give the port back; also for a server that was never started."""
        self._socket.close()

    async def _serve(self) -> None:
        # These two take a quarter of a second to load; a screen that is already up must not stand still for them.
        uvicorn = await asyncio.to_thread(_load)

        stop = self._stop

        class Quiet(uvicorn.Server):  # type: ignore[misc, name-defined]  # loaded late, so not known to the checker
            """Leaves the signals to the program it runs in, and ends when told instead of when next looking."""

            def capture_signals(self) -> contextlib.AbstractContextManager[None]:
                return contextlib.nullcontext()

            async def main_loop(self) -> None:
                await stop.wait()

        config = uvicorn.Config(
            self._app(),
            lifespan="off",
            log_config=None,
            access_log=False,
            ws="none",
            server_header=False,
            timeout_graceful_shutdown=1,
        )
        await Quiet(config).serve(sockets=[self._socket])

    def _app(self) -> Starlette:
        from starlette.applications import Starlette
        from starlette.routing import Route

        return Starlette(
            routes=[
                Route("/v1/chat/completions", self._chat, methods=["POST"]),
                Route("/v1/models", self._models, methods=["GET"]),
            ],
            exception_handlers={404: _no_such_place, 405: _no_such_place},
        )

    async def _models(self, request: Request) -> Response:  # noqa: ARG002 - starlette hands it over
        from starlette.responses import JSONResponse

        model = {"id": self.scenario.model, "object": "model", "created": 0, "owned_by": "loopwatch"}
        return JSONResponse({"object": "list", "data": [model]})

    async def _chat(self, request: Request) -> Response:
        from starlette.responses import JSONResponse, StreamingResponse

        try:
            body = await request.json()
        except ValueError as error:
            return _refusal(f"the body is no JSON: {error}")
        if not isinstance(body, dict) or not isinstance(body.get("messages"), list) or not body["messages"]:
            return _refusal("messages must be a list with at least one message")
        completion = self._complete(body)
        if not body.get("stream"):
            await asyncio.sleep(self.scenario.pace.think * self._pace)
            return JSONResponse(as_object(completion))
        with_usage = bool((body.get("stream_options") or {}).get("include_usage"))
        return StreamingResponse(self._stream(completion, with_usage=with_usage), media_type="text/event-stream")

    def _complete(self, body: dict[str, Any]) -> Completion:
        cached = self._cached(body)
        self.requests.append(body)
        if self._request_log is not None:
            _append(self._request_log, {"time": time.time(), "request": len(self.requests), "body": body})
        turn, _ = self._story.answer(body)
        return complete(
            turn,
            body,
            number=len(self.requests),
            created=int(time.time()),
            cap=self.scenario.output_cap,
            cached=cached,
        )

    def _cached(self, body: dict[str, Any]) -> int:
        """Tokens at the request's beginning that the one before had as well: what a prompt cache would hold."""
        if not self.requests or self.requests[-1].get("tools") != body.get("tools"):
            return 0
        pairs = zip(self.requests[-1]["messages"], body["messages"], strict=False)
        same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        return prompt_tokens({**body, "messages": body["messages"][:same]})

    async def _stream(self, completion: Completion, *, with_usage: bool) -> AsyncIterator[bytes]:
        await asyncio.sleep(self.scenario.pace.think * self._pace)
        for chunk in as_chunks(completion, with_usage=with_usage):
            yield f"data: {_json(chunk)}\n\n".encode()
            await asyncio.sleep(self.scenario.pace.delta * self._pace)
        yield b"data: [DONE]\n\n"


def _load() -> Any:
    import logging

    import starlette.applications
    import starlette.responses  # noqa: F401 - loaded here so that using it later is quick
    import uvicorn

    # Without a handler of its own the server's complaints would be printed over the screen.
    logging.getLogger("uvicorn").addHandler(logging.NullHandler())
    return uvicorn


def _refusal(message: str) -> Response:
    from starlette.responses import JSONResponse

    return JSONResponse({"error": {"message": message, "type": "invalid_request_error", "code": None}}, 400)


async def _no_such_place(request: Request, error: Exception) -> Response:
    from starlette.responses import JSONResponse

    status = int(getattr(error, "status_code", 404))
    message = f"{request.method} {request.url.path}: the rehearsal model only has /v1/chat/completions and /v1/models"
    return JSONResponse({"error": {"message": message, "type": "invalid_request_error", "code": None}}, status)


def _append(path: Path, entry: dict[str, Any]) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    with os.fdopen(descriptor, "a", encoding="utf-8") as file:
        file.write(_json(entry) + "\n")


def _json(value: Any) -> str:
    """JSON a person can read; lone surrogates, which no encoding takes, stay escaped."""
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "backslashreplace").decode()
