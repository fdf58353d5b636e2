"""One step in full: what was called with what, what came back, what it equals and why it was flagged."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from loopwatch.detectors.finding import Level
from loopwatch.tui.safe_text import Safe, block, content, line, own
from loopwatch.tui.widgets.timeline import LEVEL_GLYPHS
from loopwatch.tui.words import brief

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from loopwatch.detectors.sameness.facts import Facts
    from loopwatch.detectors.step import Json, Result, Step
    from loopwatch.engine.events import FindingMade
    from loopwatch.tui.view_model import Group, Row, RunView

_LABEL = 9
_RESULT_LIMIT = 12_000
_ARGUMENT_LIMIT = 4_000
_EARLIER_SHOWN = 6


class StepDetail(VerticalScroll, can_focus=True):
    """Shows a row of the timeline; filled when one is selected, not before."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "scroll_down", "Down", show=False),
        Binding("k", "scroll_up", "Up", show=False),
        Binding("g", "scroll_home", "Top", show=False),
        Binding("G", "scroll_end", "Bottom", show=False),
    ]

    def __init__(self, view: RunView, *, id: str | None = None) -> None:  # noqa: A002 - Textual's word
        super().__init__(id=id)
        self.view = view
        self._shown: tuple[object, ...] = ()

    def compose(self) -> ComposeResult:
        """A single text."""
        yield Static(content(own("No step yet."), "$lw-muted"), id="detail-text")

    def tell(self, row: int) -> Safe:
        """Show a row; returns the panel's title."""
        entry = self.view.rows[row]
        findings = tuple(self.view.findings.get(entry[1], ()))
        key = (row, entry, len(findings))
        title = own(f"Step {entry[1]}" if entry[1] >= 0 else "Step")
        if key == self._shown:
            return title
        same_row = bool(self._shown) and self._shown[0] == row
        self._shown = key
        self.query_one("#detail-text", Static).update(self._described(entry, findings))
        if not same_row:
            self.scroll_home(animate=False)
        return title

    def _described(self, entry: Row, findings: tuple[FindingMade, ...]) -> Content:
        kept = self.view.details.get(entry[1]) if entry[1] >= 0 else None
        parts = [_headline(entry, kept)]
        parts += [_finding(one) for one in findings]
        group = self.view.group_of(entry)
        if group is not None:
            parts.append(_labelled("same as", _others(group, entry[1]), "$lw-warn"))
        if kept is None:
            if entry[0] == "call":
                waits = entry[1] < 0
                said = "the call is running" if waits else "too old to be kept in full; the journal has it"
                parts.append(content(own(said), "$lw-muted"))
            parts.append(content(entry[4]))
            return Content("\n").join(parts)
        step, facts = kept
        if step.text.strip():
            parts.append(_labelled("said", block(step.text.strip(), _ARGUMENT_LIMIT)))
        if step.call is not None:
            parts += _arguments(step.call.arguments)
        if step.changes is not None:
            changed = ", ".join(f"{one.kind} {one.path}" for one in step.changes) or "nothing"
            parts.append(_labelled("changed", line(changed), "$lw-muted"))
        parts += _result(step.result, facts)
        return Content("\n").join(parts)


def _headline(entry: Row, kept: tuple[Step, Facts] | None) -> Content:
    _, _, _, head, _, fingerprint, occurrence, state, _, _ = entry
    words = {"failed": "✗ failed", "blocked": "⊘ blocked", "pending": "… running", "ran": "… running", "ok": "ok"}
    parts: list[tuple[str, str]] = [(head, "bold")]
    if fingerprint:
        parts.append((f"  {fingerprint[:4]}", "$lw-muted"))
    if occurrence > 1:
        parts.append((f"  ×{occurrence}", "bold $lw-warn"))
    if state in words:
        parts.append((f"  {words[state]}", "$error" if state in {"failed", "blocked"} else "$lw-muted"))
    if kept is not None:
        step, _ = kept
        if step.result is not None and step.result.seconds is not None:
            parts.append((f"  {brief(step.result.seconds)}", "$lw-muted"))
        if step.turn is not None:
            parts.append((f"  turn {step.turn}", "$lw-muted"))
    return Content.assemble(*parts)


def _finding(finding: FindingMade) -> Content:
    level = Level[finding.level.upper()]
    count = f"{finding.count} of {finding.threshold}"
    head = f"{LEVEL_GLYPHS[level]} {finding.level} "
    ends = f" Ends when {finding.resets_when}." if finding.resets_when else ""
    return Content.assemble(
        (head, f"bold $lw-{finding.level}"),
        block(finding.message, _ARGUMENT_LIMIT),
        (f"  {line(finding.rule)}, {count}.{line(ends)}", "$lw-muted"),
    )


def _others(group: Group, index: int) -> Safe:
    others = [step for step in group.steps if step != index]
    shown = " ".join(f"#{step}" for step in others[-_EARLIER_SHOWN:])
    more = f"… {len(others) - _EARLIER_SHOWN} more, " if len(others) > _EARLIER_SHOWN else ""
    failed = f"; {group.failed} of {len(group.steps)} failed" if group.failed else ""
    because = f"; equal by: {', '.join(group.because)}" if group.because else ""
    return line(f"{more}{shown}{failed}{because}")


def _arguments(arguments: Json) -> list[Content]:
    if arguments is None:
        return []
    if not isinstance(arguments, dict):
        return [_labelled("args", _shown(arguments))]
    return [_labelled(line(name, 40), _shown(value)) for name, value in arguments.items()]


def _shown(value: Json) -> Safe:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=1)
    return block(text, _ARGUMENT_LIMIT)


def _result(result: Result | None, facts: Facts) -> list[Content]:
    if result is None:
        return []
    status = f" exit {result.exit_code}" if result.exit_code is not None else ""
    label = "loopwatch" if result.synthetic else "error" if facts.failed else "result"
    style = "bold $error" if facts.failed else "bold $success"
    head = Content.assemble(("── ", "$lw-border"), (label, style), (status, "$lw-muted"), (" ──", "$lw-border"))
    text = block(result.text.rstrip("\n"), _RESULT_LIMIT)
    return [head, content(text) if text else content(own("(empty)"), "$lw-muted")]


def _labelled(label: Safe | str, text: Safe, style: str = "") -> Content:
    padding = " " * _LABEL
    body = text.replace("\n", f"\n{padding}")
    return Content.assemble((f"{label:<{_LABEL - 1}} ", "$lw-muted"), (body, style))
