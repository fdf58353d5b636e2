"""``loopwatch check`` tells what would have been said of recorded runs."""

import json
import os
from pathlib import Path

import pytest

from loopwatch.engine.events import CallMade, ResultCame, RunStarted, TurnStarted, plain
from tests.engine.sources import samples
from tests.tui.commands.conftest import HEALTHY, step

SHARED = os.environ.get("LOOPWATCH_TRACES")  # read before the fixtures clean the environment


@pytest.fixture
def journal(project):
    """Our own record of an agent that makes the same failing call four times, killed while it wrote on."""
    events = [RunStarted(task="t", workspace="/w")]
    for turn in range(1, 5):
        events += [
            TurnStarted(turn=turn),
            CallMade(turn=turn, call_id=f"c{turn}", tool="read_file", arguments={"path": "a.txt"}),
            ResultCame(turn=turn, call_id=f"c{turn}", text="no such file", is_error=True),
        ]
    stamped = [event.model_copy(update={"run": "r1", "seq": number}) for number, event in enumerate(events, 1)]
    text = "".join(json.dumps(plain(event)) + "\n" for event in stamped)
    path = project / "run.jsonl"
    path.write_text(text + '{"type": "call", "tu', encoding="utf-8")
    return path


def test_findings_are_told_as_json_in_the_agreed_shape(loopwatch, traces):
    """`{"files": [{"file", "steps", "findings": [{"rule", "level", "step", "steps", "count", "threshold", …}]}]}`."""
    result = loopwatch("check", "--format", "json", traces / "stuck.jsonl", traces / "healthy.jsonl")

    assert result.exit_code == 1
    stuck, healthy = json.loads(result.stdout)["files"]
    assert (stuck["file"], stuck["steps"], stuck["format"]) == (str(traces / "stuck.jsonl"), 6, "labelled-trace")
    first = stuck["findings"][0]
    assert set(first) >= {"rule", "level", "step", "steps", "count", "threshold", "message", "equal_because"}
    assert (first["level"], first["step"], first["steps"], first["line"]) == ("warn", 2, [0, 1, 2], 4)
    assert (first["count"], first["threshold"]) == (3, 3)
    assert healthy["findings"] == []


def test_findings_are_told_as_text_a_person_can_check(loopwatch, traces):
    result = loopwatch("check", traces / "stuck.jsonl", traces / "healthy.jsonl")

    assert result.exit_code == 1
    assert "stuck.jsonl: unknown agent (labelled-trace), 6 steps, " in result.stdout
    assert "warn     step 2 (line 4)" in result.stdout
    assert "steps 0-2" in result.stdout
    assert "would reset: " in result.stdout
    assert "healthy.jsonl: unknown agent (labelled-trace), 6 steps, 0 findings" in result.stdout
    assert "2 runs, 12 steps: " in result.stdout
    assert result.stderr == ""


def test_findings_are_told_as_sarif(loopwatch, traces):
    result = loopwatch("check", "--format", "sarif", traces / "stuck.jsonl")

    told = json.loads(result.stdout)
    assert told["version"] == "2.1.0"
    run = told["runs"][0]
    found = run["results"][0]
    assert run["tool"]["driver"]["rules"][found["ruleIndex"]]["id"] == found["ruleId"]
    place = found["locations"][0]["physicalLocation"]
    assert place == {"artifactLocation": {"uri": "traces/stuck.jsonl"}, "region": {"startLine": 4}}
    assert [one["physicalLocation"]["region"]["startLine"] for one in found["relatedLocations"]] == [2, 3]
    assert found["level"] == "warning"
    assert found["message"]["text"]
    assert found["partialFingerprints"]


@pytest.mark.parametrize(("level", "status"), [("notice", 1), ("warn", 1), ("critical", 0), ("never", 0)])
def test_the_exit_status_says_whether_a_finding_reached_the_level(loopwatch, traces, level, status):
    assert loopwatch("check", "--fail-on", level, "--preset", "tiny-claw", traces / "stuck.jsonl").exit_code == status


def test_a_healthy_run_ends_well(loopwatch, traces):
    assert loopwatch("check", "--fail-on", "notice", traces / "healthy.jsonl").exit_code == 0


def test_our_own_journal_is_judged_and_its_torn_end_is_said(loopwatch, journal):
    result = loopwatch("check", journal)

    assert result.exit_code == 1
    assert "run.jsonl: loopwatch, 4 steps, " in result.stdout
    assert "note: the last line is torn" in result.stdout
    assert "step 2 (event 9)" in result.stdout


def test_another_agents_transcript_is_judged_with_what_was_not_understood(loopwatch, project):
    (project / "s.jsonl").write_bytes(samples.lines(*samples.CLAUDE_SESSION))
    result = loopwatch("check", "s.jsonl")

    assert result.exit_code == 0
    assert "s.jsonl: claude-code, 5 steps, 0 findings" in result.stdout
    assert "not understood and left out: 1 x record of type marvel" in result.stdout


def test_every_run_of_a_file_is_named(loopwatch, project):
    (project / "t.json").write_text(json.dumps(samples.TAU_BENCH), encoding="utf-8")
    result = loopwatch("check", "t.json")

    assert "t.json#task-3-trial-1: tau-bench, 3 steps" in result.stdout
    assert "t.json#task-4-trial-0: tau-bench, 1 step, " in result.stdout


def test_settings_of_the_project_are_in_force(loopwatch, traces, project):
    (project / "loopwatch.toml").write_text("[presets.deaf]\n", encoding="utf-8")

    assert loopwatch("check", "--preset", "deaf", traces / "stuck.jsonl").exit_code == 0


def test_one_step_is_explained_with_raw_and_canonical_side_by_side(loopwatch, project):
    calls = [step(0), step(1, "no such file at 12:00:01", args={"path": "./a.txt"})]
    text = "".join(json.dumps(record) + "\n" for record in [HEALTHY, *calls])
    (project / "x.jsonl").write_text(text, encoding="utf-8")
    result = loopwatch("check", "--explain", 1, "x.jsonl")

    assert result.exit_code == 0
    assert "x.jsonl: step 1, line 3" in result.stdout
    assert "./a.txt" in result.stdout
    assert "path normalised" in result.stdout
    assert "12:00:01" in result.stdout
    assert "failed" in result.stdout


def test_hostile_text_reaches_no_terminal(loopwatch, project):
    """ESC, bidirectional marks and lone surrogates are shown, not obeyed."""
    evil = "\x1b]52;c;aGk=\x07\u202e \udcff"
    calls = [step(number, evil, tool=f"read{evil}", text=evil) for number in range(4)]
    text = "".join(json.dumps(record) + "\n" for record in [HEALTHY | {"agent": evil}, *calls])
    (project / "x.jsonl").write_text(text, encoding="utf-8")

    for arguments in (["x.jsonl"], ["--explain", "0", "x.jsonl"], ["--format", "json", "x.jsonl"]):
        result = loopwatch("check", *arguments)
        assert result.exit_code in {0, 1}
        assert result.stdout
        assert not {"\x1b", "\x07", "\u202e"} & set(result.stdout)


@pytest.mark.shared
def test_all_shared_recordings_are_judged_and_named_with_their_agents(loopwatch):
    """`check` over all native recordings and labelled traces: no crash, every step accounted for."""
    root = Path(SHARED or Path(__file__).parents[3] / "../shared/traces")
    files = [file for file in (*root.glob("runs/*"), *(root.parent / "native").glob("*/*")) if file.is_file()][::4]
    if not files:
        pytest.skip("no recordings beside the checkout")
    result = loopwatch("check", "--format", "json", "--fail-on", "never", *files)

    assert result.exit_code == 0, result.stderr
    told = json.loads(result.stdout)["files"]
    assert {one["file"] for one in told} == {str(file) for file in files}
    for one in told:
        assert one["agent"], one["file"]
        assert one["steps"] > 0, one["file"]
        assert all(finding["step"] < one["steps"] for finding in one["findings"]), one["file"]


def test_a_file_that_is_no_recording_is_told_in_one_line(refused, project):
    (project / "x.txt").write_text("hello", encoding="utf-8")

    assert "x.txt" in refused("check", "x.txt")
    assert "absent: cannot be read" in refused("check", "absent")
    assert "x.txt" in refused("check", "--explain", "0", "x.txt")


def test_readable_files_are_judged_beside_an_unreadable_one(loopwatch, traces):
    result = loopwatch("check", traces / "stuck.jsonl", "absent")

    assert result.exit_code == 2
    assert "stuck.jsonl" in result.stdout
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ([], "FILE"),
        (["--format", "xml", "a"], "--format"),
        (["--fail-on", "bad", "a"], "--fail-on"),
        (["--preset", "no-such", "a"], "no-such"),
        (["--explain", "-1", "a"], "--explain"),
        (["--oops", "a"], "--oops"),
    ],
)
def test_wrong_usage_is_told_in_one_line(refused, arguments, word):
    assert word in refused("check", *arguments)


def test_a_step_that_is_not_there_is_told_in_one_line(refused, traces):
    assert "no step 99; it holds 6, counted from 0" in refused("check", "--explain", "99", traces / "stuck.jsonl")
