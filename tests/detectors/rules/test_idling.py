"""Turns in which nothing is done."""

from loopwatch.detectors.rules.idling import Idling
from tests.detectors.build import read, say, steps_of, watch


def rule(**settings) -> Idling:
    return Idling(Idling.Settings(**settings))


def promise(n):
    verb = ("verify", "confirm", "check", "review")[n % 4]
    return say(f"I will now {verb} that the rollout is ready, then begin with the api deployment. First the image tag.")


def test_a_reworded_monologue_is_seen_at_the_third_message():
    """OpenHands: 3."""
    assert steps_of(watch(rule(warn=3), *[promise(n) for n in range(5)])) == [2, 3, 4]


def test_a_call_or_a_person_between_is_no_monologue():
    calls = [step for n in range(6) for step in (promise(n), read(f"f{n}"))]
    answers = [say(promise(n).text, person=True) for n in range(6)]

    assert not watch(rule(), *calls)
    assert not watch(rule(), *answers)


def test_a_long_text_continued_at_the_cut_is_no_monologue():
    """H71."""
    assert not watch(
        rule(), *[say(f"## Chapter {n}\n" + " ".join(f"step{n}-{m}" for m in range(200))) for n in range(5)]
    )


def test_empty_turns_are_counted_and_thoughts_alone_are_not_empty():
    """F14: software-agent-sdk PR#2505."""
    assert steps_of(watch(rule(empty=4), *[say("  ")] * 5)) == [3, 4]
    assert not watch(rule(), *[say("", reasoning=f"thought {n}") for n in range(12)])


def test_talk_that_is_new_each_time_needs_many_messages():
    said = watch(rule(talk=8), *[say(" ".join(f"{word}{n}" for word in ("red", "green", "blue"))) for n in range(9)])

    assert steps_of(said) == [7, 8]
