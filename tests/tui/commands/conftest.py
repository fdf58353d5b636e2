"""What tests of the command line share: a folder, a home and an environment of their own, and traces to judge."""

import json
import os

import pytest
from click.testing import CliRunner

from loopwatch.tui.cli import main


@pytest.fixture(autouse=True)
def project(monkeypatch, tmp_path_factory):
    """An empty project to stand in; nothing of the person's gets in."""
    for name in [name for name in os.environ if name.startswith(("LOOPWATCH_", "OPENAI_"))]:
        monkeypatch.delenv(name)
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(home / name.lower()))
    monkeypatch.setenv("LOOPWATCH_STATE_DIR", str(home / "state"))
    folder = tmp_path_factory.mktemp("project")
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def loopwatch():
    """Runs a command; gives its result."""

    def run(*arguments: object):
        return CliRunner().invoke(main, [str(argument) for argument in arguments])

    return run


@pytest.fixture
def refused(loopwatch):
    """Runs a command that must be refused: one line, exit status 2, no traceback. Gives the line."""

    def run(*arguments: object) -> str:
        result = loopwatch(*arguments)
        assert result.exit_code == 2, result.output
        assert result.stdout == ""
        assert result.stderr.count("\n") == 1, result.stderr
        assert result.stderr.startswith("loopwatch")
        return result.stderr

    return run


def step(number: int, result: str = "no such file", **changes: object) -> dict[str, object]:
    fields = {"tool": "read_file", "args": {"path": "a.txt"}, "is_error": True, "text": "", "result": result}
    return {"i": number, **fields, **changes}


STUCK = {"id": "stuck-1", "label": "stuck", "kind": "failing_call", "onset": 2, "loop_start": 0, "deadline": 4}
HEALTHY = {"id": "healthy-1", "label": "healthy", "kind": "reading", "soft_ok": False}


@pytest.fixture
def traces(project):
    """A stuck run (one call that fails six times) and a healthy one (six files read)."""
    runs = {
        "stuck.jsonl": [STUCK, *(step(number) for number in range(6))],
        "healthy.jsonl": [
            HEALTHY,
            *(step(number, f"text {number}", args={"path": f"{number}.py"}, is_error=False) for number in range(6)),
        ],
    }
    folder = project / "traces"
    folder.mkdir()
    for name, records in runs.items():
        (folder / name).write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return folder
