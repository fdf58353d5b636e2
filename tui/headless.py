"""A run without a screen: line by line, for pipes, scripts and CI."""

from __future__ import annotations

import asyncio
import json
import signal
from typing import IO, TYPE_CHECKING, Literal, TypeAlias

from loopwatch.engine import events
from loopwatch.engine.journal import serialized
from loopwatch.engine.redaction import Redactor, known_secrets
from loopwatch.tui.safe_text import line

if TYPE_CHECKING:
    from loopwatch.engine.events import AnyEvent
    from loopwatch.engine.session import Session

Format: TypeAlias = Literal["text", "json"]

RESULT_LIMIT = 200
"""Characters of a result that are shown (A9)."""
ARGUMENTS_LIMIT = 120
NO_END = 1
"""Exit status of a run, or a recording, that has no end."""
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def run_headless(session: Session, *, out: IO[str], err: IO[str], format: Format = "text") -> int:  # noqa: A002 - as the option is called
    """Execute a session and print what happens, line by line.

    Args:
        session: Executed to its end; SIGINT, SIGTERM and SIGHUP end it in order, a second one at once.
        out: Takes the lines: text for people, or the journal's own JSON Lines.
        err: Takes what is not part of the run.
        format: See ``out``.

    Returns:
        The run's exit code, ``NO_END`` for a recording that has none.
    """
    printer = _Printer(session, out, format)
    session.log.subscribe(printer.take)
    asyncio.run(_execute(session, err))
    printer.flush()
    return printer.exit_code


async def _execute(session: Session, err: IO[str]) -> None:
    work = asyncio.ensure_future(session.execute())
    loop = asyncio.get_running_loop()
    caught: list[signal.Signals] = []

    def end(number: signal.Signals) -> None:
        caught.append(number)
        if len(caught) == 1:
            session.stop(f"ended by {number.name}")
        else:
            work.cancel()

    def ask() -> None:
        waiting = session.desk.pending if session.desk else ()
        if waiting and waiting[0].expires_at is None:
            print("loopwatch: a suggestion waits for an answer and nobody is here; ctrl-c ends the run", file=err)

    for number in _SIGNALS:
        loop.add_signal_handler(number, end, number)
    unsubscribe = session.desk.on_change(ask) if session.desk else None
    try:
        await work
    except asyncio.CancelledError:
        if not caught:
            raise
    finally:
        if unsubscribe is not None:
            unsubscribe()
        for number in _SIGNALS:
            loop.remove_signal_handler(number)


class _Printer:
    """Turns events into lines."""

    def __init__(self, session: Session, out: IO[str], form: Format) -> None:
        self.exit_code = NO_END
        self._session = session
        self._out = out
        self._form = form
        self._redact = Redactor(known_secrets())
        self._speech: list[str] = []
        self._turn = 0
        self._tools: dict[str, str] = {}
        self._closed = False

    def take(self, event: AnyEvent) -> None:
        """Print an event."""
        if isinstance(event, events.RunEnded):
            self.exit_code = event.exit_code
        if self._form == "json":
            self._print(serialized(event))
            return
        if isinstance(event, events.TextCame):
            self._speech.append(event.text)
            self._turn = event.turn
            return
        self.flush()
        for text in self._lines(event):
            self._print(text)

    def flush(self) -> None:
        """Print what the model has said so far."""
        if self._speech:
            said, self._speech = "".join(self._speech).strip(), []
            for text in filter(str.strip, said.splitlines()):
                self._print(f"[{self._turn}] {line(text)}")

    def _lines(self, event: AnyEvent) -> list[str]:
        match event:
            case events.CallMade():
                self._tools[event.call_id] = event.tool
                return [f"[{event.turn}] → {line(event.tool, 60)} {_arguments(event)}"]
            case events.ResultCame():
                return [self._result(event)]
            case events.FindingMade() | events.SuggestionMade() | events.DecisionMade():
                return _judged(event)
            case events.Injected() | events.Receipt():
                return _injected(event)
            case _:
                return _frame(event)

    def _result(self, event: events.ResultCame) -> str:
        mark = "⊘ not run" if event.synthetic else "✗" if event.is_error else "✓"
        spent = "" if event.seconds is None else f" {event.seconds:.2f} s"
        tool = line(self._tools.pop(event.call_id, ""), 60)
        return f"[{event.turn}] {mark} {tool}{spent}  {line(event.text.strip(), RESULT_LIMIT)}".rstrip()

    def _print(self, text: str) -> None:
        if self._closed:
            return
        try:
            print(self._redact(text), file=self._out, flush=True)
        except UnicodeEncodeError:
            # A terminal of another age: nothing is worth dying for a tick mark.
            encoding = getattr(self._out, "encoding", None) or "ascii"
            print(text.encode(encoding, "backslashreplace").decode(encoding), file=self._out, flush=True)
        except OSError as error:
            self._closed = True
            closed = isinstance(error, BrokenPipeError)
            self._session.stop("the output was closed" if closed else f"the output failed: {error.strerror or error}")


def _frame(event: AnyEvent) -> list[str]:
    """The lines about the run itself."""
    match event:
        case events.RunStarted():
            words = (event.task, event.model, event.workspace, event.preset, event.policy)
            return [f"run {event.run}: " + line(" · ".join(word for word in words if word))]
        case events.RunEnded():
            why = f": {line(event.message)}" if event.message else ""
            return [f"end  {event.reason.value}{why} (exit {event.exit_code})"]
        case events.Note() if event.level != "info":
            return [f"     {event.level}: {line(event.text)}"]
        case events.Spoke():
            return [f"     person: {line(event.text)}"]
        case events.ApprovalAsked():
            return [f"     approval {event.answer}: {line(event.command, RESULT_LIMIT)} ({line(event.reason)})"]
        case _:
            return []


def _judged(event: events.FindingMade | events.SuggestionMade | events.DecisionMade) -> list[str]:
    """The lines about what was found, proposed and decided."""
    match event:
        case events.FindingMade():
            steps = " ".join(f"#{step}" for step in event.steps[-8:])
            return [f"  !  {event.level} {event.rule}: {line(event.message)} [{steps}]"]
        case events.SuggestionMade():
            return [f"  ?  {event.id} proposes to {_PROPOSALS[event.response]}"]
        case events.DecisionMade():
            then = f", so {event.unanswered}" if event.unanswered else ""
            steps = f" for {event.steps} steps" if event.steps else ""
            always = ", always" if event.always else ""
            reason = f": {line(event.reason)}" if event.reason else ""
            return [f"  =  {event.suggestion} {event.action.value}{steps}{then}{always} (by {event.by}){reason}"]


def _injected(event: events.Injected | events.Receipt) -> list[str]:
    """The lines about what was put before the model, and the proof that it was."""
    if isinstance(event, events.Injected):
        return [f"  »  {event.id} {line(text)}" for text in event.text.splitlines() if text.strip()]
    where = f" as message {event.position + 1} of {event.of}" if event.position >= 0 else ""
    reason = f": {line(event.reason)}" if event.reason else ""
    return [f"  »  {event.injection} {event.status}{where}{reason}"]


_PROPOSALS = {"none": "do nothing", "remind": "remind", "block": "refuse the call", "stop": "stop"}


def _arguments(event: events.CallMade) -> str:
    arguments = event.arguments
    text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return line(text, ARGUMENTS_LIMIT)
