"""Scenarios are data: what is wrong in one is said with the file and the key."""

import os

import pytest

from loopwatch.engine.rehearsal.scenario import ScenarioError, load_scenario, parse_scenario, scenario_names
from loopwatch.engine.rehearsal.stage import set_stage

MINIMAL = """
title = "T"
task = "Do it."
[[scene]]
[[scene.turn]]
text = "Done."
"""


def parsed(text):
    return parse_scenario(text, name="mine", where="mine.toml")


def test_the_ten_scenarios_ship_and_the_original_demonstration_comes_first():
    """A17."""
    names = scenario_names()

    assert names[0] == "secret-key"
    assert set(names) == {
        "secret-key",
        "console-log",
        "two-greps",
        "queue-poll",
        "evasive",
        "survey",
        "burn",
        "cut-off",
        "stubborn",
        "healthy-fix",
    }
    assert all(load_scenario(name).description for name in names)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("title = x", ["mine.toml", "line 1"]),
        (MINIMAL.replace("text =", "txt ="), ["mine.toml", "scene[1].turn[1].txt"]),
        (MINIMAL.replace('text = "Done."', ""), ["scene[1].turn[1]", "says and does nothing"]),
        (MINIMAL.replace("[[scene.turn]]", 'when = { said = "(" }\n[[scene.turn]]'), ["scene[1].when.said", "pattern"]),
        (MINIMAL.replace("[[scene.turn]]", "until = {}\n[[scene.turn]]"), ["scene[1]", "must end"]),
        (MINIMAL + '[[file]]\npath = "../x"\n', ["file[1].path", "inside the workspace"]),
        (MINIMAL + '[[file]]\npath = "/etc/x"\n', ["file[1].path", "inside the workspace"]),
        ('name = "x"\n' + MINIMAL, ["name", "named by its file"]),
        ('task = "no title"', ["mine.toml", "title"]),
    ],
)
def test_a_broken_scenario_is_refused_with_the_file_and_the_key(text, words):
    with pytest.raises(ScenarioError) as refused:
        parsed(text)

    assert all(word in str(refused.value) for word in words), str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("files", "place"),
    [
        ('[[file]]\npath = "a"\n[[file]]\npath = "a/b"\n', "file[2].path"),
        (f'[[file]]\npath = "{"a" * 400}"\n', "file[1].path"),
    ],
    ids=["a file where a folder is needed", "a name that is too long"],
)
def test_a_file_that_cannot_be_written_is_named(tmp_path, files, place):
    """Bad TOML: file, key, one line."""
    with pytest.raises(ScenarioError) as refused:
        set_stage(parsed(MINIMAL + files), tmp_path)

    assert place in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_path_with_a_nul_is_no_path():
    """Bad TOML: file, key, one line."""
    with pytest.raises(ScenarioError, match=r"^mine\.toml: file\[1\]\.path: "):
        parsed(MINIMAL + '[[file]]\npath = "a\\u0000b"\n')


def test_an_unknown_name_is_answered_with_the_names_there_are():
    with pytest.raises(ScenarioError, match="no scenario 'nope'; there are: secret-key, "):
        load_scenario("nope")


def test_a_scenario_of_ones_own_is_loaded_from_its_file(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(MINIMAL)

    assert load_scenario(str(path)).name == "mine"
    with pytest.raises(ScenarioError, match=r"missing\.toml"):
        load_scenario(str(tmp_path / "missing.toml"))


def test_the_stage_is_set_with_real_files(tmp_path):
    files = """
[[file]]
path = "logs/part-{copy}.log"
copies = 2
repeat = 3
text = "{copy}:{line}\\n"
[[file]]
path = "run"
executable = true
text = '''
#!/bin/sh
'''
"""
    set_stage(parsed(MINIMAL + files), tmp_path)

    assert (tmp_path / "logs/part-2.log").read_text() == "2:1\n2:2\n2:3\n"
    assert (tmp_path / "run").read_text() == "#!/bin/sh\n"
    assert os.access(tmp_path / "run", os.X_OK)
