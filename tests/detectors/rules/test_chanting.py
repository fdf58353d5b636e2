"""Texts and thoughts that go round in circles."""

import random

import pytest

from loopwatch.detectors.finding import Level
from loopwatch.detectors.rules.chanting import Chant
from tests.detectors.build import say, steps_of, watch

SENTENCE = "I will check the log once more. "
PARAGRAPH = (
    "Let me think about this again. If I change the store then the filter bar renders anew, which breaks the memo. "
    "Alternatively I could lift the state, but then the table needs the setter, and the setter comes from the store. "
)
CASES = {
    "C1": SENTENCE * 40,
    "C2": (PARAGRAPH[:150] + ". ") * 20,
    "C3": (PARAGRAPH * 3 + "So the store it is, then. ") * 12,
    "C4": "ABC" * 400,
    "C5": "- check the imports of the module\n" * 60,
    "C10": "?!" * 1000,
    "brackets": "(" * 2000,
}
HONEST = {
    "F5, C6: bullets with a long shared prefix": "".join(
        f"- src/components/dashboard/widgets/{name}{n}.tsx\n" for n in range(20) for name in ("Chart", "Table")
    ),
    "F6, C7: white space": "Here it is:" + " " * 120 + "\n" * 300 + "done." + " " * 500,
    "F7, C8: near-equal functions, unfenced": "".join(
        f"def get_{n}(self):\n    return self._values[{n}] or self._default\n\n" for n in range(100)
    ),
    "fenced code": "So:\n```python\n" + "print('x')\n" * 200 + "```\n",
    "a table": "| a | b |\n|---|---|\n" + "".join(f"| {n} | 0 |\n" for n in range(200)),
    "equal table rows": "| name | state |\n|---|---|\n" + "| api | ok |\n| web | ok |\n| worker | failed |\n" * 18,
    "a rule": "Title\n" + "=" * 400 + "\nText",
    "a template filled in anew each time": " ".join(
        f"If the {a} holds {n} {b}s, then {a} must run before {b}, so line {n} of file {b}_{n}.go changes."
        for n, (a, b) in enumerate(
            zip(["account", "ledger", "posting", "rate", "batch"] * 30, ["berth", "token", "tide"] * 50, strict=True)
        )
    ),
}


def rule(**settings) -> Chant:
    return Chant(Chant.Settings(**settings))


@pytest.mark.parametrize("case", CASES)
def test_chanting_is_seen(case):
    """Section 5.3 of the field: C1 to C10."""
    assert watch(rule(), say(CASES[case])), case
    assert watch(rule(), say("", reasoning=CASES[case])), case


def test_thirty_reworded_paragraphs_are_seen():
    """C9."""
    dice = random.Random(9)
    words = ["check", "verify", "confirm", "review"]
    text = " ".join(
        f"I will now {dice.choice(words)} that the rollout is ready and the manifests are complete before "
        f"the deployment of the api begins, and then {dice.choice(words)} the image tag against the registry so that "
        "nothing is missed."
        for _ in range(60)
    )

    assert watch(rule(), say(text))


@pytest.mark.parametrize("case", HONEST)
def test_honest_text_is_silent(case):
    assert not watch(rule(), say(HONEST[case])), case


def test_chanting_that_follows_on_honest_text_is_seen():
    honest = " ".join(f"word{n}" for n in range(3000))

    assert watch(rule(), say(honest + SENTENCE * 30))


def test_one_such_message_warns_and_a_row_of_them_is_strong():
    """M32."""
    said = watch(rule(strong=3), *[say("", reasoning=PARAGRAPH * 30)] * 4)

    assert [finding.level for finding in said] == [Level.WARN, Level.WARN, Level.STRONG, Level.STRONG]


def test_a_message_that_says_something_new_ends_the_row():
    said = watch(rule(strong=2), say(SENTENCE * 30), say("Found it: the key is missing."), say(SENTENCE * 30))

    assert {finding.level for finding in said} == {Level.WARN}
    assert steps_of(said) == [0, 2]


@pytest.mark.parametrize(
    "text", ["a" * 10_000_000, "word " * 2_000_000, "(" * 3_000_000, "\n" * 3_000_000, "\ud800\0" * 10_000]
)
def test_huge_and_odd_texts_cost_little_and_never_raise(text):
    watch(rule(), say(text))
