"""``loopwatch demo``, ``run`` and ``replay`` without a screen; and what they refuse."""

import asyncio
import json
import os
import subprocess
import sys
import threading

import pytest

from loopwatch.engine.rehearsal.scenario import load_scenario, scenario_names
from loopwatch.engine.rehearsal.server import RehearsalServer
from loopwatch.tui.commands import base, starting
from loopwatch.tui.screens.home import Choice


@pytest.fixture
def endpoint(tmp_path):
    """The rehearsal model as anybody's endpoint: real HTTP on loopback, in a thread of its own. Gives its base URL."""
    server = RehearsalServer(load_scenario("secret-key"), workspace=str(tmp_path), pace=0)
    ready, done = threading.Event(), threading.Event()

    async def serve():
        async with server:
            ready.set()
            await asyncio.to_thread(done.wait)

    thread = threading.Thread(target=lambda: asyncio.run(serve()), daemon=True)
    thread.start()
    assert ready.wait(30)
    yield server.base_url
    done.set()
    thread.join(30)


@pytest.fixture
def terminal(monkeypatch):
    """Pretend that a person sits there; gives what was shown instead of showing it."""
    shown = []
    monkeypatch.setattr(base.sys.stdin, "isatty", lambda: True, raising=False)
    for module in (base, starting, sys.modules["loopwatch.tui.commands.demo"]):
        monkeypatch.setattr(module, "has_terminal", lambda: True)
    monkeypatch.setattr("loopwatch.tui.app.show", lambda opener, theme=None: shown.append((opener(), theme)) or 0)
    return shown


def events(text):
    return [json.loads(line) for line in text.splitlines()]


def test_a_demo_without_a_terminal_plays_headless_and_ends_well(loopwatch, tmp_path):
    """Without a terminal the demo must not hang: three failures, the reminder, the changed strategy, exit 0 (A17)."""
    result = loopwatch("demo", "--request-log", tmp_path / "requests.jsonl", "--journal", tmp_path / "run.jsonl")

    assert result.exit_code == 0, result.output
    assert result.stdout.count("✗ read_file") == 3
    assert "secret_key.txt" in result.stdout
    assert "list_dir" in result.stdout
    requests = (tmp_path / "requests.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(requests) > 3
    recorded = events((tmp_path / "run.jsonl").read_text(encoding="utf-8"))
    assert recorded[-1]["type"] == "end"
    assert [event["by"] for event in recorded if event["type"] == "decision"] == ["policy"]


def test_a_demo_can_be_told_what_to_decide_and_how_to_print(loopwatch):
    result = loopwatch("demo", "secret-key", "--headless", "--decide", "stop", "--format", "json")

    assert result.exit_code == 3
    told = events(result.stdout)
    assert told[0]["source"] == "demo:secret-key"
    assert [event["action"] for event in told if event["type"] == "decision"] == ["stop"]


def test_the_scenarios_are_listed_with_their_titles(loopwatch):
    answer = loopwatch("demo", "--list")

    assert answer.exit_code == 0
    assert [line.split()[0] for line in answer.stdout.splitlines()] == list(scenario_names())
    assert all(load_scenario(name).title in answer.stdout for name in scenario_names())


def test_what_a_person_has_set_beats_the_scenarios_limits_and_preset(loopwatch, project):
    (project / "loopwatch.toml").write_text("preset = 'tiny-claw'\n[limits]\nturns = 2\n", encoding="utf-8")
    result = loopwatch("demo", "--format", "json")

    assert result.exit_code == 1
    started, *_, ended = events(result.stdout)
    assert (started["preset"], started["limits"]["turns"], started["limits"]["no_progress"]) == ("tiny-claw", 2, 30)
    assert ended["reason"] == "turn_limit"


def test_a_task_runs_headless_on_an_endpoint_and_is_replayed_and_checked(loopwatch, endpoint, tmp_path):
    """The same thing for real: endpoint, model, workspace and journal from flags; no key is needed on this machine."""
    work = tmp_path / "work"
    work.mkdir()
    journal = tmp_path / "run.jsonl"
    flags = ["--base-url", endpoint, "--model", "m", "--workspace", work, "--journal", journal]
    result = loopwatch("run", "Read secret_key.txt.", "--headless", "--decide", "accept", *flags)

    assert result.exit_code == 0, result.output
    assert "Read secret_key.txt." in result.stdout
    replayed = loopwatch("replay", journal, "--headless", "--speed", "max")
    assert replayed.exit_code == 0
    assert replayed.stdout.count("✗ read_file") == result.stdout.count("✗ read_file") == 3
    assert f"{journal}: loopwatch, " in loopwatch("check", journal).stdout


def test_a_run_that_does_not_finish_says_so_by_its_status(loopwatch, endpoint):
    flags = ["--base-url", endpoint, "--model", "m", "--headless", "--policy", "observe", "--turns", "2"]

    assert loopwatch("run", "Read secret_key.txt.", *flags).exit_code == 1


def test_an_endpoint_that_is_not_there_is_a_providers_failure(loopwatch):
    flags = ["--base-url", "http://127.0.0.1:9/v1", "--model", "m", "--headless", "--policy", "observe"]

    assert loopwatch("run", "x", *flags, "--seconds", "20").exit_code == 4


def test_the_screen_is_shown_where_there_is_a_terminal(loopwatch, terminal, project):
    (project / "loopwatch.toml").write_text("policy = 'accept'\n", encoding="utf-8")
    assert loopwatch("demo", "two-greps").exit_code == 0
    flags = ["--base-url", "http://localhost:9/v1", "--model", "m"]
    assert loopwatch("run", "x", *flags, "--policy", "ask", "--wait", "60s", "--theme", "paper").exit_code == 0

    (demo, _), (run, theme) = terminal
    demo.close()
    assert (demo.scenario.name, demo.desk, theme) == ("two-greps", None, "paper")
    assert (run.plan.policy.mode, run.plan.policy.wait, run.plan.task) == ("ask", 60, "x")
    assert run.desk is not None


ENOUGH = ["--model", "m", "--base-url", "http://localhost:9/v1", "--headless"]


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ([], "TASK"),
        (["x", *ENOUGH], "wait for ever"),
        (["x", *ENOUGH[:-1], "--policy", "accept"], "--headless"),
        (["x", *ENOUGH, "--decide", "maybe"], "--decide"),
        (["x", *ENOUGH, "--policy", "maybe"], "flag --policy: policy: "),
        (["x", *ENOUGH, "--wait", "soon"], "flag --wait: wait: "),
        (["x", *ENOUGH, "--turns", "0"], "flag --turns: limits.turns: "),
        (["x", *ENOUGH, "--tokens", "many"], "flag --tokens: limits.tokens: "),
        (["x", *ENOUGH, "--language", "xx"], "flag --language: language: "),
        (["x", *ENOUGH, "--tool-protocol", "smoke"], "flag --tool-protocol: tool_protocol: "),
        (["x", *ENOUGH, "--decide", "accept", "--workspace", "absent"], "absent"),
        (["x", *ENOUGH, "--decide", "accept", "--preset", "no-such"], "no-such"),
        (["x", *ENOUGH, "--decide", "accept", "--reminders", "absent.toml"], "absent.toml"),
        (["x", *ENOUGH, "--decide", "accept", "--journal", "no/such/folder/j"], "--journal"),
        ([" ", *ENOUGH, "--decide", "accept"], "task is empty"),
        (["x", "--headless", "--decide", "accept"], "no model is named"),
        (["x", "--model", "m", "--headless", "--decide", "accept"], "no API key: set OPENAI_API_KEY"),
        (["x", "--model", "m", "--headless", "--decide", "accept", "--base-url", "host:1"], "--base-url: base_url: "),
    ],
)
def test_a_run_that_cannot_be_is_refused_in_one_line(refused, arguments, word):
    """A run that would wait for ever without a person is refused with a reason."""
    assert word in refused("run", *arguments)


def test_a_demo_that_cannot_be_is_refused_in_one_line(refused):
    said = refused("demo", "no-such")
    assert all(name in said for name in scenario_names())
    assert "wait for ever" in refused("demo", "--policy", "ask")
    assert "flag --turns" in refused("demo", "--turns", "x")
    assert "absent.toml" in refused("demo", "absent.toml")
    assert "--request-log" in refused("demo", "--request-log", "absent/log.jsonl")


def test_a_screen_that_cannot_be_is_refused_in_one_line(refused, project, terminal):
    assert "no-such" in refused("demo", "--theme", "no-such")
    assert "add --headless" in refused("demo", "--decide", "accept")
    assert terminal == []


def test_a_replay_that_cannot_be_is_refused_in_one_line(refused, project):
    (project / "x.txt").write_text("hello", encoding="utf-8")
    assert "x.txt" in refused("replay", "x.txt", "--headless")
    assert "absent" in refused("replay", "absent", "--headless")
    assert "--speed" in refused("replay", "x.txt", "--headless", "--speed", "9")
    assert "--headless" in refused("replay", "x.txt")


def test_home_without_a_terminal_is_refused_in_one_line(refused):
    assert "terminal" in refused()


def test_home_starts_what_is_chosen_and_says_what_cannot_be(loopwatch, terminal, monkeypatch):
    """What cannot be started is told on the home screen; leaving it ends with the last status."""
    choices = [Choice("task", "Mend it."), Choice("demo", "evasive"), None]
    told = []
    monkeypatch.setattr("loopwatch.tui.commands.home.has_terminal", lambda: True)
    monkeypatch.setattr(
        "loopwatch.tui.app.show_home", lambda theme, about: told.append(about) or choices[len(told) - 1]
    )
    result = loopwatch()

    assert (result.exit_code, result.output) == (0, "")
    assert "no model set" in told[0]
    assert "no model is named" in told[1][0]
    assert "no model set" in told[2]
    assert [session.scenario.name for session, _ in terminal] == ["evasive"]
    terminal[0][0].close()


def test_no_command_waits_for_a_terminal_that_is_not_there(project):
    """Stdin closed, output a pipe: it ends by itself."""
    command = [sys.executable, "-m", "loopwatch", "demo"]
    done = subprocess.run(
        command, check=False, capture_output=True, text=True, stdin=subprocess.DEVNULL, env=os.environ
    )

    assert done.returncode == 0, done.stderr
    assert "secret_key.txt" in done.stdout
