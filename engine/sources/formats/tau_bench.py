"""tau-bench results: a list of trials, each with its chat messages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from loopwatch.engine.sources.formats.content import text_of
from loopwatch.engine.sources.formats.kind import DocumentFormat
from loopwatch.engine.sources.formats.messages import are_messages, take

if TYPE_CHECKING:
    from collections.abc import Iterable

    from loopwatch.detectors.step import Step
    from loopwatch.engine.sources.formats.kind import Part
    from loopwatch.engine.sources.formats.recording import Notes


def _recognises(document: Any) -> bool:
    return isinstance(document, list) and any(_is_trial(trial) for trial in document)


def _is_trial(value: Any) -> bool:
    return isinstance(value, dict) and "task_id" in value and are_messages(value.get("traj"))


def _runs(document: Any) -> Iterable[Part]:
    for trial in filter(_is_trial, document):
        yield f"task-{text_of(trial['task_id'])}-trial-{text_of(trial.get('trial', 0))}", trial


def _steps(trial: Any, notes: Notes) -> Iterable[Step]:
    notes.header = {"task_id": trial["task_id"], "trial": trial.get("trial"), "reward": trial.get("reward")}
    return take(trial["traj"], notes).steps()


TAU_BENCH = DocumentFormat("tau-bench", "tau-bench", _recognises, _steps, _runs)
