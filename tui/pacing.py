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


def described(session: Session) -> Safe:
    """``recording, 4×, 120 of 640``."""
    recording = _recording(session)
    played, whole = recording.position
    pace = "full speed" if recording.speed is None else f"{recording.speed:g}×"
    return own(f"recording, {pace}, {played:,} of {whole:,}")


def steer(session: Session, what: Literal["toggle", "step", "faster", "slower"]) -> None:
    """Do what a key asks for."""
    recording = _recording(session)
    if what == "step":
        recording.step()
    elif what == "toggle":
        if recording.held:
            recording.play(recording.speed)
        else:
            recording.hold(on=True)
    else:
        present = SPEEDS.index(recording.speed) if recording.speed in SPEEDS else 0
        wanted = min(max(present + (1 if what == "faster" else -1), 0), len(SPEEDS) - 1)
        recording.play(SPEEDS[wanted])
