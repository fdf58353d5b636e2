"""The benchmarks' own rules: how a figure is told, and that every run measures the same work."""

import pytest

from tests.benchmarks.__main__ import main
from tests.benchmarks.figure import Figure
from tests.benchmarks.workload import steps


@pytest.mark.parametrize(("value", "verdict"), [(59.94, "ok"), (60, "ok"), (60.1, "short")])
def test_a_figure_is_one_line_with_its_goal_and_verdict(value, verdict):
    assert str(Figure("suite.step", value, "us", 60)) == f"BENCH suite.step {value:g} us <=60 {verdict}"


def test_the_workload_is_the_same_every_time_and_as_long_as_it_says():
    run = list(steps(50, size=1_000))

    assert run == list(steps(50, size=1_000))
    assert [step.index for step in run] == list(range(50))
    assert {len(step.result.text) >= 1_000 for step in run} == {True}
    assert {step.result.is_error for step in run} == {True, False}


def test_an_unknown_group_of_figures_is_answered_with_those_there_are():
    with pytest.raises(SystemExit, match="no group of figures 'speed'; there are: start"):
        main(["speed"])
