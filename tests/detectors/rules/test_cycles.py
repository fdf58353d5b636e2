"""Paths walked again and again, and circling without a path."""

import pytest

from loopwatch.detectors.finding import Level
from loopwatch.detectors.rules.cycles import Cycle
from loopwatch.detectors.rules.orbit import Orbit
from loopwatch.detectors.sameness.facts import Effect
from tests.detectors.driving import drive, fact


def cycle(**settings) -> Cycle:
    return Cycle(Cycle.Settings(**settings))


def orbit(**settings) -> Orbit:
    return Orbit(Orbit.Settings(**settings))


def path(period: int, laps: int):
    return [fact(f"call {n % period}", f"result {n % period}") for n in range(period * laps)]


@pytest.mark.parametrize("period", range(2, 13))
def test_cycles_of_two_to_twelve_calls_are_seen(period):
    """L03, L04, L14, egg#3595: at the latest when the second repetition is complete."""
    said = drive(cycle(), *path(period, 3))

    assert said
    assert said[0].step <= 3 * period - 1
    assert said[0].count >= 4


def test_a_cycle_becomes_strong_after_five_laps():
    said = drive(cycle(), *path(3, 6))

    assert [finding.level for finding in said if finding.step == 13] == [Level.WARN]
    assert [finding.level for finding in said if finding.step == 14] == [Level.STRONG]


def test_a_side_with_new_results_breaks_the_cycle():
    """N02: edit and test, and the results move."""
    script = [step for n in range(12) for step in (fact("edit"), fact("test", f"{n} passed"))]

    assert not drive(cycle(), *script)


def test_a_strange_step_now_and_then_does_not_hide_the_cycle():
    """Jitter."""
    lap = path(6, 1)
    script = [*lap, *lap[:3], fact("aside 1", "one"), *lap[3:], *lap[:4], fact("aside 2", "two"), *lap[4:]]

    assert drive(cycle(), *script)
    assert not drive(cycle(jitter=0), *script[:14])


def test_one_call_over_and_over_is_no_cycle():
    assert not drive(cycle(), *[fact("a")] * 20)


def test_polls_and_messages_are_passed_over():
    waits = [fact("wait", effect=Effect.POLL), fact("", "", tool="", effect=Effect.TALK)]

    assert not drive(cycle(), *waits * 10)


def test_turns_are_wholes():
    """Parallel calls of a turn may stand in any order."""
    first, second = [fact("a", "1"), fact("b", "2")], [fact("c", "3"), fact("d", "4")]
    straight = drive(cycle(), *[first, second] * 4)
    mixed = drive(cycle(), *[first, second, first[::-1], second[::-1]] * 2)

    assert [(finding.step, finding.count) for finding in straight] == [
        (finding.step, finding.count) for finding in mixed
    ]


def test_an_orbit_without_order_is_seen_by_its_lack_of_news():
    """L15: two files in irregular order."""
    order = [0, 1, 0, 0, 1, 1, 0, 1, 0, 0]

    assert drive(orbit(), *[fact(f"read {n}", f"text {n}") for n in order])[0].step == 7


def test_as_much_news_as_repetition_is_no_orbit():
    script = [step for n in range(30) for step in (fact("status", "clean"), fact(f"read {n}", f"text {n}"))]

    assert not drive(orbit(), *script)
