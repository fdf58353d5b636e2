"""Looking around without end."""

from loopwatch.detectors.finding import Level
from loopwatch.detectors.rules.spiral import Spiral
from tests.detectors.build import edit, read, sh, steps_of, watch


def rule(**settings) -> Spiral:
    return Spiral(Spiral.Settings(**settings))


def test_ten_read_only_calls_in_a_row_are_a_spiral_where_only_calls_count():
    """A14: shell commands that only read are among them."""
    script = [read("a"), sh("ls src", "x"), sh("grep -rn foo .", "y"), *[read(f"f{n}") for n in range(8)]]

    assert steps_of(watch(rule(warn=10, new=100), *script)) == [9, 10]


def test_a_write_or_a_run_starts_the_count_anew():
    """A14."""
    script = [step for n in range(6) for step in (*[read(f"f{n}{m}") for m in range(8)], edit("a", f"{n}", "b"))]
    runs = [step for n in range(6) for step in (*[read(f"f{n}{m}") for m in range(8)], sh("pytest", f"{n} failed"))]

    assert not watch(rule(warn=10, new=100), *script)
    assert not watch(rule(warn=10, new=100), *runs)


def test_an_opening_survey_of_new_places_is_silent():
    """N05, F10."""
    assert not watch(rule(), *[read(f"src/f{n}.py") for n in range(60)])


def test_going_round_the_same_few_files_is_seen():
    """M13: 27 reads over 7 files."""
    said = watch(rule(warn=14, new=30), *[read(f"f{n % 7}.py") for n in range(27)])

    assert said
    assert {finding.level for finding in said} == {Level.WARN}


def test_the_opening_can_be_exempt_whatever_it_shows():
    assert not watch(rule(warn=10, new=100, opening=40), *[read(f"f{n}") for n in range(40)])


def test_names_checked_one_by_one_are_no_spiral():
    """F19: an empty answer to a new question is an answer."""
    assert not watch(rule(warn=14), *[sh(f"grep -rn legacy_{n} src", "") for n in range(30)])
