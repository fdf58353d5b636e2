"""What is said to an agent: in words that state the fact and leave the decision to it."""

import string

import pytest

from loopwatch.detectors.finding import Finding, Level
from loopwatch.detectors.rules import bundled as known_rules
from loopwatch.detectors.sameness import Sameness
from loopwatch.detectors.step import Call, Result, Step
from loopwatch.engine import reminders
from loopwatch.engine.reminders import ReminderError, wording

LANGUAGES = ("en", "zh")


def finding(rule="failing_call", level=Level.WARN, response="remind", tool="read_file", count=3):
    return Finding(
        rule=rule,
        level=level,
        step=2,
        steps=(0, 1, 2),
        count=count,
        threshold=3,
        message="it failed",
        key="k",
        response=response,
        tool=tool,
    )


def facts(path="secret_key.txt", text="no such file: secret_key.txt"):
    step = Step(index=2, call=Call("read_file", {"path": path}), result=Result(text, is_error=True))
    return Sameness(workspace="/w").facts(step)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("rule", sorted(known_rules()))
def test_every_rule_has_words_of_its_own_in_every_language(rule, language):
    texts = reminders.bundled(language)

    assert "remind" in texts.rules[rule]
    said = texts.reminder(finding(rule), facts(), task="find the key")
    assert "find the key" in said
    assert len(said) < 700


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_reminder_of_a_failing_call_gives_the_three_directions(language):
    """A3: tool, count, identical, all failed; stop guessing, change strategy, ask for help; nothing is ordered."""
    said = wording(language).reminder(finding("failure_counter"), facts(), task="find the key")

    wanted = {
        "en": [
            "read_file",
            "3 times",
            "identical",
            "every call failed",
            "stop guessing",
            "strategy",
            "what help",
            "yours",
        ],
        "zh": ["read_file", "3 次", "完全相同", "每次都失败", "不要再猜测参数", "改变策略", "什么帮助", "由你决定"],
    }
    assert all(words in said for words in wanted[language])


@pytest.mark.parametrize("language", LANGUAGES)
def test_both_languages_say_the_same_things(language):
    english, other = reminders.bundled("en"), reminders.bundled(language)

    def fields(text):
        return {name for _, name, _, _ in string.Formatter().parse(text) if name}

    assert english.rules.keys() == other.rules.keys()
    for rule, texts in english.rules.items():
        assert {part: fields(text) for part, text in texts.items()} == {
            part: fields(text) for part, text in other.rules[rule].items()
        }


def test_long_arguments_and_results_are_not_echoed():
    """Injection rule 5."""
    said = wording().reminder(
        finding(), facts(path="x" * 5000, text="error: " + "y" * 5000), task="a\ntask " + "z" * 5000
    )

    assert len(said) < 1000


def test_the_last_chance_is_said_at_strong_and_not_before():
    assert "last reminder" not in wording().reminder(finding(), facts(), task="t")
    assert "last reminder" in wording().reminder(finding(level=Level.STRONG), facts(), task="t")


def test_braces_in_what_came_back_are_only_text():
    said = wording().reminder(finding(), facts(path="{count}", text="error: {task} {0}"), task="{tool}")

    assert "{count}" in said
    assert "{tool}" in said


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_rule_without_words_of_its_own_gets_general_ones(language):
    said = wording(language).reminder(finding("somebodys_own_rule", tool=""), None, task="")

    assert "3" in said
    assert "{" not in said
    assert wording(language).refusal(finding("somebodys_own_rule"), None, task="")
    assert wording(language).stop(finding("somebodys_own_rule"), None, task="")


def test_a_person_can_replace_single_texts(own_config):
    (own_config / "reminders").mkdir(parents=True)
    (own_config / "reminders" / "en.toml").write_text('[rules.failing_call]\nremind = "Stop. {tool} {count}"\n')

    assert wording().reminder(finding(), facts(), task="t") == "Stop. read_file 3"
    assert "not run" in wording().refusal(finding(), facts(), task="t")
    assert "error" in wording().reminder(finding("same_error"), facts(), task="t")


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("[rules.failing_call]\nremind = 3\n", r"rules\.failing_call\.remind must be a text"),
        ("[rules.failing_call]\nremind = 'the {tol}'\n", r"no field \{tol\}; there are: count"),
        ("[rules.failing_call]\nremind = '{tool.__class__}'\n", "no field"),
        ("[rules.failing_call]\nremind = 'a { b'\n", r"rules\.failing_call\.remind"),
        ("[rules.failing_call]\nremaind = 'x'\n", r"unknown key rules\.failing_call\.remaind"),
        ("[endings\n", r"mine\.toml"),
    ],
)
def test_wording_that_cannot_be_used_is_refused_with_file_and_key(tmp_path, content, complaint):
    path = tmp_path / "mine.toml"
    path.write_text(content)

    with pytest.raises(ReminderError, match=complaint) as caught:
        wording("en", path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_named_file_that_is_not_there_is_an_error(tmp_path):
    with pytest.raises(ReminderError, match="no such file"):
        wording("en", tmp_path / "gone.toml")
