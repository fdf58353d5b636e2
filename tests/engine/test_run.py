"""One run wired together: log, journal, suite, supervisor, gauges and whoever works."""

import asyncio
import os
from dataclasses import dataclass

import pytest
from pydantic import SecretStr

from loopwatch.detectors import preset
from loopwatch.detectors.preset import PresetError
from loopwatch.engine import events
from loopwatch.engine.agent.stopping import Outcome
from loopwatch.engine.desk import OperatorDesk
from loopwatch.engine.events import EndReason
from loopwatch.engine.journal import JournalError, list_runs, read_journal
from loopwatch.engine.plan import Policy, RunPlan
from loopwatch.engine.run import open_run
from loopwatch.engine.session import Capability, Limits


@dataclass
class Work:
    """A worker that does what a test says, in place of the agent."""

    supervision: object
    emit: object
    does: object

    async def run(self, task):
        return await self.does(self) or Outcome(EndReason.DONE, "all done")

    async def turn(self, number, *calls):
        self.emit(events.TurnStarted(turn=number))
        for place, (tool, path, failed) in enumerate(calls):
            call = self.emit(
                events.CallMade(turn=number, call_id=f"{number}.{place}", tool=tool, arguments={"path": path})
            )
            await self.supervision.before(call)
            text = f"no such file: {path}" if failed else f"text of {path} {number}"
            self.emit(events.ResultCame(turn=number, call_id=call.call_id, text=text, is_error=failed))
        self.emit(events.UsageReported(turn=number, input=100, output=10))
        return await self.supervision.boundary(number)


def opened(tmp_path, does, *, desk=None, **more):
    plan = RunPlan(
        **{
            "task": "find it",
            "model": "m",
            "preset": preset.bundled("tiny-claw"),
            "workspace": tmp_path,
            "base_url": "http://user:secret@127.0.0.1:9/v1?key=x",
            "policy": Policy(mode="dismiss"),
        }
        | more
    )
    run = open_run(plan, desk, workshop=lambda plan, supervision, emit: Work(supervision, emit, does))
    run.told = []
    run.log.subscribe(run.told.append)
    run.begun = asyncio.Event()
    run.log.subscribe(lambda event: run.begun.set())
    return run


def kinds(run):
    return [event.type for event in run.told]


async def idle(work):
    await asyncio.Event().wait()


async def test_a_run_begins_and_ends_once_and_everything_is_in_its_journal(tmp_path):
    async def does(work):
        for number in (1, 2, 3):
            await work.turn(number, ("read_file", "a", True))

    run = opened(tmp_path, does)
    await run.execute()

    assert kinds(run)[0] == "run"
    assert kinds(run)[-1] == "end"
    assert kinds(run).count("run") == kinds(run).count("end") == 1
    recorded = read_journal(run.journal)
    assert list(recorded.events) == run.told
    assert not recorded.remarks
    started, ended = recorded.events[0], recorded.events[-1]
    assert (started.endpoint, started.preset, started.policy) == ("http://127.0.0.1:9/v1", "tiny-claw", "dismiss")
    assert started.settings["failure_counter"]["warn"] == 3
    assert (ended.reason, ended.exit_code, ended.message) == (EndReason.DONE, 0, "all done")
    assert [event.type for event in recorded.events if event.type in {"finding", "suggestion", "decision"}] == [
        "finding",
        "suggestion",
        "decision",
    ]
    assert list_runs()[0].reason is EndReason.DONE
    with pytest.raises(RuntimeError):
        await run.execute()


async def test_a_stop_ends_it_at_once_and_in_order(tmp_path):
    """C5: abort is honoured at once, anywhere."""
    run = opened(tmp_path, idle)
    running = asyncio.ensure_future(run.execute())
    await run.begun.wait()
    run.stop("enough")
    run.stop("twice")
    await running

    assert (run.told[-1].reason, run.told[-1].message, run.told[-1].exit_code) == (EndReason.OPERATOR, "enough", 130)
    assert kinds(run).count("end") == 1


async def test_a_stop_before_it_begins_is_honoured(tmp_path):
    run = opened(tmp_path, idle)
    run.stop("changed my mind")
    await run.execute()

    assert kinds(run) == ["run", "end"]


async def test_cancelling_it_ends_it_in_order(tmp_path):
    cleaned, at_work = [], asyncio.Event()

    async def does(work):
        at_work.set()
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            cleaned.append(True)

    run = opened(tmp_path, does)
    running = asyncio.ensure_future(run.execute())
    await at_work.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running

    assert cleaned == [True]
    assert run.told[-1].reason is EndReason.OPERATOR


async def test_a_fault_is_told_and_ends_it(tmp_path):
    async def does(work):
        raise ValueError("the worker broke")

    run = opened(tmp_path, does)
    await run.execute()

    assert (run.told[-1].reason, run.told[-1].exit_code) == (EndReason.FAULT, 4)
    assert "the worker broke" in run.told[-1].message


async def test_a_question_that_waits_when_the_run_is_stopped_is_withdrawn(tmp_path):
    async def does(work):
        for number in (1, 2, 3):
            await work.turn(number, ("read_file", "a", True))

    desk = OperatorDesk()
    run = opened(tmp_path, does, desk=desk, policy=Policy(mode="ask"))
    assert run.desk is desk
    desk.on_change(lambda: run.stop("no time for this") if desk.pending else None)
    await run.execute()

    assert kinds(run)[-2:] == ["decision", "end"]
    assert run.told[-2].action.value == "withdrawn"
    assert desk.pending == ()


async def test_nothing_is_said_after_the_end(tmp_path):
    async def does(work):
        return None

    run = opened(tmp_path, does)
    await run.execute()
    run.hold(on=True)
    run.speak("hello")
    run.retune(preset.bundled("balanced"))
    run.stop("late")

    assert kinds(run)[-1] == "end"


async def test_a_full_disk_is_one_clear_error_and_ends_the_run(tmp_path):
    """Disk full or unwritable: one clear error, the run stops in order."""
    place = tmp_path / "full.jsonl"
    place.symlink_to("/dev/full")

    run = opened(tmp_path, idle, journal=place)
    await run.execute()

    assert kinds(run) == ["run", "end"]
    assert run.told[-1].reason is EndReason.FAULT
    assert "full.jsonl: No space left on device" in run.told[-1].message


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_journal_that_cannot_be_written_is_refused_before_the_run(tmp_path):
    (tmp_path / "locked").mkdir(mode=0o500)
    with pytest.raises(JournalError, match="Permission denied"):
        opened(tmp_path, idle, journal=tmp_path / "locked" / "run.jsonl")


def test_a_journal_in_no_folder_is_refused_before_the_run(tmp_path):
    with pytest.raises(JournalError, match=r"nowhere.*No such file.*--journal"):
        opened(tmp_path, idle, journal=tmp_path / "nowhere" / "run.jsonl")


async def test_the_runs_key_never_reaches_the_journal(tmp_path, monkeypatch):
    monkeypatch.setenv("OTHER_API_KEY", "other-key-123456")

    async def does(work):
        work.emit(events.ResultCame(turn=1, call_id="1", text="env: my-key-987654 other-key-123456"))

    run = opened(tmp_path, does, api_key=SecretStr("my-key-987654"))
    await run.execute()

    written = run.journal.read_text()
    assert "987654" not in written
    assert "123456" not in written
    assert "secret@" not in written


async def test_other_settings_are_in_force_from_the_next_step_on_and_noted(tmp_path):
    async def does(work):
        await work.turn(1, ("read_file", "a", True))
        await work.turn(2, ("read_file", "a", True))
        run.retune(preset.bundled("tiny-claw").with_value("failure_counter", "warn", 5))
        for number in (3, 4, 5):
            await work.turn(number, ("read_file", "a", True))

    run = opened(tmp_path, does)
    await run.execute()

    assert [event.count for event in run.told if event.type == "finding"] == [5]
    note = next(event for event in run.told if event.type == "note")
    assert note.data["settings"]["failure_counter"]["warn"] == 5


async def test_the_gauges_show_what_was_used(tmp_path):
    readings = []

    async def does(work):
        await work.turn(1, ("read_file", "a", True), ("read_file", "b", True))
        readings.append(run.reading())
        await work.turn(2, ("read_file", "c", False))
        await work.turn(3, ("read_file", "c", True))

    run = opened(tmp_path, does, limits=Limits(tokens=30_000, no_progress=20), preset=preset.bundled("three-fuses"))
    await run.execute()

    (early,), late = readings, run.reading()
    assert (early.errors, early.steps, early.turns) == (2, 2, 1)
    assert (late.errors, late.steps, late.failed_steps, late.turns) == (1, 4, 3, 3)
    assert (late.tokens, late.recent_tokens) == (330, (110, 110, 110))
    assert (late.limits.tokens, late.limits.no_progress) == (30_000, 20)
    assert late.cost is None


async def test_the_runs_own_limit_lowers_the_breaker_and_never_raises_it(tmp_path):
    """B5."""

    async def does(work):
        return None

    lowered = opened(tmp_path, does, limits=Limits(no_progress=7), preset=preset.bundled("three-fuses"))
    kept = opened(tmp_path, does, limits=Limits(no_progress=90), preset=preset.bundled("three-fuses"))
    without = opened(tmp_path, does, limits=Limits(no_progress=7))

    assert lowered.preset.rules["breaker"].limit == lowered.reading().limits.no_progress == 7
    assert kept.preset.rules["breaker"].limit == 30
    assert without.reading().limits.no_progress is None
    with pytest.raises(PresetError, match="limit"):
        opened(tmp_path, does, limits=Limits(no_progress=1), preset=preset.bundled("three-fuses"))


async def test_a_cost_limit_stops_at_the_next_boundary(tmp_path):
    async def does(work):
        work.emit(events.UsageReported(turn=1, input=10, output=10, cost=0.6))
        assert (await work.turn(1, ("read_file", "a", False))).stop is None
        work.emit(events.UsageReported(turn=2, input=10, output=10, cost=0.6))
        directive = await work.turn(2, ("read_file", "b", False))
        return Outcome(directive.stop, directive.message)

    run = opened(tmp_path, does, limits=Limits(cost=1.0))
    await run.execute()

    assert (run.told[-1].reason, run.told[-1].exit_code) == (EndReason.COST_LIMIT, 3)
    assert "$1.20 of $1.00" in run.told[-1].message
    assert any("no price is known for m" in event.text for event in run.told if event.type == "note")


async def test_an_own_run_can_do_everything_but_be_sought_through(tmp_path):
    run = opened(tmp_path, idle)

    assert Capability.INJECT | Capability.STOP | Capability.HOLD | Capability.SPEAK in run.capabilities
    assert Capability.SEEK not in run.capabilities
    run.stop("not needed")
    await run.execute()


async def test_links_inside_the_workspace_lead_to_the_same_call(tmp_path):
    """A10: symbolic links inside the workspace."""
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    fingerprints = []

    async def does(work):
        await work.turn(1, ("read_file", "real/a", False), ("read_file", "link/a", False))

    run = opened(tmp_path, does)
    run.on_step(lambda step, facts: fingerprints.append(facts.call))
    await run.execute()

    assert fingerprints[0] == fingerprints[1] != ""
