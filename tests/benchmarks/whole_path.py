"""What supervising one step costs from the event to the directive: journal, suite, supervisor, gauges."""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from loopwatch.detectors.preset import bundled
from loopwatch.engine import events
from loopwatch.engine.agent.stopping import Outcome
from loopwatch.engine.plan import Policy, RunPlan
from loopwatch.engine.run import open_run
from loopwatch.engine.session import Limits
from tests.benchmarks.figure import Figure, median_of
from tests.benchmarks.workload import steps

if TYPE_CHECKING:
    from collections.abc import Iterator

    from loopwatch.detectors.step import Step
    from loopwatch.engine.supervision import Emit, Supervision

STEPS = 3_000
WARM = 200
MILLISECOND = 1e-3


def figures() -> Iterator[Figure]:
    """A step with a result of 2 kB, one call a turn, every suggestion dismissed."""
    with tempfile.TemporaryDirectory(prefix="loopwatch-bench-") as folder:
        os.environ["LOOPWATCH_CONFIG_DIR"] = folder  # a person's own wording of reminders stays out of it
        cost = asyncio.run(_costs(Path(folder)))[WARM:]
    yield Figure("path.step_2kB.median", median_of(cost) / MILLISECOND, "ms", 1)


async def _costs(folder: Path) -> list[float]:
    plan = RunPlan(
        task="Measure it.",
        model="none",
        preset=bundled("balanced"),
        workspace=folder,
        policy=Policy(mode="dismiss"),
        limits=Limits(turns=None, no_progress=None),
        journal=folder / "run.jsonl",
    )
    worker: list[_Worker] = []

    def workshop(plan: RunPlan, supervision: Supervision, emit: Emit) -> _Worker:
        worker.append(_Worker(supervision, emit))
        return worker[0]

    await open_run(plan, workshop=workshop).execute()
    return worker[0].cost


@dataclass
class _Worker:
    """Does nothing but tell of it: what remains is the cost of being watched."""

    supervision: Supervision
    emit: Emit
    cost: list[float] = field(default_factory=list)

    async def run(self, task: str) -> Outcome:
        """Tell all steps, each on a clock."""
        messages = [{"role": "user", "content": task}]
        for step in list(steps(STEPS, size=2_000)):
            begin = time.perf_counter()
            await self._step(step)
            self.supervision.sent(step.index + 2, messages)
            self.cost.append(time.perf_counter() - begin)
        return Outcome(events.EndReason.DONE, "")

    async def _step(self, step: Step) -> None:
        call, result = step.call, step.result
        if call is None or result is None:
            return
        turn = step.index + 1
        self.emit(events.TurnStarted(turn=turn, messages=2))
        self.emit(events.UsageReported(turn=turn, input=1_000 + turn, output=40))
        self.emit(events.Finished(turn=turn, reason="tool_calls"))
        made = events.CallMade(turn=turn, call_id=call.id, tool=call.tool, arguments=call.arguments)
        await self.supervision.before(self.emit(made))
        self.emit(
            events.ResultCame(
                turn=turn, call_id=call.id, text=result.text, is_error=result.is_error, exit_code=result.exit_code
            )
        )
        await self.supervision.boundary(turn)
