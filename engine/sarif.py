"""Findings as SARIF 2.1.0, the form in which code hosts take annotations."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import loopwatch
from loopwatch.detectors.finding import Level
from loopwatch.detectors.preset import known_rules
from loopwatch.engine.check import position

if TYPE_CHECKING:
    from collections.abc import Sequence

    from loopwatch.detectors.finding import Finding
    from loopwatch.engine.check import Checked
    from loopwatch.engine.sources.formats import Recording

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
RELATED_LIMIT = 10
"""Steps of evidence that are named as related places; the newest ones."""

_LEVELS = {Level.NOTICE: "note", Level.WARN: "warning", Level.STRONG: "error", Level.CRITICAL: "error"}


def sarif(checked: Sequence[Checked]) -> dict[str, Any]:
    """One SARIF run over all files."""
    spoken = {finding.rule for one in checked for finding in one.findings}
    rules = [
        {
            "id": name,
            "name": kind.title,
            "shortDescription": {"text": kind.title},
            "fullDescription": {"text": " ".join((kind.__doc__ or kind.title).split())},
        }
        for name, kind in known_rules().items()
        if name in spoken
    ]
    index = {name: number for number, name in enumerate(name for name in known_rules() if name in spoken)}
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": {"name": "loopwatch", "version": loopwatch.__version__, "rules": rules}},
                "columnKind": "unicodeCodePoints",
                "results": [_result(finding, one.recording, index) for one in checked for finding in one.findings],
            }
        ],
    }


def _result(finding: Finding, recording: Recording, index: dict[str, int]) -> dict[str, Any]:
    evidence = [step for step in finding.steps if step != finding.step][-RELATED_LIMIT:]
    return {
        "ruleId": finding.rule,
        **({"ruleIndex": index[finding.rule]} if finding.rule in index else {}),
        "level": _LEVELS[finding.level],
        "message": {"text": finding.message},
        "locations": [_location(recording, finding.step)],
        "relatedLocations": [
            {"id": number, **_location(recording, step), "message": {"text": f"step {step}"}}
            for number, step in enumerate(evidence, 1)
        ],
        "partialFingerprints": {"loop/v1": f"{finding.rule}:{finding.key}"},
        "properties": {
            "level": finding.level.word,
            "run": recording.part,
            "agent": recording.agent,
            "step": finding.step,
            "steps": list(finding.steps),
            "count": finding.count,
            "threshold": finding.threshold,
        },
    }


def _location(recording: Recording, step: int) -> dict[str, Any]:
    place: dict[str, Any] = {"artifactLocation": {"uri": _uri(recording.path)}}
    at = position(recording, step)
    if recording.counts == "line" and at is not None:
        place["region"] = {"startLine": at}
    return {
        "physicalLocation": place,
        "logicalLocations": [{"name": f"step {step}", "kind": "element"}],
    }


def _uri(path: Path) -> str:
    """Relative to the present folder where the file is below it: that is what code hosts can place."""
    absolute = path.resolve()
    try:
        relative = absolute.relative_to(Path.cwd())
    except ValueError:
        return absolute.as_uri()
    from urllib.parse import quote

    return quote(relative.as_posix())
