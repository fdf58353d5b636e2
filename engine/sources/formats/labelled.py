"""Labelled traces: a header line with the label, then one line per step in call order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from loopwatch.detectors.step import Call, Result, Step, Usage
from loopwatch.engine.sources.formats.content import text_of, timestamp
from loopwatch.engine.sources.formats.kind import LineFormat
from loopwatch.engine.sources.formats.speech import speaker

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from loopwatch.engine.sources.formats.content import Numbered
    from loopwatch.engine.sources.formats.recording import Notes

_STEP_FIELDS = ("i", "tool", "result")
_SIDE_FIELDS = ("args_h", "result_h", "open_file", "speaker", "reward")
"""Kept with the step for whoever reads the file's own words; rules do not look at them."""


def _recognises(sample: list[Any]) -> bool:
    """A header with a label and without a tool, then steps."""
    header, *rest = sample
    if not isinstance(header, dict) or "label" not in header or "tool" in header:
        return False
    if not rest:
        return header["label"] in ("stuck", "healthy")
    return isinstance(rest[0], dict) and all(name in rest[0] for name in _STEP_FIELDS)


def _steps(records: Iterable[Numbered], notes: Notes) -> Iterator[Step]:
    """Read header and steps."""
    index = 0
    for at, record in records:
        if not isinstance(record, dict):
            notes.strange("record that is no object", at)
        elif not notes.header and "label" in record:
            notes.header = record
            notes.agent = str(record.get("agent") or record.get("vocab") or notes.agent)
            notes.model = text_of(record.get("model"))
            notes.task = text_of(record.get("task"))
        elif "tool" in record and "i" in record:
            yield _step(index, at, record)
            index += 1
        else:
            notes.strange("record that is no step", at)


def _step(index: int, at: int, record: dict[str, Any]) -> Step:
    tool = record.get("tool")
    turn = record.get("turn")
    words = record.get("user")
    spoke = speaker(words) if isinstance(words, str) and words else "person" if words else ""
    return Step(
        index=index,
        call=_call(tool, record) if isinstance(tool, str) else None,
        result=_result(record) if isinstance(tool, str) else None,
        turn=turn if isinstance(turn, int) else None,
        text=text_of(record.get("text")),
        reasoning=text_of(record.get("reasoning")),
        finish_reason=text_of(record.get("finish_reason")),
        usage=_usage(record),
        time=_time(record),
        person=spoke == "person",
        nudge=bool(record.get("nudge")) or spoke == "nudge",
        compacted=bool(record.get("compacted")) or spoke == "compaction",
        replayed=bool(record.get("replayed")),
        extra={"at": at, **{name: record[name] for name in _SIDE_FIELDS if record.get(name) is not None}},
    )


def _call(tool: str, record: dict[str, Any]) -> Call:
    arguments, malformed = _arguments(record.get("args"))
    return Call(tool=tool, arguments=arguments, id=text_of(record.get("call_id")), malformed=malformed)


def _result(record: dict[str, Any]) -> Result | None:
    if record.get("result") is None or record.get("no_result"):
        return None
    flag = record.get("is_error")
    return Result(
        text=text_of(record["result"]),
        is_error=flag if isinstance(flag, bool) else None,
        # The hash tells two cut results apart; for whole ones it would only undo what masking is there to do.
        digest=text_of(record.get("result_h")) if record.get("result_truncated") else "",
    )


def _arguments(given: Any) -> tuple[Any, bool]:
    """Arguments, and whether they were no whole JSON (a lone ``_raw`` holds what there was)."""
    if isinstance(given, dict) and set(given) == {"_raw"}:
        return given["_raw"], True
    return given, False


def _usage(record: dict[str, Any]) -> Usage | None:
    counts = record.get("in_tokens"), record.get("out_tokens")
    if not any(isinstance(count, int) for count in counts):
        return None
    return Usage(input=counts[0] or 0, output=counts[1] or 0)


def _time(record: dict[str, Any]) -> float | None:
    seconds = record.get("t")
    if isinstance(seconds, int | float):
        return float(seconds)
    return timestamp(record.get("ts"))


LABELLED = LineFormat("labelled-trace", "unknown agent", _recognises, _steps)
