"""Nothing of the person's own reaches the screen's tests; nothing on it moves by itself."""

import re

import pytest
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

from loopwatch.tui.app import LoopwatchApp
from tests.tui.stage import Stage


@pytest.fixture(autouse=True)
def still(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "LOOPWATCH_STATE_DIR"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
    for name in ("NO_COLOR", "TEXTUAL_THEME", "COLORTERM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("textual.constants.TEXTUAL_ANIMATIONS", "none", raising=False)


@pytest.fixture
def stage():
    return Stage()


@pytest.fixture
def app(stage):
    return LoopwatchApp(stage, clock=stage.clock)


def drawn(app):
    """The screen as lines of text."""
    return ["".join(segment.text for segment in strip) for strip in app.screen._compositor.render_strips()]


@pytest.fixture
def text():
    """Ask for the screen as one text."""
    return lambda app: "\n".join(drawn(app))


class Picture(SingleFileSnapshotExtension):
    """One SVG a state, beside the tests."""

    file_extension = "svg"
    _write_mode = WriteMode.TEXT


@pytest.fixture
def picture(snapshot):
    """Compare the screen with its picture; ``pytest --snapshot-update`` draws it anew. Look at it before committing."""
    pictures = snapshot.use_extension(Picture)

    def compare(app):
        svg = app.export_screenshot(title="loopwatch")
        assert re.sub(r"\bterminal-\d+-", "terminal-", svg) == pictures

    return compare
