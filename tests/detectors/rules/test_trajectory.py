"""How a run goes as a whole."""

from loopwatch.detectors.rules.trajectory import FixesWithoutEffect, MostlyFailing
from tests.detectors.build import act, edit, read, sh, steps_of, watch


def fixes(**settings) -> FixesWithoutEffect:
    return FixesWithoutEffect(FixesWithoutEffect.Settings(**settings))


def failing(**settings) -> MostlyFailing:
    return MostlyFailing(MostlyFailing.Settings(**settings))


def rounds(count, outcome):
    return [
        step
        for n in range(count)
        for step in (edit("run.go", f"x{n}", f"y{n}"), sh("go test ./...", outcome(n), failed=True))
    ]


def test_the_same_failure_after_eight_changes_is_seen():
    said = watch(fixes(warn=8), *rounds(10, lambda n: f"--- FAIL: TestDrain (0.{n}1s)\n drain: 3 jobs left"))

    assert said[0].count == 8
    assert said[0].step == 15


def test_another_message_each_time_is_progress():
    """N02, F3, F26."""
    assert not watch(fixes(), *rounds(20, lambda n: f"FAIL\n {30 - n} failed, {n} passed"))


def test_the_same_failure_without_a_change_between_is_left_to_other_rules():
    assert not watch(fixes(), *[sh("go test ./...", "FAIL: x", failed=True)] * 20)


def test_tests_and_builds_that_keep_passing_are_silent():
    """F22, F24."""
    script = [step for n in range(12) for step in (edit("a.go", f"x{n}", f"y{n}"), sh("go test ./...", "ok"))]

    assert not watch(fixes(), *script)


def test_success_ends_the_count():
    script = rounds(5, lambda _: "FAIL: x")

    assert not watch(fixes(), *script, sh("go test ./...", "ok"), *script)


def test_a_tool_that_fails_nine_times_of_twelve_is_seen_despite_successes():
    """A13."""
    bad = [act("patch", {"n": n}, "hunk does not apply", failed=True) for n in range(9)]
    script = [*bad[:5], act("patch", {"n": "ok"}, "applied"), *bad[5:]]

    assert steps_of(watch(failing(), *script)) == [9]


def test_many_different_errors_are_trying_things_out():
    """A13 kept quiet: diagnosis of a broken repository."""
    words = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu"]
    script = [sh(f"./probe-{word}", f"{word}: library lib{word} is broken", failed=True) for word in words]

    assert not watch(failing(), *script)


def test_parallel_calls_that_fail_together_count_once():
    batch = [act("edit", {"n": n}, "sibling call failed", failed=True) for n in range(12)]

    assert not watch(failing(), read("a"), batch, batch)


def test_red_tests_between_changes_are_work():
    """F24, H10: one of many findings is mended each time."""
    script = [
        step
        for n in range(12)
        for step in (edit(f"f{n}.py", "a", "b"), sh("pytest -q", f"FAILED test_{n}\n{12 - n} failed", failed=True))
    ]

    assert not watch(MostlyFailing(MostlyFailing.Settings(kinds=50)), *script)


def test_an_error_that_wanders_through_a_rewritten_script_is_the_same():
    """M20."""
    trace = "Traceback (most recent call last):\n  line %d, in main\nNameError: name 'connect' is not defined"
    script = [
        step
        for n in range(9)
        for step in (edit("sync.py", f"x{n}", f"y{n}"), sh("python sync.py", trace % (n + 3), failed=True))
    ]

    assert steps_of(watch(fixes(warn=8), *script)) == [15, 17]
