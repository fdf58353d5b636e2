"""How the screen looks, as pictures: few states, so that a change is looked at and not waved through."""

import re

import pytest

from loopwatch.tui.app import LoopwatchApp
from tests.tui.stage import Stage


async def waiting(app, pilot, stage):
    """The first doom loop, with a suggestion that waits since 24 seconds."""
    await pilot.pause()
    stage.ask(steps=stage.secret_key())
    stage.clock.advance(24)
    await pilot.pause()
    app.screen.flush()
    app.screen.refresh_gauges()
    await pilot.pause()


@pytest.mark.parametrize("size", [(80, 24), (120, 36), (200, 60)], ids=lambda size: f"{size[0]}x{size[1]}")
async def test_the_screen_with_a_suggestion_in_the_dark(size, picture):
    stage = Stage()
    app = LoopwatchApp(stage, theme="night", clock=stage.clock)
    async with app.run_test(size=size) as pilot:
        await waiting(app, pilot, stage)
        picture(app)


async def test_the_screen_with_a_suggestion_on_paper(picture):
    stage = Stage()
    app = LoopwatchApp(stage, theme="paper", clock=stage.clock)
    async with app.run_test(size=(120, 36)) as pilot:
        await waiting(app, pilot, stage)
        picture(app)


async def test_the_screen_without_colours(picture, monkeypatch):
    """NO_COLOR works: signs and words say everything."""
    monkeypatch.setenv("NO_COLOR", "1")
    stage = Stage()
    app = LoopwatchApp(stage, clock=stage.clock)
    async with app.run_test(size=(80, 24)) as pilot:
        await waiting(app, pilot, stage)
        inks = set(re.findall(r"-r\d+ \{ fill: #(\w{6})", app.export_screenshot())) - {"c5c8c6"}  # the frame's own
        assert inks
        assert all(ink[:2] == ink[2:4] == ink[4:] for ink in inks)
        picture(app)
