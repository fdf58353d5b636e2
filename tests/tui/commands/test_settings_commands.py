"""``loopwatch config`` and ``loopwatch presets`` show what is in force and where it comes from."""

import json

import pytest

from loopwatch.detectors.preset import names


def test_each_setting_is_shown_with_its_origin(loopwatch, project, monkeypatch):
    (project / "loopwatch.toml").write_text("preset = 'tiny-claw'\n[limits]\nturns = 7\n", encoding="utf-8")
    monkeypatch.setenv("LOOPWATCH_BASE_URL", "http://user:secret@host/v1?key=secret")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    told = json.loads(loopwatch("config", "--format", "json").stdout)
    text = loopwatch("config").stdout

    assert told["preset"] == {"value": "tiny-claw", "from": f"{project / 'loopwatch.toml'}:1"}
    assert told["limits.turns"]["from"] == f"{project / 'loopwatch.toml'}:3"
    assert told["policy"]["from"] == "default"
    assert told["base_url"] == {"value": "http://host/v1", "from": "environment LOOPWATCH_BASE_URL"}
    assert told["api key"] == {"value": "set", "from": "environment OPENAI_API_KEY"}
    assert "secret" not in text + str(told)
    assert f"{project / 'loopwatch.toml'}:3" in text
    assert "(no such file)" in text


def test_a_missing_key_is_said(loopwatch):
    assert json.loads(loopwatch("config", "--format", "json").stdout)["api key"]["value"] == "not set"


def test_settings_that_cannot_be_are_told_in_one_line_by_every_command(refused, project, traces):
    (project / "loopwatch.toml").write_text("preset = 'balanced'\nwait = 60s\n", encoding="utf-8")

    for command in (["config"], ["presets"], ["check", traces / "stuck.jsonl"], ["eval", traces]):
        assert f"{project / 'loopwatch.toml'}:2: wait: " in refused(*command)


def test_presets_are_listed_with_the_one_in_force_marked(loopwatch, project):
    (project / "loopwatch.toml").write_text(
        "preset = 'mine'\n[presets.mine]\nbase = 'tiny-claw'\ndescription = 'Ours.'\n", encoding="utf-8"
    )
    text = loopwatch("presets").stdout

    for name in names():
        assert name in text
    assert [line for line in text.splitlines() if line.startswith("* mine")]
    assert "Ours." in text


@pytest.mark.parametrize("name", names())
def test_a_preset_is_shown_with_every_value_and_its_sources(loopwatch, name):
    text = loopwatch("presets", name).stdout
    data = json.loads(loopwatch("presets", name, "--format", "json").stdout)[name]

    assert data["source"].strip().splitlines()[0] in text
    for rule, values in data["rules"].items():
        assert f"\n{rule}  " in text
        for setting in values:
            assert setting == "enabled" or f"  {setting} " in text


def test_a_changed_value_of_a_preset_names_the_file(loopwatch, project):
    data = json.loads(loopwatch("presets", "tiny-claw", "--format", "json").stdout)["tiny-claw"]["rules"]
    rule = next(iter(data))
    (project / "loopwatch.toml").write_text(f"[presets.tiny-claw.rules.{rule}]\nexempt_tools = ['ls']\n", "utf-8")

    assert f"[{project / 'loopwatch.toml'}:2]" in loopwatch("presets", "tiny-claw").stdout


def test_wrong_usage_is_told_in_one_line(refused):
    assert "no-such" in refused("presets", "no-such")
    assert "--format" in refused("presets", "--format", "xml")
    assert "absent" in refused("config", "--workspace", "absent")
    assert "no-such" in refused("no-such")
    assert "--no-such" in refused("--no-such")


def test_config_refuses_a_theme_that_there_is_not(refused, project):
    """What ``config`` accepts, the screen takes: the file, the line and the themes there are."""
    (project / "loopwatch.toml").write_text('theme = "no-such"\n', encoding="utf-8")

    said = refused("config")
    assert "loopwatch.toml:1: theme" in said
    assert "night" in said
