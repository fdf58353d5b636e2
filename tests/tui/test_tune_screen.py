"""Sliders: by keys, by typing, by mouse; what they change is in force at once."""

import pytest
from textual.app import App

from loopwatch.detectors.preset import knobs
from loopwatch.tui.safe_text import own
from loopwatch.tui.widgets.slider import TITLE_WIDTH, Slider


class Bench(App):
    def __init__(self):
        super().__init__()
        self.told = []

    def compose(self):
        yield Slider(own("Share"), low=0, high=1, step=0.05, value=0.5, default=0.5, unit=own("of all"))

    def get_theme_variable_defaults(self):
        from loopwatch.tui import theme

        return dict(theme.chosen(None).variables)

    def on_slider_changed(self, event):
        self.told.append((event.value, event.dragging))


async def test_a_slider_follows_keys_typing_and_the_mouse():
    """A slider per threshold: arrows, page, home, end, typed value, mouse drag."""
    app = Bench()
    async with app.run_test(size=(80, 5)) as pilot:
        slider = app.query_one(Slider)
        slider.focus()
        for keys, value in (
            (("right", "right", "left"), 0.55),
            (("home",), 0.0),
            (("end",), 1.0),
            (("pagedown",), 0.9),
            (("r",), 0.5),
            (("0", ".", "3", "2", "enter"), 0.3),
            (("9", "enter"), 1.0),
            (("0", ".", "1", "escape", "left"), 0.95),
            (("4", "backspace", "enter", "1", ".", ".", "enter"), 0.95),
        ):
            await pilot.press(*keys)
            assert slider.value == value, keys
        await pilot.click(Slider, offset=(TITLE_WIDTH, 0))
        assert slider.value == 0.0
        app.told.clear()
        await pilot.mouse_down(Slider, offset=(TITLE_WIDTH + 3, 0))
        await pilot.hover(Slider, offset=(TITLE_WIDTH + slider.rail_width - 1, 0))
        await pilot.mouse_up(Slider, offset=(TITLE_WIDTH + slider.rail_width - 1, 0))
        await pilot.pause()
        assert app.told[-1] == (1.0, False)
        assert slider.render_line(0).text.rstrip().endswith("1 of all")


def test_a_slider_without_a_range_is_refused():
    with pytest.raises(ValueError, match="needs low < high"):
        Slider(own("x"), low=1, high=1, step=1, value=1, default=1, unit=own(""))


async def answered(app):
    """Wait for the last what-if; those before it were cancelled."""
    for worker in [worker for worker in app.workers if worker.group == "what-if"][-1:]:
        await worker.wait()


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
async def test_a_moved_slider_changes_the_running_preset(app, stage, text, size):
    """Changes the running suite at once."""
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        stage.secret_key()
        stage.ask(steps=(2, 4, 5))
        await pilot.pause()
        await pilot.press("t")
        await pilot.pause()
        first = knobs(stage.preset)[0]
        shown = text(app)
        assert first.rule_title in shown
        assert first.help[:20] in shown
        assert f"{first.rule_title}   1 alarm in this run, " in shown

        await answered(app)
        await pilot.pause()
        assert "1 alarm in this run, 1 with these settings" in text(app)

        await pilot.press("right")
        await pilot.pause()
        await answered(app)
        await pilot.pause()
        assert "1 alarm in this run, 0 with these settings" in text(app)
        assert getattr(stage.preset.settings(first.rule), first.setting) == first.value + first.step
        assert len(stage.retuned) == 1

        await pilot.press("R")
        await pilot.pause()
        assert getattr(stage.preset.settings(first.rule), first.setting) == first.value
        assert app.screen.query(Slider).first().value == first.value

        await pilot.press("escape")
        await pilot.pause()
        assert "waits for you" in text(app)
