"""The README stays true."""

import re
from pathlib import Path
from urllib.parse import unquote

import pytest

from loopwatch.detectors import preset
from loopwatch.tui.cli import main

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_what_the_readme_links_to_is_there():
    links = re.findall(r"\]\(([^)#:]+)\)", README)

    assert links
    assert [link for link in links if not (ROOT / unquote(link)).exists()] == []


@pytest.mark.parametrize("name", sorted(set(main.commands)))
def test_every_command_is_named(name):
    assert f"`loopwatch {name}" in README


@pytest.mark.parametrize("name", preset.names())
def test_every_preset_is_named(name):
    assert f"`{name}`" in README


def test_every_option_that_the_readme_shows_exists():
    known = {option for command in main.commands.values() for param in command.params for option in param.opts}

    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", README)) - known - {"--help"} == set()
