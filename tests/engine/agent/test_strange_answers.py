"""Endpoints answer with anything: a web page, nothing, or fields of the wrong kind."""

import pytest
from pydantic import SecretStr
from starlette.applications import Starlette
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from loopwatch.engine.agent.errors import ProviderError
from loopwatch.engine.agent.model import Answer, ChatModel
from tests.engine.agent.scripted import served, serving


async def answer_of(url):
    model = ChatModel(model="m", base_url=url, api_key=SecretStr("sk-very-secret-key"))
    try:
        return [part async for part in model.stream([{"role": "user", "content": "go"}]) if isinstance(part, Answer)]
    finally:
        await model.close()


@pytest.mark.parametrize(
    "response",
    [
        HTMLResponse("<html>Welcome</html>"),
        Response('{"choices": [{"message": {"content": "not streamed"}}]}', media_type="application/json"),
        Response('data: {"choices": null}\n\ndata: [DONE]\n\n', media_type="text/event-stream"),
    ],
    ids=["a web page", "one JSON document", "no choices"],
)
async def test_no_answer_at_all_is_a_failure_of_the_provider_and_no_finished_task(response):
    """Exit codes: 4 where the provider failed, not 0."""

    async def answer(_request):
        return response

    async with served(Starlette(routes=[Route("/v1/chat/completions", answer, methods=["POST"])])) as address:
        with pytest.raises(ProviderError, match="sent no answer") as failed:
            await answer_of(f"{address}/v1")

    assert failed.value.trouble == "broken"


async def test_an_answer_that_says_nothing_is_still_an_answer():
    """A5: the model may end without a word."""
    async with serving(["stop"]) as end:
        (answer,) = await answer_of(end.url)

    assert (answer.text, answer.calls, answer.finish_reason) == ("", (), "stop")


async def test_fields_of_the_wrong_kind_count_as_absent():
    """Tool calls are assembled from whatever deltas come."""
    strange = [None, 5, {"index": 0, "id": 3, "function": {"name": 7, "arguments": {"path": "a"}}}]
    named = [{"index": 0, "id": "c1", "function": {"name": "read_file"}}]
    async with serving([{"tool_calls": "none"}, {"tool_calls": strange}, {"tool_calls": named}, 17]) as end:
        found = await answer_of(end.url)

    assert [(call.id, call.tool) for call in found[0].calls][-1] == ("c1", "read_file")
    assert found[0].finish_reason == ""
