"""``loopwatch check``: what would have been said of recorded runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from loopwatch.tui.commands.base import USAGE, refusing, say, say_json, settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from loopwatch.detectors.preset import Preset
    from loopwatch.engine.check import Checked
    from loopwatch.engine.sources.formats import Recording

LEVELS = ("notice", "warn", "strong", "critical")


@click.command(short_help="Find loops in recorded runs.")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--format", "form", type=click.Choice(["text", "json", "sarif"]), default="text", show_default=True)
@click.option("--preset", metavar="NAME", help="Detector settings to judge by (see 'loopwatch presets').")
@click.option(
    "--fail-on",
    type=click.Choice([*LEVELS, "never"]),
    default="warn",
    show_default=True,
    help="Exit with 1 when a finding is of this level or worse.",
)
@click.option("--explain", metavar="STEP", type=click.IntRange(min=0), help="Show how one step was read (0-based).")
def check(files: tuple[Path, ...], form: str, preset: str | None, fail_on: str, explain: int | None) -> int:
    """Judge recorded runs: our own journals, labelled traces, and the transcripts of other agents.

    Formats are recognised by content. Exit status: 0 nothing found, 1 findings, 2 a file that cannot be read.
    """
    from loopwatch.detectors.finding import Level

    with refusing():
        chosen = settings(Path.cwd(), preset=preset).preset()
    if explain is not None:
        from loopwatch.tui.commands.explain import explain_step

        with refusing():
            return explain_step(files, explain)
    checked, unreadable = _judge(files, chosen)
    if form == "json":
        from loopwatch.engine.check import report

        say_json(report(checked))
    elif form == "sarif":
        from loopwatch.engine.sarif import sarif

        say_json(sarif(checked))
    else:
        for one in checked:
            _tell(one)
        _sum_up(checked)
    for complaint in unreadable:
        say(f"loopwatch check: {complaint}", err=True)
    if unreadable:
        return USAGE
    return int(fail_on != "never" and any(one.reached(Level[fail_on.upper()]) for one in checked))


def _judge(files: Sequence[Path], preset: Preset) -> tuple[list[Checked], list[str]]:
    """Everything that can be read, judged; and a complaint for each file that cannot."""
    from loopwatch.engine.check import check as judge
    from loopwatch.engine.sources.formats import UnreadableError, read_all

    checked: list[Checked] = []
    unreadable: list[str] = []
    for file in files:
        try:
            checked += [judge(recording, preset) for recording in read_all(file)]
        except UnreadableError as error:
            unreadable.append(str(error))
    return checked, unreadable


def _tell(checked: Checked) -> None:
    from loopwatch.engine.check import position

    recording = checked.recording
    made = f"{recording.agent} ({recording.format})" if recording.agent != recording.format else recording.format
    say(f"{recording.name}: {made}, {_many(len(recording.steps), 'step')}, {_many(len(checked.findings), 'finding')}")
    for remark in _remarks(recording):
        say(f"  note: {remark}")
    for finding in checked.findings:
        at = position(recording, finding.step)
        place = f"step {finding.step}" + (f" ({recording.counts} {at})" if at is not None else "")
        say(f"  {finding.level.word:8} {place}  {finding.rule} {finding.count}/{finding.threshold}: {finding.message}")
        say(f"           steps {_spans(finding.steps)}")
        if finding.equal_because:
            say(f"           taken as equal: {', '.join(finding.equal_because)}")
        if finding.resets_when:
            say(f"           would reset: {finding.resets_when}")


def _remarks(recording: Recording) -> list[str]:
    remarks = [recording.torn] if recording.torn else []
    if recording.unknown:
        kinds = ", ".join(f"{count} x {kind}" for kind, count in sorted(recording.unknown.items()))
        remarks.append(f"not understood and left out: {kinds}")
    return remarks


def _sum_up(checked: Sequence[Checked]) -> None:
    if len(checked) < 2:  # noqa: PLR2004 - one run has said it all
        return
    found = sum(len(one.findings) for one in checked)
    looping = sum(bool(one.findings) for one in checked)
    steps = sum(len(one.recording.steps) for one in checked)
    say(f"{_many(len(checked), 'run')}, {_many(steps, 'step')}: {_many(found, 'finding')} in {_many(looping, 'run')}")


def _many(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _spans(steps: Sequence[int]) -> str:
    """Step numbers with runs of neighbours drawn together: ``3, 7-9``."""
    spans: list[list[int]] = []
    for step in steps:
        if spans and step == spans[-1][1] + 1:
            spans[-1][1] = step
        else:
            spans.append([step, step])
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in spans)
