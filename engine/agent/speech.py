"""Turns streamed pieces into events, a few a second instead of one a token."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from loopwatch.engine.events import ReasoningCame, TextCame

if TYPE_CHECKING:
    from collections.abc import Callable

    from loopwatch.engine.agent.model import Piece
    from loopwatch.engine.supervision import Emit

MOST_CHARACTERS = 400
MOST_SECONDS = 0.25


class Speech:
    """Gathers the pieces of one turn; ``flush`` at its end."""

    def __init__(self, emit: Emit, turn: int, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._emit = emit
        self._turn = turn
        self._clock = clock
        self._kind = ""
        self._parts: list[str] = []
        self._since = 0.0

    def feed(self, piece: Piece) -> None:
        """Take in a piece; what has waited long enough goes out."""
        if piece.kind != self._kind:
            self.flush()
            self._kind = piece.kind
        if not self._parts:
            self._since = self._clock()
        self._parts.append(piece.text)
        if self._clock() - self._since >= MOST_SECONDS or sum(map(len, self._parts)) >= MOST_CHARACTERS:
            self.flush()

    def flush(self) -> None:
        """Send out what waits."""
        text = "".join(self._parts)
        self._parts.clear()
        if not text:
            return
        if self._kind == "reasoning":
            self._emit(ReasoningCame(turn=self._turn, text=text))
        else:
            self._emit(TextCame(turn=self._turn, text=text))
