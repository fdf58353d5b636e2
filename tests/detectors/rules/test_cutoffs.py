"""Answers that end at the output limit, and continuations that dwindle."""

from loopwatch.detectors.finding import Level
from loopwatch.detectors.rules.cutoffs import CutOff, Dwindling
from loopwatch.detectors.step import Usage
from tests.detectors.build import act, read, say, steps_of, watch
from tests.detectors.running import feed


def cut_off(**settings) -> CutOff:
    return CutOff(CutOff.Settings(**settings))


def dwindling(**settings) -> Dwindling:
    return Dwindling(Dwindling.Settings(**settings))


def cut_call():
    return act(
        "write_file", '{"path": "a.tsx", "content": "impo', "Unterminated string", failed=True, finish_reason="length"
    )


def test_the_same_call_cut_off_twice_warns_and_four_times_is_strong():
    """M17, B8."""
    said = watch(cut_off(warn=2, strong=4), *[cut_call()] * 4)

    assert [(finding.step, finding.level) for finding in said] == [(1, Level.WARN), (2, Level.WARN), (3, Level.STRONG)]


def test_a_text_that_goes_on_where_it_was_cut_is_silent():
    """H71."""
    assert not watch(cut_off(), *[say(f"part {n} of the text", finish_reason="max_tokens") for n in range(4)])


def test_going_on_for_very_long_is_mentioned():
    assert watch(cut_off(any_answer=5), *[say(f"part {n} of the text", finish_reason="max_tokens") for n in range(5)])


def test_an_answer_that_ends_by_itself_ends_the_row():
    assert not watch(cut_off(), *[cut_call(), act("write_file", {"path": "a"}, "ok", finish_reason="stop")] * 4)


def test_parallel_calls_of_one_cut_answer_count_once():
    assert not watch(cut_off(), [cut_call(), cut_call(), cut_call()])


def continuation(tokens):
    return say(f"more, {tokens}", usage=Usage(output=tokens))


def test_continuations_that_shrink_to_little_are_seen():
    """B7: +3000, +2000, +400, +200."""
    said = watch(dwindling(), *[continuation(tokens) for tokens in (3000, 2000, 400, 200)])

    assert steps_of(said) == [3]
    assert "+3000, +2000, +400, +200" in said[0].message


def test_three_fuses_stops_the_run_there():
    """B7."""
    said = feed("three-fuses", *[continuation(tokens) for tokens in (3000, 2000, 400, 200)])

    assert [(finding.step, finding.level, finding.response) for finding in said] == [(3, Level.CRITICAL, "stop")]


def test_small_continuations_that_do_not_shrink_are_silent():
    """B7."""
    assert not watch(dwindling(), *[continuation(tokens) for tokens in (300, 300, 310, 300, 320)])


def test_a_call_between_continuations_starts_anew():
    assert not watch(
        dwindling(), continuation(3000), continuation(400), read("a"), continuation(300), continuation(200)
    )
