"""Labelled traces are read step by step, whatever is wrong with single lines."""

import json
import os
from pathlib import Path

import pytest

from loopwatch.engine.sources.formats import UnreadableError, read

HEADER = {"id": "two-cats", "label": "stuck", "kind": "failing_call", "onset": 2, "agent": "own-agent", "model": "m-1"}
STEP = {"i": 0, "tool": "read_file", "args": {"path": "a.txt"}, "result": "no such file", "is_error": True, "text": ""}


def written(path: Path, *records: object, end: str = "\n") -> Path:
    path.write_text("\n".join(r if isinstance(r, str) else json.dumps(r) for r in records) + end, encoding="utf-8")
    return path


def test_header_and_steps_become_a_recording(tmp_path):
    """A trace's label, agent and calls come over as they stand."""
    step = STEP | {
        "turn": 3,
        "call_id": "c1",
        "t": 1.5,
        "in_tokens": 10,
        "out_tokens": 2,
        "finish_reason": "tool_calls",
    }
    recording = read(written(tmp_path / "x.dat", HEADER, step, STEP | {"i": 1, "ts": "1970-01-01T00:00:09+00:00"}))

    assert (recording.format, recording.agent, recording.model) == ("labelled-trace", "own-agent", "m-1")
    assert recording.label == "stuck"
    first, second = recording
    assert (first.call.tool, first.call.arguments, first.call.id) == ("read_file", {"path": "a.txt"}, "c1")
    assert (first.result.text, first.result.is_error) == ("no such file", True)
    assert (first.turn, first.time, first.finish_reason) == (3, 1.5, "tool_calls")
    assert (first.usage.input, first.usage.output) == (10, 2)
    assert first.extra["at"] == 2
    assert (second.index, second.turn, second.time, second.extra["at"]) == (1, None, 9.0, 3)


def test_arguments_that_were_cut_off_are_kept_raw_and_marked(tmp_path):
    recording = read(written(tmp_path / "x", HEADER, STEP | {"args": {"_raw": '{"path": "a'}}))

    assert recording.steps[0].call.arguments == '{"path": "a'
    assert recording.steps[0].call.malformed


def test_a_real_argument_named_raw_beside_others_is_no_cut(tmp_path):
    recording = read(written(tmp_path / "x", HEADER, STEP | {"args": {"_raw": "a", "mode": 1}}))

    assert recording.steps[0].call.arguments == {"_raw": "a", "mode": 1}
    assert not recording.steps[0].call.malformed


def test_a_step_without_a_tool_is_a_message(tmp_path):
    recording = read(written(tmp_path / "x", HEADER, STEP | {"tool": None, "result": "", "text": "Done."}))

    assert recording.steps[0].call is None
    assert recording.steps[0].result is None
    assert recording.steps[0].text == "Done."


@pytest.mark.parametrize(
    ("fields", "flags"),
    [
        ({"user": "Try the other file."}, (True, False, False)),
        ({"user": True}, (True, False, False)),
        ({"user": ""}, (False, False, False)),
        ({"nudge": "You repeat yourself."}, (False, True, False)),
        ({"compacted": True}, (False, False, True)),
        ({"user": "This session is being continued from a previous conversation that …"}, (False, False, True)),
        ({"user": "[system note shown as user message] Think again."}, (False, True, False)),
    ],
)
def test_who_spoke_before_a_step_is_told_apart(tmp_path, fields, flags):
    """A harness's words are not a person's, even where they are filed as such."""
    step = read(written(tmp_path / "x", HEADER, STEP | fields)).steps[0]

    assert (step.person, step.nudge, step.compacted) == flags


def test_the_hash_of_a_result_counts_only_where_the_result_was_cut(tmp_path):
    """For whole results a hash would undo the masking of clocks (A12)."""
    whole = STEP | {"result_h": "aa11"}
    cut = STEP | {"result_h": "bb22", "result_truncated": True}
    recording = read(written(tmp_path / "x", HEADER, whole, cut))

    assert [step.result.digest for step in recording] == ["", "bb22"]


def test_a_call_that_never_came_back_has_no_result(tmp_path):
    recording = read(written(tmp_path / "x", HEADER, STEP | {"no_result": True}, STEP | {"result": None}))

    assert [step.result for step in recording] == [None, None]


def test_what_is_not_understood_is_counted_and_the_rest_is_read(tmp_path):
    recording = read(
        written(tmp_path / "x", HEADER, STEP, "{oops", [1], {"event": "?"}, STEP, '{"i": 2, "tool"', end="")
    )

    assert len(recording.steps) == 2
    assert recording.unknown == {"line that is no JSON": 1, "record that is no object": 1, "record that is no step": 1}
    assert recording.torn == "line 7 is cut off and was left out"


def test_text_that_is_no_unicode_is_read_all_the_same(tmp_path):
    path = written(tmp_path / "x", HEADER, STEP | {"result": "\udcff and \x00"})
    path.write_bytes(path.read_bytes().replace(b"no such", b"\xff\xfe") + b"\xff\xff\n")

    assert len(read(path).steps) == 1


@pytest.mark.parametrize("text", ["", "hello\nworld\n", '{"a": 1}\n{"b": 2}\n', "[[[["])
def test_a_file_that_is_no_recording_is_refused_in_one_line(tmp_path, text):
    path = tmp_path / "x.jsonl"
    path.write_text(text, encoding="utf-8")

    with pytest.raises(UnreadableError, match=r"x\.jsonl: ") as caught:
        read(path)
    assert "\n" not in str(caught.value)


def test_a_missing_file_is_refused_in_one_line(tmp_path):
    with pytest.raises(UnreadableError, match="No such file"):
        read(tmp_path / "absent")


@pytest.mark.shared
def test_every_shared_trace_is_read_completely():
    """Every line of every labelled trace is a step or the header."""
    root = Path(os.environ.get("LOOPWATCH_TRACES") or Path(__file__).parents[3] / "../shared/traces")
    files = sorted(root.glob("*/*.jsonl"))
    if not files:
        pytest.skip("no labelled traces beside the checkout")

    for file in files:
        recording = read(file)
        assert len(recording.steps) == len(file.read_bytes().splitlines()) - 1, file
        assert not recording.unknown, file
        assert recording.label in {"stuck", "healthy"}, file
