"""A chat-completions endpoint on loopback that answers with prepared chunks and keeps what it was asked."""

from __future__ import annotations

import asyncio
import json
import socket
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request  # noqa: TC002 - the parameter of a route
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

BREAK_OFF = object()
"""As a delta: the connection ends there."""


@dataclass
class Endpoint:
    """What it will answer, and what it was asked."""

    answers: list[Any]
    """For each request ``(status, body)``, or a list of deltas, finish reasons, and bytes that go out as they are."""
    requests: list[dict[str, Any]] = field(default_factory=list)
    url: str = ""
    usage: dict[str, Any] | None = None
    stall: asyncio.Event = field(default_factory=asyncio.Event)
    """Ends a ``"stall"`` delta."""
    stalled: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when a ``"stall"`` delta is reached."""

    async def answer(self, request: Request) -> Response:
        body = await request.json()
        self.requests.append(body)
        answer = self.answers.pop(0) if self.answers else [{"content": "done"}, "stop"]
        if isinstance(answer, tuple):
            return JSONResponse(answer[1], status_code=answer[0])
        return StreamingResponse(self._events(answer, body), media_type="text/event-stream")

    async def _events(self, answer: list[Any], body: dict[str, Any]):
        def event(**fields: Any) -> str:
            head = {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m"}
            return f"data: {json.dumps(head | fields)}\n\n"

        for delta in answer:
            if delta == "stall":
                self.stalled.set()
                await self.stall.wait()
            elif isinstance(delta, bytes):
                yield delta.decode()
            elif delta is BREAK_OFF:
                raise ConnectionAbortedError
            elif isinstance(delta, str | int):
                yield event(choices=[{"index": 0, "delta": {}, "finish_reason": delta}])
            else:
                yield event(choices=[{"index": 0, "delta": delta, "finish_reason": None}])
        if self.usage is not None and body.get("stream_options"):
            yield event(choices=[], usage=self.usage)
        yield "data: [DONE]\n\n"


@asynccontextmanager
async def served(app: Starlette):
    """Serve an application on a free loopback port; gives its address."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(app, log_level="critical", lifespan="off"))
        serve = asyncio.create_task(server.serve(sockets=[listener]))
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            await serve


@asynccontextmanager
async def serving(*answers: Any, usage: dict[str, Any] | None = None):
    """Serve ``answers`` as a model's endpoint."""
    endpoint = Endpoint(list(answers), usage=usage)
    app = Starlette(routes=[Route("/v1/chat/completions", endpoint.answer, methods=["POST"])])
    async with served(app) as address:
        endpoint.url = f"{address}/v1"
        try:
            yield endpoint
        finally:
            endpoint.stall.set()


def call_delta(index: int | None, call_id: str | None, name: str | None, arguments: str) -> dict[str, Any]:
    """One delta that carries (a piece of) a tool call."""
    call: dict[str, Any] = {"function": {"name": name, "arguments": arguments}}
    if index is not None:
        call["index"] = index
    if call_id is not None:
        call |= {"id": call_id, "type": "function"}
    return {"tool_calls": [call]}


def calling(*calls: tuple[str, str, dict[str, Any]]) -> list[Any]:
    """An answer that makes these calls (id, tool, arguments), their arguments in small pieces."""
    deltas: list[Any] = []
    for index, (call_id, tool, arguments) in enumerate(calls):
        text = json.dumps(arguments)
        deltas.append(call_delta(index, call_id, tool, ""))
        deltas += [call_delta(index, None, None, text[at : at + 5]) for at in range(0, len(text), 5)]
    return [*deltas, "tool_calls"]


def saying(text: str) -> list[Any]:
    """An answer that only says ``text``."""
    half = len(text) // 2
    return [{"content": text[:half]}, {"content": text[half:]}, "stop"]
