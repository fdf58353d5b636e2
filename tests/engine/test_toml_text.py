"""Whatever a person's TOML file holds, what is wrong is said with the line."""

import tomllib

import pytest

from loopwatch.engine import toml_text
from loopwatch.engine.rehearsal.scenario import ScenarioError, parse_scenario
from loopwatch.engine.reminders import ReminderError
from loopwatch.engine.reminders import parse as parse_wording
from loopwatch.engine.settings import SettingsError
from loopwatch.engine.settings_file import read

UNREADABLE = {
    "a number too long for Python": "preset = 1\nturns = " + "9" * 5000,
    "values nested too deep": "preset = 1\nturns = " + "[" * 5000 + "]" * 5000,
    "an inline table nested too deep": "preset = 1\nturns = " + "{a=" * 5000 + "1" + "}" * 5000,
}


@pytest.mark.parametrize("text", UNREADABLE.values(), ids=UNREADABLE)
def test_what_python_cannot_read_is_an_error_of_toml_with_its_line(text):
    """Bad TOML: file, line, key; no traceback."""
    with pytest.raises(tomllib.TOMLDecodeError, match=r"\(at line 2, column 1\)$"):
        toml_text.loads(text)


@pytest.mark.parametrize("text", UNREADABLE.values(), ids=UNREADABLE)
def test_every_reader_of_a_persons_toml_refuses_it_in_its_own_words(text, tmp_path):
    """Bad TOML: file, line, key; no traceback."""
    path = tmp_path / "loopwatch.toml"
    path.write_text(text, encoding="utf-8")

    with pytest.raises(SettingsError, match=r"loopwatch\.toml:2: turns: "):
        read(path)
    with pytest.raises(ScenarioError, match=r"^mine\.toml: .* line 2"):
        parse_scenario(text, name="mine", where="mine.toml")
    with pytest.raises(ReminderError, match=r"^mine\.toml: .* line 2"):
        parse_wording(text, where="mine.toml", base=None)
