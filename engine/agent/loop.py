"""The agent's loop: ask the model, run what it asks for, ask the supervisor, go on."""

from __future__ import annotations

import time
from contextlib import aclosing
from dataclasses import replace
from typing import TYPE_CHECKING

from loopwatch.engine.agent.assembly import new_call_id
from loopwatch.engine.agent.conversation import Conversation
from loopwatch.engine.agent.errors import ProviderError
from loopwatch.engine.agent.model import Accepted, Answer, Piece
from loopwatch.engine.agent.prompt import system_prompt
from loopwatch.engine.agent.speech import Speech
from loopwatch.engine.agent.stopping import Outcome, Progress, first_reason
from loopwatch.engine.agent.text_calls import find_calls
from loopwatch.engine.agent.turn import CallsOfTurn
from loopwatch.engine.events import EndReason, Finished, Note, TurnStarted, UsageReported

if TYPE_CHECKING:
    from collections.abc import Callable

    from loopwatch.engine.agent.assembly import RequestedCall
    from loopwatch.engine.agent.model import ChatModel
    from loopwatch.engine.agent.tools.toolbox import Toolbox
    from loopwatch.engine.plan import ToolProtocol
    from loopwatch.engine.session import Limits
    from loopwatch.engine.supervision import Emit, Supervision

CUT_OFF = "length"
"""The finish reason of an answer that hit the output cap."""
MISSING = "missing"
"""What is told as the finish reason where the endpoint gives none."""


class Agent:
    """A tool-calling agent under supervision.

    It tells everything through ``emit`` and waits for ``supervision`` before each call and at each turn's end. The
    run's start and end are told by whoever runs it. ``run`` may be cancelled at any moment: running commands die with
    their process groups, the stream is closed, every call that was told has a result, and the cancellation goes on.
    """

    def __init__(  # noqa: PLR0913 - the parts a loop is made of
        self,
        *,
        model: ChatModel,
        toolbox: Toolbox,
        supervision: Supervision,
        emit: Emit,
        limits: Limits,
        tool_protocol: ToolProtocol = "auto",
        instructions: str = "",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._model = model
        self._toolbox = toolbox
        self._supervision = supervision
        self._emit = emit
        self._limits = limits
        self._protocol: ToolProtocol = tool_protocol
        self._instructions = instructions
        self._clock = clock
        self._progress = Progress()
        self._conversation = Conversation(system="", task="")
        self._used_ids: set[str] = set()
        self._started = 0.0

    async def run(self, task: str) -> Outcome:
        """Work on ``task`` until the model makes no call, a limit is reached, or the supervisor says stop."""
        self._conversation = self._begin(task)
        self._started = self._clock()
        try:
            while True:
                if (outcome := self._limit_reached()) is not None:
                    return outcome
                if (outcome := await self._turn(task)) is not None:
                    return outcome
        except ProviderError as error:
            return Outcome(EndReason.PROVIDER, str(error))
        finally:
            await self._model.close()

    def _begin(self, task: str) -> Conversation:
        described = self._protocol == "text"
        system = system_prompt(self._toolbox.schemas(), describe_tools=described, extra=self._instructions)
        return Conversation(system=system, task=task)

    def _limit_reached(self) -> Outcome | None:
        self._progress.seconds = self._clock() - self._started
        return first_reason(self._progress, self._limits)

    async def _turn(self, task: str) -> Outcome | None:
        turn = self._progress.turns + 1
        answer = await self._asked(turn, task)
        self._progress.turns = turn
        calls = self._calls_of(answer)
        self._conversation.add_answer(answer.text, calls)
        work = CallsOfTurn(
            turn, toolbox=self._toolbox, supervision=self._supervision, emit=self._emit, clock=self._clock
        )
        answered = await work.carry_out(calls)
        for result in work.results:
            self._progress.count(result)
        # Limits come first: nobody is asked about a reminder that no request will carry.
        if calls and (outcome := self._limit_reached()) is not None:
            return outcome
        # The supervisor is asked after an answer without a call as well, since a person may have spoken meanwhile; the
        # next request then ends in what they said (injection rule 1).
        directive = await self._supervision.boundary(turn)
        if directive.stop is not None:
            return Outcome(directive.stop, directive.message)
        if not calls and not directive.inject:
            return Outcome(EndReason.DONE, _last_words(answer))
        self._conversation.add_results(answered, directive.inject)
        return None

    async def _asked(self, turn: int, task: str) -> Answer:
        """One request; where the endpoint takes no tools, everything begins anew with calls in the text."""
        try:
            return await self._ask(turn)
        except ProviderError as refusal:
            if self._protocol != "auto" or turn > 1 or not refusal.is_about("tool", "function"):
                raise
            text = f"the endpoint takes no tools; from here on calls are written into the text ({refusal})"
            self._emit(Note(text=text, level="warning"))
        self._protocol = "text"
        self._conversation = self._begin(task)
        return await self._ask(turn)

    async def _ask(self, turn: int) -> Answer:
        """One request, streamed into events."""
        messages = self._conversation.messages()
        self._emit(TurnStarted(turn=turn, messages=len(messages)))
        tools = () if self._protocol == "text" else self._toolbox.schemas()
        speech = Speech(self._emit, turn)
        answer: Answer | None = None
        try:
            async with aclosing(self._model.stream(messages, tools)) as stream:
                async for part in stream:
                    match part:
                        case Accepted():
                            # Only now: a refused request delivers nothing, and no receipt may say so.
                            self._supervision.sent(turn, messages)
                        case Answer():
                            answer = part
                        case Piece():
                            speech.feed(part)
        finally:
            speech.flush()
        if answer is None:
            raise ProviderError("the endpoint's answer had no end", "broken")
        usage = answer.usage
        self._progress.tokens += usage.input + usage.output
        told = UsageReported(
            turn=turn,
            input=usage.input,
            output=usage.output,
            cached=usage.cached,
            reasoning=usage.reasoning,
            estimated=usage.estimated,
        )
        self._emit(told)
        self._emit(Finished(turn=turn, reason=answer.finish_reason or MISSING))
        return answer

    def _calls_of(self, answer: Answer) -> tuple[RequestedCall, ...]:
        """Native calls; else, where the protocol allows, calls written into the text. Ids are unique in the run."""
        calls = answer.calls
        self._conversation.text_results = False
        if not calls and self._protocol != "native":
            calls = find_calls(answer.text, self._toolbox.names)
            # A model that writes its calls does not know the tool role either.
            self._conversation.text_results = bool(calls)
        unique = tuple(replace(call, id=new_call_id()) if call.id in self._used_ids else call for call in calls)
        self._used_ids.update(call.id for call in unique)
        return unique


def _last_words(answer: Answer) -> str:
    """The last line of what the model said, and whether it was cut off there."""
    lines = [line.strip() for line in answer.text.splitlines() if line.strip()]
    said = lines[-1][:200] if lines else "the model ended without a word"
    return f"cut off at the output limit: {said}" if answer.finish_reason == CUT_OFF else said
