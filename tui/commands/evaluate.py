"""``loopwatch eval``: presets measured on labelled traces."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from loopwatch.tui.commands.base import refusing, say, say_json, settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from loopwatch.detectors.score import Tally
    from loopwatch.engine.evaluate import Judged, Measured, Trace


@click.command("eval", short_help="Measure presets on labelled traces.")
@click.argument("folders", metavar="DIR...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--preset", "presets", metavar="NAME", multiple=True, help="May be given several times; side by side.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
def evaluate(folders: tuple[Path, ...], presets: tuple[str, ...], form: str) -> int:
    """Judge labelled traces and say what was caught in time, late, missed, and wrongly alarmed.

    Lists every miss and every false alarm with its reason. Exit status: 0, or 2 where a trace cannot be used.
    """
    from loopwatch.engine.evaluate import measure, report, traces

    loaded = settings(Path.cwd())
    with refusing():
        chosen = [loaded.preset(name) for name in dict.fromkeys(presets)] or [loaded.preset()]
        over = traces(folders)
        measured = [measure(preset, over) for preset in chosen]
    if form == "json":
        say_json(report(measured))
        return 0
    _tell(measured)
    return 0


def _tell(measured: Sequence[Measured]) -> None:
    stuck = sum(one.trace.label.stuck for one in measured[0].judged)
    healthy = len(measured[0].judged) - stuck
    say(f"{stuck} stuck and {healthy} healthy traces, {measured[0].steps:,} steps")
    _table([(one.preset, one.tally, f"{one.seconds:.2f} s") for one in measured], "preset", "time")
    for one in measured:
        _groups(one, "kind", {name: tally for name, tally in one.by(_kind).items() if name})
        _groups(one, "agent", one.by(_agent))
        _list(one, "missed", one.missed)
        _list(one, "false alarm", one.false_alarms)


def _kind(trace: Trace) -> str:
    return trace.label.kind


def _agent(trace: Trace) -> str:
    return trace.recording.agent


def _groups(measured: Measured, title: str, tallies: dict[str, Tally]) -> None:
    say()
    say(f"{measured.preset} by {title}")
    _table([(name, counts, "") for name, counts in tallies.items()], title, "")


def _table(rows: Sequence[tuple[str, Tally, str]], first: str, last: str) -> None:
    width = max(len(first), *(len(name) for name, _, _ in rows))
    heads = ("stuck", "in time", "late", "missed", "early", "healthy", "wrong", "hard", "delay")
    say(f"  {first:<{width}}  " + "  ".join(f"{head:>7}" for head in heads) + (f"  {last:>8}" if last else ""))
    for name, counts, end in rows:
        delay = "-" if counts.median_delay is None else f"{counts.median_delay:g}"
        figures = (
            counts.stuck,
            counts.in_time,
            counts.late,
            counts.missed,
            counts.early,
            counts.healthy,
            counts.wrong,
            counts.hard_wrong,
            delay,
        )
        say(f"  {name:<{width}}  " + "  ".join(f"{figure:>7}" for figure in figures) + (f"  {end:>8}" if end else ""))


def _list(measured: Measured, title: str, judged: Sequence[Judged]) -> None:
    from loopwatch.engine.evaluate import reason

    say()
    say(f"{measured.preset}: {len(judged)} {title}{'' if len(judged) == 1 or title == 'missed' else 's'}")
    for one in judged:
        say(f"  {one.trace.id} ({one.trace.label.kind or 'no kind'}, {one.trace.recording.agent})")
        say(f"    {one.score.verdict}: {reason(one)}")
