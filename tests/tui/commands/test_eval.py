"""``loopwatch eval`` measures presets on labelled traces."""

import json
import os
from pathlib import Path

import pytest

COUNTS = {"stuck", "in_time", "late", "missed", "early", "healthy", "wrong", "hard_wrong"}
KEYS = COUNTS | {"median_delay", "steps", "seconds", "traces"}
SHARED = os.environ.get("LOOPWATCH_TRACES")  # read before the fixtures clean the environment


def test_figures_are_told_as_json_in_the_agreed_shape(loopwatch, traces):
    result = loopwatch("eval", traces, "--format", "json", "--preset", "tiny-claw")

    assert result.exit_code == 0
    told = json.loads(result.stdout)["presets"]["tiny-claw"]
    assert set(told) >= KEYS
    assert (told["stuck"], told["in_time"], told["healthy"], told["wrong"]) == (1, 1, 1, 0)
    assert (told["median_delay"], told["steps"]) == (0, 12)
    healthy, stuck = told["traces"]
    assert (healthy["id"], healthy["label"], healthy["verdict"], healthy["first"]) == (
        "healthy-1",
        "healthy",
        "quiet",
        None,
    )
    assert (stuck["id"], stuck["kind"], stuck["verdict"]) == ("stuck-1", "failing_call", "in_time")
    assert set(stuck["first"]) == {"step", "level", "rule"}
    assert stuck["first"]["step"] == 2


def test_presets_are_told_side_by_side_with_each_miss_and_each_false_alarm(loopwatch, traces, project):
    (project / "loopwatch.toml").write_text("[presets.deaf]\n", encoding="utf-8")
    healthy = traces / "healthy.jsonl"
    text = (traces / "stuck.jsonl").read_text(encoding="utf-8")
    healthy.write_text(text.replace('"label": "stuck"', '"label": "healthy"').replace("stuck-1", "loud-1"), "utf-8")
    result = loopwatch("eval", traces, "--preset", "tiny-claw", "--preset", "deaf")

    assert result.exit_code == 0
    out = result.stdout
    assert "1 stuck and 1 healthy traces, 12 steps" in out
    assert "tiny-claw: 1 false alarm\n  loud-1 (failing_call, unknown agent)\n    wrong: " in out
    assert "deaf: 1 missed\n  stuck-1 (failing_call, unknown agent)\n    missed: nothing said by step 5" in out
    assert "deaf by kind" in out
    assert "deaf by agent" in out


def test_the_preset_in_force_is_measured_where_none_is_named(loopwatch, traces):
    assert list(json.loads(loopwatch("eval", traces, "--format", "json").stdout)["presets"]) == ["balanced"]


def test_what_cannot_be_measured_is_told_in_one_line(refused, traces, project):
    (project / "empty").mkdir()
    assert "holds no labelled trace" in refused("eval", "empty")
    assert "absent" in refused("eval", "absent")
    assert "no-such" in refused("eval", traces, "--preset", "no-such")
    assert "DIR" in refused("eval")
    (traces / "bad.jsonl").write_text('{"label": "odd"}\n{"i": 0, "tool": "x", "result": ""}\n', encoding="utf-8")
    assert "bad.jsonl:1: label must be" in refused("eval", traces)


@pytest.mark.shared
def test_every_shared_trace_is_measured(loopwatch, monkeypatch):
    root = Path(SHARED or Path(__file__).parents[3] / "../shared/traces") / "shapes"
    if not root.is_dir():
        pytest.skip("no labelled traces beside the checkout")
    told = json.loads(loopwatch("eval", root, "--format", "json").stdout)["presets"]["balanced"]

    assert len(told["traces"]) == told["stuck"] + told["healthy"] == len(list(root.rglob("*.jsonl")))
    assert told["stuck"] == told["in_time"] + told["late"] + told["missed"] + told["early"]
