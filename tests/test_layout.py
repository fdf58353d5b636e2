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
