"""Recordings, played."""

import asyncio
import json

import pytest

from loopwatch.detectors import preset
from loopwatch.engine import events
from loopwatch.engine.journal import Journal, JournalError
from loopwatch.engine.log import EventLog
from loopwatch.engine.session import Capability
from loopwatch.engine.sources.formats.recording import UnreadableError
from loopwatch.engine.sources.replay import open_replay
from tests.engine.harness import Action, failing, fine, rig


async def recorded(path, *, using="tiny-claw", turns=5, keep=lambda event: True, ended=True):
    """A journal of a run that failed ``turns`` times."""
    r = rig(Action.ACCEPT, using=using)
    chosen = preset.bundled(using)
    journal = Journal(path)
    r.log.append(events.RunStarted(task="t", preset=using, settings=chosen.dump()["rules"], limits={"turns": 9}))
    await r.turns(*[failing()] * turns, fine())
    if ended:
        r.log.append(events.RunEnded(reason=events.EndReason.DONE))
    for event in r.events:
        if keep(event):
            journal.write(event)
    journal.close()
    return r


def listening(replay):
    told, steps = [], []
    replay.log.subscribe(told.append)
    replay.on_step(lambda step, facts: steps.append((step.index, facts.failed)))
    return told, steps


async def test_a_journal_is_played_as_it_was(tmp_path):
    """Recorded findings are shown as recorded, event by event, with their own numbers and times."""
    r = await recorded(tmp_path / "run.jsonl")
    replay = open_replay(tmp_path / "run.jsonl", speed=None)
    told, steps = listening(replay)
    await replay.execute()

    assert told == r.events
    assert steps == [(index, index < 5) for index in range(6)]
    assert not replay.judged
    assert replay.position == (len(replay._film.frames),) * 2
    assert (replay.reading().failed_steps, replay.reading().limits.turns) == (5, 9)
    assert replay.capabilities == Capability.WATCH | Capability.SEEK
    assert replay.desk is None


async def test_a_step_is_told_before_what_was_found_about_it(tmp_path):
    await recorded(tmp_path / "run.jsonl")
    replay = open_replay(tmp_path / "run.jsonl", speed=None)
    order = []
    replay.on_step(lambda step, facts: order.append(step.index))
    replay.log.subscribe(lambda event: order.append(f"finding {event.step}") if event.type == "finding" else None)
    await replay.execute()

    assert order == [0, 1, 2, "finding 2", 3, "finding 3", 4, "finding 4", 5]


async def test_a_recording_without_findings_is_judged_by_its_own_settings_or_by_others(tmp_path):
    path = tmp_path / "run.jsonl"
    await recorded(path, keep=lambda event: event.type in {"run", "turn", "call", "result", "end"})
    own = open_replay(path, speed=None)
    strict = open_replay(path, preset=preset.bundled("tiny-claw").with_value("failure_counter", "warn", 2), speed=None)
    told, _ = listening(own)
    told_strictly, _ = listening(strict)
    await own.execute()
    await strict.execute()

    assert own.judged
    assert [event.count for event in told if event.type == "finding"] == [3, 4, 5]
    assert [event.count for event in told_strictly if event.type == "finding"] == [2, 3, 4, 5]
    assert [event.seq for event in told] == list(range(1, len(told) + 1))


async def test_a_killed_run_is_played_up_to_the_kill_and_says_so(tmp_path):
    path = tmp_path / "run.jsonl"
    await recorded(path, ended=False)
    with path.open("ab") as file:
        file.write(b'{"v":1,"type":"call","tu')
    replay = open_replay(path, speed=None)
    told, steps = listening(replay)
    await replay.execute()

    assert len(steps) == 6
    assert "end" not in [event.type for event in told]
    assert any("torn" in event.text for event in told if event.type == "note")


async def test_it_can_be_walked_step_by_step_and_then_played(tmp_path):
    await recorded(tmp_path / "run.jsonl")
    replay = open_replay(tmp_path / "run.jsonl", speed=None)
    told, steps = listening(replay)
    replay.hold(on=True)
    playing = asyncio.ensure_future(replay.execute())

    async def settled():
        for _ in range(50):
            await asyncio.sleep(0)

    await settled()
    assert steps == []
    for count in (1, 2, 3):
        replay.step()
        await settled()
        assert len(steps) == count
    assert told[-1].type == "injection", "what was decided about a step belongs to it"
    assert replay.held

    replay.play(None)
    await playing
    assert len(steps) == 6


async def test_it_keeps_its_own_pace_and_can_be_stopped(tmp_path):
    log = EventLog("r", Journal(tmp_path / "run.jsonl"), clock=iter([0.0, 1000.0, 2000.0]).__next__)
    for event in (events.RunStarted(task="t"), events.Note(text="b"), events.Note(text="c")):
        log.append(event)
    replay = open_replay(tmp_path / "run.jsonl", speed=1.0)
    told, _ = listening(replay)
    playing = asyncio.ensure_future(replay.execute())
    for _ in range(20):
        await asyncio.sleep(0)
    assert [event.type for event in told] == ["run"]

    replay.play(4.0)
    assert replay.speed == 4.0
    replay.stop("seen enough")
    await playing
    assert [event.type for event in told] == ["run"]


async def test_another_agents_transcript_is_judged_as_it_passes(tmp_path):
    path = tmp_path / "trace.jsonl"
    head = {"id": "x", "label": "stuck", "kind": "k", "onset": 2}
    steps = [
        {
            "i": i,
            "tool": "read_file",
            "args": {"path": "a"},
            "result": "no such file: a",
            "is_error": True,
            "text": "hm",
        }
        for i in range(4)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in (head, *steps)))
    replay = open_replay(path, preset=preset.bundled("tiny-claw"), speed=None)
    told, seen = listening(replay)
    await replay.execute()

    assert len(seen) == 4
    assert [event.count for event in told if event.type == "finding"] == [3, 4]
    assert [event.type for event in told[:5]] == ["run", "turn", "text", "call", "result"]
    assert (told[-1].type, told[-1].message, told[-1].exit_code) == ("end", "the recording ends here", 0)


@pytest.mark.parametrize("content", [b"", b"\x00\xff", b"hello\n"])
def test_what_is_no_recording_is_refused_by_name(tmp_path, content):
    path = tmp_path / "other.bin"
    path.write_bytes(content)

    with pytest.raises((UnreadableError, JournalError), match=r"other\.bin"):
        open_replay(path)
    with pytest.raises(UnreadableError, match="gone"):
        open_replay(tmp_path / "gone")
