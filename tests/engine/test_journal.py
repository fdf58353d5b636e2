"""The journal: complete up to the kill, silent about secrets, honest about damage."""

import json
import os
import signal
import stat
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwatch.engine import events
from loopwatch.engine.journal import (
    Journal,
    JournalError,
    list_runs,
    looks_like_journal,
    new_run_id,
    parse_line,
    read_journal,
    runs_dir,
    serialized,
)
from loopwatch.engine.log import EventLog

texts = st.text(st.characters(codec=None), max_size=60)  # lone surrogates and NUL included
names = st.text(max_size=20)  # of JSON objects; pydantic writes a lone surrogate there as U+FFFD
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=8,
)
some_events = st.one_of(
    st.builds(events.TextCame, turn=st.integers(0, 9), text=texts),
    st.builds(
        events.CallMade,
        turn=st.integers(0, 9),
        call_id=texts,
        tool=texts,
        arguments=json_values,
        malformed=st.booleans(),
    ),
    st.builds(events.ResultCame, turn=st.integers(0, 9), call_id=texts, text=texts, is_error=st.none() | st.booleans()),
    st.builds(events.Note, text=texts, data=st.dictionaries(names, json_values, max_size=3)),
    st.builds(events.Spoke, text=texts, agent=texts),
)


def record(path, *what, secrets=()):
    journal = Journal(path, secrets=secrets)
    log = EventLog("r1", journal, clock=lambda: 12.5)
    stamped = [log.append(event) for event in what]
    journal.close()
    return stamped


@given(st.lists(some_events, min_size=1, max_size=5))
def test_whatever_is_written_reads_back_equal(made):
    lines = [serialized(event) for event in made]

    assert not any("\n" in line for line in lines)
    assert [parse_line(line.encode()) for line in lines] == made


@given(made=st.lists(some_events, min_size=2, max_size=5), data=st.data())
def test_a_file_cut_at_any_byte_loses_only_the_torn_line(made, data, tmp_path_factory):
    path = tmp_path_factory.mktemp("cut") / "run.jsonl"
    stamped = record(path, *made)
    whole = path.read_bytes()
    first = whole.index(b"\n")
    cut = data.draw(st.integers(first, len(whole)))
    path.write_bytes(whole[:cut])

    recording = read_journal(path)

    complete = [i + 1 for i, byte in enumerate(whole) if byte == ord("\n")]
    kept = sum(end - 1 <= cut for end in complete)  # a line whole but for its line end is complete as well
    assert list(recording.events) == stamped[:kept]
    assert recording.torn == (cut not in complete and cut + 1 not in complete)
    assert not recording.damaged


def test_a_killed_writer_leaves_everything_it_had_shown(tmp_path):
    """Kill -9 during a run: what was on the screen is in the file."""
    path = tmp_path / "run.jsonl"
    code = (
        "import sys, pathlib\n"
        "from loopwatch.engine import events\n"
        "from loopwatch.engine.journal import Journal\n"
        "from loopwatch.engine.log import EventLog\n"
        "log = EventLog('r', Journal(pathlib.Path(sys.argv[1])))\n"
        "log.subscribe(lambda event: print(event.seq, flush=True))\n"
        "while True: log.append(events.ResultCame(turn=1, call_id='c', text='x' * 5000))\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE, text=True)
    shown = [int(process.stdout.readline()) for _ in range(50)]
    os.kill(process.pid, signal.SIGKILL)
    shown += [int(line) for line in process.stdout.read().splitlines() if line.isdigit()]
    process.wait()
    process.stdout.close()

    recording = read_journal(path)

    assert len(recording.events) >= len(shown)
    assert [event.seq for event in recording.events] == list(range(1, len(recording.events) + 1))
    assert not recording.damaged
    assert any("killed" in remark for remark in recording.remarks)


def test_an_event_is_in_the_file_before_it_is_shown(tmp_path):
    path = tmp_path / "run.jsonl"
    log = EventLog("r", Journal(path))
    seen = []
    log.subscribe(lambda event: seen.append(len(read_journal(path).events) == event.seq))

    for _ in range(3):
        log.append(events.Note(text="hello"))

    assert seen == [True, True, True]


def test_newer_events_are_kept_and_counted_and_damage_is_named(tmp_path):
    path = tmp_path / "run.jsonl"
    record(path, events.RunStarted(task="t"), events.Note(text="a"))
    newer = {"v": 1, "type": "hologram", "seq": 3, "run": "r1", "depth": 7}
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(newer) + "\n{broken\n" + json.dumps(newer | {"v": 9, "type": "note"}) + "\n")
        file.write('{"v":1,"type":"turn","turn":"many"}\n')
        file.write(json.dumps({"v": 1, "type": "note", "text": "n", "seq": 6, "colour": "red"}) + "\n")

    recording = read_journal(path)

    assert [event.type for event in recording.events] == ["run", "note", "hologram", "note", "note"]
    assert recording.unknown == 3
    assert recording.events[2].depth == 7
    assert [damage.line for damage in recording.damaged] == [4, 6]
    assert "turn" in recording.damaged[1].reason
    assert any("2 lines could not be read" in remark for remark in recording.remarks)


@pytest.mark.parametrize("content", [b"", b"hello\nworld\n", b"\x00\xff\xfe", b'{"a": 1}\n'])
def test_a_file_that_is_no_journal_is_refused_by_name(tmp_path, content):
    path = tmp_path / "other.jsonl"
    path.write_bytes(content)

    with pytest.raises(JournalError, match=r"other\.jsonl"):
        read_journal(path)
    assert not looks_like_journal(content)


def test_only_the_owner_can_read_it(tmp_path):
    path = runs_dir() / f"{new_run_id()}.jsonl"
    old = os.umask(0)
    try:
        record(path, events.Note(text="a"))
    finally:
        os.umask(old)

    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_an_existing_journal_is_never_written_over(tmp_path):
    path = tmp_path / "run.jsonl"
    record(path, events.Note(text="a"))

    with pytest.raises(JournalError, match="holds something already"):
        Journal(path)


def test_a_full_disk_is_one_clear_error(tmp_path):
    path = tmp_path / "run.jsonl"
    path.symlink_to("/dev/full")
    journal = Journal(path)

    with pytest.raises(JournalError, match=r"run\.jsonl: No space left on device"):
        journal.write(events.Note(text="a"))


def test_keys_and_authorization_headers_never_reach_it(tmp_path):
    path = tmp_path / "run.jsonl"
    key, quoted = "verysecretvalue123", 'pass"word\\with\nescapes'
    record(
        path,
        events.Note(text=f"key={key} {quoted}", data={key: [key]}),
        events.ResultCame(
            turn=1, call_id="c", text="Authorization: Bearer abcdefghijklmnop1234\nAUTHORIZATION=Basic Zm9vOmJhcg=="
        ),
        events.CallMade(
            turn=1, call_id="c", tool="t", arguments={"h": '{"Authorization": "Bearer abcdefghijklmnop1234"}'}
        ),
        events.ResultCame(
            turn=1, call_id="c", text="a\nsk-proj-abcdefghijklmnopqrst\x1bsk-abcdefghijklmnopqrst task-force"
        ),
        secrets={key, quoted, "abc"},
    )
    written = path.read_text(encoding="utf-8")

    for secret in (key, "escapes", "abcdefghijklmnop1234", "Zm9v", "abcdefghijklmnopqrst"):
        assert secret not in written
    assert "task-force" in written
    assert not read_journal(path).damaged


def test_past_runs_are_listed_newest_first_from_head_and_tail(tmp_path):
    started = events.RunStarted(task="mend it", model="m", workspace="/w", preset="balanced")
    record(
        runs_dir() / "20260101-000000-aaaaaa.jsonl",
        started,
        events.ResultCame(turn=1, call_id="c", text="x" * 200_000),
        events.RunEnded(reason=events.EndReason.DONE),
    )
    record(runs_dir() / "20260102-000000-bbbbbb.jsonl", started, events.Note(text="then it was killed"))
    (runs_dir() / "notes.jsonl").write_text("nothing of ours\n")

    newest, oldest = list_runs()

    assert (newest.reason, newest.events) == (None, 2)
    assert (oldest.reason, oldest.exit_code, oldest.events) == (events.EndReason.DONE, 0, 3)
    assert (oldest.task, oldest.workspace) == ("mend it", "/w")
    assert list_runs(limit=1) == [newest]
    assert list_runs(tmp_path / "nowhere") == []


def test_arguments_nested_beyond_reason_are_kept_as_text(tmp_path):
    deep = []
    for _ in range(600):
        deep = [deep]

    made = events.CallMade(turn=1, call_id="c", tool="t", arguments=deep)
    path = tmp_path / "run.jsonl"
    record(path, made)

    assert read_journal(path).events[0].arguments == made.arguments
    assert made.arguments.startswith("[[[[")
