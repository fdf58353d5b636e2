"""Running shell commands: own process group, no terminal, a time limit, bounded output."""

from __future__ import annotations

import asyncio
import codecs
import hashlib
import os
import re
import signal
import subprocess
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pydantic import Field

from loopwatch.engine.agent.tools.files import Arguments
from loopwatch.engine.agent.tools.workspace import ToolError, looks_binary, shown_bytes

if TYPE_CHECKING:
    import io
    from collections.abc import Mapping

    from loopwatch.engine.agent.tools.workspace import Workspace

KEPT_HEAD = 16_000
KEPT_TAIL = 16_000
"""Bytes of output kept from its beginning and its end."""
GRACE = 0.4
"""Seconds between TERM and KILL."""
SHELL = next((shell for shell in ("/bin/bash", "/usr/bin/bash") if os.access(shell, os.X_OK)), "/bin/sh")
"""Models write for bash."""

_SMALL = 256
"""Bytes of binary output that are shown, and that may be shown as text with escapes."""
_CONTINUATION = bytes(range(0x80, 0xC0))
"""Bytes that go on a UTF-8 character."""
_SECRET_NAME = re.compile(r"API_?KEY|SECRET|TOKEN|PASSWORD|CREDENTIAL", re.IGNORECASE)


class RunCommand(Arguments):
    """Run a shell command in the workspace and get its output (stdout and stderr together). It has no terminal."""

    command: str = Field(min_length=1, description="for bash")
    timeout: float = Field(default=120, gt=0, le=3600, description="seconds")


@dataclass(slots=True)
class Output:
    """Head and tail of a stream whose middle may be thrown away."""

    head: bytearray = field(default_factory=bytearray)
    tail: bytearray = field(default_factory=bytearray)
    size: int = 0
    """Bytes so far."""
    characters: int = 0
    """Characters so far, where it is UTF-8."""
    _hash: hashlib._Hash = field(default_factory=hashlib.sha256)

    def feed(self, data: bytes) -> None:
        """Take in what came."""
        self.size += len(data)
        self.characters += len(data.translate(None, _CONTINUATION))
        self._hash.update(data)
        room = KEPT_HEAD - len(self.head)
        self.head += data[:room] if room > 0 else b""
        self.tail += data[max(room, 0) :]
        del self.tail[:-KEPT_TAIL]

    def kept(self) -> tuple[str, int]:
        """What is shown, with a line that says what was cut, and how many characters that were."""
        if looks_binary(bytes(self.head)) and self.size > _SMALL:
            return f"[binary output, {self.size} bytes; it begins:]\n{self.head[:_SMALL].hex(' ')}", self.size - _SMALL
        if self.size <= KEPT_HEAD + KEPT_TAIL:
            return shown_bytes(bytes(self.head + self.tail)), 0
        # No character is cut in two: half of one would be shown as strange bytes that nobody wrote.
        head = self.head[: len(self.head) - _split_end(self.head)]
        tail = self.tail.lstrip(_CONTINUATION)
        cut = self.characters - sum(len(part.translate(None, _CONTINUATION)) for part in (head, tail))
        return (
            f"{shown_bytes(bytes(head))}\n[{cut} characters of output left out here]\n{shown_bytes(bytes(tail))}",
            cut,
        )

    @property
    def digest(self) -> str:
        """SHA-256 of the whole."""
        return self._hash.hexdigest()


@dataclass(frozen=True, slots=True)
class CommandOutcome:
    """How a command ended."""

    text: str
    exit_code: int | None
    """``None`` when it was ended by us."""
    cut: int
    digest: str
    timed_out: bool
    left_behind: bool
    """It left processes in the background, which were ended."""


async def run_command(
    workspace: Workspace, arguments: RunCommand, *, environment: Mapping[str, str] | None = None
) -> CommandOutcome:
    """Run it to its end, to its time limit, or until this call is cancelled; nothing of it is left running."""
    if "\0" in arguments.command:
        raise ToolError("command: holds a NUL character")
    output = Output()
    timed_out = False
    # A pipe of our own: asyncio's Process.wait() would wait for every background child that holds its pipe open.
    ours, theirs = os.pipe()
    starting = asyncio.ensure_future(
        asyncio.create_subprocess_exec(
            SHELL,
            "-c",
            arguments.command,
            cwd=workspace.root,
            env=dict(environment if environment is not None else safe_environment()),
            stdin=subprocess.DEVNULL,
            stdout=theirs,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    )
    try:
        # asyncio loses track of a child whose start is cancelled: let it start, then end it.
        process = await asyncio.shield(starting)
    except asyncio.CancelledError:
        try:
            await _end_group(await starting)
        finally:
            os.close(ours)
        raise
    except BaseException:
        os.close(ours)
        raise
    finally:
        os.close(theirs)
    reading = asyncio.create_task(_read_to_end(os.fdopen(ours, "rb", buffering=0), output))
    try:
        async with asyncio.timeout(arguments.timeout):
            await process.wait()
            # What it left in the background may hold the pipe open and is not waited for.
            await asyncio.wait([reading], timeout=GRACE)
    except TimeoutError:
        timed_out = True
    finally:
        try:
            left_behind = await _end_group(process)
        finally:
            # Only now: a shell that is told to go and finds nobody listening would die of SIGPIPE before it tidies up.
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)
    text, cut = output.kept()
    return CommandOutcome(
        text=text,
        exit_code=None if timed_out else process.returncode,
        cut=cut,
        digest=output.digest if cut else "",
        timed_out=timed_out,
        left_behind=left_behind and not timed_out,
    )


def safe_environment(secrets: frozenset[str] = frozenset()) -> dict[str, str]:
    """Our own environment without what looks like a secret or holds one, and without a terminal to ask at."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not _SECRET_NAME.search(name) and not any(secret in value for secret in secrets)
    }
    return kept | {"TERM": "dumb", "GIT_TERMINAL_PROMPT": "0", "PAGER": "cat", "GIT_PAGER": "cat"}


async def _read_to_end(pipe: io.FileIO, output: Output) -> None:
    """Until nobody holds the other end any more."""
    stream = asyncio.StreamReader()
    try:
        transport, _ = await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(stream), pipe
        )
    except BaseException:
        pipe.close()
        raise
    try:
        while data := await stream.read(65536):
            output.feed(data)
    finally:
        transport.close()


async def _end_group(process: asyncio.subprocess.Process) -> bool:
    """TERM, then KILL, for whatever is left of the command's process group; says whether anything was."""
    if not _signal_group(process.pid, signal.SIGTERM):
        return False
    deadline = time.monotonic() + GRACE
    try:
        while time.monotonic() < deadline:
            await asyncio.sleep(0.02)
            if not _signal_group(process.pid, 0):
                break
    finally:
        _signal_group(process.pid, signal.SIGKILL)  # at once where we are cancelled a second time
    await process.wait()
    return True


def _split_end(data: bytearray) -> int:
    """How many bytes at the end begin a character whose rest is missing."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    decoder.decode(data[-4:])
    return len(decoder.getstate()[0])


def _signal_group(group: int, number: int) -> bool:
    """Whether there was anybody to signal."""
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True
