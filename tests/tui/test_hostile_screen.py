"""The whole screen, fed with hostile text: nothing crashes, nothing reaches the terminal raw."""

from loopwatch.engine import events
from loopwatch.tui.app import LoopwatchApp
from loopwatch.tui.screens.run import ARM_SECONDS
from tests.tui.hostile import CORPUS, FORBIDDEN
from tests.tui.stage import Stage


def raw_on(app):
    """Forbidden characters in what would be written."""
    shown = "".join(segment.text for strip in app.screen._compositor.render_strips() for segment in strip)
    return FORBIDDEN & set(shown)


async def test_no_panel_dialog_or_remark_lets_hostile_text_through():
    """Hostile text is shown safely in every panel."""
    stage = Stage()
    app = LoopwatchApp(stage, clock=stage.clock)
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        await pilot.pause()
        stage.begin(
            task=CORPUS["title"], model=CORPUS["markup"], workspace=CORPUS["direction"], policy=CORPUS["clear screen"]
        )
        for number, text in enumerate(CORPUS.values(), start=1):
            stage.think(text, reasoning=text)
            stage.answer(stage.call(text[:200], {text[:50]: text, "path": text}), text, failed=True)
            stage.answer(stage.call("bash", text), text)
            stage.log.append(events.Note(text=text))
            stage.log.append(events.Spoke(text=text))
            stage.log.append(events.ApprovalAsked(call_id="c", command=text, reason=text))
            task = stage.ask(text=text, message=text, number=number, steps=(0, 1))
            await pilot.pause()
            app.screen.flush()
            app.screen.refresh_gauges()
            await pilot.pause()
            assert not raw_on(app)
            stage.clock.advance(ARM_SECONDS)
            await pilot.press("e")
            await pilot.pause()
            assert not raw_on(app)
            await pilot.press("ctrl+s")
            await task
            await pilot.press("escape")
        for row in range(len(app.run_view.rows)):
            app.screen.query_one("#timeline").move_to(row)
            if row % 7 == 0:
                await pilot.pause()
                assert not raw_on(app)
        stage.end(events.EndReason.FAULT, CORPUS["clipboard"])
        await pilot.pause()
        app.screen.refresh_gauges()
        await pilot.pause()
        assert not raw_on(app)


async def test_pasted_text_is_cleaned_too(app, stage):
    from textual import events as textual_events

    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        stage.begin()
        stage.ask(text="ok")
        await pilot.pause()
        stage.clock.advance(ARM_SECONDS)
        await pilot.press("o")
        app.post_message(textual_events.Paste("a\x1b]52;c;QQ==\x07b"))
        await pilot.pause()
        await pilot.press("ctrl+s")
        await pilot.pause()
        assert stage.decisions[0].text == "a␛]52;c;QQ==␇b"

        await pilot.press("m")
        app.post_message(textual_events.Paste("c\x1b[2J"))
        await pilot.pause()
        await pilot.press("enter")
        assert stage.said == ["c␛[2J"]
