"""The agent's loop: ask the model, run what it asks for, ask the supervisor, go on."""

from __future__ import annotations

import asyncio
import time
from contextlib import aclosing
from typing import TYPE_CHECKING

from loopwatch.engine.agent.conversation import Conversation
from loopwatch.engine.agent.model import Answer, ProviderError
from loopwatch.engine.agent.prompt import system_prompt
from loopwatch.engine.agent.speech import Speech
from loopwatch.engine.agent.stopping import Outcome, Progress, first_reason
from loopwatch.engine.agent.text_calls import find_calls
from loopwatch.engine.agent.tools.toolbox import ToolOutput
from loopwatch.engine.events import CallMade, EndReason, Finished, ResultCame, TurnStarted, UsageReported

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from loopwatch.engine.agent.assembly import RequestedCall
    from loopwatch.engine.agent.model import ChatModel
    from loopwatch.engine.agent.tools.toolbox import Toolbox
    from loopwatch.engine.plan import ToolProtocol
    from loopwatch.engine.session import Limits
    from loopwatch.engine.supervision import Clearance, Directive, Emit, Supervision


class Agent:
    """A tool-calling agent under supervision.

    It tells everything through ``emit`` and waits for ``supervision`` before each call and at each turn's end. The
    run's start and end are told by whoever runs it. Cancelling ``run`` ends running commands and closes the stream.
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
        self._protocol = tool_protocol
        self._instructions = instructions
        self._clock = clock
        self._progress = Progress()
        self._conversation = Conversation(system="", task="")

    async def run(self, task: str) -> Outcome:
        """Work on ``task`` until the model makes no call, a limit is reached, or the supervisor says stop."""
        schemas = self._toolbox.schemas()
        as_text = self._protocol == "text"
        self._conversation = Conversation(
            system=system_prompt(schemas, describe_tools=as_text, extra=self._instructions),
            task=task,
            text_results=as_text,
        )
        started = self._clock()
        try:
            while True:
                self._progress.seconds = self._clock() - started
                if (outcome := first_reason(self._progress, self._limits)) is not None:
                    return outcome
                if (outcome := await self._turn()) is not None:
                    return outcome
        except ProviderError as error:
            return Outcome(EndReason.PROVIDER, str(error))
        finally:
            await self._model.close()

    async def _turn(self) -> Outcome | None:
        self._progress.turns += 1
        turn = self._progress.turns
        answer = await self._ask(turn)
        calls = self._calls_of(answer)
        self._conversation.add_answer(answer.text, calls)
        results = await self._run_calls(turn, calls)
        directive = await self._supervision.boundary(turn)
        if directive.stop is not None:
            return Outcome(directive.stop, directive.message)
        if not calls and not directive.inject:
            return Outcome(EndReason.DONE, _last_line(answer.text))
        self._take_back(results, directive)
        return None

    async def _ask(self, turn: int) -> Answer:
        """One request, streamed into events."""
        messages = self._conversation.messages()
        self._emit(TurnStarted(turn=turn, messages=len(messages)))
        tools = () if self._protocol == "text" else self._toolbox.schemas()
        speech = Speech(self._emit, turn)
        answer: Answer | None = None
        told = False
        try:
            async with aclosing(self._model.stream(messages, tools)) as stream:
                async for part in stream:
                    if not told:
                        # The endpoint has begun to answer, so it has the request.
                        self._supervision.sent(turn, messages)
                        told = True
                    if isinstance(part, Answer):
                        answer = part
                    else:
                        speech.feed(part)
        finally:
            speech.flush()
        if answer is None:
            raise ProviderError("the endpoint's answer had no end")
        usage = answer.usage
        self._progress.tokens += usage.input + usage.output
        self._emit(
            UsageReported(
                turn=turn,
                input=usage.input,
                output=usage.output,
                cached=usage.cached,
                reasoning=usage.reasoning,
                estimated=usage.estimated,
            )
        )
        self._emit(Finished(turn=turn, reason=answer.finish_reason))
        return answer

    def _calls_of(self, answer: Answer) -> tuple[RequestedCall, ...]:
        """Native calls; else, where the protocol allows, calls written into the text."""
        if answer.calls or self._protocol == "native":
            return answer.calls
        calls = find_calls(answer.text, self._toolbox.names)
        if calls:
            # A model that writes its calls does not know the tool role either.
            self._conversation.text_results = True
        return calls

    async def _run_calls(self, turn: int, calls: Sequence[RequestedCall]) -> list[tuple[RequestedCall, str]]:
        """Ask about each call in order, then run them side by side; results keep call order (A4)."""
        cleared: list[Clearance] = []
        for call in calls:
            made = self._emit(
                CallMade(
                    turn=turn,
                    call_id=call.id,
                    tool=call.tool,
                    arguments=call.arguments,
                    malformed=call.malformed,
                )
            )
            cleared.append(await self._supervision.before(made))
        running = [
            asyncio.create_task(self._run_call(call, clearance)) for call, clearance in zip(calls, cleared, strict=True)
        ]
        results: list[tuple[RequestedCall, str]] = []
        try:
            for call, clearance, task in zip(calls, cleared, running, strict=True):
                output, seconds = await task
                self._tell_result(turn, call, output, seconds, synthetic=bool(clearance.refusal))
                results.append((call, output.text))
        finally:
            for task in running:
                task.cancel()
            await asyncio.gather(*running, return_exceptions=True)
        return results

    async def _run_call(self, call: RequestedCall, clearance: Clearance) -> tuple[ToolOutput, float]:
        if clearance.refusal:
            return ToolOutput(clearance.refusal, is_error=True), 0.0
        started = self._clock()
        arguments = call.arguments if clearance.arguments is None else clearance.arguments
        malformed = call.malformed and clearance.arguments is None
        output = await self._toolbox.call(call.tool, arguments, malformed=malformed)
        return output, self._clock() - started

    def _tell_result(
        self, turn: int, call: RequestedCall, output: ToolOutput, seconds: float, *, synthetic: bool
    ) -> None:
        if not synthetic:
            self._progress.errors = self._progress.errors + 1 if output.is_error else 0
        self._emit(
            ResultCame(
                turn=turn,
                call_id=call.id,
                text=output.text,
                is_error=output.is_error,
                exit_code=output.exit_code,
                seconds=round(seconds, 4),
                digest=output.digest,
                cut=output.cut,
                synthetic=synthetic,
            )
        )

    def _take_back(self, results: list[tuple[RequestedCall, str]], directive: Directive) -> None:
        self._conversation.add_results(results, directive.inject)


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:200] if lines else ""
