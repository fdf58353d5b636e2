"""The main screen: one run, everything about it, and the decision that waits."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Literal

from textual import on
from textual.message import Message
from textual.screen import Screen

from loopwatch.engine.events import Action
from loopwatch.engine.session import Capability
from loopwatch.tui.glance import glance_of
from loopwatch.tui.opening import Opening
from loopwatch.tui.safe_text import Safe, content, own
from loopwatch.tui.screens import run_keys
from loopwatch.tui.screens.run_keys import PANELS, TITLES
from loopwatch.tui.widgets.budgets import Budgets, short_meters
from loopwatch.tui.widgets.collisions import Collisions
from loopwatch.tui.widgets.key_line import KeyLine
from loopwatch.tui.widgets.prompt_bar import PromptBar
from loopwatch.tui.widgets.rows import Rows
from loopwatch.tui.widgets.status import Status
from loopwatch.tui.widgets.step_detail import StepDetail
from loopwatch.tui.widgets.stream import Stream
from loopwatch.tui.widgets.suggestion_card import Editor, SuggestionCard
from loopwatch.tui.widgets.timeline import Timeline

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.widget import Widget

    from loopwatch.engine.session import Session
    from loopwatch.tui.view_model import RunView

FLUSH_SECONDS = 1 / 16
"""Rows are drawn in batches: cost follows frames, not events."""
GAUGE_SECONDS = 1 / 4
ARM_SECONDS = 0.35
"""A card takes no letter this soon after it came up: what is typed then was meant for something else."""
SNOOZE_STEPS = 10


class RunScreen(Screen[None]):
    """Shows a session and steers it."""

    AUTO_FOCUS = "#timeline"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (120, "-normal"), (170, "-wide")]  # noqa: RUF012 - Textual's own manner
    VERTICAL_BREAKPOINTS = [(0, "-tiny"), (14, "-short"), (32, "-tall")]  # noqa: RUF012 - as above
    BINDINGS: ClassVar[list[BindingType]] = run_keys.bindings()

    class Painted(Message):
        """The first frame is out; what is heavy may begin."""

    def __init__(self, view: RunView, *, clock: Callable[[], float]) -> None:
        super().__init__()
        self.session: Session = Opening()
        self.run_view = view
        self._clock = clock
        self._shown_question = ""
        self._armed_at = 0.0
        self._before_editing: Widget | None = None
        self._unsubscribe: Callable[[], None] | None = None
        self.over = False
        """The session is executed to its end."""
        self.failure: Safe | None = None
        """One line that says how the run failed within loopwatch itself."""

    def compose(self) -> ComposeResult:
        """Status, the deck of panels, the card, the prompt, the keys."""
        from textual.containers import Container

        yield Status(id="status")
        with Container(id="deck"):
            yield Timeline(self.run_view, id="timeline")
            yield KeyLine(id="tabs")
            yield StepDetail(self.run_view, id="detail")
            yield Stream(self.run_view, id="says")
            yield Collisions(self.run_view, id="collisions")
            yield Budgets(id="budgets")
        yield SuggestionCard(id="card")
        yield PromptBar(id="prompt")
        yield KeyLine(id="keys")

    def on_mount(self) -> None:
        """Name the panels and begin to draw."""
        for panel, title in zip(PANELS, TITLES, strict=True):
            widget = self.query_one(f"#{panel}")
            widget.add_class("panel")
            widget.border_title = content(own(title))
        self._front("detail")
        self.set_interval(FLUSH_SECONDS, self.flush)
        self.set_interval(GAUGE_SECONDS, self.refresh_gauges)
        self.refresh_gauges()
        self.call_after_refresh(self.post_message, self.Painted())

    def attach(self, session: Session) -> None:
        """Show this session from now on."""
        self.session = session
        self.query_one(SuggestionCard).can = session.capabilities
        if session.desk is not None:
            self._unsubscribe = session.desk.on_change(self._question_changed)
        self.show_question()
        self.refresh_gauges()

    def _question_changed(self) -> None:
        self.call_later(self.show_question)

    def on_unmount(self) -> None:
        """Nobody looks any more."""
        if self._unsubscribe is not None:
            self._unsubscribe()

    # What is drawn, and when

    def flush(self) -> None:
        """Draw what came since the last time."""
        self.query_one(Timeline).sync()
        self.query_one(Stream).sync()
        self.query_one(Collisions).sync()

    def refresh_gauges(self) -> None:
        """Draw what changes with time, and the newest step for those who follow."""
        self._show_step()
        self.query_one(Budgets).tell(self.session.reading())
        self.query_one(SuggestionCard).tick(self._clock())
        self.refresh_status()

    def refresh_status(self) -> None:
        """Draw the status lines and the keys, which follow the run's state."""
        glance = glance_of(self.session, self.run_view, now=self._clock(), failure=self.failure, over=self.over)
        if self.has_class("-narrow"):
            glance = replace(glance, meters=short_meters(self.session.reading()))
        self.query_one(Status).tell(glance)
        live = self.run_view.ended is None and self.failure is None and not self.over
        self.query_one("#keys", KeyLine).tell(run_keys.footer(self.session, live=live))

    def show_question(self) -> None:
        """Bring up the oldest question, or put the card away."""
        desk = self.session.desk
        pending = desk.pending if desk is not None else ()
        card = self.query_one(SuggestionCard)
        self.flush()
        if not pending:
            self.remove_class("-asking")
            card.clear()
            self._shown_question = ""
        else:
            if pending[0].suggestion.id != self._shown_question:
                self._shown_question = pending[0].suggestion.id
                self._armed_at = self._clock() + ARM_SECONDS
            card.tell(pending[0], len(pending), self._clock())
            self.add_class("-asking")
        if card.mode == "read":
            self._restore_focus()
        self._show_step()
        self.refresh_status()
        self.call_after_refresh(self.query_one(Timeline).keep_in_view)

    @on(Rows.Moved, "#timeline")
    def _step_selected(self) -> None:
        # Who follows is shown the newest step a few times a second; who walks through the rows, every one at once.
        if not self.query_one(Timeline).follow:
            self._show_step()

    def _show_step(self) -> None:
        timeline = self.query_one(Timeline)
        if not 0 <= timeline.row_cursor < len(self.run_view.rows):
            return
        row = self.run_view.subject(timeline.row_cursor)
        detail = self.query_one(StepDetail)
        detail.border_title = content(detail.tell(row))
        group = self.run_view.group_of(self.run_view.rows[row])
        timeline.light(group.fingerprint if group else "")

    @on(Timeline.FollowChanged)
    def _follow_changed(self) -> None:
        timeline = self.query_one(Timeline)
        waiting = f"  {timeline.new_rows:,} new" if timeline.new_rows else ""
        timeline.border_subtitle = None if timeline.follow else content(own(f" not following{waiting}, G follows "))

    @on(Rows.Chosen, "#timeline")
    def _step_chosen(self) -> None:
        self.action_panel(PANELS.index("detail") + 1)

    @on(Rows.Moved, "#collisions")
    @on(Rows.Chosen, "#collisions")
    def _collision_chosen(self, event: Rows.Moved | Rows.Chosen) -> None:
        group = self.query_one(Collisions).group_at(event.row)
        row = self.run_view.row_of_step(group.steps[-1]) if group else None
        if row is not None:
            self.query_one(Timeline).move_to(row)

    # Deciding

    def action_decide(self, word: str, always: bool) -> None:  # noqa: FBT001 - Textual passes what the binding says
        """Answer the question on the card."""
        card = self.query_one(SuggestionCard)
        action = Action(word)
        refusal = card.refuses(action)
        if refusal:
            self.say(own(refusal))
        elif self._clock() < self._armed_at:
            self.say(own("a suggestion has just come up; press the key again"))
        elif action is Action.EDIT or action is Action.OVERRIDE:
            self._before_editing = self.focused
            self._keep(card)
            card.start("edit" if action is Action.EDIT else "own", always=always)
        elif action is Action.SNOOZE:
            self._keep(card)
            self._ask_snooze(card, always=always)
        else:
            card.decide(action, always=always)

    def _keep(self, card: SuggestionCard) -> None:
        """Who has begun to answer is not to be hurried."""
        if self.session.desk is not None and card.question is not None:
            self.session.desk.keep(card.question.suggestion.id)

    def _ask_snooze(self, card: SuggestionCard, *, always: bool) -> None:
        def snooze(text: str) -> None:
            if text.strip().isdecimal() and int(text) > 0:
                card.decide(Action.SNOOZE, steps=int(text), always=always)
            else:
                self.say(own("snoozing needs a number of steps"))

        self.query_one(PromptBar).ask(own("Quiet about this for how many steps?"), snooze, value=str(SNOOZE_STEPS))

    def action_send(self) -> None:
        """Send what is in the editor."""
        self.query_one(Editor).action_send()

    def action_leave_editor(self) -> None:
        """Stop editing."""
        self.query_one(Editor).action_leave()

    @on(SuggestionCard.Decided)
    def _decided(self, event: SuggestionCard.Decided) -> None:
        desk = self.session.desk
        if desk is None or not desk.resolve(event.suggestion, event.decision):
            self.say(own("too late: this suggestion is gone"))
        self._restore_focus()

    @on(Editor.Left)
    def _editor_left(self) -> None:
        self._restore_focus()

    def _restore_focus(self) -> None:
        if isinstance(self.focused, Editor) or self.focused is None:
            before, self._before_editing = self._before_editing, None
            self.set_focus(before if before is not None and before.is_attached else self.query_one(Timeline))

    # Steering

    def action_hold(self) -> None:
        """Hold the agent at its next boundary, or let it go."""
        if not self._allowed(Capability.HOLD, "be held"):
            return
        self.session.hold(on=not self.session.held)
        self.refresh_status()

    def action_pace(self) -> None:
        """Space: play and pause a recording, hold and release an agent."""
        if Capability.SEEK in self.session.capabilities:
            self._replay("toggle")
        else:
            self.action_hold()

    def action_step_once(self) -> None:
        """One step of a recording."""
        self._replay("step")

    def action_speed(self, by: int) -> None:
        """Play a recording slower or faster."""
        self._replay("faster" if by > 0 else "slower")

    def _replay(self, what: Literal["toggle", "step", "faster", "slower"]) -> None:
        if Capability.SEEK not in self.session.capabilities:
            self.say(own("only a recording can be stepped and played"))
            return
        from loopwatch.tui import pacing

        pacing.steer(self.session, what)
        self.refresh_status()

    def action_speak(self) -> None:
        """Write a message to the agent."""
        if self._allowed(Capability.SPEAK, "be spoken to"):
            self.query_one(PromptBar).ask(own("To the agent:"), self._speak)

    def _speak(self, text: str) -> None:
        if text.strip():
            self.session.speak(text.strip())
            self.say(own("your message goes out with the next request"))

    def _allowed(self, needed: Capability, what: str) -> bool:
        if self.run_view.ended is not None or self.failure is not None:
            self.say(own("the run has ended"))
            return False
        if needed not in self.session.capabilities:
            self.say(own(f"this source cannot {what}"))
            return False
        return True

    # Looking around

    def action_find(self) -> None:
        """Search tool names, arguments and remarks."""
        timeline = self.query_one(Timeline)
        start = max(0, timeline.row_cursor)

        def look(text: str, begin: int = start) -> None:
            row = self.run_view.find(text, begin) if text else None
            if row is not None:
                timeline.move_to(row)
            elif text:
                self.say(own("no row contains that"))

        def onwards(text: str) -> None:
            look(text, timeline.row_cursor)

        self.query_one(PromptBar).ask(own("Find:"), onwards, change=look)

    def action_panel(self, number: int) -> None:
        """Go to a panel; where there is no room for all, bring it to the front."""
        name = PANELS[number - 1]
        self.set_class(name != "timeline", "-peek")
        if name != "timeline":
            self._front(name)
        panel = self.query_one(f"#{name}")
        if panel.can_focus:
            self.call_after_refresh(panel.focus)

    def _front(self, name: str) -> None:
        for panel in PANELS:
            self.query_one(f"#{panel}").set_class(panel == name, "-front")
        self.query_one("#tabs", KeyLine).tell(run_keys.tabs(name))

    def action_back(self) -> None:
        """Escape: back to the timeline."""
        self.remove_class("-peek")
        self.query_one(Timeline).focus()

    def action_tune(self) -> None:
        """Open the sliders."""
        if not self.session.capabilities:
            return
        from loopwatch.tui.screens.tune import TuneScreen

        self.app.push_screen(TuneScreen(self.session, self.run_view))

    def action_help(self) -> None:
        """Show all keys."""
        from loopwatch.tui.screens.help import HelpScreen

        self.app.push_screen(HelpScreen(self.session.capabilities))

    def say(self, text: Safe) -> None:
        """A short remark in the corner."""
        self.notify(text, markup=False, timeout=4)

    def action_jump(self, direction: int) -> None:
        """Jump to the next or previous finding, wherever the focus is."""
        self.query_one(Timeline).action_jump(direction)
