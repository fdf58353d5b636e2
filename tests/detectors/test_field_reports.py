"""Preset ``balanced`` on what users of other agents reported: it sees the loops in time and keeps quiet otherwise."""

import pytest

from tests.detectors.field_reports import LOOPS, QUIET
from tests.detectors.running import feed


def alarms(run):
    return [finding for finding in feed("balanced", *run) if finding.level.word != "notice"]


@pytest.mark.parametrize("name", LOOPS)
def test_a_reported_loop_is_seen_in_time(name):
    make, deadline = LOOPS[name]
    found = alarms(make())

    assert found, "missed"
    assert found[0].step <= deadline, found[0].message


@pytest.mark.parametrize("name", QUIET)
def test_a_reported_false_alarm_is_not_repeated(name):
    assert not alarms(QUIET[name]())
