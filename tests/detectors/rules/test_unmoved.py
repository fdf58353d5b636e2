"""Changes that do not show."""

from loopwatch.detectors.rules.unmoved import Unmoved
from loopwatch.detectors.step import Step
from tests.detectors.build import edit, sh, steps_of, watch


def rule(**settings) -> Unmoved:
    return Unmoved(Unmoved.Settings(**settings))


def rounds(run: Step, count=9):
    return [step for n in range(count) for step in (edit("A.java", f"x{n}", f"y{n}"), run)]


def test_a_program_whose_output_never_moves_through_changes_is_seen():
    """A13: prints put in, the script run, nothing printed."""
    assert steps_of(watch(rule(warn=6), *rounds(sh("python try.py", "")))) == [11, 13, 15, 17]


def test_a_bare_test_script_that_prints_and_gives_no_verdict_is_a_program():
    assert watch(rule(), *rounds(sh("python test_merge.py", '{"name": "New"}')))


def test_tests_and_builds_that_keep_passing_are_silent():
    """F22, F24, H77."""
    passing = (
        sh("go test ./...", "ok"),
        sh("mkdocs build -q", ""),
        sh("python test_merge.py", "all 4 tests passed"),
        sh("python test_merge.py", ""),
    )

    assert not any(watch(rule(), *rounds(run)) for run in passing)


def test_without_changes_between_it_is_left_to_other_rules():
    assert not watch(rule(), *[sh("python try.py", "same")] * 12)


def test_another_output_starts_the_count_anew():
    script = [step for n in range(12) for step in (edit("a", f"x{n}", "y"), sh("python try.py", f"{n // 4}"))]

    assert not watch(rule(warn=6), *script)
