"""Other agents' transcripts are recognised by content and read into steps; what is not understood is counted."""

import copy
import json
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from loopwatch.engine.sources.formats import UnreadableError, read, read_all
from tests.engine.sources import samples
from tests.engine.sources.samples import TASK


@pytest.fixture
def put(tmp_path):
    """Writes a sample under a name that tells nothing."""

    def write(data) -> Path:
        path = tmp_path / "recording"
        path.write_bytes(data if isinstance(data, bytes) else json.dumps(data, indent=1).encode())
        return path

    return write


def calls(recording):
    return [(step.call.tool, step.call.arguments) if step.call else None for step in recording]


def answers(recording):
    return [step.result.text if step.result else None for step in recording]


@pytest.mark.parametrize(("name", "records"), samples.LINES.items())
def test_line_formats_are_recognised_by_content(put, name, records):
    assert read(put(samples.lines(*records))).format == name


@pytest.mark.parametrize(("name", "document"), samples.DOCUMENTS.items())
def test_document_formats_are_recognised_by_content(put, name, document):
    assert {recording.format for recording in read_all(put(document))} == {name}
    assert {recording.format for recording in read_all(put(json.dumps(document).encode()))} == {name}


def test_a_claude_session_is_read_response_by_response(put):
    recording = read(put(samples.lines(*samples.CLAUDE_SESSION)))

    assert (recording.agent, recording.model, recording.workspace) == ("claude-code", "model-c", "/home/x/shop")
    assert recording.task == TASK
    assert calls(recording) == [
        ("Bash", {"command": "pytest"}),
        ("Read", {"file_path": "/a.py"}),
        ("Bash", {"command": "pytest -x"}),
        ("Grep", {"pattern": "x"}),
        None,
    ]
    first, second, third, sub, last = recording
    assert (first.text, first.reasoning, first.turn) == ("I look.", "Look first.", second.turn)
    assert (first.usage.input, first.usage.output, first.usage.cached) == (32, 9, 30), "the last word counts"
    assert second.usage is None
    assert (first.result.text, first.result.is_error) == ("Exit code 1\nfailed", True)
    assert (second.result.text, second.result.is_error) == ("1 x", None)
    assert third.turn != first.turn
    assert third.result is None
    assert [step.extra["at"] for step in recording] == [5, 6, 10, 13, 17]
    assert [(step.person, step.nudge, step.compacted) for step in recording] == [
        (True, False, False),
        (False, False, False),
        (False, True, False),
        (False, False, False),
        (True, False, True),
    ]
    assert (sub.agent, sub.result.text, last.text) == ("sub-1", "a.py:1", "Done.")
    assert recording.unknown == {"record of type marvel": 1}
    assert recording.unknown_at == {"record of type marvel": (15,)}
    assert recording.skipped["record told again"] == 1


def test_a_claude_stream_is_read_with_its_subagents(put):
    recording = read(put(samples.lines(*samples.CLAUDE_STREAM)))

    assert (recording.agent, recording.model, recording.workspace) == ("claude-code", "model-c", "/w")
    assert [step.agent for step in recording] == ["main", "toolu_1"]
    assert recording.steps[0].result.is_error is False
    assert not recording.unknown


def test_a_codex_rollout_is_read_with_turns_and_tokens(put):
    recording = read(put(samples.lines(*samples.CODEX_ROLLOUT)))

    assert (recording.agent, recording.model, recording.workspace, recording.task) == ("codex", "model-x", "/w", TASK)
    assert calls(recording) == [
        ("exec_command", {"cmd": "pytest"}),
        ("apply_patch", "*** Begin Patch"),
        ("shell", '{"command": ["ls"'),
        ("local_shell", {"command": ["ls"]}),
    ]
    first, patch, cut, shell = recording
    assert first.turn == patch.turn != cut.turn != shell.turn
    assert (first.text, first.reasoning, first.person) == ("I test.", "Think.", True)
    assert [step.usage and step.usage.input for step in recording] == [100, None, 150, None], "repeats count once"
    assert (patch.result.text, patch.result.exit_code, patch.result.seconds) == ("Success", 0, 0.5)
    assert cut.call.malformed
    assert (cut.result.text, cut.result.is_error) == ("bad", True)
    assert (shell.compacted, shell.result) == (True, None)
    assert recording.unknown == {"item of type novelty": 1}


def test_tokens_that_codex_tells_before_their_response_belong_to_it(put):
    records = list(samples.CODEX_ROLLOUT)
    told = records.pop(8)
    recording = read(put(samples.lines(*records[:4], told, *records[4:])))

    assert recording.steps[0].usage.input == 100


def test_an_early_codex_rollout_without_envelope_is_read(put):
    recording = read(put(samples.lines(*samples.CODEX_EARLY)))

    assert (recording.agent, recording.task) == ("codex", TASK)
    assert calls(recording) == [("shell", {"command": ["ls"]})]
    assert not recording.unknown


def test_a_swe_agent_trajectory_is_read_action_by_action(put):
    recording = read(put(samples.SWE_AGENT))

    assert (recording.agent, recording.task, recording.workspace) == ("swe-agent", TASK, "/repo")
    assert calls(recording) == [("open", "a.py 3"), None, ("edit", "1:2\nx = 1\nend_of_edit")]
    assert answers(recording) == ["[File: a.py]", None, "File updated."]
    assert recording.steps[0].extra == {"at": 0, "open_file": "/repo/a.py"}
    assert recording.steps[0].result.seconds == 0.25
    assert [step.nudge for step in recording] == [False, False, True]


def test_swe_agents_structured_calls_are_taken_where_there_are_any_and_no_demonstration(put):
    assert calls(read(put(samples.SWE_AGENT_CALLS))) == [("bash", {"command": "ls"})]


def test_a_mini_swe_agent_list_is_read_from_its_blocks(put):
    recording = read(put(samples.MINI_OLD))

    assert (recording.format, recording.agent, recording.task) == ("mini-swe-agent", "mini-swe-agent", TASK)
    assert calls(recording) == [("bash", {"command": "ls -la"}), None, ("bash", {"command": "echo done"})]
    assert (recording.steps[0].result.text, recording.steps[0].result.exit_code) == ("no such file", 2)
    assert (recording.steps[0].text, recording.steps[1].text) == ("I look.", "I am lost.")
    assert recording.steps[2].nudge


def test_a_newer_mini_swe_agent_trajectory_is_read_from_its_calls(put):
    recording = read(put(samples.MINI_NEW))

    assert calls(recording) == [("bash", {"command": "ls"})]
    assert (recording.steps[0].result.text, recording.steps[0].result.exit_code) == ("a", 0)


def test_openhands_events_are_joined_by_cause(put):
    recording = read(put(samples.OPENHANDS_V0))

    assert (recording.agent, recording.model, recording.task) == ("openhands", "model-o", TASK)
    assert calls(recording) == [("execute_bash", {"command": "sleep 99"}), ("edit", {"path": "/a"}), None]
    waiting, edit, last = recording
    assert (waiting.result.text, waiting.result.exit_code) == ("still going", None), "-1 says that it still runs"
    assert (waiting.usage.input, waiting.usage.cached, waiting.text) == (11, 4, "I wait.")
    assert edit.result.is_error is True
    assert (last.text, last.compacted) == ("Done.", True)
    assert recording.unknown == {"event without action or observation": 1}


def test_openhands_sdk_events_are_joined_by_call(put):
    recording = read(put(samples.lines(*samples.OPENHANDS_V1)))

    assert calls(recording) == [("terminal", {"command": "ls"}), ("view", {"path": "/a"}), None]
    first, second, last = recording
    assert (first.text, first.reasoning, first.turn) == ("I look.", "Hm.", second.turn)
    assert (first.result.text, first.result.is_error, first.result.exit_code) == ("a", False, 0)
    assert second.result.is_error is True
    assert (last.text, last.compacted) == ("Done.", True)
    assert recording.unknown == {"event of kind Strange": 1}


def test_atif_is_read_also_where_results_stand_before_their_calls(put):
    recording = read(put(samples.ATIF))

    assert (recording.agent, recording.model, recording.task) == ("some-agent", "model-h", TASK)
    assert calls(recording) == [("ls", {"path": "."}), ("Write", {"path": "b"})]
    first, second = recording
    assert (first.text, first.reasoning, first.result.text, first.usage.cached) == ("I look.", "Hm.", "a", 4)
    assert (second.result.text, second.result.is_error) == ("denied", True)
    assert recording.counts == "event"
    assert recording.unknown == {"step of source ghost": 1}


def test_a_call_id_used_twice_in_a_conversation_is_two_calls(put):
    recording = read(put(samples.CHAT))

    assert calls(recording) == [("find", {"id": 1}), ("find", '{"id": 2'), None]
    assert answers(recording) == ["nothing", "nothing either", None]
    assert [step.replayed for step in recording] == [False, False, False]
    assert recording.steps[1].call.malformed


def test_a_file_of_several_runs_gives_each_or_the_chosen_one(put):
    path = put(samples.TAU_BENCH)

    assert [recording.part for recording in read_all(path)] == ["task-3-trial-1", "task-4-trial-0"]
    assert len(read(path, "task-4-trial-0").steps) == 1
    with pytest.raises(UnreadableError, match="holds 2 runs, choose one: task-3-trial-1, task-4-trial-0"):
        read(path)


@pytest.mark.parametrize("data", [samples.INSPECT_ARCHIVE, samples.INSPECT_JSON], ids=["eval", "json"])
def test_an_inspect_log_is_read_sample_by_sample_with_its_attachments(put, data):
    first, second = read_all(put(data))

    assert (first.part, second.part) == ("sample-1-epoch-1", "sample-2-epoch-1")
    assert (first.agent, first.model, first.task) == ("inspect", "model-i", TASK)
    assert calls(first) == [("bash", {"cmd": "cat flag"}), None]
    call, last = first
    assert (call.text, call.finish_reason, call.usage.input) == ("I look.", "tool_calls", 11)
    assert (call.result.text, call.result.is_error) == ("slow", True)
    assert (last.text, last.reasoning, last.nudge, last.person) == ("No.", "Hm.", True, False)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (samples.archive({"a.txt": 1}), "no Inspect log"),
        (samples.INSPECT_ARCHIVE[:200], "recording"),
        (samples.INSPECT_ARCHIVE.replace(b'"messages"', b'"m\xff\xff\xff\xff\xff\xff\xff"'), "damaged"),
        (b'{"schema_version": "1", "steps": [', "line 1"),
        (b'{"a": 1}', "in no known format"),
        (b"[1, 2]", "in no known format"),
        (b"\x00\x01\x02", "no whole JSON"),
        (b"[" * 100_000, "nested too deep"),
        (b"", "nothing in it"),
    ],
)
def test_what_is_no_recording_is_refused_in_one_line(put, data, said):
    with pytest.raises(UnreadableError, match=said) as caught:
        read_all(put(data))
    assert "\n" not in str(caught.value)


def test_a_torn_last_line_is_said_and_the_rest_is_read(put):
    whole = samples.lines(*samples.CLAUDE_SESSION[:8])
    recording = read(put(whole[:-30]))

    assert recording.torn == "line 8 is cut off and was left out"
    assert len(recording.steps) == 2


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-9, 9)
    | st.text(max_size=3)
    | st.sampled_from(["user", "assistant", "tool"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)
SAMPLES = [*samples.LINES.values(), samples.CODEX_EARLY, *samples.DOCUMENTS.values(), samples.MINI_OLD]


def places(value, path=()):
    """Every place in a JSON value."""
    yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, below in inner:
        yield from places(below, (*path, key))


@given(st.data())
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_whatever_stands_where_a_format_expects_something_else_never_raises(tmp_path_factory, data):
    """Unknown and damaged records are counted, never a crash."""
    sample = copy.deepcopy(data.draw(st.sampled_from(SAMPLES)))
    for _ in range(data.draw(st.integers(1, 3))):
        *way, last = data.draw(st.sampled_from([place for place in places(sample) if place]))
        holder = sample
        for key in way:
            holder = holder[key]
        holder[last] = data.draw(JSON)
    path = tmp_path_factory.getbasetemp() / "fuzz"
    as_lines = isinstance(sample, list) and data.draw(st.booleans())
    path.write_bytes(samples.lines(*sample) if as_lines else json.dumps(sample).encode())
    try:
        recordings = read_all(path)
    except UnreadableError:
        return
    for recording in recordings:
        assert [step.index for step in recording] == list(range(len(recording.steps)))
        assert all(isinstance(step.extra["at"], int) for step in recording)


@pytest.mark.shared
def test_every_shared_native_file_is_read_and_named_with_its_agent():
    """Every step accounted for, each file named with its agent."""
    traces = Path(os.environ.get("LOOPWATCH_TRACES") or Path(__file__).parents[3] / "../shared/traces")
    files = [file for file in sorted((traces.parent / "native").glob("*/*")) if file.is_file()]
    if not files:
        pytest.skip("no native recordings beside the checkout")

    for file in files:
        recordings = read_all(file)
        assert sum(len(recording.steps) for recording in recordings) > 0, file
        for recording in recordings:
            assert recording.agent, file
            assert set(recording.unknown) <= {"result without a call"}, file
