"""The main screen on a session that acts out the first doom loop."""

import pytest
from textual.events import Key

from loopwatch.engine.events import Action, EndReason
from loopwatch.engine.session import Capability
from loopwatch.tui.app import LoopwatchApp
from loopwatch.tui.screens.run import ARM_SECONDS
from loopwatch.tui.widgets.suggestion_card import Editor
from loopwatch.tui.widgets.timeline import Timeline
from tests.tui.stage import REMINDER, START, Stage

SIZES = [(80, 24), (120, 36), (200, 60)]


async def settle(app, pilot):
    """Let what was emitted reach the screen, without waiting for its timers."""
    await pilot.pause()
    app.screen.flush()
    app.screen.refresh_gauges()
    await pilot.pause()


async def asked(app, pilot, stage, **more):
    """Play up to the third failure and have a suggestion wait, long enough for its letters to count."""
    await pilot.pause()
    steps = stage.secret_key()
    task = stage.ask(steps=steps, **more)
    await settle(app, pilot)
    stage.clock.advance(ARM_SECONDS)
    return task


@pytest.mark.parametrize("size", SIZES)
async def test_everything_one_needs_is_on_the_screen_at_every_size(app, stage, text, size):
    """The screen: state, task, steps, collisions, budgets, the card with its choices (design: Screens)."""
    async with app.run_test(size=size) as pilot:
        await asked(app, pilot, stage)
        stage.clock.advance(24)
        await settle(app, pilot)
        shown = text(app)

        for part in (
            "waits for you", "fix the login test", "gpt-5-mini", "pytest -q tests/login", "✗ ×3", "87%",
            "read_file “secret_key.txt” failed 3 times", "You are working on", "a\u00a0accept", "x\u00a0stop", "0:24",
            "looping: read_file ×3",
        ):  # fmt: skip
            assert part in shown, part
        if size[0] < 120:
            stage.desk.resolve("s1", stage_decision(Action.DISMISS))
            await settle(app, pilot)
            panels = {"3": "×2", "4": "no progress", "5": "I'll look at the tests first.", "2": "error"}
            for key, part in panels.items():
                await pilot.press(key)
                await settle(app, pilot)
                assert part in text(app), key
        else:
            for part in ("no progress", "I'll look at the tests first.", "Error: no such file", "26,170 / 30,000"):
                assert part in shown, part


def stage_decision(action, **more):
    from loopwatch.engine.desk import Decision

    return Decision(action=action, **more)


async def test_a_person_accepts_edits_and_speaks_in_their_own_words(app, stage, text):
    """Decisions: accept, edit, own words; the timeline shows decision, injection and receipt."""
    async with app.run_test(size=(120, 36)) as pilot:
        await asked(app, pilot, stage)
        await pilot.press("a")
        await settle(app, pilot)
        assert stage.decisions == [stage_decision(Action.ACCEPT)]
        shown = text(app)
        assert "you accepted" in shown
        timeline = app.screen.query_one(Timeline)
        assert timeline.follow
        assert timeline.row_cursor == len(app.run_view.rows) - 1
        assert "as a user message, 42 tokens" in shown
        assert "the model has read it: message 10 of 10" in shown
        assert "a\u00a0accept" not in shown

        stage.ask(number=2)
        await settle(app, pilot)
        stage.clock.advance(1)
        await pilot.press("e")
        await pilot.press("!", "s", "a")
        await pilot.press("ctrl+s")
        await settle(app, pilot)
        assert stage.decisions[-1] == stage_decision(Action.EDIT, text=REMINDER + "!sa")
        assert isinstance(app.focused, Timeline)

        stage.ask(number=3)
        await settle(app, pilot)
        stage.clock.advance(1)
        await pilot.press("O", "h", "i", "ctrl+j")
        await settle(app, pilot)
        assert stage.decisions[-1] == stage_decision(Action.OVERRIDE, text="hi", always=True)


async def test_escape_shows_the_suggested_text_again_and_keeps_the_draft(app, stage):
    async with app.run_test(size=(80, 24)) as pilot:
        await asked(app, pilot, stage)
        editor = app.screen.query_one(Editor)
        await pilot.press("e", "z", "escape")
        await pilot.pause()
        assert editor.text == REMINDER
        assert app.focused is not editor

        await pilot.press("e")
        assert editor.text == REMINDER + "z"
        await pilot.press("escape", "a")
        await settle(app, pilot)
        assert stage.decisions == [stage_decision(Action.ACCEPT)]


@pytest.mark.parametrize(
    ("keys", "decision"),
    [
        ("b", stage_decision(Action.BLOCK)),
        ("D", stage_decision(Action.DISMISS, always=True)),
        ("x", stage_decision(Action.STOP)),
        (("s", "enter"), stage_decision(Action.SNOOZE, steps=10)),
        (("s", "backspace", "5", "enter"), stage_decision(Action.SNOOZE, steps=15)),
    ],
)
async def test_a_letter_decides(app, stage, keys, decision):
    """Block, stop, snooze n steps, dismiss; a capital means always for this rule in this run."""
    async with app.run_test(size=(80, 24)) as pilot:
        await asked(app, pilot, stage)
        await pilot.press(*keys)
        await settle(app, pilot)
        assert stage.decisions == [decision]


async def test_a_card_that_comes_up_takes_no_key_meant_for_something_else(app, stage, text):
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        steps = stage.secret_key()
        await settle(app, pilot)
        await pilot.press("m", "d", "o")
        stage.ask(steps=steps)
        await settle(app, pilot)
        stage.clock.advance(5)
        await pilot.press("a", "b")
        assert stage.decisions == []
        await pilot.press("enter")
        assert stage.said == ["doab"]

        await pilot.press("d")
        await settle(app, pilot)
        assert stage.decisions == [stage_decision(Action.DISMISS)]

        stage.ask(number=2)
        await settle(app, pilot)
        await pilot.press("x")
        await settle(app, pilot)
        assert len(stage.decisions) == 1
        assert stage.desk.pending


async def test_what_is_typed_ahead_goes_where_the_text_goes(app, stage):
    """Keys that come before the focus has moved are text, never commands."""
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        stage.begin()
        await pilot.pause()
        for key in ("m", *"hqt? ", "x", "backspace", "enter"):
            app.post_message(Key(key, key if len(key) == 1 else None))
        await pilot.pause()
        await pilot.pause()
        assert stage.said == ["hqt?"]
        assert not stage.held
        assert app.screen is app._run_screen

        stage.ask()
        await settle(app, pilot)
        stage.clock.advance(1)
        for key in ("o", *"as d", "ctrl+s"):
            app.post_message(Key(key, key if len(key) == 1 else None))
        await settle(app, pilot)
        assert stage.decisions == [stage_decision(Action.OVERRIDE, text="as d")]


async def test_suggestions_queue_and_a_withdrawn_one_goes_away(app, stage, text):
    """Several suggestions queue, oldest first; whoever is late changes nothing."""
    async with app.run_test(size=(120, 36)) as pilot:
        first = await asked(app, pilot, stage)
        stage.ask(number=2, text="The second one.")
        await settle(app, pilot)
        assert "1 of 2" in text(app)
        assert "The second one." not in text(app)

        first.cancel()
        await settle(app, pilot)
        assert "1 of 1" in text(app)
        assert "The second one." in text(app)


async def test_selecting_a_step_lights_up_its_collisions(app, stage, text):
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.pause()
        stage.secret_key()
        await settle(app, pilot)
        timeline = app.screen.query_one(Timeline)
        assert timeline.row_cursor == 5
        lines = [timeline.render_line(y).text for y in range(6)]
        assert [line[0] for line in lines] == [" ", " ", "┃", " ", "┃", "▌"]
        assert "same as" in text(app)
        assert "#2 #4" in text(app)

        await pilot.press("g", "j")
        await settle(app, pilot)
        assert not timeline.follow
        assert not any("┃" in timeline.render_line(y).text[:1] for y in range(6))
        stage.act("bash", {"command": "ls"}, "secret.example")
        await settle(app, pilot)
        assert timeline.row_cursor == 1
        assert "1 new" in text(app)
        await pilot.press("G")
        await settle(app, pilot)
        assert timeline.follow
        assert "not following" not in text(app)


async def test_the_newest_row_and_its_sign_stay_in_view_when_a_card_takes_the_room(app, stage, text):
    """More rows than fit: the card comes up, the timeline still follows, and no scroll bar hides a finding's sign."""
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.pause()
        stage.begin()
        timeline = app.screen.query_one(Timeline)
        for number, newest in enumerate((9, 15), start=1):
            while stage.clock.now < START + 4 * (newest + 1):
                stage.act("read_file", {"path": f"{newest}.txt"}, "text")
                await settle(app, pilot)
            stage.ask(steps=(newest - 1, newest), number=number)
            await settle(app, pilot)
            if number == 1:
                stage.desk.resolve("s1", stage_decision(Action.DISMISS))
                await settle(app, pilot)

        assert timeline.follow
        area = timeline.region
        rows = [line[area.x : area.right] for line in text(app).splitlines()[area.y : area.bottom]]
        assert any("▌" in row and "▲ warn" in row for row in rows), rows
        assert "▲" in next(row for row in rows if " 15 " in row), rows


async def test_what_the_model_says_is_still_followed_when_a_card_has_taken_the_room(app, stage, text):
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.pause()
        stage.begin()
        for number in range(6):
            stage.think(f"Thought {number}.")
            await settle(app, pilot)
        stage.ask()
        await settle(app, pilot)
        assert "Thought 5." in text(app)
        stage.think("A new thought.")
        await settle(app, pilot)
        assert "A new thought." in text(app)


async def test_a_running_call_is_shown_before_it_is_done(app, stage, text):
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.pause()
        stage.begin()
        stage.think("Trying.")
        call = stage.call("bash", {"command": "sleep 30"})
        stage.clock.advance(12)
        await settle(app, pilot)
        assert "running bash  sleep 30 0:12" in text(app)
        stage.answer(call, "done")
        await settle(app, pilot)
        assert "running bash" not in text(app)
        assert "thinking" in text(app)


async def test_leaving_stops_the_agent_first_and_asks_twice(app, stage):
    """Quit stops the agent first."""
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        stage.begin()
        await pilot.press("q")
        await pilot.pause()
        assert not stage.stopped
        await pilot.press("q")
        await app.workers.wait_for_complete()
        await pilot.pause()
    assert stage.stopped
    assert app.return_value == 130


async def test_a_fault_of_the_session_becomes_one_clear_line(app, stage, text):
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.pause()
        stage.begin()
        stage.break_down(ConnectionError("no route to\nthe [/model]"))
        await app.workers.wait_for_complete()
        await settle(app, pilot)
        assert "failed: ConnectionError: no route to" in text(app)
        await pilot.press("q")
        await pilot.pause()
    assert app.return_value == 4


async def test_the_end_says_why(app, stage, text):
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.pause()
        stage.secret_key()
        stage.end(EndReason.BREAKER, "30 steps without progress")
        await settle(app, pilot)
        assert "■ ended: stopped by the breaker" in text(app)
        assert "30 steps without progress" in text(app)


async def test_a_window_of_twenty_by_five_is_survived(app, stage):
    """Resize to 20×5 survives."""
    async with app.run_test(size=(120, 36)) as pilot:
        await asked(app, pilot, stage)
        for size in ((20, 5), (1, 1), (80, 24), (200, 60)):
            await pilot.resize_terminal(*size)
            await settle(app, pilot)
        await pilot.press("a")
        await settle(app, pilot)
    assert stage.decisions == [stage_decision(Action.ACCEPT)]


async def test_a_recording_is_played_paused_and_stepped(text):
    """Replay: step by step, and play at 1×, 4×, as fast as possible."""
    stage = Stage(capabilities=Capability.WATCH | Capability.SEEK)
    app = LoopwatchApp(stage, clock=stage.clock)
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.pause()
        stage.secret_key()
        await settle(app, pilot)
        assert "▶ playing: recording, 1×, 3 of 12" in text(app)
        for key, state in (
            (">", (4.0, False, 0)),
            (">", (None, False, 0)),
            (">", (None, False, 0)),
            ("<", (4.0, False, 0)),
            ("space", (4.0, True, 0)),
            (".", (4.0, True, 1)),
            ("right", (4.0, True, 2)),
        ):
            await pilot.press(key)
            assert (stage.speed, stage.held, stage.steps_asked) == state, key
        await settle(app, pilot)
        assert "‖ paused: recording, 4×" in text(app)
        assert "hold" not in text(app)
        await pilot.press("space", "a", "m", "h")
        assert not stage.held
        await pilot.press("q")
        await app.workers.wait_for_complete()
    assert app.return_value == 0
    assert not stage.stopped


async def test_a_source_that_cannot_do_something_says_so(text):
    """The screen enables what the capabilities say and tells why the rest is off; a limited wait is counted down."""
    stage = Stage(capabilities=Capability.WATCH | Capability.STOP)
    app = LoopwatchApp(stage, clock=stage.clock)
    async with app.run_test(size=(120, 36), notifications=True) as pilot:
        await asked(app, pilot, stage, expires=stage.clock() + 60)
        await settle(app, pilot)
        assert "0:39 left to answer" in text(app)
        await pilot.press("a", "h")
        await settle(app, pilot)
        assert "this source cannot inject" in text(app)
        assert "this source cannot be held" in text(app)
        assert stage.decisions == []
        await pilot.press("x")
        await settle(app, pilot)
    assert stage.decisions == [stage_decision(Action.STOP)]


async def test_who_begins_to_answer_is_not_hurried(app, stage, text):
    """Editing, own words and snoozing end the countdown."""
    async with app.run_test(size=(120, 36)) as pilot:
        for number, key in enumerate("eos", start=1):
            await pilot.pause()
            stage.ask(number=number, expires=stage.clock() + 60)
            await settle(app, pilot)
            stage.clock.advance(1)
            await settle(app, pilot)
            assert "0:59 left to answer" in text(app)
            await pilot.press(key)
            await settle(app, pilot)
            assert "left to answer" not in text(app)
            await pilot.press("escape", "d")
            await settle(app, pilot)
    assert len(stage.decisions) == 3


async def test_a_row_is_found_while_it_is_typed(app, stage):
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        stage.secret_key()
        await settle(app, pilot)
        timeline = app.screen.query_one(Timeline)
        await pilot.press("slash", *"login")
        assert timeline.row_cursor == 0
        await pilot.press(*".py")
        assert timeline.row_cursor == 1
        await pilot.press("escape", "j")
        assert timeline.row_cursor == 2


async def test_a_bad_theme_is_refused_by_name():
    with pytest.raises(ValueError, match="no theme 'nigth'; there are: night, paper"):
        LoopwatchApp(Stage(), theme="nigth")
