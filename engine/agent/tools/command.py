"""Running shell commands: own process group, no terminal, a time limit, bounded output."""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
import signal
import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pydantic import Field

from loopwatch.engine.agent.tools.files import Arguments
from loopwatch.engine.agent.tools.workspace import shown_bytes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from loopwatch.engine.agent.tools.workspace import Workspace

KEPT_HEAD = 16_000
KEPT_TAIL = 16_000
"""Bytes of output kept from its beginning and its end."""
GRACE = 0.5
"""Seconds between TERM and KILL."""

_SECRET_NAME = re.compile(r"API_?KEY|SECRET|TOKEN|PASSWORD|CREDENTIAL", re.IGNORECASE)


class RunCommand(Arguments):
    """Run a shell command in the workspace and get its output (stdout and stderr together). It has no terminal."""

    command: str = Field(min_length=1, description="for /bin/sh")
    timeout: float = Field(default=120, gt=0, le=3600, description="seconds")


@dataclass(slots=True)
class Output:
    """Head and tail of a stream whose middle may be thrown away."""

    head: bytearray = field(default_factory=bytearray)
    tail: bytearray = field(default_factory=bytearray)
    cut: int = 0
    """Bytes thrown away."""
    _hash: hashlib._Hash = field(default_factory=hashlib.sha256)

    def feed(self, data: bytes) -> None:
        """Take in what came."""
        self._hash.update(data)
        room = KEPT_HEAD - len(self.head)
        self.head += data[:room] if room > 0 else b""
        self.tail += data[max(room, 0) :]
        if (over := len(self.tail) - KEPT_TAIL) > KEPT_TAIL:
            del self.tail[:over]
            self.cut += over

    @property
    def left_out(self) -> int:
        """Bytes that ``text`` does not show."""
        return self.cut + max(0, len(self.tail) - KEPT_TAIL)

    @property
    def digest(self) -> str:
        """SHA-256 of the whole, where something of it is left out."""
        return self._hash.hexdigest() if self.left_out else ""

    def text(self) -> str:
        """What was kept, with a line that says what was cut."""
        if not self.left_out:
            return shown_bytes(bytes(self.head + self.tail))
        head, tail = shown_bytes(bytes(self.head)), shown_bytes(bytes(self.tail[-KEPT_TAIL:]))
        return f"{head}\n[{self.left_out} bytes of output left out here]\n{tail}"


@dataclass(frozen=True, slots=True)
class CommandOutcome:
    """How a command ended."""

    text: str
    exit_code: int | None
    """``None`` when it was ended by us."""
    cut: int
    digest: str
    timed_out: bool


async def run_command(
    workspace: Workspace, arguments: RunCommand, *, environment: Mapping[str, str] | None = None
) -> CommandOutcome:
    """Run it to its end, to its time limit, or until this call is cancelled; nothing of it is left running."""
    output = Output()
    timed_out = False
    # A pipe of our own: asyncio's Process.wait() would wait for every background child that holds its pipe open.
    ours, theirs = os.pipe()
    try:
        process = await asyncio.create_subprocess_exec(
            "/bin/sh",
            "-c",
            arguments.command,
            cwd=workspace.root,
            env=dict(environment if environment is not None else safe_environment()),
            stdin=subprocess.DEVNULL,
            stdout=theirs,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    except BaseException:
        os.close(ours)
        raise
    finally:
        os.close(theirs)
    try:
        async with asyncio.timeout(arguments.timeout):
            await _read_to_end(process, ours, output)
    except TimeoutError:
        timed_out = True
    finally:
        await _end_group(process)
    return CommandOutcome(
        text=output.text(),
        exit_code=None if timed_out else process.returncode,
        cut=output.left_out,
        digest=output.digest,
        timed_out=timed_out,
    )


def safe_environment() -> dict[str, str]:
    """Our own environment without what looks like a secret, and without a terminal to ask at."""
    kept = {name: value for name, value in os.environ.items() if not _SECRET_NAME.search(name)}
    return kept | {"TERM": "dumb", "GIT_TERMINAL_PROMPT": "0", "PAGER": "cat", "GIT_PAGER": "cat"}


async def _read_to_end(process: asyncio.subprocess.Process, pipe: int, output: Output) -> None:
    """Until the shell is gone; what it left in the background may hold the pipe open and is not waited for."""
    stream = asyncio.StreamReader()
    transport, _ = await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(stream), os.fdopen(pipe, "rb", buffering=0)
    )

    async def read() -> None:
        while data := await stream.read(65536):
            output.feed(data)

    reader = asyncio.create_task(read())
    try:
        await process.wait()
        await asyncio.wait([reader], timeout=GRACE)
    finally:
        reader.cancel()
        with suppress(asyncio.CancelledError):
            await reader
        transport.close()


async def _end_group(process: asyncio.subprocess.Process) -> None:
    """TERM, then KILL, for whatever is left of the command's process group."""
    if not _signal_group(process.pid, signal.SIGTERM):
        return
    deadline = time.monotonic() + GRACE
    while time.monotonic() < deadline:
        await asyncio.sleep(0.02)
        if not _signal_group(process.pid, 0):
            break
    _signal_group(process.pid, signal.SIGKILL)
    await process.wait()


def _signal_group(group: int, number: int) -> bool:
    """Whether there was anybody to signal."""
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True
