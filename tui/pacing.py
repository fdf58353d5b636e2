"""Playing a recording: what a session with ``Capability.SEEK`` can do beyond the others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, cast

from loopwatch.tui.safe_text import Safe, own

if TYPE_CHECKING:
    from loopwatch.engine.session import Recording, Session

SPEEDS: tuple[float | None, ...] = (1.0, 4.0, None)
"""Times real time; ``None`` is as fast as possible."""


def _recording(session: Session) -> Recording:
    return cast("Recording", session)


def is_playing(session: Session) -> bool:
    """Whether the recording goes on by itself."""
    return _recording(session).playing


def described(session: Session) -> Safe:
    """``replay 4×``."""
    speed = _recording(session).speed
    return own("replay, as fast as possible" if speed is None else f"replay {speed:g}×")


def steer(session: Session, what: Literal["toggle", "step", "faster", "slower"]) -> None:
    """Do what a key asks for."""
    recording = _recording(session)
    if what == "step":
        recording.step()
    elif what == "toggle":
        if recording.playing:
            recording.pause()
        else:
            recording.play(recording.speed)
    else:
        present = SPEEDS.index(recording.speed) if recording.speed in SPEEDS else 0
        wanted = min(max(present + (1 if what == "faster" else -1), 0), len(SPEEDS) - 1)
        recording.play(SPEEDS[wanted])
