"""The run screen's keys, as data: what they are, and which of them the footer shows now."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.binding import Binding, BindingType

from loopwatch.engine.session import Capability
from loopwatch.tui.safe_text import own
from loopwatch.tui.widgets.key_line import Key

if TYPE_CHECKING:
    from loopwatch.engine.session import Session

PANELS = ("timeline", "detail", "collisions", "budgets", "says")
TITLES = ("Timeline", "Step", "Collisions", "Budgets", "Says")

_ANSWERS = {
    "a": "accept",
    "e": "edit",
    "o": "override",
    "b": "block",
    "s": "snooze",
    "d": "dismiss",
    "x": "stop",
}
_ONCE_ONLY = frozenset("x")
"""Answers that cannot be given always: there is nothing after them."""


def bindings() -> list[BindingType]:
    """Every key of the run screen; each has an id, so that a person can put it elsewhere."""
    return [
        *(_key(key, f"decide('{word}', False)", word, f"card.{word}") for key, word in _ANSWERS.items()),
        *(
            _key(key.upper(), f"decide('{word}', True)", f"always {word}", f"card.always_{word}")
            for key, word in _ANSWERS.items()
            if key not in _ONCE_ONLY
        ),
        *(
            _key(str(number), f"panel({number})", title, f"panel.{number}")
            for number, title in enumerate(TITLES, start=1)
        ),
        _key("slash,alt+slash", "find", "Find", "run.find"),
        _key("n", "jump(1)", "Next finding", "run.next_finding"),
        _key("N", "jump(-1)", "Previous finding", "run.previous_finding"),
        _key("m", "speak", "Message to the agent", "run.speak"),
        _key("h", "hold", "Hold or release", "run.hold"),
        _key("space", "pace", "Hold, or play and pause", "run.pace"),
        _key("full_stop,right", "step_once", "One step", "replay.step"),
        _key("less_than_sign", "speed(-1)", "Slower", "replay.slower"),
        _key("greater_than_sign", "speed(1)", "Faster", "replay.faster"),
        _key("t", "tune", "Tune", "run.tune"),
        _key("question_mark,f1", "help", "Help", "run.help"),
        _key("q", "app.leave", "Quit", "run.quit"),
        _key("escape", "back", "Back", "run.back"),
    ]


def _key(key: str, action: str, description: str, name: str) -> Binding:
    return Binding(key, action, description, show=False, id=name)


def footer(session: Session, *, live: bool) -> tuple[Key, ...]:
    """What can be done now, for the line at the bottom."""
    can = session.capabilities
    keys: list[tuple[str, str, str]] = []
    if live and Capability.SEEK in can:
        keys += [
            ("space", "play" if session.held else "pause", "screen.pace"),
            (".", "step", "screen.step_once"),
            ("< >", "speed", "screen.speed(1)"),
        ]
    elif live and Capability.HOLD in can:
        keys.append(("h", "release" if session.held else "hold", "screen.hold"))
    if live and Capability.SPEAK in can:
        keys.append(("m", "message", "screen.speak"))
    if can:
        keys.append(("t", "tune", "screen.tune"))
    keys += [
        ("/", "find", "screen.find"),
        ("n", "finding", "screen.jump(1)"),
        ("?", "help", "screen.help"),
        ("q", "quit", "app.leave"),
    ]
    return tuple(Key(own(key), own(label), action) for key, label, action in keys)


def tabs(front: str) -> tuple[Key, ...]:
    """The panels, for where there is room for only some of them."""
    return tuple(
        Key(own(str(number)), own(f"[{title}]" if panel == front else title), f"screen.panel({number})")
        for number, (panel, title) in enumerate(zip(PANELS, TITLES, strict=True), start=1)
    )
