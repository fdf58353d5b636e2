"""How long a person waits for the first sign of life, medians of five."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from tests.benchmarks.figure import Figure, median_of, seconds

if TYPE_CHECKING:
    from collections.abc import Iterator

TIMES = 5
PATIENCE = 20.0
ROWS, COLUMNS = 36, 120
FRAME = b"Timeline"
"""A word of the main screen; nothing else that is written to the terminal before it holds the word."""


def figures() -> Iterator[Figure]:
    """Help, and the first frame of the demo in a real terminal; with byte code in place, as an installation has it."""
    with tempfile.TemporaryDirectory(prefix="loopwatch-bench-") as home:
        environment = _environment(home)
        _help(environment)
        _first_frame(environment)
        yield Figure("start.help", median_of(seconds(lambda: _help(environment)) for _ in range(TIMES)), "s", 0.2)
        yield Figure("start.demo_first_frame", median_of(_first_frame(environment) for _ in range(TIMES)), "s", 0.8)


def _environment(home: str) -> dict[str, str]:
    here = str(Path(__file__).resolve().parents[2])
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "LOOPWATCH_", "NO_COLOR"))
    }
    size = {"LINES": str(ROWS), "COLUMNS": str(COLUMNS)}
    return kept | size | {"HOME": home, "TERM": "xterm-256color", "PYTHONPATH": here}


def _help(environment: dict[str, str]) -> None:
    subprocess.run([*_program(), "--help"], env=environment, check=True, stdout=subprocess.DEVNULL)


def _program() -> list[str]:
    """The installed command beside the interpreter, or the package where it is not installed."""
    command = Path(sys.executable).with_name("loopwatch")
    return [str(command)] if command.exists() else [sys.executable, "-m", "loopwatch"]


def _first_frame(environment: dict[str, str]) -> float:
    """Seconds from the start of ``loopwatch demo`` to the first frame that shows the main screen."""
    import fcntl
    import pty
    import struct
    import termios

    screen, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    begin = time.perf_counter()
    child = subprocess.Popen(
        [*_program(), "demo", "secret-key"],
        env=environment,
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        start_new_session=True,
    )
    os.close(terminal)
    try:
        return _until_frame(screen, begin)
    finally:
        child.send_signal(signal.SIGTERM)
        try:
            child.wait(2)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
        os.close(screen)


def _until_frame(screen: int, begin: float) -> float:
    seen = b""
    while time.perf_counter() - begin < PATIENCE:
        if not select.select([screen], [], [], 0.05)[0]:
            continue
        try:
            seen += os.read(screen, 65536)
        except OSError:  # the terminal is gone when the program is
            break
        if FRAME in seen:
            return time.perf_counter() - begin
    raise RuntimeError(f"no main screen within {PATIENCE:g} s; the terminal showed {seen[-400:]!r}")
