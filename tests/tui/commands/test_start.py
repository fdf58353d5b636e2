"""The command line starts fast and loads only what a command needs."""

import subprocess
import sys


def loaded_by(*arguments):
    code = f"import sys, loopwatch.tui.cli as c\ntry: c.main({list(arguments)!r})\nexcept SystemExit: pass\n"
    code += "print('\\n'.join(sys.modules), file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stderr.split())


def test_help_loads_nothing_heavy():
    assert not {"textual", "openai", "pydantic", "starlette", "tree_sitter", "rapidfuzz"} & loaded_by("--help")


def test_check_pays_for_neither_openai_nor_textual(traces):
    loaded = loaded_by("check", str(traces / "stuck.jsonl"))

    assert "loopwatch.detectors.suite" in loaded
    assert not {"textual", "openai", "starlette", "uvicorn", "watchfiles"} & loaded


def test_the_module_is_the_command_too(traces):
    done = subprocess.run(
        [sys.executable, "-m", "loopwatch", "check", str(traces / "stuck.jsonl")],
        check=False,
        capture_output=True,
        text=True,
    )

    assert done.returncode == 1
    assert "stuck.jsonl" in done.stdout


def test_whoever_stops_reading_gets_no_traceback(traces):
    command = f"{sys.executable} -m loopwatch check {' '.join([str(traces / 'stuck.jsonl')] * 400)} | head -1"
    done = subprocess.run(["bash", "-c", command], check=False, capture_output=True, text=True)

    assert "stuck.jsonl" in done.stdout
    assert done.stderr == ""
