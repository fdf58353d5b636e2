"""The tune screen: one slider per threshold, grouped by rule; a moved slider is in force from the next step on."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.containers import Container, VerticalScroll
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static

from loopwatch.detectors.preset import PresetError, knobs
from loopwatch.tui.safe_text import content, line, own
from loopwatch.tui.widgets.key_line import Key, KeyLine
from loopwatch.tui.widgets.slider import Slider
from loopwatch.tui.words import plural

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator

    from textual.app import ComposeResult
    from textual.events import DescendantFocus

    from loopwatch.detectors.preset import Knob
    from loopwatch.engine.session import Session
    from loopwatch.tui.view_model import RunView

_KEYS = (
    Key(own("← →"), own("less, more"), "screen.nothing"),
    Key(own("PgUp PgDn"), own("much"), "screen.nothing"),
    Key(own("0-9 enter"), own("type a value"), "screen.nothing"),
    Key(own("r"), own("default"), "screen.nothing"),
    Key(own("R"), own("undo all"), "screen.undo_all"),
    Key(own("escape"), own("back"), "screen.close"),
)


class RuleTitle(Static):
    """A rule's name above its sliders; says how often it spoke in this run."""


class TuneScreen(Screen[None]):
    """Changes the running detectors."""

    AUTO_FOCUS = ""
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (120, "-normal"), (170, "-wide")]  # noqa: RUF012 - Textual's own manner
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,t", "close", "Back", show=False, id="tune.close"),
        Binding("j,down", "app.focus_next", "Next", show=False, id="tune.next"),
        Binding("k,up", "app.focus_previous", "Previous", show=False, id="tune.previous"),
        Binding("R", "undo_all", "All as they were", show=False, id="tune.undo_all"),
    ]

    def __init__(self, session: Session, view: RunView) -> None:
        super().__init__()
        self.session = session
        self.run_view = view
        self._before = session.preset
        self._would: Counter[str] | None = None
        """Alarms that the settings as they now are would have raised over the steps kept, by rule."""
        self._titles: list[tuple[Knob, RuleTitle]] = []
        self._knobs: dict[str, Knob] = {}
        """By the slider's id."""

    def compose(self) -> ComposeResult:
        """Sliders on the left, what they mean on the right or below."""
        yield Static(self._heading(), id="tune-head")
        with Container(id="tune-deck"):
            with VerticalScroll(id="tune-sliders", can_focus=False):
                yield from self._groups()
            with VerticalScroll(id="tune-side", can_focus=False):
                yield Static(id="tune-help")
        yield KeyLine(id="tune-keys")

    def on_mount(self) -> None:
        """Name the keys; say how often the rules spoke."""
        self.query_one("#tune-side").border_title = content(own("What it does"))
        self.query_one(KeyLine).tell(_KEYS)
        # Focused before the layout is there, the first slider would scroll its rule's name out of view.
        self.call_after_refresh(self._begin)

    def _begin(self) -> None:
        for slider in self.query(Slider):
            slider.focus()
            break
        self._ask_what_if()

    def _ask_what_if(self) -> None:
        self.run_worker(self._what_if(), group="what-if", exclusive=True, exit_on_error=False)

    async def _what_if(self) -> None:
        from loopwatch.tui import what_if

        steps = self.run_view.details.newest(what_if.STEPS_AT_MOST)
        started = self.run_view.started
        # In a thread of its own, so that no key waits for it; a slider moved meanwhile asks again.
        self._would = await asyncio.to_thread(
            what_if.alarms, self.session.preset, steps, workspace=started.workspace if started else ""
        )
        for knob, title in self._titles:
            title.update(self._title(knob))

    def _heading(self) -> Content:
        return Content.assemble(
            ("tune  ", "bold"),
            (line(f"preset {self.session.preset.name}"), "$primary"),
            ("   changes count from the next step on, in this run", "$lw-muted"),
        )

    def _groups(self) -> Iterator[Static | Slider]:
        rule = ""
        for number, knob in enumerate(knobs(self.session.preset)):
            if knob.rule != rule:
                rule = knob.rule
                title = RuleTitle(self._title(knob))
                self._titles.append((knob, title))
                yield title
            name = f"knob-{number}"
            self._knobs[name] = knob
            yield Slider(
                line(knob.title, 40),
                low=knob.minimum,
                high=knob.maximum,
                step=knob.step,
                value=knob.value,
                default=knob.default,
                unit=line(knob.unit, 12),
                id=name,
            )
        if not self._knobs:
            yield Static(content(own("This preset has no thresholds.")))

    def _title(self, knob: Knob) -> Content:
        spoken = self.run_view.alarms[knob.rule]
        would = self._would[knob.rule] if self._would is not None else spoken
        if spoken or would:
            said = f"   {plural(spoken, 'alarm')} in this run, {would:,} with these settings"
        else:
            said = "   silent"
        return Content.assemble((line(knob.rule_title), "bold"), (said, "$lw-muted"))

    @on(Slider.Changed)
    def _moved(self, event: Slider.Changed) -> None:
        knob = self._knobs[event.slider.id or ""]
        value = int(event.value) if knob.step.is_integer() and event.value.is_integer() else event.value
        present = self.session.preset.settings(knob.rule)
        if present is not None and getattr(present, knob.setting) == value:
            return
        try:
            self.session.retune(self.session.preset.with_value(knob.rule, knob.setting, value))
            self._ask_what_if()
        except PresetError as error:
            self.notify(line(str(error)), markup=False, severity="error")
            self._show_present()

    def on_descendant_focus(self, event: DescendantFocus) -> None:
        """Explain the slider that has the focus."""
        knob = self._knobs.get(event.widget.id or "")
        if knob is None:
            return
        text = Content.assemble(
            (line(f"{knob.rule_title}: {knob.title}"), "bold"),
            "\n\n",
            line(knob.help, 2_000),
            "\n\n",
            (f"from {knob.minimum:g} to {knob.maximum:g} in steps of {knob.step:g}\n", "$lw-muted"),
            (f"the rule's default is {knob.default:g} (marked ╎)\n", "$lw-muted"),
            (f"setting {line(knob.rule)}.{line(knob.setting)}", "$lw-muted"),
        )
        self.query_one("#tune-help", Static).update(text)

    def action_undo_all(self) -> None:
        """Put the settings back in force that were when the screen was opened."""
        self.session.retune(self._before)
        self._ask_what_if()
        self._show_present()

    def action_close(self) -> None:
        """Back to the run."""
        self.dismiss(None)

    def action_nothing(self) -> None:
        """Some keys are for the keyboard alone."""

    def _show_present(self) -> None:
        for slider in self.query(Slider):
            knob = self._knobs[slider.id or ""]
            settings = self.session.preset.settings(knob.rule)
            if settings is not None:
                slider.show_value(getattr(settings, knob.setting))
