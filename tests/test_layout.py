"""The house's floors: arrows point one way, and heavy libraries are not loaded by accident."""

import subprocess
import sys

import pytest


def loaded_after(statement: str) -> set[str]:
    code = f"import sys; {statement}; print('\\n'.join(sys.modules))"
    return set(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split())


def test_detectors_load_neither_textual_nor_openai():
    modules = loaded_after("import loopwatch.detectors.preset, loopwatch.detectors.rules as r; r.bundled()")

    assert not {"textual", "openai", "rich", "starlette", "watchfiles"} & modules
    assert not {name for name in modules if name.startswith(("loopwatch.engine", "loopwatch.tui"))}


@pytest.mark.parametrize("bare", ["engine", "detectors", "tui", "themes"])
def test_no_module_is_loaded_under_its_bare_name(bare):
    modules = loaded_after("import loopwatch.tui.cli, loopwatch.engine.events, loopwatch.detectors.preset")

    assert bare not in modules


def test_the_command_line_loads_no_heavy_library_before_it_knows_what_to_do():
    modules = loaded_after("import loopwatch.tui.cli")

    assert (
        not {"textual", "rich", "openai", "starlette", "uvicorn", "pydantic", "tree_sitter", "genai_prices"} & modules
    )


def test_checking_a_file_loads_neither_textual_nor_openai(tmp_path):
    file = tmp_path / "run.jsonl"
    file.write_text(
        '{"id": "x", "label": "healthy", "kind": "x"}\n'
        '{"i": 0, "tool": "read_file", "args": {"path": "a"}, "result": "text", "is_error": false}\n'
    )
    statement = f"from loopwatch.tui.cli import main; main(['check', {str(file)!r}], standalone_mode=False)"
    modules = loaded_after(statement)

    assert "loopwatch.detectors.suite" in modules
    assert not {"textual", "rich", "openai", "starlette", "uvicorn", "genai_prices"} & modules


def test_a_scenario_can_be_listed_and_read_without_the_server_and_the_client():
    modules = loaded_after("from loopwatch.engine.rehearsal import demo; demo.load_scenario('secret-key')")

    assert not {"textual", "openai", "starlette", "uvicorn"} & modules
