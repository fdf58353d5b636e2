"""Where one starts: tasks, rehearsals, past runs."""

import pytest

from loopwatch.engine import events
from loopwatch.engine.journal import Journal, runs_dir
from loopwatch.engine.log import EventLog
from loopwatch.tui.app import HomeApp
from loopwatch.tui.screens.home import Choice


@pytest.fixture
def past_run():
    path = runs_dir() / "20260101-000000-abcdef.jsonl"
    journal = Journal(path, secrets=frozenset())
    log = EventLog("20260101-000000-abcdef", journal)
    log.append(events.RunStarted(task="mend the [/build]\x1b[2J", model="m", source="own"))
    log.append(events.RunEnded(reason=events.EndReason.DONE))
    journal.close()
    return path


async def listed(app, pilot):
    await app.workers.wait_for_complete()
    await pilot.pause()


@pytest.mark.parametrize("size", [(80, 24), (120, 36), (200, 60)])
async def test_rehearsals_and_past_runs_are_listed_and_opened(past_run, text, size):
    """The home screen: start a task, open a past run, rehearse."""
    app = HomeApp(about=("gpt-5-mini", "~/src/shop"))
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        await listed(app, pilot)
        shown = text(app)
        for part in ("loopwatch", "secret-key", "~/src/shop", "mend the [/build]␛[2J", "finished", "no key"):
            assert part in shown, part
        await pilot.press("tab", "tab", "enter")
        await pilot.pause()
    assert app.return_value == Choice("replay", str(past_run))


async def test_a_rehearsal_is_chosen_with_the_keyboard():
    app = HomeApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await listed(app, pilot)
        await pilot.press("escape", "enter")
        await pilot.pause()
    assert app.return_value == Choice("demo", "secret-key")


async def test_a_task_is_typed_and_empty_ones_are_not_taken(text):
    app = HomeApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await listed(app, pilot)
        assert "none yet" in text(app)
        await pilot.press("enter")
        assert app.return_value is None
        await pilot.press(*"fix q", "enter")
        await pilot.pause()
    assert app.return_value == Choice("task", "fix q")


async def test_q_leaves_without_a_choice(text):
    app = HomeApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await pilot.press("escape", "question_mark")
        await pilot.pause()
        assert "accept it as it stands" in text(app)
        await pilot.press("escape", "q")
        await pilot.pause()
    assert app.return_value is None
