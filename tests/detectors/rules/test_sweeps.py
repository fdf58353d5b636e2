"""Reading through ranges that were read already."""

import pytest

from loopwatch.detectors.finding import Level
from loopwatch.detectors.rules.sweeps import Sweep
from tests.detectors.build import act, edit, sh, watch


def rule(**settings) -> Sweep:
    return Sweep(Sweep.Settings(**settings))


def page(first, last, path="big.log"):
    return act("read_file", {"path": path, "start_line": first, "end_line": last}, f"lines {first} to {last} of {path}")


def sweep(size, *, start=1, end=600, path="big.log"):
    return [page(first, first + size - 1, path) for first in range(start, end, size)]


def test_a_first_pass_over_a_file_is_silent():
    """N06."""
    assert not watch(rule(), *sweep(20))


def test_a_second_pass_with_shifted_windows_of_another_size_is_seen():
    """L08, M18: stella#4034."""
    said = watch(rule(warn=6), *sweep(50), *sweep(70, start=21))

    assert said
    assert said[0].step == 12 + 5
    assert said[0].count == 6
    assert said[0].level == Level.WARN
    assert "big.log" in said[0].message


def test_going_on_for_long_becomes_strong():
    said = watch(rule(warn=4, strong=9), *sweep(50), *sweep(50, start=11), *sweep(50, start=21))

    assert {finding.level for finding in said} == {Level.WARN, Level.STRONG}


def test_alternating_between_new_and_known_ranges_is_half_known_and_seen():
    """M40: everruns PR#2295."""
    script = [page(1, 40), page(41, 80), page(81, 120)]
    for at in range(121, 1000, 40):
        script += [page(at, at + 39), page((at % 120) + 1, (at % 120) + 40)]

    assert watch(rule(), *script)


def test_reading_one_range_over_and_over_is_left_to_other_rules():
    assert not watch(rule(), *sweep(100), *[page(1, 100)] * 12)


def test_reading_again_what_was_edited_since_is_silent():
    script = []
    for _ in range(6):
        script += [*sweep(100, path="a.py"), edit("a.py", "x", "y")]

    assert not watch(rule(), *script)


def test_shell_ranges_count_like_any_other():
    pages = [sh(f"sed -n '{at},{at + 49}p' big.log", f"lines {at}") for at in range(1, 400, 50)]
    again = [sh(f"sed -n '{at},{at + 69}p' big.log", f"lines {at}") for at in range(11, 400, 70)]

    assert watch(rule(warn=5), *pages, *again)


def test_parallel_reads_of_overlapping_ranges_are_one_first_pass():
    assert not watch(rule(warn=2), [page(1, 100), page(20, 80), page(30, 90), page(40, 95)])


def test_after_a_compaction_reading_again_is_a_first_pass():
    first, *rest = sweep(70)
    script = [*sweep(50), act("read_file", first.call.arguments, "x", compacted=True), *rest]

    assert not watch(rule(), *script)


@pytest.mark.parametrize("span", [(5, 1), (10**15, 10**18), (-3, 4)])
def test_odd_ranges_are_harmless(span):
    watch(rule(warn=2), *[page(*span)] * 5)
