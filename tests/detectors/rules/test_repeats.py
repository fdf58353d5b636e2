"""The same call again."""

from loopwatch.detectors.finding import Level
from loopwatch.detectors.rules.repeats import Interleaved, RepeatedCall, SameResult
from loopwatch.detectors.sameness.facts import Effect
from tests.detectors.driving import drive, fact


def same_result(**settings) -> SameResult:
    return SameResult(SameResult.Settings(**settings))


def repeated_call(**settings) -> RepeatedCall:
    return RepeatedCall(RepeatedCall.Settings(**settings))


def interleaved(**settings) -> Interleaved:
    return Interleaved(Interleaved.Settings(**settings))


def at(findings) -> list[tuple[int, int]]:
    return [(finding.step, finding.count) for finding in findings]


def test_a_row_of_equal_results_warns_at_three_and_is_strong_at_six():
    """B1, L01, L02."""
    said = drive(same_result(), *[fact("read a")] * 6)

    assert at(said) == [(2, 3), (3, 4), (4, 5), (5, 6)]
    assert [finding.level for finding in said] == [Level.WARN] * 3 + [Level.STRONG]


def test_a_moving_result_is_progress():
    """B1, N01, N11."""
    assert not drive(same_result(), *[fact("poll", f"line {n}") for n in range(20)])


def test_another_call_breaks_the_row_and_a_message_does_not():
    message = fact("", "", tool="", effect=Effect.TALK)

    assert not drive(same_result(), fact("a"), fact("a"), fact("b"), fact("a"), fact("a"))
    assert drive(same_result(), fact("a"), message, fact("a"), message, fact("a"))


def test_a_mere_ok_needs_one_more():
    """N03, N09: constant acknowledgements are weak evidence."""
    assert at(drive(same_result(), *[fact("save", "ok", weak=True)] * 4)) == [(3, 4)]


def test_polls_are_left_to_their_own_rule_unless_told_otherwise():
    poll = fact("status", effect=Effect.POLL)

    assert not drive(same_result(), *[poll] * 9)
    assert drive(same_result(polls=True), *[poll] * 9)


def test_a_batch_repeated_as_a_whole_is_a_row():
    """S81."""
    batch = [fact("a"), fact("b"), fact("c")]

    assert {finding.step for finding in drive(same_result(), batch, batch, batch)} == {6, 7, 8}


def test_equal_calls_many_times_are_advice_whatever_they_return():
    """B2."""
    assert at(drive(repeated_call(), *[fact("poll", f"line {n}") for n in range(11)])) == [(9, 10), (10, 11)]


def test_advice_forgets_when_there_is_news():
    assert not drive(repeated_call(news=True), *[fact("poll", f"line {n}") for n in range(30)])


def test_only_the_newest_steps_count_where_there_is_a_window():
    others = [fact(f"other {n}") for n in range(9)]

    assert not drive(repeated_call(warn=3, window=10), fact("a"), *others, fact("a"), *others, fact("a"))
    assert drive(repeated_call(warn=3), fact("a"), *others, fact("a"), *others, fact("a"))


def test_a_result_that_comes_back_between_other_calls_warns_at_four():
    """L07, M19, M24: a failing test between ever new reads."""
    script = [step for n in range(4) for step in (fact("test"), fact(f"read {n}", f"text {n}"))]

    assert at(drive(interleaved(), *script)) == [(6, 4)]


def test_a_status_asked_for_long_after_is_no_repeat():
    """N07: looked at between pieces of work."""
    work = [fact(f"work {n}", f"did {n}") for n in range(30)]
    script = [step for n in range(6) for step in (fact("git status"), *work[5 * n : 5 * n + 5])]

    assert not drive(interleaved(), *script)


def test_a_long_call_is_evidence_even_where_it_returns_nothing():
    long = "x" * 200
    script = [step for n in range(4) for step in (fact(long, "none", weak=True), fact(f"read {n}", f"text {n}"))]
    short = [step for n in range(4) for step in (fact("ls", "none", weak=True), fact(f"read {n}", f"text {n}"))]

    assert drive(interleaved(), *script)
    assert not drive(interleaved(), *short)
