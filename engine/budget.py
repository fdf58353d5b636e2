"""What a run has used: the gauges, projected from its events."""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from loopwatch.detectors.step import Usage
from loopwatch.engine import events
from loopwatch.engine.session import Limits, Reading

if TYPE_CHECKING:
    from collections.abc import Callable

    from loopwatch.detectors.sameness.facts import Facts
    from loopwatch.detectors.step import Step
    from loopwatch.engine.events import AnyEvent

Spent: TypeAlias = "Usage | events.UsageReported"

RECENT_TURNS = 30
LATIN_CHARACTERS_PER_TOKEN = 4
CUT_OFF = "length"
"""The finish reason of an answer that hit the output cap."""


def estimated_tokens(text: str) -> int:
    """Roughly what a text costs: four characters a token, one for scripts that are not alphabets."""
    wide = sum(character > "\u2e7f" for character in text)
    return wide + -(-(len(text) - wide) // LATIN_CHARACTERS_PER_TOKEN)


class Prices:
    """US dollars of a request, where the model's price is known.

    The price list is loaded by ``load`` (0.2 s, in a thread if that matters); before that nothing has a price.
    """

    def __init__(self) -> None:
        self._calculate: Callable[[Spent, str], float | None] | None = None

    @property
    def loaded(self) -> bool:
        """Whether ``of`` can answer."""
        return self._calculate is not None

    def load(self) -> None:
        """Read the price list that comes with genai-prices; nothing is fetched."""
        from genai_prices import Usage, calc_price

        def calculate(usage: Spent, model: str) -> float | None:
            try:
                price = calc_price(
                    Usage(input_tokens=usage.input, output_tokens=usage.output, cache_read_tokens=usage.cached),
                    model_ref=model,
                )
            except (LookupError, ValueError):
                return None
            return float(price.total_price)

        self._calculate = calculate

    def of(self, usage: Spent, model: str) -> float | None:
        """What a request cost."""
        return self._calculate(usage, model) if self._calculate and model else None


@dataclass(slots=True)
class Meters:
    """Takes a run's events and judged steps, gives the gauges."""

    limits: Limits = field(default_factory=Limits)
    prices: Prices = field(default_factory=Prices)
    clock: Callable[[], float] = time.time
    _model: str = ""
    _turns: int = 0
    _steps: int = 0
    _failed: int = 0
    _errors: int = 0
    _cut_off: int = 0
    _input: int = 0
    _output: int = 0
    _cached: int = 0
    _reasoning: int = 0
    _estimated: bool = False
    _cost: float | None = None
    _unpriced: Usage | None = None
    """Spent before the price list was there; prices are linear, so the sum is enough."""
    _recent: deque[tuple[int, int]] = field(default_factory=lambda: deque(maxlen=RECENT_TURNS))
    """Turn and its tokens."""
    _started: float | None = None
    _ended: float | None = None

    def take(self, event: AnyEvent) -> None:
        """Take in an event."""
        match event:
            case events.UsageReported():
                self._usage(event)
            case events.Finished():
                self._cut_off = self._cut_off + 1 if event.reason == CUT_OFF else 0
            case events.TurnStarted():
                self._turns = max(self._turns, event.turn)
            case events.RunStarted():
                self._started = event.time
                self._model = event.model
            case events.RunEnded():
                self._ended = event.time
            case _:
                pass

    def observe(self, step: Step, facts: Facts) -> None:
        """Take in a judged step; parallel calls count each (C3)."""
        if step.call is None or facts.synthetic:
            return
        self._steps += 1
        if facts.failed:
            self._failed += 1
            self._errors += 1
        elif step.result is not None:
            self._errors = 0

    def reading(self, *, no_progress: int = 0) -> Reading:
        """The gauges now."""
        self._settle_prices()
        seconds = 0.0
        if self._started is not None:
            seconds = max(0.0, (self.clock() if self._ended is None else self._ended) - self._started)
        return Reading(
            limits=self.limits,
            turns=self._turns,
            steps=self._steps,
            failed_steps=self._failed,
            input_tokens=self._input,
            output_tokens=self._output,
            cached_tokens=self._cached,
            reasoning_tokens=self._reasoning,
            recent_tokens=tuple(tokens for _, tokens in self._recent),
            estimated=self._estimated,
            cost=self._cost,
            errors=self._errors,
            no_progress=no_progress,
            cut_off=self._cut_off,
            seconds=seconds,
        )

    def _usage(self, event: events.UsageReported) -> None:
        self._input += event.input
        self._output += event.output
        self._cached += event.cached
        self._reasoning += event.reasoning
        self._estimated = self._estimated or event.estimated
        tokens = event.input + event.output
        if self._recent and self._recent[-1][0] == event.turn:
            tokens += self._recent.pop()[1]
        self._recent.append((event.turn, tokens))
        if event.cost is not None:
            self._cost = (self._cost or 0.0) + event.cost
            return
        spent = self._unpriced or Usage()
        self._unpriced = Usage(
            input=spent.input + event.input,
            output=spent.output + event.output,
            cached=spent.cached + min(event.cached, event.input),
        )

    def _settle_prices(self) -> None:
        if self._unpriced is None or not self.prices.loaded:
            return
        cost = self.prices.of(self._unpriced, self._model)
        self._unpriced = None
        if cost is not None:
            self._cost = (self._cost or 0.0) + cost
