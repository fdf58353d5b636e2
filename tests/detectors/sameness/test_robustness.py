"""Whatever an agent sends, sameness has an answer, and always the same one."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwatch.detectors.sameness import Sameness
from loopwatch.detectors.sameness.masks import mask
from loopwatch.detectors.sameness.results import result_form
from loopwatch.detectors.sameness.wrappers import unwrap
from loopwatch.detectors.step import Call, Result, Step
from tests.detectors.sameness.looking import facts

TEXT = st.text(st.characters(codec=None), max_size=200)  # lone surrogates and NUL included
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=12,
)
TOOLS = st.sampled_from(
    [
        "Bash",
        "shell",
        "Read",
        "Write",
        "Edit",
        "apply_patch",
        "Grep",
        "WebFetch",
        "write_stdin",
        "Task",
        "mcp__a__b",
        "open",
        "",
    ]
)
KEYS = st.sampled_from(
    ["command", "cmd", "path", "file_path", "content", "old_string", "new_string", "pattern", "url", "offset", "limit",
     "view_range", "edits", "timeout", "input", "workdir", "start", "end", "paths"]
)  # fmt: skip
ARGUMENTS = JSON | st.dictionaries(KEYS, JSON, max_size=5)
SHELL = st.text(st.sampled_from(list("ab/. -'\"$(){}[]|&;<>\\\n`#=*~!0")), max_size=60)


@given(TOOLS | TEXT, ARGUMENTS, TEXT, st.sampled_from([None, True, False]), st.booleans())
def test_no_step_is_too_strange(tool, arguments, text, flag, malformed):
    step = Step(0, Call(tool, arguments, malformed=malformed), Result(text, flag))
    one, other = Sameness(workspace="/w").facts(step), Sameness(workspace="/w").facts(step)

    assert one == other
    assert len(one.call) == len(one.raw_call) == len(one.signature) == len(one.result) == len(one.raw_result) == 16
    assert len(one.canonical_call) <= 2_000
    assert len(one.error_text) <= 200
    assert bool(one.error) == one.failed


@given(SHELL)
def test_no_command_line_is_too_strange(command):
    assert facts("Bash", {"command": command}).call == facts("Bash", {"command": command}).call


@given(st.text(st.sampled_from(list("0123456789abcf:-/. TZ[]()=#|>\n\r\x1bmspidort\"'_,█━")), max_size=300))
def test_masking_is_settled_at_once(text):
    """A mask leaves nothing for a second look, so that the same text always ends the same."""
    once, _ = mask(text)

    assert mask(text)[0] == once


@given(TEXT, TEXT)
def test_taking_off_a_wrapping_leaves_no_less_than_what_was_wrapped(before, after):
    assert unwrap(f"{before}\nx-marks-the-spot-x\n{after}").text.count("x-marks-the-spot-x") == 1


@given(st.dictionaries(TEXT, JSON, max_size=6), st.randoms())
def test_the_order_of_keys_never_matters(arguments, random):
    """A10."""
    keys = list(arguments)
    random.shuffle(keys)

    assert facts("frobnicate", arguments).call == facts("frobnicate", {key: arguments[key] for key in keys}).call


@given(st.lists(st.sampled_from(["src", "a.py", ".", "b c", "~x", "..."]), min_size=1, max_size=5))
def test_a_path_and_its_normal_form_are_one(parts):
    """A10."""
    plain = "/".join(part for part in parts if part != ".") or "."
    dressed = "./" + "//".join(parts) + "/ "

    assert facts("Read", {"path": dressed}).target == facts("Read", {"path": plain}).target


@given(st.lists(st.tuples(TOOLS, ARGUMENTS, TEXT), max_size=8))
def test_a_verdict_does_not_depend_on_what_was_seen_before(script):
    same = Sameness()
    steps = [Step(i, Call(tool, arguments), Result(text)) for i, (tool, arguments, text) in enumerate(script)]

    assert [same.facts(step) for step in steps] == [Sameness().facts(step) for step in steps]


def test_depth_has_no_limit():
    deep: list = []
    for _ in range(5_000):
        deep = [deep]

    assert facts("frobnicate", {"a": deep}).call
    assert facts("Bash", {"command": "(" * 3_000 + "ls" + ")" * 3_000}).call


@pytest.mark.parametrize(
    "piece",
    [
        "a",
        "1",
        "\n",
        " ",
        "0:",
        "[1]",
        "12:34:56 ",
        "/tmp/tmp",
        "error: ",
        "\ud800",
        "\0",
        "\r",
        "|====",
        "é",
        "<a",
        '":',
        "q 1",
    ],
)
def test_ten_megabytes_are_no_trouble(piece):
    text = piece * (10_000_000 // len(piece))

    assert facts("Bash", {"command": "./a"}, text, flag=True).result
    assert result_form(text[:32_768], "", "", contents=False).fingerprint


@pytest.mark.parametrize("piece", ["a ", "'", "$(", "{", "a|", "x=1 ", "<<E\n", "&&", "\\", "/../", "-c "])
def test_a_huge_command_is_no_trouble(piece):
    command = piece * (200_000 // len(piece))

    assert facts("Bash", {"command": command}).call
    assert facts("Bash", {"command": command[:20_000]}).call


def test_a_huge_number_is_no_trouble():
    assert facts("frobnicate", {"n": 10**6_000, "m": float("nan"), "k": float("inf")}).call


def test_facts_are_the_same_in_every_process():
    """Fingerprints end up in journals, so nothing of one process may be in them."""
    step = facts("Bash", {"command": "cat ./a 2>&1"}, "2031-01-02T03:04:05Z ok")

    assert (step.call, step.result) == ("ee30ad5cac82cbab", "271b6e15c5023dd4")


def test_memory_is_bounded():
    same = Sameness()
    for number in range(3_000):
        same.facts(Step(number, Call("Read", {"path": f"f{number}"}), Result(f"text {number}")))

    assert len(same._calls) == len(same._outcomes) == 1_024


def test_a_message_has_nothing_to_compare():
    step = Sameness().facts(Step(0, text="On it."))

    assert (step.call, step.result, step.family, step.tool) == ("", "", "", "")


def test_arguments_survive_a_trip_through_json():
    arguments = {"a": [1, 2.5, None, "é😀"], "b": {"c": True}}

    assert facts("t", arguments).raw_call == facts("t", json.loads(json.dumps(arguments))).raw_call
