"""Sums up a session for the status lines: the four things a tired person wants to know at once."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from loopwatch.engine.session import Capability
from loopwatch.tui import pacing
from loopwatch.tui.safe_text import Safe, line, own
from loopwatch.tui.telling import ending
from loopwatch.tui.widgets.status import Glance
from loopwatch.tui.words import clock, plural

if TYPE_CHECKING:
    from loopwatch.engine.session import Session
    from loopwatch.tui.view_model import RunView
    from loopwatch.tui.widgets.status import Phase

QUIET_AFTER = 6
"""Steps after the last finding from which the run does not count as looping any more."""
_POLICIES = {"ask": "asks you", "accept": "accepts by itself", "observe": "only observes"}


def glance_of(session: Session, view: RunView, *, now: float, failure: Safe | None, over: bool) -> Glance:
    """What the status lines say now."""
    phase = _phase(session, view, failure, over=over)
    why = failure or own("")
    if phase == "ended" and view.ended is not None:
        why = ending(view.ended.reason)
    elif phase == "ended":
        why = own("the record stops here")
    elif phase in {"paused", "playing"}:
        why = pacing.described(session)
    moving = phase in {"working", "waiting", "held"}
    verdict, style = _verdict(view)
    return Glance(
        phase=phase,
        why=why,
        task=line(view.started.task) if view.started else own(""),
        about=_about(session, view),
        doing=_doing(view, phase),
        doing_what=view.doing[1] if phase in {"working", "playing", "paused"} else own(""),
        doing_for=clock(now - view.doing_since) if moving and view.doing_since and not _recorded(session) else own(""),
        verdict=verdict,
        verdict_style=style,
    )


def _recorded(session: Session) -> bool:
    return Capability.SEEK in session.capabilities


def _phase(session: Session, view: RunView, failure: Safe | None, *, over: bool) -> Phase:
    if failure:
        return "failed"
    if view.ended is not None or over:
        return "ended"
    if _recorded(session):
        return "paused" if session.held else "playing"
    if session.desk is not None and session.desk.pending:
        return "waiting"
    if session.held:
        return "held"
    return "working" if view.started is not None else "starting"


def _doing(view: RunView, phase: Phase) -> Safe:
    if phase == "waiting":
        return own("the agent waits")
    if phase == "held":
        return own("the agent waits for its release")
    if phase == "ended" and view.ended is not None and view.ended.message:
        return line(view.ended.message)
    if phase in {"ended", "failed"}:
        return own("nothing runs any more")
    return view.doing[0]


def _about(session: Session, view: RunView) -> tuple[Safe, ...]:
    started = view.started
    if started is None:
        return ()
    home = str(Path.home())
    workspace = started.workspace
    if workspace.startswith(home):
        workspace = "~" + workspace[len(home) :]
    policy = _POLICIES.get(started.policy, started.policy)
    parts = (started.model, f"preset {session.preset.name}", policy, workspace)
    return tuple(line(part, 48) for part in parts if part)


def _verdict(view: RunView) -> tuple[Safe, str]:
    loud = view.last_loud
    if loud is not None and view.last_step - loud.step < QUIET_AFTER and view.ended is None:
        what = f": {loud.tool} ×{loud.count}" if loud.tool else ""
        return line(f"▲ looping{what}", 60), f"bold $lw-{loud.level}"
    if not view.last_step + 1:
        return own(""), ""
    if view.collisions:
        return own(f"{plural(len(view.collisions), 'collision')}, no loop now"), "$lw-muted"
    return own("no loop seen"), "$lw-muted"
