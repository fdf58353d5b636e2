"""A workspace that stands still while the agent says it edits."""

from loopwatch.detectors.rules.stagnation import Stagnation
from loopwatch.detectors.step import Change
from tests.detectors.build import edit, read, steps_of, watch, write


def rule(**settings) -> Stagnation:
    return Stagnation(Stagnation.Settings(**settings))


def test_edits_of_several_files_that_change_none_are_seen():
    """A15."""
    assert steps_of(watch(rule(warn=4), *[edit(f"f{n}.py", "a", "b", changes=()) for n in range(5)])) == [3, 4]


def test_a_change_of_any_file_starts_the_count_anew():
    real = edit("a.py", "a", "b", changes=(Change("a.py", "modified", "01", "02"),))

    assert not watch(rule(), *[step for n in range(8) for step in (edit(f"f{n}", "a", "b", changes=()), real)])


def test_nobody_watching_means_nothing_is_said():
    assert not watch(rule(), *[edit(f"f{n}", "a", "b") for n in range(12)])


def test_reading_and_writing_elsewhere_leave_the_workspace_as_it_is():
    script = [step for n in range(8) for step in (read(f"f{n}", changes=()), write(f"/tmp/n{n}", "x", changes=()))]

    assert not watch(rule(), *script)


def test_edits_that_failed_claim_nothing():
    assert not watch(rule(), *[edit(f"f{n}", "a", "b", "not found", failed=True, changes=()) for n in range(12)])
