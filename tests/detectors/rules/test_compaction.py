"""Loops that a compaction of the conversation does not end."""

from dataclasses import replace

from loopwatch.detectors.rules.compaction import AfterCompaction
from tests.detectors.build import edit, read, sh, steps_of, watch


def rule(**settings) -> AfterCompaction:
    return AfterCompaction(AfterCompaction.Settings(**settings))


def compacted(step):
    return replace(step, compacted=True)


LOOP = sh("git log | grep fix", "")


def test_three_equal_calls_after_a_compaction_are_seen():
    """M10: OpenClaw's guard."""
    said = watch(rule(), read("a"), compacted(LOOP), LOOP, LOOP)

    assert steps_of(said) == [3]


def test_a_loop_that_was_there_before_is_seen_sooner():
    said = watch(rule(), LOOP, LOOP, LOOP, compacted(LOOP), LOOP)

    assert steps_of(said) == [4]
    assert "3 times before it" in said[0].message


def test_reading_once_more_what_was_summarised_away_is_silent():
    files = [read(f"f{n}") for n in range(6)]

    assert not watch(rule(), *files, *files, compacted(read("g")), *files)


def test_without_a_compaction_the_rule_says_nothing():
    assert not watch(rule(), *[LOOP] * 12)


def test_a_change_starts_the_count_anew():
    script = [step for n in range(5) for step in (LOOP, edit("a", f"x{n}", f"y{n}", f"replaced line {n}"))]

    assert not watch(rule(), compacted(read("a")), *script)
