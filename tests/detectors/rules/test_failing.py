"""Calls that fail again and again."""

from loopwatch.detectors.finding import Level
from loopwatch.detectors.rules.failing import FailingCall
from tests.detectors.driving import drive, fact, failure


def rule(**settings) -> FailingCall:
    return FailingCall(FailingCall.Settings(**settings))


def test_the_third_failure_of_one_call_warns_and_the_fifth_is_strong():
    """A2, and Hermes' second level."""
    said = drive(rule(warn=3, strong=5), *[failure("read x")] * 5)

    assert [(finding.step, finding.count, finding.level) for finding in said] == [
        (2, 3, Level.WARN),
        (3, 4, Level.WARN),
        (4, 5, Level.STRONG),
    ]
    assert said[0].steps == (0, 1, 2)


def test_a_success_of_the_same_call_ends_its_count():
    assert not drive(rule(), failure("a"), failure("a"), fact("a"), failure("a"), failure("a"))


def test_transient_failures_neither_count_nor_reset():
    said = drive(rule(), failure("a"), failure("a", transient=True), failure("a"), failure("a"))

    assert [finding.steps for finding in said] == [(0, 2, 3)]


def test_equal_calls_of_one_turn_count_once():
    assert not drive(rule(), [failure("a"), failure("a"), failure("a")], failure("a"))


def test_state_saved_midway_continues_the_same():
    first, second = rule(), rule()
    drive(first, failure("a"), failure("b"), failure("a"))
    second.restore(first.save())

    assert drive(second, failure("x"), failure("y"), failure("z"), failure("a")) == drive(
        first, failure("x"), failure("y"), failure("z"), failure("a")
    )
