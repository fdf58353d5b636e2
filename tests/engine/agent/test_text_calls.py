"""Calls that a model writes into its text."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwatch.engine.agent.text_calls import describe, find_calls

TOOLS = ("read_file", "write_file", "list_dir")


def found(text):
    return [(call.tool, call.arguments) for call in find_calls(text, TOOLS)]


READ = ("read_file", {"path": "a"})


@pytest.mark.parametrize(
    "text",
    [
        'I look.\n```json\n{"name": "read_file", "arguments": {"path": "a"}}\n```\nThen I go on.',
        '```\n{"tool": "read_file", "parameters": {"path": "a"}}\n```',
        '~~~json\n{"action": "read_file", "action_input": {"path": "a"}}\n~~~',
        '```json\n{"function": {"name": "read_file", "arguments": {"path": "a"}}}\n```',
        '```json\n{"tool_calls": [{"function": {"name": "read_file", "arguments": "{\\"path\\":\\"a\\"}"}}]}\n```',
        '```json\n[{"name": "read_file", "args": {"path": "a"}}]\n```',
        '```json\n{"tool": "read_file", "path": "a"}\n```',
        '```json\n{"read_file": {"path": "a"}}\n```',
        "```json\n{'name': 'read_file', 'arguments': {'path': 'a'}}\n```",
        '```json\n{"name": "read_file", "arguments": {"path": "a"}}',
        '<tool_call>\n{"name": "read_file", "arguments": {"path": "a"}}\n</tool_call>',
        '<tool_call>{"name": "read_file", "arguments": {"path": "a"}}',
        '{"name": "read_file", "parameters": {"path": "a"}}',
        'Let me see.\n  {"name": "read_file", "arguments": {"path": "a"}}</tool_call>',
        '<tools>\n{"tool": "read_file", "path": "a"}\n</tools>\n\n<output>\n{"tool": "list_dir"}\n</output>',
        '{"name": "read_file", "arguments": {"path": "a"}}\n{"tool": "read_file", "path": "a"}',
        '<think>{"name": "list_dir", "arguments": {}}</think>\n{"name": "read_file", "arguments": {"path": "a"}}',
    ],
)
def test_one_call_is_understood_however_it_is_written(text):
    assert found(text) == [READ]


@pytest.mark.parametrize(
    "text",
    [
        '```json\n{"tool": "read_file", "path": "a"}\n```\nAnd:\n```\n{"name": "list_dir", "arguments": {}}\n```',
        '```json\n{"name": "read_file", "arguments": {"path": "a"}}\n{"name": "list_dir", "arguments": {}}\n```',
        '<tool_call>{"tool": "read_file", "path": "a"}</tool_call><tool_call>{"name": "list_dir"}</tool_call>',
        '[{"name": "read_file", "arguments": {"path": "a"}}, {"name": "list_dir", "arguments": {}}]',
    ],
)
def test_several_calls_of_one_answer_keep_their_order(text):
    assert found(text) == [READ, ("list_dir", {})]
    assert len({call.id for call in find_calls(text, TOOLS)}) == 2


@pytest.mark.parametrize(
    "text",
    [
        "",
        "The tool read_file takes a path.",
        'Use {"name": "read_file", "arguments": {"path": "a"}} in a sentence.',
        '```json\n{"name": "my-package", "version": "1.0", "arguments": {}}\n```',
        '```json\n{"name": "my-package", "scripts": {"test": "jest"}}\n```',
        '```json\n["read_file", "list_dir"]\n```',
        '```python\n{"name": "read_file", "arguments": {"path": "a"}}\n```',
        '<think>{"name": "read_file", "arguments": {"path": "a"}}',
        '```json\n{"broken": \n```',
    ],
)
def test_prose_data_code_and_thoughts_are_no_calls(text):
    assert found(text) == []


def test_a_string_may_hold_line_ends_tags_and_what_looks_like_the_end_of_the_block():
    content = "# Title\n```py\nprint(1)\n```\n</tool_call>\n<output>1</output>\n"
    written = json.dumps({"name": "write_file", "arguments": {"path": "a.md", "content": content}})
    raw = written.replace("\\n", "\n")

    for text in (f"```json\n{written}\n```\nDone?", f"```json\n{raw}\n```", f"<tool_call>{raw}</tool_call>"):
        assert found(text) == [("write_file", {"path": "a.md", "content": content})]


def test_a_call_of_a_tool_that_does_not_exist_is_a_call():
    assert found('```json\n{"name": "cat", "arguments": {"file": "a"}}\n```') == [("cat", {"file": "a"})]


def test_a_broken_call_is_told_as_broken_and_not_taken_for_an_answer():
    (call,) = find_calls('```json\n{"name": "read_file", "arguments": {"path": "a"}\n```', TOOLS)

    assert (call.tool, call.malformed) == ("read_file", True)
    assert "the text ends" in call.problem


PIECES = (
    [
        "```json\n",
        "```\n",
        "\n```",
        "~~~",
        "<tool_call>",
        "</tool_call>",
        "<think>",
        '{"name": "read_file", ',
        "{",
        "}",
    ],
    ["[", "]", '"arguments": {"path": "a"}', "'", "\\", "\n", "x", "\ud800", "\0"],
)


@given(st.lists(st.sampled_from([*PIECES[0], *PIECES[1]]), max_size=30).map("".join))
def test_any_text_is_read_to_its_end(text):
    for call in find_calls(text, TOOLS):
        json.dumps(call.arguments, ensure_ascii=False).encode()


def test_the_description_names_every_tool_and_argument():
    schema = {
        "type": "object",
        "properties": {"path": {"type": "string", "description": "where"}, "limit": {"type": "integer"}},
        "required": ["path"],
    }
    text = describe([{"function": {"name": "read_file", "description": "Read it.", "parameters": schema}}])

    assert "- read_file(path, limit?): Read it." in text
