"""Runs without a screen: real ones, against the rehearsal model over HTTP."""

import errno
import io
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from loopwatch.engine import events
from loopwatch.engine.events import EndReason
from loopwatch.engine.journal import read_journal
from loopwatch.engine.log import EventLog
from loopwatch.engine.plan import Policy
from loopwatch.engine.rehearsal.demo import open_demo
from loopwatch.engine.sources.replay import open_replay
from loopwatch.tui.commands.base import has_terminal
from loopwatch.tui.headless import run_headless


def played(session, form="text"):
    out, err = io.StringIO(), io.StringIO()
    code = run_headless(session, out=out, err=err, format=form)
    return code, out.getvalue(), err.getvalue()


def places(text, *wanted):
    """Where each of the lines stands, to see their order."""
    lines = text.splitlines()
    return [next(i for i, line in enumerate(lines) if re.search(pattern, line)) for pattern in wanted]


def test_the_doom_loop_is_seen_the_reminder_arrives_and_the_agent_changes_its_strategy(tmp_path):
    """A17, end to end: three failures, the reminder as the very last message, another strategy."""
    log = tmp_path / "requests.jsonl"
    demo = open_demo("secret-key", policy=Policy(mode="accept"), request_log=log, pace=0)
    code, out, err = played(demo)

    assert (code, err) == (0, "")
    order = places(
        out, r"^\[3\] ✗ read_file", r"! .*failing_call", r"\? .*s1", r"= .*s1 accept \(by policy\)", r"» .*i1 ",
        r"» .*i1 delivered", r"^\[4\] → list_dir", r"^end  done",
    )  # fmt: skip
    assert order == sorted(order)
    assert out.count("✗ read_file") == 3
    recorded = read_journal(demo.journal)
    injected = next(event for event in recorded.events if isinstance(event, events.Injected))
    request = [json.loads(line) for line in log.read_text().splitlines()][3]
    messages = request.get("body", request)["messages"]
    assert messages[-1] == {"role": "user", "content": injected.text}
    assert messages[-2]["role"] == "tool"


def test_a_block_is_obeyed_and_answers_the_calls_own_id():
    demo = open_demo("stubborn", policy=Policy(mode="block"), pace=0)
    code, out, _ = played(demo)

    assert code == 0
    order = places(out, r"= .*s1 block", r"⊘ not run run_command", r"» .*delivered")
    assert order == sorted(order)


def test_a_stop_by_policy_is_told_in_the_exit_code():
    code, out, _ = played(open_demo("evasive", policy=Policy(mode="stop"), pace=0))

    assert code == 3
    assert "end  policy: stopped by decision on s1" in out


def test_a_healthy_run_raises_no_alarm():
    code, out, _ = played(open_demo("healthy-fix", policy=Policy(mode="accept"), pace=0))

    assert code == 0
    assert not re.search(r"^  !  (warn|strong|critical)", out, re.MULTILINE)


def test_json_is_the_journal_line_for_line_and_a_replay_of_it_says_the_same():
    demo = open_demo("secret-key", policy=Policy(mode="accept"), pace=0)
    code, out, _ = played(demo, "json")

    assert out == demo.journal.read_text()
    replay = open_replay(demo.journal, speed=None)
    assert played(replay, "json") == (code, out, "")


def test_a_question_nobody_can_answer_is_pointed_out_and_a_wait_settles_it():
    demo = open_demo("secret-key", policy=Policy(mode="ask", wait=0.01, unanswered="stop"), pace=0)
    code, out, err = played(demo)
    assert (code, err) == (3, "")
    assert "expired, so stop" in out

    demo = open_demo("secret-key", policy=Policy(mode="ask"), pace=0)
    demo.desk.on_change(lambda: demo.stop("nobody came") if demo.desk.pending else None)
    code, out, err = played(demo)
    assert code == 130
    assert "nobody is here" in err
    assert "s1 withdrawn" in out


class Told:
    """A session that only tells what it is given."""

    desk = None

    def __init__(self, *what):
        self.log = EventLog("r")
        self.what = what
        self.stopped = ""

    async def execute(self):
        for event in self.what:
            if not self.stopped:
                self.log.append(event)

    def stop(self, reason):
        self.stopped = reason


def test_hostile_text_is_shown_and_not_obeyed(monkeypatch):
    monkeypatch.setenv("SOME_API_KEY", "key-in-output-1")
    _, out, _ = played(
        Told(
            events.CallMade(turn=1, call_id="c", tool="x\x1b[2J", arguments={"a": "\x1b]52;c;aGk=\x07"}),
            events.ResultCame(turn=1, call_id="c", text="a\x00b\u202ec key-in-output-1 \ud800" + "y" * 10_000_000),
            events.TextCame(turn=1, text="one\r\x1b[31mtw"),
            events.TextCame(turn=1, text="o\nthree"),
            events.RunEnded(reason=EndReason.TURN_LIMIT, exit_code=1),
        )
    )

    assert not set(out) & {"\x1b", "\x00", "\x07", "\r", "\u202e", "\ud800"}
    assert "key-in-output-1" not in out
    assert max(map(len, out.splitlines())) < 600
    assert out.splitlines()[-2] == "[1] three"


def test_an_output_of_another_age_gets_what_it_can_show():
    raw = io.BytesIO()
    out = io.TextIOWrapper(raw, encoding="ascii", write_through=True)
    session = Told(events.ResultCame(turn=1, call_id="c", text="né"), events.RunEnded(reason=EndReason.DONE))

    assert run_headless(session, out=out, err=io.StringIO()) == 0
    assert rb"n\xe9" in raw.getvalue()


def test_an_output_without_room_ends_the_run():
    """A full disk behind ``>`` is said in one word and ends the agent."""
    session = Told(events.Spoke(text="hi"), events.Spoke(text="there"))

    class Full(io.StringIO):
        def write(self, _text):
            raise OSError(errno.ENOSPC, "No space left on device")

    code = run_headless(session, out=Full(), err=io.StringIO())

    assert (code, session.stopped) == (1, "the output failed: No space left on device")


def test_a_closed_output_ends_the_run():
    class Closed(io.StringIO):
        def write(self, text):
            raise BrokenPipeError

    session = Told(events.Spoke(text="hi"), events.Spoke(text="there"))
    code = run_headless(session, out=Closed(), err=io.StringIO())

    assert (code, session.stopped) == (1, "the output was closed")


WALK = """
import sys
from loopwatch.engine.plan import Policy
from loopwatch.engine.rehearsal.demo import open_demo
from loopwatch.tui.headless import run_headless
demo = open_demo("queue-poll", policy=Policy(mode="dismiss"))
print(demo.journal, flush=True)
sys.exit(run_headless(demo, out=sys.stdout, err=sys.stderr))
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_a_signal_ends_the_run_in_order_and_a_kill_leaves_what_was_shown(number, tmp_path):
    """Kill -9 during a run; replay shows it up to the kill."""
    process = subprocess.Popen(
        [sys.executable, "-c", WALK],
        env=os.environ | {"TMPDIR": str(tmp_path)},  # a killed demo cannot clear its workspace away
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    path = Path(process.stdout.readline().strip())
    seen = [process.stdout.readline() for _ in range(6)]
    os.kill(process.pid, number)
    rest, err = process.communicate(timeout=60)
    recorded = read_journal(path)
    results = [event for event in recorded.events if isinstance(event, events.ResultCame)]
    assert len(results) >= sum("✓" in line or "✗" in line for line in seen)
    assert err == ""
    if number == signal.SIGKILL:
        assert not recorded.ended
        _, out, _ = played(open_replay(path, speed=None))
        assert "killed or is still going on" in out
        assert all(line in out for line in seen[:6] if not line.startswith("run "))
    else:
        assert process.returncode == 130
        assert f"end  operator: ended by {number.name} (exit 130)" in rest
        assert recorded.ended


def test_a_stream_that_was_closed_before_the_start_is_no_terminal(monkeypatch):
    """``<&-``: Python has no stdin then."""
    monkeypatch.setattr(sys, "stdin", None)

    assert not has_terminal()
