"""Manners towards the terminal, the mouse, and Textual's own names."""

import dis
import fcntl
import importlib
import os
import pkgutil
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time

import pytest
from textual.app import App
from textual.widget import Widget

import loopwatch.tui
from loopwatch.tui.terminal import Output
from loopwatch.tui.widgets.collisions import Collisions
from loopwatch.tui.widgets.key_line import KeyLine
from loopwatch.tui.widgets.timeline import Timeline

WALK = """
import sys
from pathlib import Path
from tests.tui.stage import Stage
from loopwatch.tui.app import show
stage = Stage()
stage.journal = Path("my runs/a.jsonl")
sys.exit(show(lambda: stage))
"""


def read_until(fd, mark, buffer, seconds=30):
    deadline = time.monotonic() + seconds
    while mark not in buffer and time.monotonic() < deadline:
        if select.select([fd], [], [], 0.2)[0]:
            try:
                buffer += os.read(fd, 65536)
            except OSError:
                break
    return buffer


@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGTERM, 130), (signal.SIGHUP, 130)], ids=lambda value: getattr(value, "name", "")
)
def test_a_signal_leaves_the_terminal_as_it_was(number, status):
    """SIGTERM and SIGHUP: terminal clean, the agent stopped, the exit status tells."""
    pid, fd = pty.fork()
    if pid == 0:
        os.environ["TERM"] = "xterm-256color"
        os.execv(sys.executable, [sys.executable, "-c", WALK])
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    written = read_until(fd, b"Timeline", b"")
    written = read_until(fd, b"hold", written)
    os.kill(pid, number)
    written = read_until(fd, b"\x1b[?1049l", written)
    written = read_until(fd, b"never", written, seconds=1) if b"\x1b[?1049l" not in written else written
    written = read_until(fd, b"a.jsonl'", written)
    _, ended = os.waitpid(pid, 0)
    os.close(fd)

    assert b"\x1b[?1049h" in written
    assert b"\x1b[?1049l" in written
    assert b"Traceback" not in written
    assert b"loopwatch replay 'my runs/a.jsonl'" in written
    assert os.waitstatus_to_exitcode(ended) == status


def test_a_terminal_that_goes_away_ends_the_app():
    """The connection breaks and no signal comes: nothing is left running."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(ours, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    app = subprocess.Popen(
        [sys.executable, "-c", WALK],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=os.environ | {"TERM": "xterm-256color"},
        start_new_session=True,  # it is not its controlling terminal, so that the kernel sends no SIGHUP
    )
    os.close(theirs)
    read_until(ours, b"hold", b"")
    os.close(ours)

    try:
        assert app.wait(timeout=30) == 130
    finally:
        app.kill()


def test_output_without_a_reader_is_thrown_away_and_told_once():
    class Broken:
        def write(self, text):
            raise OSError(5, "Input/output error")

        flush = write

    told = []
    output = Output(Broken(), lost=lambda: told.append(True))

    assert [output.write("abc"), output.write("d")] == [3, 1]
    output.flush()
    assert told == [True]


def test_the_screen_loads_neither_openai_nor_the_judge():
    """First frame: heavy libraries come after it."""
    code = "import sys, loopwatch.tui.app; print('\\n'.join(sys.modules))"
    loaded = set(
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    )

    assert not {"openai", "httpx2", "starlette", "uvicorn", "rapidfuzz"} & loaded
    assert "loopwatch.detectors.sameness.judge" not in loaded
    assert "loopwatch.engine.run" not in loaded


async def test_everything_can_be_clicked(app, stage):
    """The mouse: rows, collisions, keys."""
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.pause()
        steps = stage.secret_key()
        stage.ask(steps=steps)
        await pilot.pause()
        app.screen.flush()
        stage.clock.advance(1)
        await pilot.pause()
        timeline = app.screen.query_one(Timeline)
        await pilot.click(Timeline, offset=(20, 2))
        assert timeline.row_cursor == 1
        assert not timeline.follow
        await pilot.click(Collisions, offset=(10, 1))
        assert timeline.row_cursor == 5
        keys = app.screen.query_one("#card-keys", KeyLine)
        at = keys.render().plain.index("d\u00a0dismiss")
        await pilot.click(keys, offset=(at, 0))
        await pilot.pause()
    assert [decision.action for decision in stage.decisions] == ["dismiss"]


MEANT = {
    # Names of Textual's that are there to be taken.
    "compose", "render", "render_line", "notify_style_update", "get_default_screen", "get_system_commands",
    "get_theme_variable_defaults", "action_quit", "watch_scroll_y", "_fatal_error", "_on_key", "_on_paste", "theme",
    "BINDINGS", "COMPONENT_CLASSES", "DEFAULT_CSS", "ALLOW_SELECT", "AUTO_FOCUS", "CSS_PATH", "TITLE",
    "PAUSE_GC_ON_SCROLL", "HORIZONTAL_BREAKPOINTS", "VERTICAL_BREAKPOINTS", "can_focus", "can_focus_children",
}  # fmt: skip
MADE_BY_TEXTUAL = {"_merged_bindings", "_css_type_name", "_css_type_names", "_decorated_handlers", "_computes"}
MADE_BY_TEXTUAL |= {"_reactives", "_inherit_css", "_inherit_bindings", "_inherit_component_classes", "_default_css"}


def own_classes():
    entries = pkgutil.walk_packages(loopwatch.tui.__path__, "loopwatch.tui.")
    modules = [importlib.import_module(entry.name) for entry in entries]
    return [
        thing
        for module in modules
        for thing in vars(module).values()
        if isinstance(thing, type) and issubclass(thing, (Widget, App)) and thing.__module__ == module.__name__
    ]


def names_of(kind):
    """What a class defines, and what its constructor puts on the instance."""
    names = {name for name in vars(kind) if not name.startswith("__")}
    maker = vars(kind).get("__init__")
    stored = dis.get_instructions(maker) if maker is not None else ()
    return names | {one.argval for one in stored if one.opname == "STORE_ATTR"}


@pytest.mark.parametrize("kind", own_classes(), ids=lambda kind: kind.__name__)
def test_no_name_of_ours_hides_one_of_textuals(kind):
    """Textual's classes have hundreds of private names; a widget that reuses one breaks in strange places."""
    base = next(base for base in kind.__mro__ if base.__module__.startswith("textual"))
    taken = set(dir(base)) | set(vars(App() if issubclass(base, App) else Widget()))
    handlers = {name for name in taken if name.startswith("on_")}

    assert (names_of(kind) & taken) - MEANT - MADE_BY_TEXTUAL - handlers == set()
