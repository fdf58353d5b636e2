"""What the guide promises about rules of one's own, done with the guide's own text."""

import importlib
import inspect
import json
import re
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import loopwatch.detectors
from loopwatch.detectors import rules
from loopwatch.tui.cli import main

GUIDE = (Path(loopwatch.detectors.__file__).parent / "README.md").read_text(encoding="utf-8")


def block(language, holding):
    """The guide's code block in ``language`` that holds a text."""
    return next(text for text in re.findall(rf"```{language}\n(.*?)```", GUIDE, re.DOTALL) if holding in text)


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """Install a module of this text as a package that offers one rule."""

    def install(source, offer="blind_deploy = my_rules:BlindDeploy"):
        site = tmp_path / "site"
        (site / "my_rules-1.dist-info").mkdir(parents=True)
        (site / "my_rules.py").write_text(source)
        (site / "my_rules-1.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: my-rules\nVersion: 1\n")
        (site / "my_rules-1.dist-info" / "entry_points.txt").write_text(f"[loopwatch.rules]\n{offer}\n")
        monkeypatch.syspath_prepend(site)
        importlib.invalidate_caches()
        monkeypatch.setattr(rules, "_added", {})
        monkeypatch.delitem(sys.modules, "my_rules", raising=False)

    return install


@pytest.fixture
def check(tmp_path, monkeypatch):
    """``loopwatch check`` on three deploys, in a project with the guide's settings."""
    project = tmp_path / "project"
    project.mkdir()
    (project / "loopwatch.toml").write_text(block("toml", "presets.ours.rules"))
    steps = [
        {"i": n, "tool": "Bash", "args": {"command": f"./deploy --to stage{n}"}, "result": f"done in region {n}"}
        for n in range(3)
    ]
    header = {"id": "deploys", "label": "healthy", "kind": "none"}
    (project / "run.jsonl").write_text("\n".join(json.dumps(line) for line in [header, *steps]))
    monkeypatch.chdir(project)
    return lambda: CliRunner().invoke(main, ["check", "run.jsonl", "--format", "json"])


def test_the_guides_rule_is_loaded_from_settings_and_speaks(installed, check):
    installed(block("python", "class BlindDeploy"))

    answer = check()

    findings = json.loads(answer.stdout)["files"][0]["findings"]
    assert [(found["rule"], found["step"], found["count"]) for found in findings] == [
        ("blind_deploy", 1, 2),
        *[("blind_deploy", 2, 3)] * (len(findings) - 1),
    ]


@pytest.mark.parametrize(
    ("source", "offer", "complaint"),
    [
        ("1/0", "blind_deploy = my_rules:BlindDeploy", "ZeroDivisionError"),
        ("BlindDeploy = 3", "blind_deploy = my_rules:BlindDeploy", "no subclass"),
        ("", "other = my_rules:Other", "no rule 'blind_deploy'"),
    ],
)
def test_a_rule_that_cannot_be_used_is_one_clear_line(installed, check, source, offer, complaint):
    installed(source, offer)

    answer = check()

    assert answer.exit_code == 2
    assert complaint in answer.stderr
    assert answer.stderr.count("\n") == 1


@pytest.mark.parametrize("name", list(rules.bundled()))
@pytest.mark.parametrize("part", ["Sees", "Quiet"])
def test_the_guide_says_of_each_rule_what_its_docstring_says(name, part):
    kind = rules.bundled()[name]
    found = re.search(rf"^{part}: (.*?)(?=^\w[\w ]*: |\Z)", inspect.getdoc(kind), re.DOTALL | re.MULTILINE)
    row = next(line for line in GUIDE.splitlines() if line.startswith(f"| `{name}`: {kind.title} |"))

    assert " ".join(found[1].split()).replace("``", "`") in row


def test_a_rule_cannot_take_the_id_of_another():
    class Impostor(rules.bundled()["failing_call"]):
        pass

    with pytest.raises(ValueError, match="is taken by"):
        rules.register(Impostor)
