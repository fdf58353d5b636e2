"""Settings come in layers, each value knows where it is from, and what is wrong is said in one line."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwatch.detectors.preset import PresetError, bundled
from loopwatch.engine.settings import SettingsError, load, save_preset_value
from loopwatch.engine.settings_file import change, personal_path, project_path, read
from loopwatch.engine.settings_model import seconds


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch):
    for name in [name for name in os.environ if name.startswith(("LOOPWATCH_", "OPENAI_"))]:
        monkeypatch.delenv(name)


@pytest.fixture
def project(tmp_path):
    (tmp_path / "repo/.git").mkdir(parents=True)
    return tmp_path / "repo"


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def complaint(workspace: Path, **flags) -> str:
    with pytest.raises(SettingsError) as caught:
        load(workspace, flags)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_flags_beat_environment_beats_project_beats_person_beats_defaults(project, monkeypatch):
    layers = "turns = {0}\ntokens = {0}\nerrors = {0}\nno_progress = {0}\n"
    write(personal_path(), "policy = 'observe'\n[limits]\n" + layers.format(11).replace("turns = 11\n", ""))
    write(project / "loopwatch.toml", "[limits]\ntokens = 22\nerrors = 22\n")
    monkeypatch.setenv("LOOPWATCH_LIMITS_ERRORS", "33")
    monkeypatch.setenv("LOOPWATCH_LIMITS_NO_PROGRESS", "33")
    loaded = load(project, {"limits.no_progress": 44, "limits.cost": None})

    limits = loaded.settings.limits
    assert (limits.turns, limits.tokens, limits.errors, limits.no_progress) == (100, 22, 33, 44)
    assert loaded.settings.policy == "observe"
    assert loaded.origin("limits.turns") == "default"
    assert loaded.origin("policy") == f"{personal_path()}:1"
    assert loaded.origin("limits.tokens") == f"{project / 'loopwatch.toml'}:2"
    assert loaded.origin("limits.errors") == "environment LOOPWATCH_LIMITS_ERRORS"
    assert loaded.origin("limits.no_progress") == "flag --no-progress"
    assert {value.key: value.value for value in loaded.values()}["limits.tokens"] == 22


def test_the_projects_file_is_searched_upward_to_the_repositorys_root(project):
    inner = project / "src/deep"
    inner.mkdir(parents=True)
    write(project.parent / "loopwatch.toml", "policy = 'accept'\n")

    assert load(inner).settings.policy == "ask"
    assert project_path(inner) == project / "loopwatch.toml"
    write(project / "loopwatch.toml", "policy = 'observe'\n")
    assert load(inner).settings.policy == "observe"


def test_a_file_in_the_home_folder_is_no_projects_file(own_state):
    write(own_state / "loopwatch.toml", "policy = 'observe'\n")
    folder = own_state / "code"
    folder.mkdir()

    assert load(folder).settings.policy == "ask"


def test_the_usual_base_url_variable_counts_unless_there_is_our_own(project, monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", "http://usual/v1")
    assert load(project).settings.base_url == "http://usual/v1"
    assert load(project).origin("base_url") == "environment OPENAI_BASE_URL"
    monkeypatch.setenv("LOOPWATCH_BASE_URL", "http://ours/v1")
    assert load(project).settings.base_url == "http://ours/v1"
    assert load(project).origin("base_url") == "environment LOOPWATCH_BASE_URL"


def test_a_key_is_read_from_the_environment_and_shown_nowhere(project, monkeypatch):
    """API keys only from the environment."""
    write(personal_path(), 'api_key_env = "MY_KEY"\n')
    assert load(project).api_key() is None
    monkeypatch.setenv("MY_KEY", "sk-secret")
    loaded = load(project)

    assert loaded.api_key().get_secret_value() == "sk-secret"
    assert "sk-secret" not in repr(loaded) + str(list(loaded.values())) + repr(loaded.api_key())


@pytest.mark.parametrize("line", ['api_key = "sk-secret"', 'api_key_env = "sk-secret"'])
def test_a_key_written_into_a_file_is_refused_without_repeating_it(project, line):
    write(personal_path(), f"policy = 'ask'\n{line}\n")

    said = complaint(project)
    assert f"{personal_path()}:2: {line.split(' ')[0]}: " in said
    assert "sk-secret" not in said


def test_a_checkout_can_neither_choose_the_key_nor_send_it_elsewhere(project):
    """Whoever clones a repository must not give its author their key."""
    file = project / "loopwatch.toml"
    write(file, 'api_key_env = "AWS_SECRET_ACCESS_KEY"\n')
    assert f"{file}:1: api_key_env: " in complaint(project)
    write(file, 'base_url = "https://evil.example/v1"\n')
    assert f"{file}:1: base_url: " in complaint(project)
    write(file, 'base_url = "http://127.0.0.1:8080/v1"\n')
    assert load(project).settings.base_url == "http://127.0.0.1:8080/v1"


@pytest.mark.parametrize(
    ("text", "place", "key"),
    [
        ("policy = 'ask'\nwait = 60s\n", ":2:", "wait"),
        ("# c\n\npolicy = 'maybe'\n", ":3:", "policy"),
        ("[limits]\nturns = 5\ntokens = 0\n", ":3:", "limits.tokens"),
        ("[limits]\nturns = 'many'\n", ":2:", "limits.turns"),
        ("wait = '5 days'\n", ":1:", "wait"),
        ("limits.turn = 5\n", ":1:", "limits.turn"),
        ("colour = 1\n", ":1:", "colour"),
        ("limits = 5\n", ":1:", "limits"),
        ("[presets.mine]\nrules = 3\n", ":2:", "presets.mine.rules"),
    ],
)
def test_what_is_wrong_in_a_file_is_said_with_file_line_and_key(project, text, place, key):
    file = write(project / "loopwatch.toml", text)

    said = complaint(project)
    assert said.startswith(f"{file}{place} ")
    assert key in said


def test_what_is_wrong_in_the_environment_names_the_variable(project, monkeypatch):
    monkeypatch.setenv("LOOPWATCH_POLICY", "maybe")
    assert complaint(project).startswith("environment LOOPWATCH_POLICY: policy: ")


def test_a_file_that_is_no_text_is_refused(project):
    (project / "loopwatch.toml").write_bytes(b"a = '\xff'\n")
    assert "UTF-8" in complaint(project)


def test_a_word_takes_a_limit_away(project, monkeypatch):
    monkeypatch.setenv("LOOPWATCH_LIMITS_NO_PROGRESS", "none")
    assert load(project, {"limits.turns": "none"}).settings.limits.turns is None
    assert load(project).settings.limits.no_progress is None


@pytest.mark.parametrize(("text", "expected"), [("60s", 60), ("1.5m", 90), ("2h", 7200), ("7", 7), (7, 7), (0.5, 0.5)])
def test_durations_are_written_as_people_write_them(text, expected):
    assert seconds(text) == expected


def test_a_preset_of_ones_own_starts_from_another(project):
    write(
        project / "loopwatch.toml",
        '[presets.mine]\nbase = "balanced"\ntitle = "Mine"\n[presets.mine.rules.failing_call]\nwarn = 4\nstrong = 9\n',
    )
    loaded = load(project, {"preset": "mine"})

    mine, balanced = loaded.preset(), bundled("balanced")
    assert (mine.name, mine.title) == ("mine", "Mine")
    assert (mine.settings("failing_call").warn, mine.settings("failing_call").strong) == (4, 9)
    assert set(mine.rules) == {*balanced.rules, "failing_call"}
    assert "mine" in loaded.preset_names()


def test_a_preset_that_ships_is_changed_under_its_own_name(project):
    write(project / "loopwatch.toml", "[presets.balanced.rules.failing_call]\nwarn = 4\nstrong = 9\n")

    assert load(project).preset().settings("failing_call").warn == 4


@pytest.mark.parametrize(
    ("text", "line", "word"),
    [
        ("[presets.a]\nbase = 'b'\n[presets.b]\nbase = 'a'\n", "4", "circle"),
        ("[presets.a]\nbase = 'nowhere'\n", "2", "nowhere"),
        ("[presets.a]\n[presets.a.rules.no_such]\nwarn = 3\n", "3", "no_such"),
        ("[presets.a.rules.failing_call]\nwarn = 'x'\n", "2", "warn"),
        ("[presets.a.rules.failing_call]\nwrn = 3\n", "2", "wrn"),
    ],
)
def test_a_preset_that_cannot_be_is_refused_with_file_and_line(project, text, line, word):
    file = write(project / "loopwatch.toml", text)

    with pytest.raises(SettingsError, match=word) as caught:
        load(project).preset("a")
    assert str(caught.value).startswith(f"{file}:{line}: ")


def test_an_unknown_preset_names_those_there_are(project):
    with pytest.raises(PresetError, match="balanced"):
        load(project).preset("no-such")
    with pytest.raises(SettingsError, match="flag --preset: preset: no preset 'no-such'"):
        load(project, {"preset": "no-such"}).preset()


def test_a_saved_threshold_keeps_every_comment_and_is_read_back(project):
    file = write(project / "loopwatch.toml", "# ours\npolicy = 'ask' # for now\n\n[limits]\nturns = 7\n")
    balanced = bundled("balanced")

    for value in (4, 5):
        save_preset_value(
            "project", workspace=project, preset=balanced, rule="failing_call", setting="warn", value=value
        )
    text = file.read_text(encoding="utf-8")
    assert "# ours\npolicy = 'ask' # for now\n" in text
    assert load(project).preset().settings("failing_call").warn == 5
    assert load(project).origin("presets.balanced.rules.failing_call.warn").startswith(f"{file}:")
    assert [entry.name for entry in project.iterdir()] == [".git", "loopwatch.toml"]


def test_a_threshold_is_saved_for_the_person_where_no_file_was(project):
    path = save_preset_value(
        "personal", workspace=project, preset=bundled("balanced"), rule="failing_call", setting="warn", value=4
    )

    assert path == personal_path()
    assert load(project).preset().settings("failing_call").warn == 4


def test_a_threshold_out_of_range_is_not_saved(project):
    with pytest.raises(SettingsError, match="warn"):
        save_preset_value(
            "project", workspace=project, preset=bundled("balanced"), rule="failing_call", setting="warn", value=-1
        )
    assert not (project / "loopwatch.toml").exists()


def test_saving_writes_through_a_link(project, tmp_path):
    real = write(tmp_path / "dotfiles/lw.toml", "policy = 'ask'\n")
    (project / "loopwatch.toml").symlink_to(real)
    change(project / "loopwatch.toml", ("theme",), "dark")

    assert (project / "loopwatch.toml").is_symlink()
    assert read(real).values["theme"] == "dark"


KEYS = st.text("abc-_ é\"'.", min_size=1, max_size=6)


@given(st.dictionaries(KEYS, st.dictionaries(KEYS, st.integers(), max_size=3), max_size=3), KEYS, KEYS)
def test_whatever_a_file_holds_one_changed_value_leaves_the_rest(tmp_path_factory, tables, table, key):
    path = tmp_path_factory.mktemp("toml") / "loopwatch.toml"
    for name, values in tables.items():
        for inner, value in values.items():
            change(path, (name, inner), value)
    before = read(path).values
    change(path, (table, key), 7)

    expected = {**before, table: {**before.get(table, {}), key: 7}}
    assert read(path).values == expected
