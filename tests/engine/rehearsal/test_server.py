"""The ordinary client talks to the rehearsal model over real HTTP."""

import asyncio
import json
import stat
import urllib.request

import pytest
from openai import AsyncOpenAI, BadRequestError, NotFoundError

from loopwatch.engine.rehearsal.scenario import load_scenario, parse_scenario
from loopwatch.engine.rehearsal.server import RehearsalServer

TWO_CALLS = """
title = "T"
task = "Do it."
output_cap = 40
[[scene]]
[[scene.turn]]
text = "Both at once, if I may: “äöü”."
reasoning = "Hm. Two calls."
calls = [
  { tool = "read_file", arguments = { path = "a/long/path.txt", offset = 3 } },
  { tool = "run_command", raw = '{"command": "ls' },
]
[[scene.turn]]
text = "This answer is far too long for the output cap of forty tokens, that is a hundred and sixty characters, \
so that its end will never be read by anybody at all, whoever asks for it."
[[scene.turn]]
text = "Short."
usage = { input = 12000, output = 7 }
"""


def client_of(server):
    return AsyncOpenAI(base_url=server.base_url, api_key="sk-very-secret", max_retries=0)


async def collected(client, messages, **more):
    """The streamed answer put together, and its chunks."""
    stream = await client.chat.completions.create(
        model="rehearsal", messages=messages, stream=True, stream_options={"include_usage": True}, **more
    )
    return [chunk async for chunk in stream]


def deltas(chunks):
    return [chunk.choices[0].delta for chunk in chunks if chunk.choices]


@pytest.fixture
async def served(tmp_path):
    scenario = parse_scenario(TWO_CALLS, name="t", where="t.toml")
    server = RehearsalServer(scenario, request_log=tmp_path / "requests.jsonl", pace=0)
    async with server, client_of(server) as client:
        yield server, client


async def test_an_answer_is_streamed_in_small_deltas_with_usage_and_finish_reason(served):
    server, client = served
    chunks = await collected(client, [{"role": "user", "content": "Do it."}])

    text = [delta.content for delta in deltas(chunks) if delta.content]
    reasoning = [delta.reasoning_content for delta in deltas(chunks) if hasattr(delta, "reasoning_content")]
    calls = [call for delta in deltas(chunks) for call in delta.tool_calls or ()]
    first = [call.function.arguments for call in calls if call.index == 0]
    assert "".join(text) == "Both at once, if I may: “äöü”."
    assert len(text) > 1
    assert "".join(reasoning) == "Hm. Two calls."
    assert [(call.index, call.id, call.function.name) for call in calls if call.id] == [
        (0, "call_1_1", "read_file"),
        (1, "call_1_2", "run_command"),
    ]
    assert json.loads("".join(first)) == {"path": "a/long/path.txt", "offset": 3}
    assert len(first) > 3
    assert "".join(call.function.arguments for call in calls if call.index == 1) == '{"command": "ls'
    assert [chunk.choices[0].finish_reason for chunk in chunks if chunk.choices][-1] == "tool_calls"
    usage = chunks[-1].usage
    assert usage.total_tokens == usage.prompt_tokens + usage.completion_tokens
    assert usage.completion_tokens_details.reasoning_tokens == 4
    assert server.requests[0]["messages"] == [{"role": "user", "content": "Do it."}]


async def test_usage_grows_with_the_request_and_what_was_sent_before_counts_as_cached(served):
    _, client = served
    messages = [{"role": "user", "content": "Do it."}]
    first = (await collected(client, messages))[-1].usage
    messages += [{"role": "assistant", "content": "x" * 400}, {"role": "user", "content": "on"}]
    second = (await collected(client, messages))[-1].usage

    assert first.prompt_tokens_details.cached_tokens == 0
    assert second.prompt_tokens >= first.prompt_tokens + 100
    assert second.prompt_tokens_details.cached_tokens == first.prompt_tokens


async def test_an_answer_longer_than_the_output_cap_is_cut_and_says_so(served):
    """B8."""
    _, client = served
    await collected(client, [{"role": "user", "content": "Do it."}])
    chunks = await collected(client, [{"role": "user", "content": "Do it. Now."}])

    text = "".join(delta.content or "" for delta in deltas(chunks))
    assert len(text) == 160
    assert [chunk.choices[0].finish_reason for chunk in chunks if chunk.choices][-1] == "length"
    assert chunks[-1].usage.completion_tokens == 40


async def test_a_request_that_does_not_stream_gets_one_completion(served):
    _, client = served
    for _ in range(2):
        answer = await client.chat.completions.create(model="m", messages=[{"role": "user", "content": "Do it."}])

    assert answer.choices[0].message.tool_calls[0].function.name == "read_file"
    assert answer.choices[0].message.content.startswith("Both")
    assert answer.model == "m"
    assert answer.usage.total_tokens > 0


async def test_models_are_listed_and_mistakes_are_answered_like_an_api_does(served):
    _, client = served

    assert [model.id async for model in await client.models.list()] == ["rehearsal"]
    with pytest.raises(NotFoundError, match="only has"):
        await client.embeddings.create(model="m", input="x")
    with pytest.raises(BadRequestError, match="at least one message"):
        await client.chat.completions.create(model="m", messages=[])


async def test_the_request_log_holds_every_body_for_its_owner_alone_and_no_key(served, tmp_path):
    server, client = served
    await client.chat.completions.create(model="m", messages=[{"role": "user", "content": "Do it."}])
    strange = json.dumps({"messages": [{"role": "user", "content": "lone \ud800 surrogate"}]}).encode()
    await asyncio.to_thread(urllib.request.urlopen, f"{server.base_url}/chat/completions", strange)

    path = tmp_path / "requests.jsonl"
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert [line["body"] for line in lines] == server.requests
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert "sk-very-secret" not in path.read_text(encoding="utf-8")


async def test_a_server_that_ends_in_the_middle_of_a_stream_lets_go_at_once(caplog):
    scenario = load_scenario("secret-key").model_copy(update={"closing": "x"})
    server = RehearsalServer(scenario, pace=1000)
    async with server, client_of(server) as client:
        pending = await client.chat.completions.create(
            model="m", messages=[{"role": "user", "content": scenario.task}], stream=True
        )
        assert pending.response.status_code == 200
    assert server.requests
    assert not [record for record in caplog.records if "Traceback" in record.getMessage()]
