"""The suggestion that waits: what was found, the proof, the proposed text in an editor, and the possible answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Static, TextArea

from loopwatch.engine.desk import Decision
from loopwatch.engine.events import Action
from loopwatch.engine.session import Capability
from loopwatch.tui.safe_text import Safe, block, content, line, own
from loopwatch.tui.telling import CHANNELS
from loopwatch.tui.widgets.key_line import Key, KeyLine
from loopwatch.tui.words import clock

if TYPE_CHECKING:
    from textual import events
    from textual.app import ComposeResult

    from loopwatch.engine.desk import Question

TEXT_LIMIT = 16_000
_PROOF_SHOWN = 8
_SIGNS = {"notice": "·", "warn": "▲", "strong": "◆", "critical": "■"}
_PROPOSALS = {"remind": "reminder", "block": "block the call", "stop": "stop the run", "none": "note"}
_ACCEPTS = {"block": "accept: block", "stop": "accept: stop"}


class Editor(TextArea):
    """The reminder's text; only a person who asked to edit types into it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s,ctrl+enter,ctrl+j", "send", "Send", show=False, id="editor.send"),
        Binding("escape", "leave", "Back", show=False, id="editor.leave"),
    ]

    class Sent(Message):
        """The text is ready to go."""

    class Left(Message):
        """The person does not want to edit any more."""

    def action_send(self) -> None:
        """Hand the text over."""
        self.post_message(self.Sent())

    def action_leave(self) -> None:
        """Give up editing."""
        self.post_message(self.Left())

    async def _on_paste(self, event: events.Paste) -> None:
        event.text = block(event.text, TEXT_LIMIT)
        await super()._on_paste(event)
        event.prevent_default()


class SuggestionCard(Vertical):
    """Shows one question. Turns keys into decisions; who resolves them is not its business."""

    class Decided(Message):
        """The person has answered the question on the card."""

        def __init__(self, suggestion: str, decision: Decision) -> None:
            super().__init__()
            self.suggestion = suggestion
            self.decision = decision

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's word
        super().__init__(id=id)
        self.question: Question | None = None
        self.mode: Literal["read", "edit", "own"] = "read"
        self.can = Capability(0)
        """What the source allows to be answered."""
        self._always = False
        self._drafts: dict[str, str] = {}
        """What was typed and not sent, per mode."""
        self._total = 0

    def compose(self) -> ComposeResult:
        """Proof, editor, keys."""
        yield Static(id="card-proof")
        yield Editor(id="card-editor", compact=True, highlight_cursor_line=False, read_only=True, show_cursor=False)
        yield KeyLine(id="card-keys")

    def on_mount(self) -> None:
        """Until somebody wants to edit, the editor takes no key."""
        self.query_one(Editor).can_focus = False

    def tell(self, question: Question, total: int, now: float) -> None:
        """Show a question, the first of ``total``. What somebody types at this moment is left alone."""
        fresh = self.question is None or self.question.suggestion.id != question.suggestion.id
        self.question, self._total = question, total
        if fresh:
            self._drafts.clear()
            self._read()
            for level in _SIGNS:
                self.set_class(level == question.suggestion.level, f"-{level}")
            self.query_one("#card-proof", Static).update(_proof(question))
        self._title()
        self.tick(now)

    def clear(self) -> None:
        """There is nothing to decide any more."""
        if self.question is not None:
            self._read()
            self.question = None

    def tick(self, now: float) -> None:
        """Say how long the question waits, or how long it still may."""
        if self.question is None:
            return
        expires = self.question.expires_at
        hint = "capitals: always   " if self.mode == "read" else ""
        if expires is None:
            said = f" {hint}waits for you {clock(now - self.question.asked_at)} "
        else:
            said = f" {hint}{clock(expires - now)} left to answer "
        self.border_subtitle = content(own(said))

    def start(self, mode: Literal["edit", "own"], *, always: bool) -> None:
        """Let the person type: on top of the suggested text, or from nothing."""
        if self.question is None:
            return
        self.mode, self._always = mode, always
        editor = self.query_one(Editor)
        suggested = block(self.question.suggestion.text, TEXT_LIMIT) if mode == "edit" else ""
        editor.can_focus, editor.read_only, editor.show_cursor = True, False, True
        editor.text = self._drafts.get(mode, suggested)
        editor.move_cursor(editor.document.end)
        self.screen.set_focus(editor)
        self.add_class("-typing")
        self._title()
        self._keys()

    def decide(self, action: Action, *, always: bool = False, steps: int = 0) -> None:
        """Answer with a plain action."""
        if self.question is not None:
            decision = Decision(action=action, always=always, steps=steps)
            self.post_message(self.Decided(self.question.suggestion.id, decision))

    def refuses(self, action: Action) -> str:
        """Why an answer cannot be given here; empty when it can."""
        if self.question is None:
            return "nothing waits for a decision"
        needed = {
            Action.ACCEPT: {"block": Capability.BLOCK, "stop": Capability.STOP}.get(
                self.question.suggestion.response, Capability.INJECT
            ),
            Action.EDIT: Capability.INJECT,
            Action.OVERRIDE: Capability.INJECT,
            Action.BLOCK: Capability.BLOCK,
            Action.STOP: Capability.STOP,
        }.get(action)
        if needed is None or needed in self.can:
            return ""
        return f"this source cannot {str(needed.name).lower()}"

    def on_editor_sent(self, event: Editor.Sent) -> None:
        """Send the person's text; unchanged, it is simply accepted."""
        event.stop()
        if self.question is None:
            return
        text = self.query_one(Editor).text.strip()
        if not text:
            self.border_subtitle = content(own(" write something first, or escape "))
            return
        action = Action.OVERRIDE if self.mode == "own" else Action.EDIT
        if self.mode == "edit" and text == block(self.question.suggestion.text, TEXT_LIMIT).strip():
            decision = Decision(action=Action.ACCEPT, always=self._always)
        else:
            decision = Decision(action=action, text=text, always=self._always)
        self.post_message(self.Decided(self.question.suggestion.id, decision))

    def on_editor_left(self) -> None:
        """Show the suggested text again; what was typed comes back when editing goes on."""
        self._drafts[self.mode] = self.query_one(Editor).text
        self._read()
        self._title()

    def _read(self) -> None:
        editor = self.query_one(Editor)
        self.mode, self._always = "read", False
        self.remove_class("-typing")
        editor.can_focus, editor.read_only, editor.show_cursor = False, True, False
        if self.question is not None:
            editor.text = block(self.question.suggestion.text, TEXT_LIMIT)
        self._keys()

    def _title(self) -> None:
        if self.question is None:
            return
        suggestion = self.question.suggestion
        sign = _SIGNS.get(suggestion.level, "▲")
        does = {"read": _PROPOSALS.get(suggestion.response, ""), "edit": "editing", "own": "in your own words"}[
            self.mode
        ]
        always = ", always for this rule" if self._always else ""
        title = line(f" {sign} {suggestion.level}   suggestion 1 of {self._total}   {does}{always} ")
        self.border_title = content(title)

    def _keys(self) -> None:
        if self.question is None:
            return
        if self.mode != "read":
            keys: tuple[Key, ...] = (
                Key(own("ctrl+s"), own("send this text"), "screen.send"),
                Key(own("escape"), own("back to the suggested text"), "screen.leave_editor"),
            )
        else:
            accept = own(_ACCEPTS.get(self.question.suggestion.response, "accept"))
            choices: tuple[tuple[str, Safe, Action], ...] = (
                ("a", accept, Action.ACCEPT),
                ("e", own("edit"), Action.EDIT),
                ("o", own("own words"), Action.OVERRIDE),
                ("b", own("block"), Action.BLOCK),
                ("s", own("snooze"), Action.SNOOZE),
                ("d", own("dismiss"), Action.DISMISS),
                ("x", own("stop"), Action.STOP),
            )
            keys = tuple(
                Key(own(key), word, f"screen.decide('{action.value}', False)", not self.refuses(action))
                for key, word, action in choices
            )
        self.query_one(KeyLine).tell(keys)


def _proof(question: Question) -> Content:
    finding = question.finding
    shown = " ".join(f"#{step}" for step in finding.steps[-_PROOF_SHOWN:])
    more = "… " if len(finding.steps) > _PROOF_SHOWN else ""
    facts = [
        f"steps {more}{shown}" if shown else "",
        f"{finding.count} counted, {finding.level} from {finding.threshold}",
        f"{CHANNELS.get(question.suggestion.channel, '')}" if question.suggestion.response == "remind" else "",
        ", ".join(finding.equal_because) if finding.equal_because else "",
        f"until {finding.resets_when}" if finding.resets_when else "",
    ]
    said = line(" · ".join(fact for fact in facts if fact))
    return Content.assemble((line(finding.message), "bold"), "\n", (said, "$lw-muted"))
