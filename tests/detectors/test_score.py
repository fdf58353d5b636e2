"""Verdicts against labels, as the scoring rules of labelled traces say."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwatch.detectors.finding import Finding, Level
from loopwatch.detectors.score import LabelError, Verdict, judge, label_of, tally

SHAPE = {"label": "stuck", "kind": "orbit", "onset": 10, "loop_start": 4, "deadline": 14}
RUN = {"label": "stuck", "kind": "orbit", "onset": 10, "last": 20}
HEALTHY = {"label": "healthy", "kind": "poll_ok"}


def alarm(step: int, level: Level = Level.WARN) -> Finding:
    return Finding("r", level, step, (step,), 3, 3, "", "k", "remind")


def verdict(header, *findings, steps=30):
    return judge(label_of(header, steps), findings).verdict


@pytest.mark.parametrize(
    ("step", "expected"),
    [(3, "early"), (4, "in_time"), (14, "in_time"), (15, "late"), (29, "late")],
)
def test_a_window_of_its_own_decides_where_a_label_has_one(step, expected):
    assert verdict(SHAPE, alarm(step)) == expected


@pytest.mark.parametrize(
    ("step", "expected"),
    [(6, "early"), (7, "in_time"), (13, "in_time"), (14, "late"), (20, "late"), (21, "missed")],
)
def test_three_steps_around_the_onset_decide_elsewhere(step, expected):
    assert verdict(RUN, alarm(step)) == expected


def test_only_the_first_alarm_of_a_stuck_run_counts():
    assert verdict(SHAPE, alarm(8), alarm(2)) == "early"


def test_notices_never_count():
    assert verdict(SHAPE, alarm(8, Level.NOTICE)) == "missed"
    assert verdict(HEALTHY, alarm(8, Level.NOTICE)) == "quiet"


def test_delay_is_counted_from_the_onset_and_only_for_what_was_caught():
    assert judge(label_of(SHAPE, 30), [alarm(8)]).delay == -2
    assert judge(label_of(SHAPE, 30), [alarm(16)]).delay == 6
    assert judge(label_of(SHAPE, 30), [alarm(1)]).delay is None


def test_a_healthy_run_bears_a_mild_alarm_only_where_its_label_says_so():
    assert verdict(HEALTHY, alarm(8)) == "wrong"
    assert verdict(HEALTHY | {"soft_ok": True}, alarm(8)) == "soft"


@pytest.mark.parametrize("level", [Level.STRONG, Level.CRITICAL])
@pytest.mark.parametrize("soft_ok", [True, False])
def test_a_hard_alarm_on_a_healthy_run_is_always_wrong(level, soft_ok):
    assert verdict(HEALTHY | {"soft_ok": soft_ok}, alarm(1), alarm(8, level)) == "hard_wrong"


def test_a_tally_adds_up():
    runs = [(SHAPE, [alarm(8)]), (SHAPE, []), (RUN, [alarm(14)]), (HEALTHY, [alarm(1, Level.STRONG)]), (HEALTHY, [])]
    labels = [label_of(header, 30) for header, _ in runs]
    total = tally((label, judge(label, said)) for label, (_, said) in zip(labels, runs, strict=True))

    assert (total.stuck, total.in_time, total.late, total.missed, total.early) == (3, 1, 1, 1, 0)
    assert (total.healthy, total.wrong, total.hard_wrong) == (2, 1, 1)
    assert total.median_delay == 1.0


@pytest.mark.parametrize(
    ("header", "field"),
    [({}, "label"), ({"label": "odd"}, "label"), ({"label": "stuck"}, "onset"), (RUN | {"last": "x"}, "last")],
)
def test_a_label_that_cannot_be_judged_by_names_the_field(header, field):
    with pytest.raises(LabelError, match=field):
        label_of(header, 30)


@given(st.lists(st.tuples(st.integers(0, 40), st.sampled_from(Level))), st.booleans(), st.randoms())
def test_the_order_of_findings_does_not_matter(drawn, soft_ok, random):
    findings = [alarm(step, level) for step, level in drawn]
    shuffled = random.sample(findings, len(findings))
    for header in (SHAPE, RUN, HEALTHY | {"soft_ok": soft_ok}):
        label = label_of(header, 30)
        assert judge(label, findings).verdict is judge(label, shuffled).verdict
        assert judge(label, findings).verdict in Verdict
