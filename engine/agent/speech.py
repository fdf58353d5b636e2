"""Turns streamed pieces into events, a few a second instead of one a token."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING

from loopwatch.engine.events import ReasoningCame, TextCame

if TYPE_CHECKING:
    from loopwatch.engine.agent.model import Piece
    from loopwatch.engine.supervision import Emit

MOST_CHARACTERS = 200
MOST_SECONDS = 0.1
_UNFINISHED = re.compile(r"[A-Za-z0-9._~+/=-]{1,256}\Z")
"""A word that may go on with the next piece. A key cut in two would pass whoever redacts what is written."""


class Speech:
    """Gathers the pieces of one turn; ``flush`` at its end. A stream that stalls keeps back at most one word."""

    def __init__(self, emit: Emit, turn: int) -> None:
        self._emit = emit
        self._turn = turn
        self._kind = ""
        self._parts: list[str] = []
        self._size = 0
        self._timer: asyncio.TimerHandle | None = None

    def feed(self, piece: Piece) -> None:
        """Take in a piece; another kind, enough text or the time lets it out."""
        if piece.kind != self._kind:
            self.flush()
            self._kind = piece.kind
        self._parts.append(piece.text)
        self._size += len(piece.text)
        if self._size >= MOST_CHARACTERS:
            self._let_out()
        elif self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(MOST_SECONDS, self._let_out)

    def _let_out(self) -> None:
        """Send out what waits, up to its last finished word."""
        text = "".join(self._parts)
        unfinished = _UNFINISHED.search(text, max(0, len(text) - 256))
        kept = unfinished[0] if unfinished else ""
        self._parts = [text.removesuffix(kept)]
        self.flush()
        self._parts, self._size = [kept], len(kept)

    def flush(self) -> None:
        """Send out all that waits."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        text = "".join(self._parts)
        self._parts.clear()
        self._size = 0
        if not text:
            return
        if self._kind == "reasoning":
            self._emit(ReasoningCame(turn=self._turn, text=text))
        else:
            self._emit(TextCame(turn=self._turn, text=text))
